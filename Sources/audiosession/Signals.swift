import CommandLineSupport
import Foundation
import Glibc

/// The signals that request a program to end, stop or continue, received one at a time on a thread of their own.
enum Signals {
    /// A received signal.
    struct Arrival: Sendable {
        /// The signal's number, such as `SIGINT`.
        let number: Int32
        /// Whether the kernel sent it, to all processes of the terminal: for a key, or at the terminal's end.
        let isFromTerminal: Bool
    }

    /// The signals that request an end.
    ///
    /// SIGHUP is left out if it is ignored (`nohup`), because blocking it would make it pending.
    static let ending = [SIGINT, SIGTERM, SIGQUIT] + (hangUpIsIgnored() ? [] : [SIGHUP])

    /// The signal mask of this thread.
    static var mask: sigset_t {
        var set = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &set)
        return set
    }

    /// Blocks the signals for ``receive(_:)``; to be called before threads are started, which inherit the mask.
    ///
    /// - Parameter more: Signals besides ``ending``.
    static func block(_ more: [Int32] = []) {
        var set = signalSet(ending + more)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// A pending signal of ``ending``, which is taken; nil if there is none.
    static func pending() -> Int32? {
        var set = signalSet(ending)
        var now = timespec()
        let number = sigtimedwait(&set, nil, &now)
        return number > 0 ? number : nil
    }

    /// Calls `handler` for each blocked signal from now on, on a thread of its own.
    static func receive(_ more: [Int32] = [], _ handler: @escaping @Sendable (Arrival) -> Void) {
        Thread.detachNewThread {
            var set = signalSet(ending + more)
            while true {
                var info = siginfo_t()
                let number = sigwaitinfo(&set, &info)
                // Positive codes are the kernel's own, others say by which call a process sent it.
                if number > 0 { handler(Arrival(number: number, isFromTerminal: info.si_code > 0)) }
            }
        }
    }

    /// Ends this process by a signal's default action.
    static func die(of number: Int32) {
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Raises a blocked signal and lets it be delivered.
    static func raise(_ number: Int32) {
        var set = signalSet([number])
        Glibc.raise(number)
        // It is delivered before this returns.
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static func signalSet(_ numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}

import CommandLineSupport
import Foundation
import Glibc

/// The signals that ask a program to end, to stop or to go on, taken one at a time on a thread of their own.
enum Signals {
    /// A signal that came.
    struct Arrival: Sendable {
        /// Such as `SIGINT`.
        let number: Int32
        /// Whether the kernel sent it: a key on the terminal, or the terminal's end; all of its processes have it.
        let isFromTerminal: Bool
    }

    /// Those that ask to end.
    ///
    /// A hang-up that is to be ignored (`nohup`) stays so only while it is not held back.
    static let ending = [SIGINT, SIGTERM, SIGQUIT] + (hangUpIsIgnored() ? [] : [SIGHUP])

    /// The signals that this thread holds back now.
    static var mask: sigset_t {
        var set = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &set)
        return set
    }

    /// Keeps the signals for ``receive(_:)``; to be called while the process has one thread, whose others inherit it.
    ///
    /// - Parameter more: Further signals than those that ask to end.
    static func block(_ more: [Int32] = []) {
        var set = signalSet(ending + more)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// A signal that is waiting already, of those that ask to end.
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

    /// Ends this process as a signal does whose default that is.
    static func die(of number: Int32) {
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Does to this process what a signal that is held back would have done.
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

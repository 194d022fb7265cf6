import Dispatch
import Glibc

/// Brings signals to the main queue: all that come from the moment on at which they are asked for, as soon as
/// ``listen()`` has been called.
///
/// A dispatch source for a signal is set up some time after it was made, and a signal that comes before that is lost: a
/// program that is told to stop right after its start would go on. The handler here is in place when `on` returns.
@MainActor
final class SignalPipe {
    private var actions: [Int32: @MainActor () -> Void] = [:]
    private var source: (any DispatchSourceRead)?
    /// Where the numbers of signals are read, once somebody asks for one.
    private var readingEnd: Int32?

    /// Calls `action` on the main queue whenever the signal comes, but for the end of a terminal or of a reader that is to
    /// be ignored.
    func on(_ number: Int32, _ action: @escaping @MainActor () -> Void) {
        if number == SIGHUP || number == SIGPIPE, isIgnored(number) { return }
        if readingEnd == nil { open() }
        actions[number] = action
        var handler = sigaction()
        handler.__sigaction_handler.sa_handler = signalCame
        handler.sa_flags = SA_RESTART
        sigaction(number, &handler, nil)
    }

    /// Does what the signal does to programs that do not handle it, and returns when that is over.
    func raiseUnhandled(_ number: Int32) {
        var (usual, ours) = (sigaction(), sigaction())
        usual.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(number, &usual, &ours)
        raise(number)
        sigaction(number, &ours, nil)
    }

    private func open() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readingEnd = ends[0]
        writingEnd = ends[1]
    }

    /// Calls the actions, for what has come already too; apart from asking, as it starts a thread, which nobody waits for.
    func listen() {
        guard let end = readingEnd, source == nil else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: end, queue: .main)
        source.setEventHandler { [unowned self] in
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = max(0, read(end, &bytes, bytes.count))
            for number in bytes[..<count] { actions[Int32(number)]?() }
        }
        source.resume()
        self.source = source
    }
}

/// Whether whoever started us, such as `nohup`, wants the terminal's end to be ignored.
///
/// Other signals are not asked about: shells start the background jobs of scripts with SIGINT ignored, and the same
/// scripts end them with it.
package func hangUpIsIgnored() -> Bool { isIgnored(SIGHUP) }

private func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return address(of: action.__sigaction_handler.sa_handler) == address(of: SIG_IGN)
}

/// A handler as a number: functions cannot be compared, and `SIG_IGN` is none.
private func address(of handler: __sighandler_t?) -> Int { withUnsafeBytes(of: handler) { $0.load(as: Int.self) } }

// SAFETY: written once, before the first handler is installed; handlers only read it.
nonisolated(unsafe) private var writingEnd: Int32 = -1

/// The handler, on whatever thread: it does what is allowed there, and no more.
private func signalCame(_ number: Int32) {
    let error = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writingEnd, &byte, 1)
    errno = error
}

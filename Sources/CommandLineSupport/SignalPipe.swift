import Dispatch
import Glibc

/// A pipe that forwards signals to the main queue.
///
/// No signal after `on` is lost; the actions run once ``listen()`` was called.
///
/// A dispatch source for a signal is set up some time after its creation, and loses earlier signals: a program stopped
/// right after its start would continue. The handler here is installed when `on` returns.
@MainActor
final class SignalPipe {
    private var actions: [Int32: @MainActor () -> Void] = [:]
    private var source: (any DispatchSourceRead)?
    /// The end from which signal numbers are read; nil before the first use.
    private var readingEnd: Int32?

    /// Calls `action` on the main queue for each such signal, except for SIGHUP or SIGPIPE that the parent had set to
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

    /// Has the default effect of a signal, and returns when that is over.
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

    /// Starts calling the actions, also for earlier signals.
    ///
    /// Separate from `on`, as it starts a thread.
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

/// Whether the parent, such as `nohup`, has set SIGHUP to be ignored.
///
/// Other signals are handled even if they were ignored: shells start the background jobs of scripts with SIGINT
/// ignored, and the same scripts end them by it.
package func hangUpIsIgnored() -> Bool { isIgnored(SIGHUP) }

private func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return address(of: action.__sigaction_handler.sa_handler) == address(of: SIG_IGN)
}

/// A handler's address: functions cannot be compared, and `SIG_IGN` is not a function.
private func address(of handler: __sighandler_t?) -> Int { withUnsafeBytes(of: handler) { $0.load(as: Int.self) } }

// SAFETY: written once, before the first handler is installed; handlers only read it.
nonisolated(unsafe) private var writingEnd: Int32 = -1

/// The signal handler, which may run on any thread, and only makes async-signal-safe calls.
private func signalCame(_ number: Int32) {
    let error = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writingEnd, &byte, 1)
    errno = error
}

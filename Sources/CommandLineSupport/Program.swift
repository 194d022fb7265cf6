import AVFAudio
import Dispatch
package import Foundation
import Glibc
import HeadlessServer

/// The external events that a program handles.
@MainActor
package protocol ProgramDelegate: AnyObject {
    /// Handles SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGPIPE: finish and leave.
    func programShouldStop()
    /// Handles Ctrl-Z: deactivate the session, as the process stops right after this.
    func programWillSuspend()
    /// Handles the continuation of the process.
    func programDidContinue()
    /// Handles a new size of the terminal's window.
    func terminalDidResize()
}

extension ProgramDelegate {
    /// Does nothing, for programs that draw nothing.
    package func terminalDidResize() {}
}

/// One run of a command-line program: its server, terminal, events and exits.
@MainActor
package final class Program {
    /// The events of `--json`.
    package let events: EventPrinter
    /// The terminal to draw on; nil if stdout is no terminal, or is used for events.
    package let terminal: Terminal?

    private let name: String
    private let domain: String
    private let headless: HeadlessServer?
    private weak var delegate: (any ProgramDelegate)?
    private let signals = SignalPipe()

    /// Selects the sound server; must be created before any use of the session, which reads the environment once.
    ///
    /// - Parameters:
    ///   - name: The program's name in messages on stderr.
    ///   - domain: The domain of the program's own errors in JSON; the name if it is nil.
    package init(name: String, domain: String? = nil, options: ProgramOptions) {
        self.name = name
        self.domain = domain ?? name
        events = EventPrinter(isOn: options.isJSON)
        if let address = options.server { setenv("PULSE_SERVER", address, 1) }
        do {
            headless = options.isHeadless ? try HeadlessServer.start(.pulseAudio) : nil
        } catch {
            complain(name, "cannot start a private server: \(oneLine(error))")
            exit(ExitStatus.noServer.rawValue)
        }
        headless?.environment.forEach { setenv($0, $1, 1) }
        terminal = options.isJSON ? nil : Terminal()
    }

    /// Runs the program: handles signals and the main queue until ``leave(_:)``.
    ///
    /// Signals are handled from the beginning on.
    package func run(_ delegate: any ProgramDelegate, begin: () -> Void) -> Never {
        self.delegate = delegate
        // SIGPIPE means that the reader of the events is gone. Unhandled it would leave files open and other sessions
        // interrupted.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { on(number) { $0.delegate?.programShouldStop() } }
        on(SIGTSTP) { $0.suspend() }
        on(SIGCONT) { $0.goOn() }
        if terminal != nil { on(SIGWINCH) { $0.delegate?.terminalDidResize() } }
        begin()
        signals.listen()
        // The handlers refer to both, and nobody else may hold the delegate.
        while true { withExtendedLifetime((self, delegate)) { RunLoop.main.run() } }
    }

    /// Ends the process, after restoring the terminal and stopping a private server.
    package func leave(_ status: ExitStatus) -> Never {
        terminal?.close()
        headless?.stop()
        exit(status.rawValue)
    }

    /// Ends the process with one line on stderr and an `error` event.
    package func fail(_ status: ExitStatus, _ message: String, _ error: NSError? = nil) -> Never {
        report(message, error)
        terminal?.close()
        complain(name, message)
        leave(status)
    }

    /// The value of one of libpulse's variables, as the end of a message; empty if it is not set.
    package static func wish(of variable: String) -> String {
        ProcessInfo.processInfo.environment[variable].map { "; \(variable) is \($0)" } ?? ""
    }

    /// Ends the process because a call of the session failed.
    package func fail(session error: any Error) -> Never {
        let error = error as NSError
        switch error.code {
        case AVAudioSession.ErrorCode.mediaServicesFailed.rawValue: fail(.noServer, noServer(error), error)
        case AVAudioSession.ErrorCode.badParam.rawValue:
            fail(.usage, "the session refuses this category, mode and options: \(oneLine(error))", error)
        case AVAudioSession.ErrorCode.resourceNotAvailable.rawValue: fail(.inputUnreadable, oneLine(error), error)
        default: fail(.failed, oneLine(error), error)
        }
    }

    /// Prints a warning about a part of the work.
    package func warn(_ message: String, _ error: NSError? = nil) {
        report(message, error)
        if let terminal { terminal.print(message) } else { complain(name, message) }
    }

    /// Prints an `error` event.
    package func report(_ message: String, _ error: NSError? = nil) {
        events.emit(
            "error",
            [
                "domain": .string(error?.domain ?? domain), "code": .integer(error?.code ?? 0),
                "message": .string(message),
            ])
    }

    private func on(_ number: Int32, _ action: @escaping @MainActor (Program) -> Void) {
        signals.on(number) { [unowned self] in action(self) }
    }

    private func suspend() {
        delegate?.programWillSuspend()
        terminal?.close()
        // Not SIGSTOP: without a shell that can continue the process, the kernel ignores SIGTSTP, and the program
        // continues.
        signals.raiseUnhandled(SIGTSTP)
        goOn()
    }

    private func goOn() {
        terminal?.open()
        delegate?.programDidContinue()
    }

    private func noServer(_ error: NSError) -> String {
        serverAdvice(oneLine(error), isRefusal: isRefusal(error))
    }
}

/// Whether there is a sound server that refused the failed operation.
package func isRefusal(_ error: NSError) -> Bool {
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
    return cause?.domain == NSPOSIXErrorDomain && cause?.code == Int(EACCES)
}

/// The reason why no sound server can be used, with a remedy.
///
/// - Parameter isRefusal: Whether a server denies access, so that another server is no remedy.
package func serverAdvice(_ reason: String, isRefusal: Bool) -> String {
    let address = ProcessInfo.processInfo.environment["PULSE_SERVER"].map { " (PULSE_SERVER is \($0))" } ?? ""
    let advice =
        isRefusal
        ? "it is another user's, or asks for another cookie than this program has: run this as that user, or name the "
            + "file of the server's own cookie in PULSE_COOKIE"
        : "start one (systemctl --user start pipewire-pulse, or pulseaudio --start), install pipewire-pulse or pulseaudio"
    return "\(reason)\(address); \(advice), or use --headless"
}

/// An error's text without line breaks, fit for a terminal or a log.
package func oneLine(_ error: any Error) -> String {
    let error = error as NSError
    let text = [error.localizedDescription, error.localizedFailureReason].compactMap { $0 }
    let words = text.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.hasSuffix(".") ? String(words.dropLast()) : words
}

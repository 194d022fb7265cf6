import AVFAudio
import Dispatch
package import Foundation
import Glibc
import HeadlessServer

/// What a program reacts to besides its own work.
@MainActor
package protocol ProgramDelegate: AnyObject {
    /// SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGPIPE came: finish and leave.
    func programShouldStop()
    /// The person pressed Ctrl-Z: be silent and let others play, the process stops right after this.
    func programWillSuspend()
    /// The process runs again.
    func programDidContinue()
    /// The terminal's window has another size.
    func terminalDidResize()
}

extension ProgramDelegate {
    /// Nothing, where nothing is drawn.
    package func terminalDidResize() {}
}

/// One run of a command-line program: its server, its terminal, its events and the ways out of it.
@MainActor
package final class Program {
    /// The events of `--json`.
    package let events: EventPrinter
    /// The terminal to draw on, or nil where stdout is none or belongs to the events.
    package let terminal: Terminal?

    private let name: String
    private let headless: HeadlessServer?
    private weak var delegate: (any ProgramDelegate)?
    private let signals = SignalPipe()

    /// Chooses the sound server; to be called before anything touches the session, which reads the environment once.
    package init(name: String, options: ProgramOptions) {
        self.name = name
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

    /// Begins, and handles signals, the main queue and nothing else until somebody leaves; signals count from the
    /// beginning.
    package func run(_ delegate: any ProgramDelegate, begin: () -> Void) -> Never {
        self.delegate = delegate
        // SIGPIPE: who read the events has gone. It kills as rudely as SIGKILL: files would stay open, others silent.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { on(number) { $0.delegate?.programShouldStop() } }
        on(SIGTSTP) { $0.suspend() }
        on(SIGCONT) { $0.goOn() }
        if terminal != nil { on(SIGWINCH) { $0.delegate?.terminalDidResize() } }
        begin()
        signals.listen()
        while true { RunLoop.main.run() }
    }

    /// Ends the process: terminal and private server are put away first.
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

    /// What a variable that libpulse heeds asks the server for, as the end of a message; empty if it is not set.
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

    /// Tells of what goes wrong with a part of the work, and goes on.
    package func warn(_ message: String, _ error: NSError? = nil) {
        report(message, error)
        if let terminal { terminal.print(message) } else { complain(name, message) }
    }

    /// Prints an `error` event and goes on.
    package func report(_ message: String, _ error: NSError? = nil) {
        events.emit(
            "error",
            [
                "domain": .string(error?.domain ?? name), "code": .integer(error?.code ?? 0),
                "message": .string(message),
            ])
    }

    private func on(_ number: Int32, _ action: @escaping @MainActor (Program) -> Void) {
        signals.on(number) { [unowned self] in action(self) }
    }

    private func suspend() {
        delegate?.programWillSuspend()
        terminal?.close()
        // Not SIGSTOP: where no shell could continue us the kernel does not stop us, and we go on at once.
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

/// Whether a sound server is there, and does not let this program do what failed.
package func isRefusal(_ error: NSError) -> Bool {
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
    return cause?.domain == NSPOSIXErrorDomain && cause?.code == Int(EACCES)
}

/// Why no sound server can be used, and what to do about it.
///
/// - Parameter isRefusal: Whether one is there, and does not let us in: another one would not help.
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

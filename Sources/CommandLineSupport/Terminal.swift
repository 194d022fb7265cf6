import Dispatch
import Foundation
import Glibc

/// The user's terminal: one status line that is redrawn, and keys without Return.
///
/// A shell gives the terminal to one job at a time. In the background nothing is drawn and no key is read, as the
/// kernel stops a background job that changes the terminal's settings, reads from it or, depending on the settings,
/// writes to it (SIGTTOU, SIGTTIN). After ``open()``, ``close()`` must be called before the process ends or stops: a
/// terminal without echo is worse than no status line.
@MainActor
package final class Terminal {
    /// Whether to use colours: NO_COLOR (no-color.org) is unset or empty.
    package let inColour: Bool

    private var original = termios()
    private var isRaw = false
    private var keys: (any DispatchSourceRead)?
    private var handler: (@MainActor (Key) -> Void)?
    private var decoder = KeyDecoder()
    /// The poll for the terminal's return, in the background only.
    private var watch: (any DispatchSourceTimer)?
    private var line = ""
    /// The width for which the status line was drawn; 0 if the line above the cursor is not the status line.
    private var lineColumns = 0
    /// The last lines that were printed while the terminal belonged to another job.
    private var unprinted: [String] = []

    private static let mostUnprinted = 20
    /// The interval of the poll in seconds, and so the longest delay of the status line after `fg`.
    private static let watchInterval = 0.25

    /// Creates the terminal; nil if stdout is not a terminal that can be drawn on.
    package init?() {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        let environment = ProcessInfo.processInfo.environment
        guard environment["TERM", default: "dumb"] != "dumb" else { return nil }
        inColour = environment["NO_COLOR", default: ""].isEmpty
        open()
    }

    /// The width in columns, read each time as windows are resized.
    package var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Turns off echo and line editing (Ctrl-C and Ctrl-Z keep their meaning) and hides the cursor.
    ///
    /// In the background this is done once the terminal belongs to this job.
    package func open() {
        guard isOurs else { return waitForTerminal() }
        watch?.cancel()
        watch = nil
        put("\u{1B}[?25l")
        let late = unprinted
        unprinted = []
        late.forEach(print)
        // Not a line for a wider window; the next one is drawn soon.
        if !line.isEmpty, line.withoutColours.columns < columns { draw(line) }
        guard readsKeys, isRaw || tcgetattr(STDIN_FILENO, &original) == 0 else { return }
        // Also if it was done before: the shell has changed the settings meanwhile.
        var raw = original
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        isRaw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0
        listen()
    }

    /// Restores the terminal, with the cursor on a new line.
    package func close() {
        put("\r\u{1B}[K\u{1B}[?25h")
        // In the background the shell has restored it.
        if isRaw, readsKeys { tcsetattr(STDIN_FILENO, TCSANOW, &original) }
        isRaw = false
        lineColumns = 0
    }

    /// Calls `handler` on the main queue for each key pressed from now on.
    package func onKey(_ handler: @escaping @MainActor (Key) -> Void) {
        self.handler = handler
        listen()
    }

    /// Redraws the status line.
    package func draw(_ line: String) {
        let columns = columns
        // A narrower window has broken the last line into several rows.
        let rows = columns < lineColumns ? max(0, self.line.withoutColours.columns - 1) / columns : 0
        (self.line, lineColumns) = (line, isOurs ? columns : 0)
        put((rows > 0 ? "\u{1B}[\(rows)A\r\u{1B}[J" : "\r") + line + "\u{1B}[K")
    }

    /// Prints a permanent line above the status line, cut to the width; in the background, once the terminal is back.
    ///
    /// Names of files and devices in it are not trusted: control characters are removed.
    package func print(_ line: String) {
        let line = line.forPeople
        guard isOurs else { return unprinted = unprinted.suffix(Self.mostUnprinted - 1) + [line] }
        put("\r\(line.cut(toColumns: columns))\u{1B}[K\n")
    }

    /// Whether the terminal belongs to this job.
    private var isOurs: Bool {
        [STDIN_FILENO, STDOUT_FILENO].allSatisfy { descriptor in
            let foreground = tcgetpgrp(descriptor)
            // A file that is no terminal, or not this session's, has no foreground job.
            return foreground < 0 || foreground == getpgrp()
        }
    }

    private var readsKeys: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    private func waitForTerminal() {
        keys?.cancel()
        keys = nil
        guard watch == nil else { return }
        // Polled in addition to SIGCONT: bash sends none to a running job that it brings to the foreground.
        watch = every(Self.watchInterval) { [unowned self] in if isOurs { open() } }
    }

    private func listen() {
        guard keys == nil, let handler, readsKeys else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        source.setEventHandler { [unowned self] in
            guard readsKeys else { return waitForTerminal() }
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            // The end of the file stays readable: stop listening.
            guard count > 0 else { return source.cancel() }
            decoder.feed(buffer.prefix(count)).forEach(handler)
        }
        source.resume()
        keys = source
    }

    private func put(_ text: String) {
        if isOurs { CommandLineSupport.put(text, to: STDOUT_FILENO) }
    }
}

extension String {
    /// The visible text, without colour codes.
    fileprivate var withoutColours: String { replacing(/\u{1B}\[[0-9;]*m/, with: "") }
}

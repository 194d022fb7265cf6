import Dispatch
import Foundation
import Glibc

/// The person's terminal: one status line that is drawn over, and keys that need no Return.
///
/// A shell gives it to one job at a time. In the background nothing is drawn and no key is read: the kernel stops a job
/// that touches the terminal's settings there, reads from it or, if the person wants that, writes to it (SIGTTOU,
/// SIGTTIN). Whoever opens it calls `close()` before the process ends or stops: a terminal left without echo is worse
/// than no status line.
@MainActor
package final class Terminal {
    /// Whether colours are welcome: NO_COLOR (no-color.org) is unset or empty.
    package let inColour: Bool

    private var original = termios()
    private var isRaw = false
    private var keys: (any DispatchSourceRead)?
    private var handler: (@MainActor (Key) -> Void)?
    private var decoder = KeyDecoder()
    /// Looks whether the terminal is ours again; runs in the background only.
    private var watch: (any DispatchSourceTimer)?
    private var line = ""
    /// The width that the line was drawn for; 0 where it is not what stands above the cursor.
    private var lineColumns = 0
    /// What was to be printed while the terminal was another job's; the last of it.
    private var unprinted: [String] = []

    private static let mostUnprinted = 20
    /// In seconds: how long a person who brings the job back may wait for its status line.
    private static let watchInterval = 0.25

    /// Opens the terminal, or returns nil where stdout is none that can be drawn on.
    package init?() {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        let environment = ProcessInfo.processInfo.environment
        guard environment["TERM", default: "dumb"] != "dumb" else { return nil }
        inColour = environment["NO_COLOR", default: ""].isEmpty
        open()
    }

    /// The width in columns, asked anew each time because windows are resized.
    package var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Takes echo and line editing off (Ctrl-C and Ctrl-Z keep their meaning) and hides the cursor.
    ///
    /// In the background it does so as soon as the terminal is ours.
    package func open() {
        guard isOurs else { return waitForTerminal() }
        watch?.cancel()
        watch = nil
        put("\u{1B}[?25l")
        let late = unprinted
        unprinted = []
        late.forEach(print)
        // Not one that was made for a wider window; the next one comes soon.
        if !line.isEmpty, line.withoutColours.columns < columns { draw(line) }
        guard readsKeys, isRaw || tcgetattr(STDIN_FILENO, &original) == 0 else { return }
        // Again where it was done before: a shell that had the terminal meanwhile has set it for itself.
        var raw = original
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        isRaw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0
        listen()
    }

    /// Gives the terminal back as it was, the cursor on a line of its own.
    package func close() {
        put("\r\u{1B}[K\u{1B}[?25h")
        // In the background the shell has done it.
        if isRaw, readsKeys { tcsetattr(STDIN_FILENO, TCSANOW, &original) }
        isRaw = false
        lineColumns = 0
    }

    /// Calls `handler` on the main queue for each key pressed from now on.
    package func onKey(_ handler: @escaping @MainActor (Key) -> Void) {
        self.handler = handler
        listen()
    }

    /// Draws the status line anew.
    package func draw(_ line: String) {
        let columns = columns
        // A window that became narrower has broken the last line into several.
        let rows = columns < lineColumns ? max(0, self.line.withoutColours.columns - 1) / columns : 0
        (self.line, lineColumns) = (line, isOurs ? columns : 0)
        put((rows > 0 ? "\u{1B}[\(rows)A\r\u{1B}[J" : "\r") + line + "\u{1B}[K")
    }

    /// Prints a line that stays, above the status line, cut to the width; in the background, once the terminal is ours.
    ///
    /// Names of files and devices are in it: what a terminal would take for a command is left out.
    package func print(_ line: String) {
        let line = line.forPeople
        guard isOurs else { return unprinted = unprinted.suffix(Self.mostUnprinted - 1) + [line] }
        put("\r\(line.cut(toColumns: columns))\u{1B}[K\n")
    }

    /// Whether no shell has given the terminal to another job.
    private var isOurs: Bool {
        [STDIN_FILENO, STDOUT_FILENO].allSatisfy { descriptor in
            let foreground = tcgetpgrp(descriptor)
            // What is no terminal, or not that of our jobs, is given to nobody.
            return foreground < 0 || foreground == getpgrp()
        }
    }

    private var readsKeys: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    private func waitForTerminal() {
        keys?.cancel()
        keys = nil
        guard watch == nil else { return }
        // Not by SIGCONT alone: bash sends none to a running job that it brings back.
        watch = every(Self.watchInterval) { [unowned self] in if isOurs { open() } }
    }

    private func listen() {
        guard keys == nil, let handler, readsKeys else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        source.setEventHandler { [unowned self] in
            guard readsKeys else { return waitForTerminal() }
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            // End of file stays readable for ever: stop listening instead of spinning.
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
    /// The line as it is seen; what sets colours takes no room.
    fileprivate var withoutColours: String { replacing(/\u{1B}\[[0-9;]*m/, with: "") }
}

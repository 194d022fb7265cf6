import Dispatch
import Foundation
import Glibc

/// The person's terminal: one status line that is drawn over, and keys that need no Return.
///
/// Whoever opens it calls `close()` before the process ends or stops: a terminal left without echo is worse than
/// no status line.
@MainActor
package final class Terminal {
    /// Whether colours are welcome: NO_COLOR (no-color.org) is unset or empty.
    package let inColour: Bool

    private let readsKeys: Bool
    private var original = termios()
    private var isRaw = false
    private var keys: (any DispatchSourceRead)?
    private var decoder = KeyDecoder()

    /// Opens the terminal, or returns nil where stdout is none that can be drawn on.
    package init?() {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        let environment = ProcessInfo.processInfo.environment
        guard environment["TERM", default: "dumb"] != "dumb" else { return nil }
        inColour = environment["NO_COLOR", default: ""].isEmpty
        // A background job that touches the terminal's settings is stopped by the kernel (SIGTTOU).
        readsKeys = isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
        open()
    }

    /// The width in columns, asked anew each time because windows are resized.
    package var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Takes echo and line editing off (Ctrl-C and Ctrl-Z keep their meaning) and hides the cursor.
    package func open() {
        put("\u{1B}[?25l")
        guard readsKeys, !isRaw, tcgetattr(STDIN_FILENO, &original) == 0 else { return }
        var raw = original
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        isRaw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0
    }

    /// Gives the terminal back as it was, the cursor on a line of its own.
    package func close() {
        put("\r\u{1B}[K\u{1B}[?25h")
        guard isRaw else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &original)
        isRaw = false
    }

    /// Calls `handler` on the main queue for each key pressed from now on.
    package func onKey(_ handler: @escaping @MainActor (Key) -> Void) {
        guard readsKeys else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        source.setEventHandler { [unowned self] in
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            // End of file stays readable for ever: stop listening instead of spinning.
            guard count > 0 else { return source.cancel() }
            decoder.feed(buffer.prefix(count)).forEach(handler)
        }
        source.resume()
        keys = source
    }

    /// Draws the status line anew.
    package func draw(_ line: String) { put("\r\(line)\u{1B}[K") }

    /// Prints a line that stays, above the status line, cut to the width.
    package func print(_ line: String) { put("\r\(line.prefix(columns))\u{1B}[K\n") }

    private func put(_ text: String) { ExampleSupport.put(text, to: STDOUT_FILENO) }
}

import CommandLineSupport
import Foundation
import Glibc

/// Prints text on stdout, at once; ends the program where that cannot be done, as the text is all it is there for.
func show(_ text: String) {
    let code = put(text, to: STDOUT_FILENO)
    if code != 0 { endUnread(code) }
}

/// Prints JSON on stdout where `isOn`, and ends the program where that cannot be done.
func eventPrinter(isOn: Bool) -> EventPrinter { EventPrinter(isOn: isOn, onFailure: endUnread) }

/// Ends the program as soon as nobody reads its stdout any more, not with the next line only.
///
/// For those that print when something happens. As `SIGPIPE` does, or where that is ignored with a line on stderr.
func endWithReader() {
    // Those that another program keeps open for us to write to; a terminal tells by SIGHUP.
    guard isatty(STDOUT_FILENO) == 0 else { return }
    Thread.detachNewThread {
        var reader = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&reader, 1, -1) < 0, errno == EINTR {}
        guard reader.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
        raise(SIGPIPE)
        endUnread(EPIPE)
    }
}

private func endUnread(_ code: Int32) { leaveUnread("audiosession", code) }

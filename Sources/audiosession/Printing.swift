import CommandLineSupport
import Foundation
import Glibc

/// Prints text on stdout without buffering; ends the program if that fails.
func show(_ text: String) {
    let code = put(text, to: STDOUT_FILENO)
    if code != 0 { endUnread(code) }
}

/// A printer of JSON lines on stdout, if `isOn`; it ends the program if that fails.
func eventPrinter(isOn: Bool) -> EventPrinter { EventPrinter(isOn: isOn, onFailure: endUnread) }

/// Ends the program as soon as the reader of its stdout is gone, rather than at the next line.
///
/// It is for commands that print events. The program dies of `SIGPIPE`, or, if that is ignored, prints a line on stderr.
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

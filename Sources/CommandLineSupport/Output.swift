import AudioFiles
import Foundation
import Glibc
import SessionPolicy

/// Says in one line on stderr what went wrong.
///
/// Names of files and devices are in it, which strangers chose: nothing of it is a command to the terminal.
package func complain(_ program: String, _ message: String) {
    put("\(program): \(message.forPeople)\n", to: STDERR_FILENO)
}

extension String {
    /// The text as a terminal can show it, with names of files and of strangers in it.
    var forPeople: String { readablePath.withoutControls }
}

/// Prints lines on stdout that have names of files or devices in them, as ``complain(_:_:)`` does on stderr.
///
/// - Returns: As ``put(_:to:)``.
package func tell(_ lines: [String]) -> Int32 {
    put(lines.map { $0.forPeople + "\n" }.joined(), to: STDOUT_FILENO)
}

/// Ends a program that is there for nothing but what it prints, as that cannot be written: one line on stderr says why.
///
/// - Parameter code: The error's number.
package func leaveUnread(_ program: String, _ code: Int32) -> Never {
    ending.lock()
    complain(program, "cannot write: \(String(cString: strerror(code)))")
    exit(ExitStatus.failed.rawValue)
}

/// Held for ever by whoever ends the program: the words are said once.
private let ending = NSLock()

/// Writes text to a descriptor at once and whole.
///
/// Not through stdio: nothing is buffered that an exit or a stop could lose, and lines of two programs that share a
/// pipe do not mix. It waits for a slow reader, also where whoever shares the descriptor has set it to `O_NONBLOCK`.
///
/// - Returns: 0, or the error's number where not all could be written, such as `ENOSPC`.
@discardableResult
package func put(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
                continue
            }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return 0
    }
}

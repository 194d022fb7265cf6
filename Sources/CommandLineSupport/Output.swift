import AudioFiles
import Foundation
import Glibc
import SessionPolicy

/// Prints an error in one line on stderr.
///
/// Names of files and devices in it are not trusted: control characters are removed.
package func complain(_ program: String, _ message: String) {
    put("\(program): \(message.forPeople)\n", to: STDERR_FILENO)
}

extension String {
    /// The text with readable paths and without control characters.
    var forPeople: String { readablePath.withoutControls }
}

/// Prints lines with names of files or devices on stdout, with the same protection as ``complain(_:_:)``.
///
/// - Returns: As ``put(_:to:)``.
package func tell(_ lines: [String]) -> Int32 {
    put(lines.map { $0.forPeople + "\n" }.joined(), to: STDOUT_FILENO)
}

/// Ends a program whose only purpose is its output after a failed write, with one line on stderr.
///
/// - Parameter code: The `errno` of the write.
package func leaveUnread(_ program: String, _ code: Int32) -> Never {
    ending.lock()
    complain(program, "cannot write: \(String(cString: strerror(code)))")
    exit(ExitStatus.failed.rawValue)
}

/// Held forever by the thread that ends the program, so that the message is printed once.
private let ending = NSLock()

/// Writes a whole text to a descriptor.
///
/// Without stdio: there is no buffer that an exit or stop could lose, and lines of two programs on one pipe do not mix.
/// It waits for a slow reader, also if another process has set the shared descriptor to `O_NONBLOCK`.
///
/// - Returns: 0, or the `errno` of a failed write, such as `ENOSPC`.
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

import Glibc
import SessionPolicy

/// Says in one line on stderr what went wrong.
///
/// Names of files and devices are in it, which strangers chose: nothing of it is a command to the terminal.
package func complain(_ program: String, _ message: String) {
    put("\(program): \(message.withoutControls)\n", to: STDERR_FILENO)
}

/// Prints a line on stdout that has names of files or devices in it, as ``complain(_:_:)`` does on stderr.
package func tell(_ line: String) { put(line.withoutControls + "\n", to: STDOUT_FILENO) }

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

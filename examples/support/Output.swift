import Glibc

/// Writes text to a descriptor at once and whole.
///
/// Not through stdio: nothing is buffered that an exit or a stop could lose, and lines of two programs that share a
/// pipe do not mix. It waits for a slow reader, also where whoever shares the descriptor has set it to `O_NONBLOCK`.
package func put(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
                continue
            }
            guard count > 0 else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}

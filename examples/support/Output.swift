import Glibc

/// Writes text to a descriptor at once and whole.
///
/// Not through stdio: nothing is buffered that an exit or a stop could lose, and lines of two programs that share a
/// pipe do not mix.
package func put(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}

internal import Glibc

/// Finds the next whole fragment of an MPEG-4 file behind a damaged box.
enum MPEG4Fragments {
    /// Where the first whole fragment behind this byte begins; nil where there is none.
    ///
    /// That is an index, which begins with its number, and the sound behind it.
    static func next(in file: some FileBytes, behind offset: Int64) -> Int64? {
        var start = offset + 1
        while true {
            let bytes = file.bytes(at: start, count: 65536)
            guard bytes.count >= headLength else { return nil }
            let found: Int64? = bytes.withUnsafeBytes { bytes in
                var index = 4
                while let place = Self.place(of: UInt8(ascii: "m"), in: bytes, from: index) {
                    let head = place - 4
                    guard head + headLength <= bytes.count else { return nil }
                    if bytes[place...].starts(with: "moof".utf8), bytes[(place + 8)...].starts(with: "mfhd".utf8),
                        isWhole(file, start + Int64(head))
                    {
                        return start + Int64(head)
                    }
                    index = place + 1
                }
                return nil
            }
            if let found { return found }
            // Heads that the piece has only in part are in the next one.
            start += Int64(bytes.count - headLength + 1)
        }
    }

    /// Bytes that tell a fragment: its size, its name, and those of the box in it.
    private static let headLength = 16

    private static func place(of byte: UInt8, in bytes: UnsafeRawBufferPointer, from index: Int) -> Int? {
        guard index < bytes.count, let base = bytes.baseAddress,
            let place = memchr(base + index, Int32(byte), bytes.count - index)
        else { return nil }
        return UnsafeRawPointer(place) - base
    }

    /// Whether the fragment's index is followed by sound, and the file by no part of that.
    private static func isWhole(_ file: some FileBytes, _ offset: Int64) -> Bool {
        guard let size = file.number(at: offset, bytes: 4, bigEndian: true), size >= headLength,
            var sound = file.number(at: offset + size, bytes: 4, bigEndian: true),
            file.text(at: offset + size + 4) == "mdat"
        else { return false }
        let rest = file.size - offset - size
        if sound == 0 { return true }
        if sound == 1 { sound = file.number(at: offset + size + 8, bytes: 8, bigEndian: true) ?? 0 }
        return sound >= 8 && sound <= rest
    }
}

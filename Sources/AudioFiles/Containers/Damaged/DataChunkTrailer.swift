/// The bytes behind the data chunk of a WAV or AIFF file: more sound, chunks, or a tag.
///
/// A recorder that died leaves a header whose size ends in the midst of the sound. Chunks and tags that other programs
/// put behind the sound, whole or cut off, are not sound.
enum DataChunkTrailer {
    /// Whether more sound follows `size` bytes of sound that begin at `start`.
    ///
    /// `riff` is the size in the file's first chunk header, which covers the other chunks.
    static func isSound(
        _ file: some FileBytes, start: Int64, size: Int64, riff: Int64, bigEndian: Bool = false
    ) -> Bool {
        let padded = start + size + size % 2
        guard padded < file.size else { return false }
        // A chunk that a finished header covers was whole once; all ones are a length that was not known yet.
        let covered = riff == 0xFFFF_FFFF || riff > 1 << 60 ? 0 : riff + 8
        // Some programs forget the byte that makes an odd length even.
        let places = size % 2 == 0 ? [padded] : [padded, padded - 1]
        let isOther = places.contains {
            isTag(file, at: $0) || file.isChunk(at: $0, sizeBytes: 4, bigEndian: bigEndian, length: covered)
        }
        // Fewer bytes than a chunk's header are stray.
        return !isOther && file.size - padded >= 8
    }

    /// Whether an ID3v1 or APE tag begins there, which programs put behind files of every kind.
    private static func isTag(_ file: some FileBytes, at offset: Int64) -> Bool {
        let head = file.bytes(at: offset, count: 8)
        return head.elementsEqual("APETAGEX".utf8)
            || head.starts(with: "TAG".utf8) && file.size - offset == 128
    }
}

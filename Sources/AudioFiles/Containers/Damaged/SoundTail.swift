/// What stands where the sound of a WAV, AIFF or CAF file ends, by its header.
///
/// A recorder that died leaves a header by which that is in the midst of the sound. What other programs put behind the
/// sound, whole or cut off, is none.
enum SoundTail {
    /// Nothing of the file's, from this byte on: its end, a few stray bytes, or a tag such as MP3 files have.
    case end(Int64)
    /// Chunks.
    case chunks
    /// A chunk that was cut off with the end of the file.
    case brokenChunk(Int64)
    /// More sound.
    case sound

    /// Looks behind `size` bytes of sound that begin at `start`, in a WAV or AIFF file.
    ///
    /// `riff` is the size in the first chunk's header, which covers the others.
    init(_ file: some FileBytes, start: Int64, size: Int64, riff: Int64, bigEndian: Bool = false) {
        let padded = start + size + size % 2
        guard padded < file.size else {
            self = .end(file.size)
            return
        }
        // What a finished header covers was there once; all ones are a length that nobody knew yet.
        let covered = riff == 0xFFFF_FFFF || riff > 1 << 60 ? 0 : riff + 8
        // Some programs forget the byte that makes an odd length even.
        let places = size % 2 == 0 ? [padded] : [padded, padded - 1]
        for place in places {
            if Self.isTag(file, at: place) {
                self = .end(place)
            } else if file.isChunk(at: place, sizeBytes: 4, bigEndian: bigEndian) {
                self = .chunks
            } else if file.isChunk(at: place, sizeBytes: 4, bigEndian: bigEndian, length: covered) {
                self = .brokenChunk(place)
            } else {
                continue
            }
            return
        }
        self = file.size - padded < 8 ? .end(padded) : .sound
    }

    /// Looks behind `size` bytes of sound that begin at `start`, in a CAF file, whose chunks need no padding.
    ///
    /// No header covers them all. What has the name of a chunk that CAF knows is one, even if it is cut off.
    init(caf file: some FileBytes, start: Int64, size: Int64) {
        let end = start + size
        if end >= file.size || Self.isTag(file, at: end) {
            self = .end(end)
        } else if file.isChunk(at: end, sizeBytes: 8, bigEndian: true) {
            self = .chunks
        } else if Self.cafChunks.contains(file.text(at: end)) {
            self = .brokenChunk(end)
        } else {
            // Less than a chunk's header is stray.
            self = file.size - end < 12 ? .end(end) : .sound
        }
    }

    private static let cafChunks: Set = [
        "chan", "cook", "strg", "mark", "regn", "inst", "midi", "ovvw", "pakt", "peak", "edct", "info", "umid", "uuid",
        "free",
    ]

    /// Whether an ID3v1 or APE tag begins there, which programs put behind files of every kind.
    private static func isTag(_ file: some FileBytes, at offset: Int64) -> Bool {
        let head = file.bytes(at: offset, count: 8)
        return head.elementsEqual("APETAGEX".utf8)
            || head.starts(with: "TAG".utf8) && file.size - offset == 128
    }
}

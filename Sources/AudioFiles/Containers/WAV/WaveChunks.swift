/// The chunks of a WAV file in front of its sound, and the data chunk's header.
struct WaveChunks {
    /// The sound's first byte, and how many bytes the file says there are; nil where it has none.
    private(set) var data: (start: Int64, size: Int64)?
    /// The number of the codec, as registered with Microsoft; nil where none stands in front of the sound.
    private(set) var codec: Int64?
    /// Bytes of a frame of PCM; 0 where nothing says it.
    private(set) var frameBytes: Int64 = 0

    /// Where the ds64 chunk of an RF64 file begins, which holds its sizes.
    private(set) var sizesAt: Int64?

    /// The sound, where it is MP3.
    var mp3: (start: Int64, size: Int64)? { codec == 0x55 ? data : nil }

    init(_ file: some FileBytes, bigEndian: Bool = false) {
        var offset: Int64 = 12
        // Gigabytes of zeros would be one empty chunk after the other.
        while offset < 1 << 20, file.isName(at: offset),
            let size = file.number(at: offset + 4, bytes: 4, bigEndian: bigEndian)
        {
            switch file.text(at: offset) {
            case "fmt ":
                codec = Self.codec(file, at: offset + 8, bigEndian)
                frameBytes = file.number(at: offset + 20, bytes: 2, bigEndian: bigEndian) ?? 0
            case "ds64": sizesAt = offset
            case "data":
                data = (offset + 8, size)
                return
            default: break
            }
            offset += 8 + size + size % 2
        }
        // Without sound, whose codec it would be does not matter.
        codec = nil
    }

    private static func codec(_ file: some FileBytes, at format: Int64, _ bigEndian: Bool) -> Int64? {
        let codec = file.number(at: format, bytes: 2, bigEndian: bigEndian)
        // An extensible format has it at the beginning of a longer name.
        return codec == 0xFFFE ? file.number(at: format + 24, bytes: 2, bigEndian: bigEndian) : codec
    }
}

/// Corrects, for readers, a WAV data chunk whose size is smaller than the sound.
///
/// A recorder that died between two updates of its header leaves such a size, and in a file beyond 4 GB 32 bits cannot
/// hold another. Sizes that are too large need no correction: libsndfile reads to the end of the file.
enum WaveDataSizeFix {
    /// "Up to the end of the file".
    private static let unknown: Int64 = 0xFFFF_FFFF

    static func apply(to source: ByteSource) {
        let chunks = WaveChunks(source)
        guard let data = chunks.data else { return }
        let isLarge = source.size - data.start > unknown
        let riff = source.number(at: 4, bytes: 4, bigEndian: false) ?? 0
        if isLarge && data.size == unknown {
            _ = enlarge(source, chunks, soundAt: data.start)
        } else if DataChunkTrailer.isSound(source, start: data.start, size: data.size, riff: riff),
            !isLarge || !enlarge(source, chunks, soundAt: data.start)
        {
            extend(source, soundAt: data.start)
        }
    }

    private static func extend(_ source: ByteSource, soundAt start: Int64) {
        var header = HeaderPatch(source, end: start)
        header.put(min(source.size - 8, unknown), at: 4, bytes: 4, bigEndian: false)
        header.put(min(source.size - start, unknown), at: start - 4, bytes: 4, bigEndian: false)
        header.apply(to: source)
    }

    /// Shows an RF64 file, which has room for the true sizes: libsndfile takes those of 32 bits at their word.
    ///
    /// False for codecs that it does not know in such files.
    private static func enlarge(_ source: ByteSource, _ chunks: WaveChunks, soundAt start: Int64) -> Bool {
        guard let codec = chunks.codec, [1, 3, 6, 7].contains(codec), chunks.frameBytes > 0 else { return false }
        let sound = source.size - start
        let ones = [UInt8](repeating: 0xFF, count: 4)
        var front = Array("RF64".utf8) + ones + Array("WAVEds64".utf8)
        front.putReversed(28, bytes: 4)
        for value in [start + 36 + sound - 8, sound, sound / chunks.frameBytes] { front.putReversed(value, bytes: 8) }
        front.putReversed(0, bytes: 4)
        front += source.bytes(at: 12, count: Int(start) - 20) + Array("data".utf8) + ones
        source.replaceFront(start, with: front)
        return true
    }
}

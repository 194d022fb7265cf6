/// The header of one MPEG audio frame.
struct MPEGFrameHeader: Sendable {
    private static let bitrates: [[Int]] = [
        // Layer I, II, III of MPEG 1, then layer I and the other two of MPEG 2 and 2.5; kbit/s.
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// Its four bytes, the most significant first.
    let word: UInt32

    /// Nil for what is no header.
    init?(word: UInt32) {
        self.word = word
        // Sync, a known version and layer, a bitrate that is neither free nor forbidden, a known rate.
        guard word >> 21 == 0x7FF, version != 1, layerBits != 0, (1...14).contains(bitrateIndex), rateIndex != 3 else {
            return nil
        }
    }

    /// The header that these bytes begin with.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        self.init(word: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }

    private var version: Int { Int(word >> 19 & 3) }
    private var layerBits: Int { Int(word >> 17 & 3) }
    private var bitrateIndex: Int { Int(word >> 12 & 15) }
    private var rateIndex: Int { Int(word >> 10 & 3) }
    private var isMPEG1: Bool { version == 3 }
    private var isMono: Bool { word >> 6 & 3 == 3 }

    /// 1, 2 or 3.
    var layer: Int { 4 - layerBits }

    var channels: Int { isMono ? 1 : 2 }

    var sampleRate: Int { [44100, 48000, 32000][rateIndex] >> (isMPEG1 ? 0 : version == 2 ? 1 : 2) }

    /// Frames of sound in this MPEG frame.
    var samples: Int { layer == 1 ? 384 : layer == 3 && !isMPEG1 ? 576 : 1152 }

    /// Bytes of this frame, with its header.
    var length: Int {
        let row = isMPEG1 ? layer - 1 : layer == 1 ? 3 : 4
        let bitrate = Self.bitrates[row][bitrateIndex - 1] * 1000
        let padding = Int(word >> 9 & 1)
        return layer == 1 ? (12 * bitrate / sampleRate + padding) * 4 : samples / 8 * bitrate / sampleRate + padding
    }

    /// Where an index frame has its mark, from the start of the frame: behind what layer III has there without a
    /// checksum.
    var indexOffset: Int { 4 + sideLength }

    private var sideLength: Int { isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17) }

    /// Where a frame of layer III says how to read the rest of it, from the start of the frame.
    var sideInformation: Range<Int> {
        let start = word >> 16 & 1 == 0 ? 6 : 4
        return start..<start + sideLength
    }

    /// The bits of the number with which that begins: by how many bytes the sound begins in the frames before.
    var reservoirBits: Int { isMPEG1 ? 9 : 8 }

    /// Whether both belong to one stream: version, layer, rate and number of channels never change within one.
    func matches(_ other: MPEGFrameHeader) -> Bool {
        (word ^ other.word) & 0xFFFE_0C00 == 0 && isMono == other.isMono
    }
}

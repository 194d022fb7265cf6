/// The header of one frame of AC-3 or E-AC-3, as far as its length.
struct AC3Header {
    private static let bitRates = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]

    /// Bytes of the frame, with its header.
    let length: Int

    init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(6))
        guard head.count == 6, head[0] == 0x0B, head[1] == 0x77 else { return nil }
        // bsid, the version of the bit stream: from 11 on it is E-AC-3, which says how many words it has.
        if head[5] >> 3 > 10 {
            length = 2 * ((Int(head[2] & 7) << 8 | Int(head[3])) + 1)
            return
        }
        let code = Int(head[4] & 63)
        guard code / 2 < Self.bitRates.count else { return nil }
        let bitRate = Self.bitRates[code / 2]
        // Words of 1536 samples: at 44.1 kHz every other frame has one more.
        switch head[4] >> 6 {
        case 0: length = 2 * (2 * bitRate)
        case 1: length = 2 * (bitRate * 320 / 147 + code % 2)
        case 2: length = 2 * (3 * bitRate)
        default: return nil
        }
    }

    /// Where the first frame begins in a stream that begins anywhere; nil where there is none within two frames'
    /// length.
    static func firstFrame(of source: ByteSource) -> Int64? {
        let bytes = source.bytes(at: 0, count: 4 * 4096)
        return bytes.indices.prefix(2 * 4096).first { place in
            guard bytes[place] == 0x0B, let header = AC3Header(bytes[place...]) else { return false }
            return AC3Header(bytes.dropFirst(place + header.length)) != nil
        }.map(Int64.init)
    }
}

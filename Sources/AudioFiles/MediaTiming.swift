/// The part of a compressed stream that is the sound, without the encoder's priming and the last packet's padding.
struct MediaTiming: Equatable {
    /// Frames in front of the sound.
    var priming: Int64 = 0
    /// Frames of the sound; nil up to the end of the stream.
    var valid: Int64?

    /// Cuts off what is beyond any file, so that sums cannot overflow.
    static func sane(_ value: Int64) -> Int64 { min(max(value, 0), 1 << 60) }
}

extension ByteSource {
    /// A number of up to eight bytes, the most significant first; nil beyond the end.
    func integer(at offset: Int64, bytes count: Int) -> Int64? { number(at: offset, bytes: count, bigEndian: true) }
}

extension MediaTiming {
    /// Reads the packet table of a CAF file, which says it exactly; nil if there is none.
    init?(caf source: ByteSource) {
        var offset: Int64 = 8
        for _ in 0..<10_000 {
            guard let size = source.integer(at: offset + 4, bytes: 8) else { return nil }
            if source.text(at: offset) == "pakt" {
                guard let valid = source.integer(at: offset + 20, bytes: 8),
                    let priming = source.integer(at: offset + 28, bytes: 4)
                else { return nil }
                self.init(priming: priming, valid: valid > 0 ? Self.sane(valid) : nil)
                return
            }
            // −1: up to the end of the file.
            guard size >= 0, size <= source.size - offset - 12 else { return nil }
            offset += 12 + size
        }
        return nil
    }
}

extension MediaTiming {
    /// The timing of a track at `rate` frames a second that ends after `end` frames.
    init(_ track: MPEG4Track, rate: Int64, end: Int64) {
        priming = Self.frames(track.editStart ?? 0, rate, scale: track.scale)
        guard track.editStart != nil, track.editLength > 0, track.fileScale > 0 else { return }
        let length = Self.frames(track.editLength, rate, scale: track.fileScale)
        if abs(Self.sane(end) - priming - length) > Self.tick(track, rate: rate) { valid = length }
    }

    /// The parts of a track that its edit list wants played, in frames from its start; none where that is not more
    /// than one.
    static func segments(_ track: MPEG4Track, rate: Int64, end: Int64) -> [SoundSegment] {
        guard track.fileScale > 0 else { return [] }
        var total: Int64 = 0
        return track.edits.compactMap { edit in
            var length = min(frames(edit.length, rate, scale: track.fileScale), (1 << 60) - total)
            var start: Int64?
            if edit.start >= 0 {
                let first = frames(edit.start, rate, scale: track.scale)
                let rest = max(sane(end) - first, 0)
                length = min(rest - length <= tick(track, rate: rate) ? rest : length, (1 << 60) - total)
                start = first
            }
            total += length
            return length > 0 ? SoundSegment(start: start, frames: length) : nil
        }
    }

    /// Frames by which the file's clock may be wrong: it is often too coarse (1000 or 600 ticks) to say it exactly, and
    /// then the track's end does.
    private static func tick(_ track: MPEG4Track, rate: Int64) -> Int64 {
        track.fileScale % rate == 0 ? -1 : rate / track.fileScale + 1
    }

    private static func frames(_ ticks: Int64, _ rate: Int64, scale: Int64) -> Int64 {
        scale > 0 ? sane(Int64(clamping: multiplied(ticks, rate, by: scale))) : 0
    }

    /// Reads what iTunes and Apple's encoders write in words: " 00000000 00000840 000001CA 00000000003F31F6 …".
    init?(iTunesComment text: String) {
        let words = text.split(separator: " ").prefix(4).compactMap { Int64($0, radix: 16) }
        guard words.count == 4, (0..<1 << 20).contains(words[1]), words[3] > 0 else { return nil }
        self.init(priming: words[1], valid: Self.sane(words[3]))
    }

    private static func multiplied(_ value: Int64, _ factor: Int64, by divisor: Int64) -> Int64 {
        let (product, overflow) = max(value, 0).multipliedReportingOverflow(by: factor)
        // Half of the divisor, added to round, might be too much for the product.
        return overflow ? .max : product / divisor + (product % divisor >= (divisor + 1) / 2 ? 1 : 0)
    }
}

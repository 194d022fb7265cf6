internal import CSndFile

/// Translates channel places between libsndfile and the raw values of `AudioRealtime.Channel`.
enum ChannelLayout {
    private static let places: [(raw: UInt8, map: Int)] = [
        (0, SF_CHANNEL_MAP_MONO), (1, SF_CHANNEL_MAP_LEFT), (2, SF_CHANNEL_MAP_RIGHT),
        (3, SF_CHANNEL_MAP_CENTER), (4, SF_CHANNEL_MAP_LFE), (5, SF_CHANNEL_MAP_REAR_LEFT),
        (6, SF_CHANNEL_MAP_REAR_RIGHT), (7, SF_CHANNEL_MAP_SIDE_LEFT),
        (8, SF_CHANNEL_MAP_SIDE_RIGHT), (9, SF_CHANNEL_MAP_REAR_CENTER),
        (10, SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER), (11, SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER),
        (1, SF_CHANNEL_MAP_FRONT_LEFT), (2, SF_CHANNEL_MAP_FRONT_RIGHT),
        (3, SF_CHANNEL_MAP_FRONT_CENTER),
    ]
    private static let aux: UInt8 = 12

    /// The file's own layout, else the one its codec prescribes, else nil.
    static func read(_ handle: OpaquePointer, channels: Int, encoding: AudioEncoding) -> [UInt8]? {
        // The header of a single channel mostly calls it the centre, which would be lowered on two loudspeakers.
        if channels == 1 { return [0] }
        var map = [Int32](repeating: 0, count: channels)
        let size = Int32(channels * MemoryLayout<Int32>.size)
        if sf_command(handle, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, size) != 0 {
            return map.map { value in places.first { $0.map == Int(value) }?.raw ?? aux }
        }
        return encoding == .vorbis || encoding == .opus ? xiph(channels) : nil
    }

    /// Writes the layout a WAV file of more than two channels usually has.
    static func writeStandard(_ handle: OpaquePointer, channels: Int) {
        guard let layout = wave(channels) else { return }
        var map = layout.map { raw in Int32(places.first { $0.raw == raw }?.map ?? 0) }
        _ = sf_command(handle, Int32(SFC_SET_CHANNEL_MAP_INFO), &map, Int32(map.count * MemoryLayout<Int32>.size))
    }

    /// The order in which an encoder takes so many channels; nil where that is the one of a WAV file.
    fileprivate static func codec(_ encoding: AudioEncoding, channels: Int) -> [UInt8]? {
        switch (encoding, channels) {
        case (.vorbis, _), (.opus, _): xiph(channels)
        // The loudspeakers that `FFmpegCodec` names, in FFmpeg's order. Seven of AAC stay in that of a WAV file: FFmpeg
        // has no configuration that fits them, and all its readers, us among them, take them for 6.1 in that order.
        case (.aac, 4), (.alac16, 4), (.alac24, 4): [1, 2, 3, 9]
        case (.alac16, 7), (.alac24, 7): [1, 2, 3, 4, 5, 6, 9]
        case (.alac16, 8), (.alac24, 8): [1, 2, 3, 4, 5, 6, 10, 11]
        default: nil
        }
    }

    /// The channel order that the Vorbis specification (and Opus mapping family 1) prescribes.
    private static func xiph(_ channels: Int) -> [UInt8]? {
        switch channels {
        case 1: [0]
        case 2: [1, 2]
        case 3: [1, 3, 2]
        case 4: [1, 2, 5, 6]
        case 5: [1, 3, 2, 5, 6]
        case 6: [1, 3, 2, 5, 6, 4]
        case 7: [1, 3, 2, 7, 8, 9, 4]
        case 8: [1, 3, 2, 7, 8, 5, 6, 4]
        default: nil
        }
    }

    /// The order of WAVE_FORMAT_EXTENSIBLE for usual channel counts.
    private static func wave(_ channels: Int) -> [UInt8]? {
        switch channels {
        case 3: [1, 2, 3]
        case 4: [1, 2, 5, 6]
        case 5: [1, 2, 3, 5, 6]
        case 6: [1, 2, 3, 4, 5, 6]
        case 7: [1, 2, 3, 4, 9, 7, 8]
        case 8: [1, 2, 3, 4, 5, 6, 7, 8]
        default: nil
        }
    }
}

extension AudioEncoding {
    /// Where the channels of a written frame belong, as raw values of `AudioRealtime.Channel`; nil where that is as in
    /// a WAV file.
    package func channelOrder(channels: Int) -> [UInt8]? { ChannelLayout.codec(self, channels: channels) }
}

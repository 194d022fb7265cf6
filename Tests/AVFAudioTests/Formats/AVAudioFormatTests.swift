import AVFAudio
import TestSupport
import Testing

/// Formats, from every side that they can be made from.
@Suite("AVAudioFormat", .limited)
struct AVAudioFormatTests {
    @Test("The standard format is deinterleaved Float32")
    func standard() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48000, channels: 2))
        #expect(format.isStandard)
        #expect(!format.isInterleaved)
        #expect(format.commonFormat == .pcmFormatFloat32)
        #expect(format.channelCount == 2)
        #expect(format.sampleRate == 48000)
        let description = format.streamDescription.pointee
        #expect(description.mFormatID == kAudioFormatLinearPCM)
        #expect(description.mBytesPerFrame == 4)
        #expect(description.mFramesPerPacket == 1)
        #expect(
            description.mFormatFlags == kAudioFormatFlagsNativeFloatPacked | kAudioFormatFlagIsNonInterleaved)
    }

    @Test("A description can be read when its format is gone, and formats that are equal lend the same one")
    func lent() throws {
        func format() -> AVAudioFormat? { AVAudioFormat(standardFormatWithSampleRate: 12_345, channels: 2) }
        weak var gone: AVAudioFormat?
        let address = try {
            let format = try #require(format())
            gone = format
            return format.streamDescription
        }()
        #expect(gone == nil)
        #expect(address.pointee.mSampleRate == 12_345 && address.pointee.mChannelsPerFrame == 2)
        #expect(format()?.streamDescription == address)
    }

    @Test(
        "Common formats have their sizes",
        arguments: [
            (AVAudioCommonFormat.pcmFormatFloat32, UInt32(8)), (.pcmFormatFloat64, 16), (.pcmFormatInt16, 4),
            (.pcmFormatInt32, 8),
        ])
    func common(common: AVAudioCommonFormat, bytes: UInt32) throws {
        let format = try #require(
            AVAudioFormat(commonFormat: common, sampleRate: 44100, channels: 2, interleaved: true))
        #expect(format.commonFormat == common)
        #expect(format.isInterleaved)
        #expect(!format.isStandard)
        #expect(format.streamDescription.pointee.mBytesPerFrame == bytes)
    }

    @Test("More than two channels need a layout", arguments: [UInt32(0), 3, 6, .max])
    func manyChannels(count: UInt32) {
        #expect(AVAudioFormat(standardFormatWithSampleRate: 44100, channels: count) == nil)
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 44100.0, AVNumberOfChannelsKey: count,
        ]
        #expect(AVAudioFormat(settings: settings) == nil)
        var description = AudioStreamBasicDescription()
        description.mChannelsPerFrame = count
        #expect(AVAudioFormat(streamDescription: &description) == nil)
    }

    @Test("A layout says how many channels there are")
    func layout() throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        #expect(layout.channelCount == 6)
        let format = AVAudioFormat(standardFormatWithSampleRate: 44100, channelLayout: layout)
        #expect(format.channelCount == 6)
        #expect(format.channelLayout == layout)
        var description = format.streamDescription.pointee
        #expect(AVAudioFormat(streamDescription: &description, channelLayout: layout) == format)
        description.mChannelsPerFrame = 5
        #expect(AVAudioFormat(streamDescription: &description, channelLayout: layout) == nil)
        #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_UseChannelDescriptions) == nil)
    }

    @Test("Settings of all kinds of numbers are understood")
    func numbers() {
        let reference = AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44100, channels: 2, interleaved: true)
        let variants: [[String: Any]] = [
            [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 44100.0, AVNumberOfChannelsKey: 2],
            [AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 44100, AVNumberOfChannelsKey: UInt8(2)],
            [
                AVFormatIDKey: NSNumber(value: kAudioFormatLinearPCM), AVSampleRateKey: Float(44100),
                AVNumberOfChannelsKey: NSNumber(value: 2), AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: false,
                AVLinearPCMIsBigEndianKey: NSNumber(value: false), AVEncoderAudioQualityKey: "ignored",
            ],
        ]
        for settings in variants { #expect(AVAudioFormat(settings: settings) == reference) }
    }

    @Test("Settings without a format, with a wrong type or an absurd value make none (1.16)")
    func refused() {
        let sound: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 44100.0, AVNumberOfChannelsKey: 1,
        ]
        #expect(AVAudioFormat(settings: sound) != nil)
        let changes: [(String, Any?)] = [
            (AVFormatIDKey, nil), (AVFormatIDKey, "lpcm"), (AVFormatIDKey, -1), (AVSampleRateKey, nil),
            (AVSampleRateKey, "44100"), (AVSampleRateKey, 0), (AVSampleRateKey, Double.nan),
            (AVSampleRateKey, -Double.infinity), (AVNumberOfChannelsKey, nil), (AVNumberOfChannelsKey, 1.5),
            (AVNumberOfChannelsKey, Int.max), (AVNumberOfChannelsKey, -1), (AVLinearPCMBitDepthKey, 4),
            (AVLinearPCMBitDepthKey, 12), (AVLinearPCMBitDepthKey, 64), (AVLinearPCMBitDepthKey, "16"),
            (AVLinearPCMIsFloatKey, "yes"), (AVChannelLayoutKey, Data()), (AVChannelLayoutKey, 3),
        ]
        for (key, value) in changes {
            var settings = sound
            settings[key] = value
            #expect(AVAudioFormat(settings: settings) == nil, "\(key) = \(String(describing: value))")
        }
    }

    @Test("Formats of any rate can be printed", arguments: [Double.nan, -.infinity, 1e300, 22_050.5])
    func printed(rate: Double) throws {
        var description = try #require(AVAudioFormat(standardFormatWithSampleRate: 44100, channels: 1))
            .streamDescription.pointee
        description.mSampleRate = rate
        let text = try #require(AVAudioFormat(streamDescription: &description)).description
        #expect(text.contains(" \(rate) Hz"))
    }

    @Test("A format's settings make an equal format")
    func roundTrip() throws {
        let surround = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let aac: [String: Any] = [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44100, AVNumberOfChannelsKey: 2,
        ]
        let alac: [String: Any] = [
            AVFormatIDKey: kAudioFormatAppleLossless, AVSampleRateKey: 48000, AVNumberOfChannelsKey: 1,
            AVEncoderBitDepthHintKey: 24,
        ]
        let big: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 96000, AVNumberOfChannelsKey: 2,
            AVLinearPCMBitDepthKey: 24, AVLinearPCMIsBigEndianKey: true, AVLinearPCMIsNonInterleaved: true,
        ]
        let formats = [
            AVAudioFormat(standardFormatWithSampleRate: 44100, channels: 1),
            AVAudioFormat(commonFormat: .pcmFormatInt32, sampleRate: 8000, channels: 2, interleaved: false),
            AVAudioFormat(commonFormat: .pcmFormatFloat64, sampleRate: 48000, channels: 2, interleaved: true),
            AVAudioFormat(standardFormatWithSampleRate: 44100, channelLayout: surround),
            AVAudioFormat(settings: aac), AVAudioFormat(settings: alac), AVAudioFormat(settings: big),
        ]
        for format in formats {
            let format = try #require(format)
            let again = try #require(AVAudioFormat(settings: format.settings))
            #expect(again == format)
            #expect(again.hash == format.hash)
        }
        #expect(AVAudioFormat(settings: alac)?.settings[AVEncoderBitDepthHintKey] as? Int == 24)
        #expect(AVAudioFormat(settings: big)?.commonFormat == .otherFormat)
    }

    @Test("Settings cast as programs cast them")
    func casts() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44100, channels: 2))
        #expect(format.settings[AVSampleRateKey] as? Double == 44100)
        #expect(format.settings[AVNumberOfChannelsKey] as? Int == 2)
        #expect(format.settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
        #expect(format.settings[AVLinearPCMIsFloatKey] as? Bool == true)
    }

    @Test("Equality compares description, layout and cookie")
    func equality() throws {
        let one = try #require(AVAudioFormat(standardFormatWithSampleRate: 44100, channels: 2))
        let same = try #require(AVAudioFormat(standardFormatWithSampleRate: 44100, channels: 2))
        let stereo = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo))
        #expect(one == same)
        #expect(one != AVAudioFormat(standardFormatWithSampleRate: 48000, channels: 2))
        #expect(one != AVAudioFormat(standardFormatWithSampleRate: 44100, channelLayout: stereo))
        same.magicCookie = Data([1])
        #expect(one != same)
        #expect(one.description == "<AVAudioFormat: 2 ch, 44100 Hz, Float32, deinterleaved>")
    }

    @Test("A format and its description are made of each other")
    func descriptions() throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
        format.magicCookie = Data([1, 2])
        let description = format.formatDescription
        #expect(description.audioStreamBasicDescription?.mChannelsPerFrame == 6)
        #expect(CMAudioFormatDescriptionGetStreamBasicDescription(description)?.pointee.mSampleRate == 48_000)
        #expect(AVAudioFormat(cmAudioFormatDescription: description) == format)
        #expect(description == format.formatDescription)
        #expect(
            description != AVAudioFormat(standardFormatWithSampleRate: 44_100, channelLayout: layout).formatDescription)
    }
}

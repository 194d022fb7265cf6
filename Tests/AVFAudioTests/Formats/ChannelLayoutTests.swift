import Foundation
import TestSupport
import Testing

@testable import AVFAudio

/// Core Audio's structure for the order of channels, and what reads its bytes.
@Suite("AudioChannelLayout", .limited)
struct ChannelLayoutTests {
    private let file = URL(fileURLWithPath: "/tmp/a.wav")

    /// As apps make it.
    private func data(_ layout: AudioChannelLayout) -> Data {
        var layout = layout
        return Data(bytes: &layout, count: MemoryLayout<AudioChannelLayout>.size)
    }

    @Test("It lies in memory as in C")
    func memory() throws {
        #expect(MemoryLayout<AudioChannelLayout>.size == 32 && MemoryLayout<AudioChannelLayout>.stride == 32)
        #expect(MemoryLayout<AudioChannelDescription>.size == 20)
        #expect(MemoryLayout.offset(of: \AudioChannelLayout.mChannelBitmap) == 4)
        #expect(MemoryLayout.offset(of: \AudioChannelLayout.mNumberChannelDescriptions) == 8)
        #expect(MemoryLayout.offset(of: \AudioChannelLayout.mChannelDescriptions) == 12)
        #expect(MemoryLayout.offset(of: \AudioChannelDescription.mChannelFlags) == 4)
        #expect(MemoryLayout.offset(of: \AudioChannelDescription.mCoordinates) == 8)
        #expect(data(AudioChannelLayout()) == Data(count: 32))
        var layout = AudioChannelLayout()
        layout.mChannelLayoutTag = kAudioChannelLayoutTag_Stereo
        #expect(data(layout) == AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo)?.data)
        #expect(AudioChannelBitmap([.bit_Left, .bit_LFEScreen, .bit_TopBackRight]).rawValue == 0x2_0009)
        #expect(AudioChannelFlags([.rectangularCoordinates, .meters]).rawValue == 5)
    }

    @Test("Recorders and formats take its bytes for AVChannelLayoutKey", arguments: [false, true])
    func key(asObject: Bool) throws {
        func value(_ layout: AudioChannelLayout) -> Any {
            let data = data(layout)
            return asObject ? NSData(data: data) : data
        }
        func channels(_ layout: AudioChannelLayout) throws -> Int? {
            try RecordingFormat(settings: [AVChannelLayoutKey: value(layout)], url: file).channels
        }
        var layout = AudioChannelLayout()
        layout.mChannelLayoutTag = kAudioChannelLayoutTag_Stereo
        #expect(try channels(layout) == 2)
        let format = AVAudioFormat(settings: [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2,
            AVChannelLayoutKey: value(layout),
        ])
        #expect(format?.channelLayout?.layoutTag == kAudioChannelLayoutTag_Stereo)
        layout.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelBitmap
        layout.mChannelBitmap = [.bit_Left, .bit_Right, .bit_Center]
        #expect(try channels(layout) == 3)
        layout.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelDescriptions
        layout.mNumberChannelDescriptions = 1
        layout.mChannelDescriptions.mChannelLabel = kAudioChannelLabel_Mono
        #expect(try channels(layout) == 1)
        #expect(throws: NSError.self) { try channels(AudioChannelLayout()) }
    }
}

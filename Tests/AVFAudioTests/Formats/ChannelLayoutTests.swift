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

    /// A layout of so many described channels, in memory as C has it.
    private func described(_ labels: [AudioChannelLabel]) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 12 + 20 * labels.count, alignment: 4)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 12 + 20 * labels.count)
        memory.storeBytes(of: UInt32(labels.count), toByteOffset: 8, as: UInt32.self)
        for (index, label) in labels.enumerated() {
            memory.storeBytes(of: label, toByteOffset: 12 + 20 * index, as: UInt32.self)
        }
        return memory
    }

    @Test("A layout is Core Audio's structure, with a tag, a bitmap or descriptions")
    func structure() throws {
        let stereo = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo))
        #expect(stereo.layout.pointee.mChannelLayoutTag == kAudioChannelLayoutTag_Stereo)
        #expect(stereo.layout.pointee.mNumberChannelDescriptions == 0)
        #expect(AVAudioChannelLayout(layout: stereo.layout) == stereo)
        // The pointer is good when the object is gone, and the same for the same layout.
        let pointer = AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo)?.layout
        #expect(pointer == stereo.layout)

        var bitmap = AudioChannelLayout()
        bitmap.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelBitmap
        bitmap.mChannelBitmap = [.bit_Left, .bit_Right, .bit_Center]
        // A description that does not count.
        bitmap.mChannelDescriptions.mChannelLabel = kAudioChannelLabel_Mono
        let three = AVAudioChannelLayout(layout: &bitmap)
        #expect(three.channelCount == 3 && three.layout.pointee.mChannelBitmap == bitmap.mChannelBitmap)
        #expect(three.layout.pointee.mChannelDescriptions.mChannelLabel == 0)
    }

    @Test("All descriptions of a layout are kept, and a format has as many channels")
    func descriptions() throws {
        let labels = [kAudioChannelLabel_Left, kAudioChannelLabel_Right, kAudioChannelLabel_Center]
        let memory = described(labels)
        defer { memory.deallocate() }
        let layout = AVAudioChannelLayout(layout: memory.assumingMemoryBound(to: AudioChannelLayout.self))
        #expect(layout.channelCount == 3 && layout.layoutTag == kAudioChannelLayoutTag_UseChannelDescriptions)
        let bytes = UnsafeRawPointer(layout.layout)
        #expect((0..<3).map { bytes.load(fromByteOffset: 12 + 20 * $0, as: UInt32.self) } == labels)
        let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
        #expect(format.channelCount == 3)
        #expect(AVAudioFormat(settings: format.settings)?.channelLayout == layout)
        // Fewer descriptions than promised are no layout.
        #expect(AVAudioChannelLayout(data: layout.data.dropLast()) == nil)
        #expect(AVAudioChannelLayout(data: Data(count: 32)) == nil)
    }
}

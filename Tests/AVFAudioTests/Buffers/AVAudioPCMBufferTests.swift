import AVFAudio
import TestSupport
import Testing

/// Buffers of PCM in all their shapes.
@Suite("AVAudioPCMBuffer", .limited)
struct AVAudioPCMBufferTests {
    private func format(
        _ common: AVAudioCommonFormat = .pcmFormatFloat32, channels: UInt32 = 2, interleaved: Bool = false
    ) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(commonFormat: common, sampleRate: 48000, channels: channels, interleaved: interleaved))
    }

    private func sizes(_ list: UnsafePointer<AudioBufferList>) -> [UInt32] {
        UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list)).map(\.mDataByteSize)
    }

    @Test("E169: a new buffer is silent and empty; frameLength changes the sizes of the list, and no sample")
    func length() throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 1000))
        let samples = try #require(buffer.floatChannelData)
        #expect(buffer.frameCapacity == 1000 && buffer.frameLength == 0)
        #expect(sizes(buffer.audioBufferList) == [0, 0])
        #expect((0..<1000).allSatisfy { samples[0][$0] == 0 && samples[1][$0] == 0 })
        samples[1][999] = 0.5
        buffer.frameLength = 10
        #expect(sizes(buffer.audioBufferList) == [40, 40])
        buffer.frameLength = 1000
        #expect(sizes(buffer.audioBufferList) == [4000, 4000] && samples[1][999] == 0.5)
        withExtendedLifetime(buffer) {}
    }

    @Test("E169: a frameLength beyond the capacity becomes the capacity")
    func beyond() throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 100))
        buffer.frameLength = 101
        #expect(buffer.frameLength == 100 && sizes(buffer.audioBufferList) == [400, 400])
        buffer.frameLength = .max
        #expect(buffer.frameLength == 100)
    }

    @Test("E170: deinterleaved channels have a block each and a stride of 1")
    func deinterleaved() throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 7))
        buffer.frameLength = 7
        let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
        let samples = try #require(buffer.floatChannelData)
        #expect(buffer.stride == 1 && list.count == 2)
        #expect(list.allSatisfy { $0.mNumberChannels == 1 && $0.mDataByteSize == 28 })
        for channel in 0..<2 { #expect(list[channel].mData == UnsafeMutableRawPointer(samples[channel])) }
        samples[0][6] = 0.25
        #expect(samples[1][0] == 0, "the channels overlap")
        withExtendedLifetime(buffer) {}
    }

    @Test("E170: interleaved channels share a block, and each pointer stands at its channel of frame 0")
    func interleaved() throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format(interleaved: true), frameCapacity: 7))
        buffer.frameLength = 7
        let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
        let samples = try #require(buffer.floatChannelData)
        #expect(buffer.stride == 2 && list.count == 1)
        #expect(list[0].mNumberChannels == 2 && list[0].mDataByteSize == 56)
        samples[0][1] = 0.75
        #expect(samples[1][0] == 0.75)
        #expect(list[0].mData == UnsafeMutableRawPointer(samples[0]))
        withExtendedLifetime(buffer) {}
    }

    @Test(
        "E171: samples are reached in their own type only; Float64 and 24 bits by the list alone",
        arguments: [
            AVAudioCommonFormat.pcmFormatFloat32, .pcmFormatFloat64, .pcmFormatInt16, .pcmFormatInt32,
        ], [true, false])
    func types(common: AVAudioCommonFormat, interleaved: Bool) throws {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: format(common, interleaved: interleaved), frameCapacity: 8))
        #expect((buffer.floatChannelData != nil) == (common == .pcmFormatFloat32))
        #expect((buffer.int16ChannelData != nil) == (common == .pcmFormatInt16))
        #expect((buffer.int32ChannelData != nil) == (common == .pcmFormatInt32))
        buffer.frameLength = 3
        let width: UInt32 = common == .pcmFormatInt16 ? 2 : common == .pcmFormatFloat64 ? 8 : 4
        #expect(sizes(buffer.audioBufferList) == (interleaved ? [6 * width] : [3 * width, 3 * width]))
    }

    @Test("E171: 24-bit samples have the list alone")
    func packed() throws {
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48000, AVNumberOfChannelsKey: 2,
            AVLinearPCMBitDepthKey: 24,
        ]
        let format = try #require(AVAudioFormat(settings: settings))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 8))
        buffer.frameLength = 8
        #expect(buffer.floatChannelData == nil && buffer.int16ChannelData == nil && buffer.int32ChannelData == nil)
        #expect(sizes(buffer.audioBufferList) == [48])
    }

    @Test("E172: one list has the sizes of what is filled, the mutable one those of the capacity")
    func twoLists() throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format(.pcmFormatInt16), frameCapacity: 100))
        buffer.frameLength = 30
        #expect(sizes(buffer.audioBufferList) == [60, 60] && sizes(buffer.mutableAudioBufferList) == [200, 200])
        buffer.mutableAudioBufferList.pointee.mBuffers.mDataByteSize = 40
        #expect(buffer.frameLength == 30 && sizes(buffer.audioBufferList) == [60, 60])
        buffer.frameLength = 20
        #expect(sizes(buffer.audioBufferList) == [40, 40] && sizes(buffer.mutableAudioBufferList) == [200, 200])
    }

    @Test("E173: a copy has the same capacity and samples, in memory of its own", arguments: [true, false])
    func copies(interleaved: Bool) throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format(interleaved: interleaved), frameCapacity: 50))
        let samples = try #require(buffer.floatChannelData)
        buffer.frameLength = 20
        for frame in 0..<50 {
            for channel in 0..<2 { samples[channel][frame * buffer.stride] = Float(frame * 2 + channel) }
        }
        for copied in [buffer.copy(), buffer.mutableCopy()] {
            let copy = try #require(copied as? AVAudioPCMBuffer)
            let theirs = try #require(copy.floatChannelData)
            #expect(copy.format == buffer.format && copy.frameCapacity == 50 && copy.frameLength == 20)
            samples[1][3 * buffer.stride] = -1
            #expect(theirs[1][3 * buffer.stride] == 7, "the memory is shared")
            samples[1][3 * buffer.stride] = 7
            #expect((0..<20).allSatisfy { theirs[0][$0 * copy.stride] == Float($0 * 2) })
        }
    }

    @Test("E174: a no-copy buffer is the app's memory, all of it filled, and gives it back once with an equal list")
    func noCopy() throws {
        var left: [Float] = [1, 2, 3, 4]
        var right: [Float] = [5, 6, 7, 8]
        let returned = Returned()
        try left.withUnsafeMutableBufferPointer { left in
            try right.withUnsafeMutableBufferPointer { right in
                let list = AudioBufferList.allocate(maximumBuffers: 2)
                list[0] = AudioBuffer(left, numberOfChannels: 1)
                list[1] = AudioBuffer(right, numberOfChannels: 1)
                var buffer = try AVAudioPCMBuffer(pcmFormat: format(), bufferListNoCopy: list.unsafePointer) { given in
                    let given = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: given))
                    returned.lists.append(given.map { $0 })
                }
                let expected = list.map { $0 }
                // The list itself is the app's, and may go at once.
                free(list.unsafeMutablePointer)
                let samples = try #require(buffer?.floatChannelData)
                #expect(buffer?.frameCapacity == 4 && buffer?.frameLength == 4)
                #expect(samples[1][3] == 8)
                samples[0][0] = 9
                #expect(left[0] == 9)
                #expect(returned.lists.isEmpty)
                // What a function leaves in the list does not change what is given back.
                buffer?.mutableAudioBufferList.pointee.mBuffers.mDataByteSize = 0
                buffer = nil
                try #require(returned.lists.count == 1)
                #expect(returned.lists[0].map(\.mData) == expected.map(\.mData))
                #expect(returned.lists[0].map(\.mDataByteSize) == [16, 16])
            }
        }
    }

    private final class Returned {
        var lists: [[AudioBuffer]] = []
    }

    @Test("E174: no buffer comes of lists that do not fit, and nothing is given back")
    func unfit() throws {
        var samples = [Float](repeating: 0, count: 64)
        try samples.withUnsafeMutableBytes { bytes in
            let data = bytes.baseAddress
            func made(_ buffers: [(UInt32, UInt32, UnsafeMutableRawPointer?)], _ format: AVAudioFormat) -> Bool {
                let list = AudioBufferList.allocate(maximumBuffers: buffers.count)
                defer { free(list.unsafeMutablePointer) }
                for (index, (channels, size, data)) in buffers.enumerated() {
                    list[index] = AudioBuffer(mNumberChannels: channels, mDataByteSize: size, mData: data)
                }
                return AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: list.unsafePointer) { _ in
                    Issue.record("memory was given back that was not taken")
                } != nil
            }
            let planar = try format()
            let woven = try format(interleaved: true)
            #expect(!made([], planar), "no buffers")
            #expect(!made([(1, 16, data)], planar), "one buffer for two channels")
            #expect(!made([(1, 16, data), (1, 12, data)], planar), "sizes that differ")
            #expect(!made([(1, 0, data), (1, 0, data)], planar), "no bytes")
            #expect(!made([(1, 16, data), (1, 16, nil)], planar), "no memory")
            #expect(!made([(2, 16, data), (2, 16, data)], planar), "channels twice")
            #expect(!made([(1, 16, data)], woven), "one channel for two")
            #expect(!made([(2, 16, nil)], woven), "no memory")
        }
    }

    @Test("E175: formats that are not PCM, of 0 bytes or channels, and more than 4 GB make no buffer")
    func impossible() throws {
        var aac = AudioStreamBasicDescription()
        aac.mSampleRate = 48000
        aac.mFormatID = kAudioFormatMPEG4AAC
        aac.mChannelsPerFrame = 2
        let compressed = try #require(AVAudioFormat(streamDescription: &aac))
        #expect(AVAudioPCMBuffer(pcmFormat: compressed, frameCapacity: 10) == nil)
        var hollow = try format().streamDescription.pointee
        hollow.mBytesPerFrame = 0
        let nothing = try #require(AVAudioFormat(streamDescription: &hollow))
        #expect(AVAudioPCMBuffer(pcmFormat: nothing, frameCapacity: 10) == nil)
        #expect(AVAudioPCMBuffer(pcmFormat: try format(interleaved: true), frameCapacity: 0x2000_0000) == nil)
        #expect(AVAudioPCMBuffer(pcmFormat: try format(), frameCapacity: 0)?.frameCapacity == 0)
    }

    @Test("1.13: a read-only buffer is a copy, the buffer itself, or what a function has filled")
    func readOnly() throws {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format(), frameCapacity: 8))
        let samples = try #require(buffer.floatChannelData)
        buffer.frameLength = 4
        samples[0][3] = 0.5
        let copy = AVReadOnlyAudioPCMBuffer(copying: buffer)
        samples[0][3] = 0.25
        #expect(copy.frameLength == 4 && copy.frameCapacity == 8 && copy.format == buffer.format)
        #expect(copy.withUnsafeAudioBufferList { sizes($0) } == [16, 16])
        #expect(copy.withUnsafeAudioBufferList { UnsafeBufferPointer<Float>($0.pointee.mBuffers)[3] } == 0.5)
        #expect(buffer.withUnsafeAudioBufferList { UnsafeBufferPointer<Float>($0.pointee.mBuffers)[3] } == 0.25)

        let filled = try AVReadOnlyAudioPCMBuffer(format: format(), frameCapacity: 100) { list in
            for index in UnsafeMutableAudioBufferListPointer(list).indices {
                let list = UnsafeMutableAudioBufferListPointer(list)
                UnsafeMutableBufferPointer<Float>(list[index])[2] = Float(index + 1)
                list[index].mDataByteSize = 12
            }
        }
        #expect(filled.frameLength == 3 && filled.frameCapacity == 100)
        #expect(filled.withUnsafeAudioBufferList { UnsafeBufferPointer<Float>($0.pointee.mBuffers)[2] } == 1)
        for capacity in [-1, Int(UInt32.max)] {
            let error = #expect(throws: NSError.self) {
                try AVReadOnlyAudioPCMBuffer(format: format(), frameCapacity: capacity) { _ in }
            }
            #expect(error?.domain == "com.apple.coreaudio.avfaudio" && error?.code == -50)
        }
        #expect(throws: CancellationError.self) {
            try AVReadOnlyAudioPCMBuffer(format: format(), frameCapacity: 1) { _ in throw CancellationError() }
        }
    }
}

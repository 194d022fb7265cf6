import AVFAudio
import TestSupport
import Testing

/// Buffers of packets.
@Suite("AVAudioCompressedBuffer", .limited)
struct AVAudioCompressedBufferTests {
    private func format(_ id: AudioFormatID, bytesPerPacket: UInt32 = 0) throws -> AVAudioFormat {
        var description = AudioStreamBasicDescription()
        description.mSampleRate = 48000
        description.mFormatID = id
        description.mChannelsPerFrame = 2
        description.mBytesPerPacket = bytesPerPacket
        return try #require(AVAudioFormat(streamDescription: &description))
    }

    @Test("1.7: packets of several sizes have descriptions, and the room of the largest each")
    func variable() throws {
        let buffer = AVAudioCompressedBuffer(
            format: try format(kAudioFormatMPEG4AAC), packetCapacity: 4, maximumPacketSize: 768)
        let descriptions = try #require(buffer.packetDescriptions)
        #expect(buffer.packetCapacity == 4 && buffer.maximumPacketSize == 768 && buffer.byteCapacity == 3072)
        #expect(buffer.packetCount == 0 && buffer.byteLength == 0)
        #expect(buffer.audioBufferList.pointee.mBuffers.mDataByteSize == 0)
        #expect(buffer.mutableAudioBufferList.pointee.mBuffers.mDataByteSize == 3072)
        #expect(buffer.mutableAudioBufferList.pointee.mBuffers.mData == buffer.data)
        descriptions[3] = AudioStreamPacketDescription(
            mStartOffset: 20, mVariableFramesInPacket: 0, mDataByteSize: 5)
        buffer.data.storeBytes(of: 0x5A, toByteOffset: 3071, as: UInt8.self)
        buffer.packetCount = 4
        buffer.byteLength = 25
        #expect(buffer.audioBufferList.pointee.mBuffers.mDataByteSize == 25)
        let copy = try #require(buffer.copy() as? AVAudioCompressedBuffer)
        buffer.data.storeBytes(of: 0, toByteOffset: 3071, as: UInt8.self)
        descriptions[3].mDataByteSize = 0
        #expect(copy.packetCount == 4 && copy.byteLength == 25 && copy.packetDescriptions?[3].mDataByteSize == 5)
        #expect(copy.data.load(fromByteOffset: 3071, as: UInt8.self) == 0x5A)
    }

    @Test("1.7: packets of one size have no descriptions, and their number says how many bytes there are")
    func constant() throws {
        let buffer = AVAudioCompressedBuffer(
            format: try format(kAudioFormatAppleIMA4, bytesPerPacket: 68), packetCapacity: 10)
        #expect(buffer.packetDescriptions == nil && buffer.byteCapacity == 680 && buffer.maximumPacketSize == 68)
        buffer.packetCount = 3
        #expect(buffer.byteLength == 204)
    }

    @Test("1.7: counts beyond the capacity become the capacity, and impossible sizes have none")
    func bounds() throws {
        let aac = try format(kAudioFormatMPEG4AAC)
        let buffer = AVAudioCompressedBuffer(format: aac, packetCapacity: 2, maximumPacketSize: 10)
        buffer.packetCount = 3
        buffer.byteLength = 21
        #expect(buffer.packetCount == 2 && buffer.byteLength == 20)
        for (packets, bytes) in [(UInt32.max, Int.max), (1, -1), (2, 0x8000_0000)] {
            let none = AVAudioCompressedBuffer(format: aac, packetCapacity: packets, maximumPacketSize: bytes)
            #expect(none.packetCapacity == 0 && none.byteCapacity == 0)
        }
        #expect(AVAudioCompressedBuffer(format: aac, packetCapacity: 5).packetCapacity == 0)
    }
}

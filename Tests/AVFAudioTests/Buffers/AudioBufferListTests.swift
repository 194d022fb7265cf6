import AVFAudio
import TestSupport
import Testing

/// C's structures for sample memory and times, and the pointers that walk them.
@Suite("AudioBufferList", .limited)
struct AudioBufferListTests {
    @Test("1.1: the structures have C's sizes and offsets")
    func layout() {
        #expect(MemoryLayout<AudioBuffer>.size == 16 && MemoryLayout<AudioBuffer>.stride == 16)
        #expect(MemoryLayout<AudioBuffer>.offset(of: \.mDataByteSize) == 4)
        #expect(MemoryLayout<AudioBuffer>.offset(of: \.mData) == 8)
        #expect(MemoryLayout<AudioBufferList>.size == 24)
        #expect(MemoryLayout<AudioBufferList>.offset(of: \.mBuffers) == 8)
        #expect(MemoryLayout<AudioStreamPacketDescription>.size == 16)
        #expect(MemoryLayout<AudioStreamPacketDescription>.offset(of: \.mDataByteSize) == 12)
        #expect(MemoryLayout<SMPTETime>.size == 24 && MemoryLayout<SMPTETime>.offset(of: \.mHours) == 16)
        #expect(MemoryLayout<AudioTimeStamp>.size == 64)
        #expect(MemoryLayout<AudioTimeStamp>.offset(of: \.mSMPTETime) == 32)
        #expect(MemoryLayout<AudioTimeStamp>.offset(of: \.mFlags) == 56)
    }

    @Test("1.1: a list of several buffers is walked as a collection, as C finds them")
    func list() throws {
        let list = AudioBufferList.allocate(maximumBuffers: 3)
        defer { free(list.unsafeMutablePointer) }
        #expect(list.count == 3 && AudioBufferList.sizeInBytes(maximumBuffers: 3) == 56)
        #expect(list.allSatisfy { $0.mData == nil && $0.mDataByteSize == 0 })
        for index in list.indices {
            list[index] = AudioBuffer(mNumberChannels: 1, mDataByteSize: UInt32(index + 1), mData: nil)
        }
        let bytes = UnsafeRawPointer(list.unsafePointer)
        #expect((0..<3).map { bytes.load(fromByteOffset: 12 + 16 * $0, as: UInt32.self) } == [1, 2, 3])
        list.count = 2
        #expect(list.map(\.mDataByteSize) == [1, 2] && list.unsafePointer.pointee.mNumberBuffers == 2)
        let nothing: UnsafeMutablePointer<AudioBufferList>? = nil
        #expect(UnsafeMutableAudioBufferListPointer(nothing).map(\.count) == nil)
    }

    @Test("1.1: typed samples become a buffer and come back from it")
    func typed() {
        var samples: [Int16] = [1, 2, 3, 4, 5]
        samples.withUnsafeMutableBufferPointer { typed in
            var buffer = AudioBuffer(typed, numberOfChannels: 2)
            #expect(buffer.mNumberChannels == 2 && buffer.mDataByteSize == 10)
            #expect(UnsafeBufferPointer<Int16>(buffer).elementsEqual([1, 2, 3, 4, 5]))
            buffer.mDataByteSize = 9
            #expect(UnsafeMutableBufferPointer<Int16>(buffer).count == 4, "a half sample is none")
        }
        #expect(UnsafeBufferPointer<Float>(AudioBuffer(mNumberChannels: 1, mDataByteSize: 8, mData: nil)).isEmpty)
    }
}

import AudioRealtime
import TestSupport
import Testing

@Suite(.limited) struct FrameRingTests {
    private func write(_ ring: FrameRing, _ values: Range<Int32>) -> Int {
        ring.write(Array(values), frames: values.count)
    }

    private func read(_ ring: FrameRing, _ frames: Int) -> [Int32] {
        var out = [Int32](repeating: -1, count: frames)
        let count = out.withUnsafeMutableBytes { ring.read(into: $0.baseAddress!, frames: frames) }
        return Array(out.prefix(count))
    }

    @Test func capacityIsRoundedUpToAPowerOfTwo() {
        #expect(FrameRing(bytesPerFrame: 4, capacity: 1000).capacity == 1024)
        #expect(FrameRing(bytesPerFrame: 4, capacity: 1024).capacity == 1024)
        #expect(FrameRing(bytesPerFrame: 4, capacity: 1000, history: 100).capacity == 2048 - 100)
    }

    @Test func writesWhatFitsAndReadsWhatIsThere() {
        let ring = FrameRing(bytesPerFrame: 4, capacity: 8)
        #expect(read(ring, 3) == [])
        #expect(write(ring, 0..<10) == 8)
        #expect(ring.writableFrames == 0 && ring.readableFrames == 8)
        #expect(read(ring, 5) == [0, 1, 2, 3, 4])
        #expect(write(ring, 8..<20) == 5)
        #expect(ring.skip(frames: 2) == 2)
        #expect(read(ring, 100) == [7, 8, 9, 10, 11, 12])
        #expect(ring.framesWritten == 13 && ring.framesRead == 13)
        #expect(
            write(ring, 0..<0) == 0
                && ring.read(into: [Int32(0)].withUnsafeBytes { .init(mutating: $0.baseAddress!) }, frames: -1) == 0)
    }

    @Test func framesOfAnySizeStayWhole() {
        let ring = FrameRing(bytesPerFrame: 6, capacity: 4)
        let frames = (0..<18).map { UInt8($0) }
        for _ in 0..<5 {
            #expect(ring.write(frames, frames: 3) == 3)
            var out = [UInt8](repeating: 255, count: 18)
            #expect(out.withUnsafeMutableBytes { ring.read(into: $0.baseAddress!, frames: 3) } == 3)
            #expect(out == frames)
        }
    }

    @Test func rewindGivesTheSameFramesAgain() {
        let ring = FrameRing(bytesPerFrame: 4, capacity: 12, history: 4)
        #expect(write(ring, 0..<12) == 12)
        _ = read(ring, 8)
        #expect(ring.rewind(frames: 3) == 3)
        #expect(ring.framesRead == 5 && ring.readableFrames == 7)
        #expect(read(ring, 7) == [5, 6, 7, 8, 9, 10, 11])
    }

    @Test func rewindsTogetherNeverGoBelowTheHistory() {
        let ring = FrameRing(bytesPerFrame: 4, capacity: 12, history: 4)
        _ = write(ring, 0..<12)
        #expect(ring.rewind(frames: 1) == 0)
        _ = read(ring, 2)
        #expect(ring.rewind(frames: 100) == 2)
        _ = read(ring, 8)
        #expect(ring.rewind(frames: 3) == 3)
        #expect(ring.rewind(frames: 3) == 1)
        #expect(ring.rewind(frames: 3) == 0)
        // Reading a part of it again does not give new room behind.
        #expect(read(ring, 2) == [4, 5])
        #expect(ring.rewind(frames: 100) == 2)
        #expect(ring.framesRead == 4)
    }

    @Test func theProducerNeverOverwritesTheHistory() {
        let ring = FrameRing(bytesPerFrame: 4, capacity: 12, history: 4)
        _ = write(ring, 0..<12)
        _ = read(ring, 8)
        #expect(ring.rewind(frames: 4) == 4)
        // The rewind takes nothing away from the producer: room follows the frame read furthest.
        #expect(ring.writableFrames == 8)
        #expect(write(ring, 12..<40) == 8)
        #expect(read(ring, 100) == Array(4..<20))
    }

    @Test func resetStartsAtZero() {
        let ring = FrameRing(bytesPerFrame: 4, capacity: 4)
        _ = write(ring, 0..<3)
        _ = read(ring, 2)
        ring.reset()
        #expect(ring.framesWritten == 0 && ring.framesRead == 0 && ring.readableFrames == 0 && ring.writableFrames == 4)
        #expect(ring.rewind(frames: 2) == 0)
    }

    @Test(.limited) func twoThreadsPassEveryFrameInOrder() async {
        let ring = FrameRing(bytesPerFrame: 4, capacity: 64, history: 32)
        let total = 200_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var noise = SeededGenerator(seed: 7)
                var next = 0
                while next < total {
                    let count = min(Int.random(in: 1...50, using: &noise), total - next)
                    let done = ring.write((next..<next + count).map { Int32($0) }, frames: count)
                    next += done
                    if done == 0 { await Task.yield() }
                }
            }
            group.addTask {
                var noise = SeededGenerator(seed: 8)
                var next = 0
                var wrong = 0
                var buffer = [Int32](repeating: 0, count: 64)
                while next < total {
                    let count = Int.random(in: 1...60, using: &noise)
                    let done = buffer.withUnsafeMutableBytes { ring.read(into: $0.baseAddress!, frames: count) }
                    for index in 0..<done where buffer[index] != Int32(next + index) { wrong += 1 }
                    next += done
                    if done == 0 { await Task.yield() }
                    if done > 0 && next < total && Int.random(in: 0..<4, using: &noise) == 0 {
                        next -= ring.rewind(frames: Int.random(in: 1...40, using: &noise))
                    }
                }
                #expect(wrong == 0)
            }
        }
        #expect(ring.framesWritten == total && ring.framesRead == total)
    }
}

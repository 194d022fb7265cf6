@testable import AudioRealtime

/// A ring that threads of a test can share.
// SAFETY: the positions are atomic, and the bytes between them belong to exactly one side at any time (RingCore).
final class FrameRing: @unchecked Sendable {
    private let core: RingCore

    init(bytesPerFrame: Int, capacity: Int, history: Int = 0) {
        core = RingCore(bytesPerFrame: bytesPerFrame, capacity: capacity, history: history)
    }

    var capacity: Int { core.capacity }

    var bytesPerFrame: Int { core.bytesPerFrame }

    func write(_ source: UnsafeRawPointer, frames: Int) -> Int { core.write(source, frames: frames) }

    var writableFrames: Int { core.writableFrames() }

    func read(into destination: UnsafeMutableRawPointer, frames: Int) -> Int {
        core.read(into: destination, frames: frames)
    }

    var readableFrames: Int { core.readableFrames() }

    func skip(frames: Int) -> Int { core.skip(frames: frames) }

    func rewind(frames: Int) -> Int { core.rewind(frames: frames) }

    var framesWritten: Int { core.framesWritten() }

    var framesRead: Int { core.framesRead() }

    func reset() { core.reset() }
}

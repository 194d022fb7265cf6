import AVFAudio
import Foundation
import TestSupport
import Testing

@testable import SystemSounds

/// When completion functions are not called any more; what they are handed may be freed then.
///
/// No server is asked: the user's alert is over at once.
@Suite("Completion functions of system sounds", .limited)
struct SoundListenerTests {
    /// Nobody listens there.
    private let service = SystemSoundService(session: AVAudioSession(server: "unix:/nonexistent"))
    private let id = kSystemSoundID_UserPreferredAlert

    /// A function that counts its calls, on the thread that the count belongs to.
    private func listener(counting calls: UnsafeMutablePointer<Int>, on runLoop: RunLoop?) -> SoundListener {
        SoundListener(
            runLoop: runLoop, mode: nil, function: { $1?.assumingMemoryBound(to: Int.self).pointee += 1 },
            clientData: calls)
    }

    /// Has a sound be over while whoever is to be told waits for it here.
    ///
    /// Functions are told after blocks: when the second block runs, the first call is on its way.
    private func endSound() {
        let isOver = DispatchSemaphore(value: 0)
        for _ in 0..<2 { service.play(id) { isOver.signal() } }
        for _ in 0..<2 { isOver.wait() }
    }

    /// How often a function was called that was removed, and one that another took the place of; the other one's calls.
    private func countCalls(
        on runLoop: RunLoop?, _ calls: UnsafeMutablePointer<Int>, _ later: UnsafeMutablePointer<Int>
    ) {
        _ = service.setListener(listener(counting: calls, on: runLoop), for: id)
        endSound()
        _ = service.setListener(nil, for: id)
        _ = service.setListener(listener(counting: calls, on: runLoop), for: id)
        endSound()
        _ = service.setListener(listener(counting: later, on: runLoop), for: id)
        endSound()
        // What the last one but one began is on its way as well.
        endSound()
    }

    @Test("S137: A function that was removed is not called, though its call was on its way to the main thread")
    @MainActor func mainThread() async {
        let calls = UnsafeMutablePointer<Int>.allocate(capacity: 2)
        calls.initialize(repeating: 0, count: 2)
        defer { calls.deallocate() }
        countCalls(on: nil, calls, calls + 1)
        await reachMainThread()
        #expect(calls[0] == 0)
        #expect(calls[1] >= 3)
        _ = service.setListener(nil, for: id)
    }

    /// Returns when the main thread has done what it was asked for before.
    private func reachMainThread() async {
        await withCheckedContinuation { continuation in OperationQueue.main.addOperation { continuation.resume() } }
    }

    @Test("S137: A function that was removed is not called, though its call was on its way to a run loop")
    func runLoop() async {
        let counts = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let calls = UnsafeMutablePointer<Int>.allocate(capacity: 2)
                calls.initialize(repeating: 0, count: 2)
                defer { calls.deallocate() }
                countCalls(on: .current, calls, calls + 1)
                let notes = Notes()
                let last = Timer(timeInterval: 0, repeats: false) { _ in notes.add("last") }
                RunLoop.current.add(last, forMode: .default)
                while notes.all.isEmpty { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
                _ = service.setListener(nil, for: id)
                continuation.resume(returning: [calls[0], calls[1]])
            }
        }
        #expect(counts[0] == 0)
        #expect(counts[1] >= 3)
    }
}

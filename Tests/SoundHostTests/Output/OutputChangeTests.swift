import AudioRealtime
import TestSupport
import Testing

@testable import SoundHost

@Suite("A change of what is queued", .limited)
struct OutputChangeTests {
    private func voice(frames: Int) -> OutputVoice {
        let voice = Voice(
            channels: 1, matrix: ChannelMatrix(from: [.mono], to: [.mono]), capacity: 1_000, history: 1_000)
        _ = voice.write([Float](repeating: 0.5, count: frames), frames: frames)
        return OutputVoice(
            voice: voice, refillThreshold: .max, onRefillNeeded: {}, onFinished: {}, onInterrupted: {})
    }

    @Test("What came late moves a voice on that was paused, to the frame that was heard last")
    func late() {
        let voice = voice(frames: 500)
        voice.timeline.append(stream: 0, voice: 0, count: 200)
        var change = OutputChange(leaving: [])
        change.add([voice])
        voice.stepBack(to: 100)
        change.begun = 100
        #expect(change.arrived(taken: 150).map(ObjectIdentifier.init) == [ObjectIdentifier(voice)])
        #expect(voice.voice.framesRendered == 150)
    }

    @Test("A voice that has left meanwhile, to begin elsewhere, is not moved on")
    func left() {
        let voice = voice(frames: 500)
        voice.timeline.append(stream: 0, voice: 0, count: 200)
        var change = OutputChange(leaving: [])
        change.add([voice])
        change.begun = 100
        // As a seek does.
        voice.leave()
        #expect(change.arrived(taken: 150).isEmpty)
        #expect(voice.voice.framesRendered == 0)
    }

    @Test(
        "Of two pauses in a row the first one keeps its place, though the stream stopped before its change came",
        arguments: [(stopped: 95, heard: 95), (stopped: 100, heard: 100), (stopped: 120, heard: 100)])
    func stoppedBefore(stopped: Int, heard: Int) {
        let voice = voice(frames: 500)
        _ = voice.voice.skip(frames: 200)
        voice.timeline.append(stream: 0, voice: 0, count: 200)
        var change = OutputChange(leaving: [])
        change.add([voice])
        voice.stepBack(to: 100)
        change.begun = 100
        for left in change.arrived(taken: 90) { left.leave() }
        change.stopped(at: stopped)
        #expect(voice.voice.framesRendered == heard)
    }

    @Test("A voice that has left twice stands elsewhere, and the stop of the stream does not move it")
    func leftTwice() {
        let voice = voice(frames: 500)
        _ = voice.voice.skip(frames: 200)
        voice.timeline.append(stream: 0, voice: 0, count: 200)
        var change = OutputChange(leaving: [])
        change.add([voice])
        voice.stepBack(to: 100)
        change.begun = 100
        for left in change.arrived(taken: 90) { left.leave() }
        voice.leave()
        change.stopped(at: 50)
        #expect(voice.voice.framesRendered == 100)
    }
}

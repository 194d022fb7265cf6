import TestSupport
import Testing

@testable import AudioRealtime

/// What a feeder may do to frames that it wrote and that nobody has rendered.
@Suite(.limited) struct VoiceEditTests {
    @Test func framesToComeCanBeLookedAt() {
        let feed = Noise.samples(2 * 100)
        let voice = Voice(capacity: 128, history: 64, feed: feed)
        _ = stereoMixer(voice).rendered(40)
        var piece = [Float](repeating: 0, count: 2 * 30)
        #expect(voice.copy(from: 50, frames: 30, to: &piece) == 30)
        #expect(piece == Array(feed[100..<160]))
        #expect(voice.copy(from: 90, frames: 30, to: &piece) == 10)
        #expect(voice.copy(from: 100, frames: 30, to: &piece) == 0)
    }

    @Test func framesToComeCanBeReplaced() {
        let (feed, other) = (Noise.samples(2 * 100), Noise.samples(2 * 200, seed: 2))
        let voice = Voice(capacity: 128, history: 64, feed: feed)
        let mixer = stereoMixer(voice)
        var heard = mixer.rendered(40)
        voice.truncate(to: 55)
        #expect(voice.readableFrames == 15)
        let count = voice.write(other, frames: 200)
        heard += mixer.rendered(15 + count)
        #expect(heard == Array(feed[..<110]) + other[..<(2 * count)])
    }

    /// A frame that was rendered, stepped back over and not rendered again is one to come.
    @Test func whatWasSteppedBackOverCanBeReplaced() {
        let (feed, other) = (Noise.samples(2 * 100), Noise.samples(2 * 200, seed: 2))
        let voice = Voice(capacity: 128, history: 64, feed: feed)
        let mixer = stereoMixer(voice)
        _ = mixer.rendered(90)
        #expect(voice.rewind(frames: 50) == 50)
        voice.truncate(to: 45)
        let count = voice.write(other, frames: 200)
        #expect(mixer.rendered(5 + count) == Array(feed[80..<90]) + other[..<(2 * count)])
        #expect(voice.rewind(frames: 1000) >= 64)
    }
}

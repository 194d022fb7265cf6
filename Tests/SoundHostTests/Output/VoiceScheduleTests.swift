import AudioRealtime
import PulseClient
import TestSupport
import Testing

@testable import SoundHost

/// An output without a server: a schedule of one channel, and the cursor of its stream.
private final class Desk {
    let schedule: VoiceSchedule
    var cursor = WriteCursor(rate: 48_000)

    init(tail: Double = 0) {
        schedule = VoiceSchedule(format: OutputMix.Format(rate: 48_000, positions: [.mono]), tail: tail)
    }

    /// A voice of one level that has ended, or whose decoder has more.
    func voice(_ level: Float, frames: Int, ends: Bool = true) -> OutputVoice {
        let voice = Voice(
            channels: 1, matrix: ChannelMatrix(from: [.mono], to: [.mono]), capacity: 1_000, history: 1_000)
        _ = voice.write([Float](repeating: level, count: frames), frames: frames)
        voice.setEnded(ends)
        return OutputVoice(
            voice: voice, refillThreshold: .max, onRefillNeeded: {}, onFinished: {}, onInterrupted: {})
    }

    func play(_ voice: OutputVoice, at frame: Int = 0) {
        voice.state = .playing
        voice.joinFrame = frame
        schedule.add(voice)
    }

    /// Plays voices one after the other.
    func chain(_ voices: [OutputVoice]) {
        for (voice, next) in zip(voices, voices.dropFirst()) { voice.follower = next }
        play(voices[0])
    }

    /// Renders as an output does, until it has rendered `room` frames or has nothing to render.
    func render(room: Int = 1_000) -> [Float] {
        var heard: [Float] = []
        while true {
            schedule.join(at: cursor.next)
            var written = 0
            let piece = schedule.nextPiece(
                at: cursor.next, room: room - heard.count, staleFrames: cursor.staleFrames)
            if case .frames(let frames) = piece, frames > 0 {
                written = schedule.render(at: cursor.next) { fill in
                    var part = [Float](repeating: .nan, count: frames)
                    let bytes = part.withUnsafeMutableBytes { fill($0) }
                    heard += part
                    return bytes / 4
                }
                cursor.wrote(written)
            }
            guard !schedule.endVoices(at: cursor.next).ended.isEmpty || written > 0 else { return heard }
        }
    }

    func rewind(to frame: Int) {
        let frames = cursor.rewind(to: frame)
        schedule.rewound(to: cursor.next, by: frames)
    }
}

private func sound(_ pieces: (Float, Int)...) -> [Float] {
    pieces.flatMap { [Float](repeating: $0.0, count: $0.1) }
}

@Suite("When voices join, end and follow one another", .limited)
struct VoiceScheduleTests {
    @Test(
        "The items of a queue follow each other without a gap, however short they are",
        arguments: [[10, 1, 0, 20], [0, 0, 5], [1, 1, 1, 1], [600, 3], [7]])
    func queue(lengths: [Int]) {
        let desk = Desk()
        let voices = lengths.enumerated().map { desk.voice(Float($0 + 1), frames: $1) }
        desk.chain(voices)
        let expected = lengths.enumerated().flatMap { [Float](repeating: Float($0 + 1), count: $1) }
        #expect(desk.render() == expected)
        #expect(voices.map(\.endFrame) == lengths.indices.map { lengths[...$0].reduce(0, +) })
        #expect(voices.allSatisfy { $0.state == .finishing })
        // The last one's end tells of all before it, in their order.
        let finished = desk.schedule.finishing(with: voices[voices.count - 1], at: expected.count)
        #expect(finished.map(ObjectIdentifier.init) == voices.map(ObjectIdentifier.init))
    }

    @Test("A rewind takes back what follows, and the same is rendered again", arguments: [0, 4, 10, 11, 25])
    func rewindQueue(to frame: Int) {
        let desk = Desk()
        let lengths = [10, 1, 20]
        let voices = lengths.enumerated().map { desk.voice(Float($0 + 1), frames: $1) }
        desk.chain(voices)
        let whole = desk.render()
        desk.rewind(to: frame)
        #expect(desk.schedule.runningVoices.count == 1)
        #expect(voices.map(\.isRunning) == [true, frame >= 10, frame >= 11])
        #expect(desk.render() == Array(whole[frame...]))
    }

    @Test("A voice joins at its frame, and after a rewind to before that at the same one")
    func join() {
        let desk = Desk()
        desk.play(desk.voice(1, frames: 100))
        desk.play(desk.voice(2, frames: 20), at: 50)
        #expect(desk.render(room: 60) == sound((1, 50), (3, 10)))
        desk.rewind(to: 40)
        #expect(desk.render() == sound((1, 10), (3, 20), (1, 30)))
        desk.rewind(to: 0)
        #expect(desk.render() == sound((1, 50), (3, 20), (1, 30)))
        desk.rewind(to: 40)
        #expect(desk.render() == sound((1, 10), (3, 20), (1, 30)))
        desk.rewind(to: 60)
        #expect(desk.render() == sound((3, 10), (1, 30)))
    }

    @Test("What was taken back is overwritten with silence when its voice pauses")
    func silence() {
        let desk = Desk()
        let voice = desk.voice(1, frames: 100)
        desk.play(voice)
        _ = desk.render()
        desk.rewind(to: 70)
        desk.schedule.pause(voice)
        #expect(desk.render() == sound((0, 30)))
        #expect(desk.cursor.isFresh && voice.voice.framesRendered == 70)
    }

    @Test("Silence follows the last voice for as long as the end of one is still to be heard")
    func tail() {
        let desk = Desk(tail: 100 / 48_000)
        let (first, second) = (desk.voice(1, frames: 10), desk.voice(2, frames: 20))
        desk.play(first)
        #expect(desk.render() == sound((1, 10), (0, 100)))
        #expect(desk.render() == [])
        // What joins meanwhile takes the place of the silence, and has one of its own.
        desk.rewind(to: 30)
        desk.play(second, at: 30)
        #expect(desk.render() == sound((2, 20), (0, 100)))
        for voice in [first, second] { desk.schedule.leave(voice) }
        #expect(desk.render() == [])
    }

    @Test("A voice without sound is waited for, and one that is decoded again too")
    func waiting() {
        let desk = Desk()
        let (first, second) = (desk.voice(1, frames: 100, ends: false), desk.voice(2, frames: 0, ends: false))
        desk.play(first)
        desk.play(second)
        func piece() -> VoiceSchedule.Piece {
            desk.schedule.join(at: desk.cursor.next)
            return desk.schedule.nextPiece(at: desk.cursor.next, room: 1_000, staleFrames: 0)
        }
        #expect(piece() == .awaitingDecoder(hasOthers: true, frames: 100))
        desk.schedule.pause(second)
        #expect(piece() == .frames(100))
        first.pendingRedecodes = 1
        #expect(piece() == .awaitingDecoder(hasOthers: true, frames: 100))
        first.pendingRedecodes = 0
        #expect(desk.render() == sound((1, 100)))
        #expect(piece() == .awaitingDecoder(hasOthers: false, frames: 0))
    }

    @Test("A voice that gets more loops before its end is heard goes on there, without joining anew")
    func revive() {
        let desk = Desk()
        let voice = desk.voice(1, frames: 10)
        desk.play(voice)
        #expect(desk.render() == sound((1, 10)) && voice.state == .finishing)
        voice.voice.setEnded(false)
        _ = voice.voice.write([Float](repeating: 2, count: 5), frames: 5)
        voice.voice.setEnded(true)
        #expect(desk.schedule.revive(voice) == 10 && voice.endFrame == nil && voice.joinFrame == 0)
        desk.rewind(to: 5)
        #expect(desk.render() == sound((1, 5), (2, 5)))
    }

    @Test("Joins move where a time has turned out to be another frame, unless that is near or the difference small")
    func realign() {
        let desk = Desk()
        let voices = [100, 200, 300].map { frame in
            let voice = desk.voice(1, frames: 10)
            desk.play(voice, at: frame)
            voice.startTime = Double(frame)
            return voice
        }
        let waiting = desk.schedule.waiting(after: 150)
        #expect(waiting.count == 2)
        let changed = desk.schedule.realign(waiting, after: 150, tolerance: 4) { $0 == 200 ? 190 : 303 }
        #expect(changed == 190 && voices.map(\.joinFrame) == [100, 190, 300])
        #expect(desk.schedule.realign(waiting, after: 400, tolerance: 4) { _ in 350 } == nil)
    }
}

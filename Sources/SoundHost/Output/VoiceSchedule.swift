internal import AudioHost
internal import AudioRealtime
internal import PulseClient

/// The voices of an output with the mixer that renders them, and the frames of the stream at which they join, end and
/// follow one another.
///
/// Asks no server: the frames are those of a ``WriteCursor``. Used with the main loop's lock held.
final class VoiceSchedule {
    /// A piece of sound that can be rendered at once.
    enum Piece: Hashable {
        /// So many frames; 0 or less where nothing can be rendered.
        case frames(Int)
        /// A voice waits for its decoder, and other voices may have something; so many frames can be rendered without
        /// the one that waits.
        case awaitingDecoder(hasOthers: Bool, frames: Int)
    }

    /// The stream's format; its channels change with ``refit(_:)``.
    private(set) var format: OutputMix.Format
    /// The voices that play, end, or are still to be heard up to their pause.
    private(set) var voices: [OutputVoice] = []
    private var mixer: Mixer
    /// Whether the channels are not those that the voices were made for.
    private var isRefitted = false
    /// The master gain, and when its ramp is to be over, in seconds of ``MonotonicClock``.
    private var gain = (target: Float(1), due: 0.0)

    /// The number of frames of silence that follow the last voice.
    private let tail: Int

    /// A schedule without voices.
    ///
    /// - Parameters:
    ///   - format: The stream's format.
    ///   - tail: The silence that follows the last voice, in seconds, for a server that plays no part of a block.
    init(format: OutputMix.Format, tail: Double) {
        self.format = format
        self.tail = Int(tail * Double(format.rate))
        mixer = Self.mixer(for: format)
    }

    private static func mixer(for format: OutputMix.Format) -> Mixer {
        Mixer(channels: format.channels.count, maximumVoices: 64, maximumFrames: format.rate / 100)
    }

    // MARK: Voices

    /// Whether any voice is on its way to the listener.
    var isRunning: Bool { voices.contains { $0.isRunning } }

    /// The voices that play.
    var playing: [OutputVoice] { voices.filter { $0.state == .playing } }

    /// The voices that are on their way to the listener, but for those that begin by themselves after another one.
    var runningVoices: [OutputVoice] {
        let running = voices.filter { $0.isRunning }
        return running.filter { voice in !running.contains { $0.follower === voice } }
    }

    /// Adds a voice, once.
    func add(_ voice: OutputVoice) {
        if !voices.contains(where: { $0 === voice }) { voices.append(voice) }
    }

    /// Pauses a voice, which stays until it has been rewound to its pause.
    func pause(_ voice: OutputVoice) {
        if voice.isRunning { voice.state = .paused }
        mixer.remove(voice.voice)
    }

    /// Removes a voice.
    func leave(_ voice: OutputVoice) {
        voices.removeAll { $0 === voice }
        voice.leave()
    }

    /// Removes the voices that do not run.
    func leavePaused() {
        for voice in voices where !voice.isRunning { leave(voice) }
    }

    /// Pauses and removes all voices.
    func leaveAll() {
        for voice in voices {
            pause(voice)
            leave(voice)
        }
    }

    /// Asks the decoders of playing voices for more, where a good part of the ring is free.
    func requestRefills() {
        for voice in voices where voice.state == .playing && !voice.isRefillRequested {
            guard voice.voice.writableFrames >= voice.refillThreshold else { continue }
            voice.isRefillRequested = true
            voice.onRefillNeeded()
        }
    }

    // MARK: Rendering

    /// Moves the master gain, as an amplitude, within so many seconds of sound; at once while nothing is heard.
    func setGain(_ target: Float, seconds: Double, isHeard: Bool) {
        gain = (target, MonotonicClock.seconds + seconds)
        mixer.setMasterGain(target, rampFrames: isHeard ? Int(seconds * Double(format.rate)) : 0)
    }

    /// Ends a ramp of the master gain whose time is over, since the pause before this start was longer than its rest.
    func endRampInTime() {
        if MonotonicClock.seconds >= gain.due { mixer.setMasterGain(gain.target, rampFrames: 0) }
    }

    /// Takes other channels at the same rate; the mixer is empty.
    func refit(_ new: OutputMix.Format) {
        guard new.positions != format.positions else { return }
        format = new
        isRefitted = true
        mixer = Self.mixer(for: new)
        mixer.setMasterGain(gain.target, rampFrames: 0)
    }

    /// Adds the voices that join at a frame to the mixer.
    func join(at next: Int) {
        for voice in playing {
            guard let frame = voice.joinFrame, frame <= next else { continue }
            if isRefitted { voice.fit(format) }
            mixer.add(voice.voice)
        }
    }

    /// The longest piece that can be rendered at a frame.
    ///
    /// - Parameters:
    ///   - room: The frames that the stream takes.
    ///   - staleFrames: The frames that are to be overwritten, with silence if there is nothing else.
    func nextPiece(at next: Int, room: Int, staleFrames: Int) -> Piece {
        let nextJoin = playing.compactMap(\.joinFrame).filter { $0 > next }.min()
        let limit = min(room, (nextJoin ?? .max) - next)
        guard !mixer.voices.isEmpty else {
            return .frames(nextJoin != nil ? limit : min(limit, max(staleFrames, tailEnd - next)))
        }
        let most = mixer.voices.reduce(0) { max($0, $1.readableFrames) }
        let least = mixer.voices.reduce(Int.max) { $1.isEnded ? $0 : min($0, $1.readableFrames) }
        let awaitsRedecode = playing.contains { $0.awaitsRedecode && $0.joinFrame ?? .max <= next }
        if least > 0 && !awaitsRedecode { return .frames(min(limit, most, least, framesBeforeFollower)) }
        return .awaitingDecoder(hasOthers: most > 0, frames: min(limit, most, mixer.maximumFrames))
    }

    /// The frame up to which silence follows voices whose ends are still to be heard; 0 without such a voice.
    private var tailEnd: Int {
        voices.lazy.filter { $0.state == .finishing }.compactMap(\.endFrame).max().map { $0 + tail } ?? 0
    }

    /// The frames that can be rendered before a voice has to follow another one.
    private var framesBeforeFollower: Int {
        let leading = playing.lazy.filter { $0.follower != nil && $0.voice.isEnded }
        return leading.map(\.voice.readableFrames).filter { $0 > 0 }.min() ?? .max
    }

    /// Renders into the room that `write` gets from the server, and notes where the voices' frames went.
    ///
    /// - Returns: What `write` does.
    func render(at frame: Int, _ write: (@Sendable (UnsafeMutableRawBufferPointer) -> Int) -> Int) -> Int {
        let before = voices.map { $0.voice.framesRendered }
        let bytesPerFrame = format.spec.bytesPerFrame
        let written = write { [mixer] room in
            guard let output = room.baseAddress?.assumingMemoryBound(to: Float.self) else { return 0 }
            mixer.render(into: output, frames: room.count / bytesPerFrame)
            return room.count
        }
        for (voice, first) in zip(voices, before) {
            voice.timeline.append(stream: frame, voice: first, count: voice.voice.framesRendered - first)
        }
        return written
    }

    /// Rewinds the voices with the stream, by so many frames to a frame.
    func rewound(to first: Int, by frames: Int) {
        for voice in voices {
            voice.stepBack(to: first)
            // It joins again when its time comes.
            if let frame = voice.joinFrame, frame > first { mixer.remove(voice.voice) }
        }
        // The ends of voices were rewound, and with them what followed.
        for voice in voices where voice.state == .playing { retractFollower(of: voice) }
        mixer.rewindMasterGain(frames: frames)
    }

    // MARK: Ends

    /// Ends the voices of which everything has been rendered, and begins their followers.
    ///
    /// - Returns: The voices that have ended, and the first frame at which one begins that others have passed already.
    func endVoices(at next: Int) -> (ended: [OutputVoice], changedFrom: Int?) {
        func isOver(_ voice: OutputVoice) -> Bool {
            voice.state == .playing && voice.voice.isFinished && voice.joinFrame ?? .max <= next
        }
        var ended: [OutputVoice] = []
        var changedFrom: Int?
        // One by one: a follower without a frame is over before others go on.
        while let voice = voices.first(where: isOver) {
            voice.state = .finishing
            mixer.remove(voice.voice)
            voice.endFrame = voice.timeline.end ?? voice.joinFrame ?? next
            voice.endNumber = (voices.map(\.endNumber).max() ?? 0) + 1
            ended.append(voice)
            if let frame = beginFollower(of: voice), frame < next { changedFrom = min(changedFrom ?? frame, frame) }
        }
        return (ended, changedFrom)
    }

    /// Begins the voice that follows one whose end was rendered; returns at which frame, nil without a follower.
    func beginFollower(of voice: OutputVoice) -> Int? {
        guard let follower = voice.follower, !follower.isRunning, let end = voice.endFrame else { return nil }
        follower.state = .playing
        follower.startTime = nil
        follower.joinFrame = end
        add(follower)
        return end
    }

    /// Takes back the begin of a follower, and of those after it: one without a frame has one at the same frame.
    private func retractFollower(of voice: OutputVoice) {
        guard let follower = voice.follower, follower.isRunning else { return }
        pause(follower)
        leave(follower)
        retractFollower(of: follower)
    }

    /// Takes up a voice again that got more loops just before its end was heard; returns the frame of that end.
    ///
    /// It joined the mix when it began, and does not join at its end: a rewind to before that end is of its sound too.
    func revive(_ voice: OutputVoice) -> Int? {
        defer {
            voice.endFrame = nil
            voice.finishTimer = nil
        }
        voice.state = .playing
        voice.startTime = nil
        return voice.endFrame
    }

    /// The voices that finish with one whose end has been heard, in the order of their ends: those that end before it,
    /// or at the same frame if they lead to it.
    func finishing(with voice: OutputVoice, at end: Int) -> [OutputVoice] {
        func place(of other: OutputVoice) -> (Int, Int) { (other.endFrame ?? .max, other.endNumber) }
        let last = (end, voice.endNumber)
        let earlier = voices.filter { $0.state == .finishing && place(of: $0) < last }
        return earlier.sorted { place(of: $0) < place(of: $1) } + [voice]
    }

    // MARK: Times

    /// The playing voices that wait for a time that is heard after a frame.
    func waiting(after frame: Int) -> [OutputVoice] {
        playing.filter { $0.startTime != nil && $0.joinFrame ?? 0 > frame }
    }

    /// Moves the joins of voices that wait for a time, where that has turned out to be another frame.
    ///
    /// - Parameters:
    ///   - waiting: The voices.
    ///   - first: The first frame to which a join is moved.
    ///   - tolerance: The number of frames that does not matter.
    ///   - frame: The frame that is heard at a time.
    /// - Returns: The first frame at which the sound is another one.
    func realign(_ waiting: [OutputVoice], after first: Int, tolerance: Int, frame: (Double) -> Int?) -> Int? {
        var changedFrom: Int?
        for voice in waiting {
            guard let old = voice.joinFrame, let new = voice.startTime.flatMap(frame), new > first,
                abs(new - old) > tolerance
            else { continue }
            voice.joinFrame = new
            changedFrom = min(changedFrom ?? .max, old, new)
        }
        return changedFrom
    }
}

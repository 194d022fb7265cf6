/// The positions of an output stream: what was written, taken by the server, heard, and rewound, in frames.
///
/// Frames are counted from the first stream of an output on. A rewind moves the write position back into the server's
/// queue; the queued frames behind it are stale until they have been overwritten. The cursor asks no server: whoever
/// does hands it the answers.
struct WriteCursor: Sendable {
    /// The stream's frames per second.
    private let rate: Double
    /// The frame that is rendered next.
    private(set) var next = 0
    /// The frame where the server expects the next write: beyond ``next`` after a rewind.
    private(set) var server = 0
    /// The frame after the last one that the server was ever given.
    private(set) var staleEnd = 0
    /// The first frame that a change may rewind: before it a voice has left, or the sound has changed.
    private(set) var rewindFloor = 0
    /// The frame from which on the sound has changed, while the server is asked for its position.
    private(set) var changedFrom: Int?
    /// The frame with which the stream started last.
    private var startFrame = 0
    /// The frame that was heard at a time, as of the last look.
    private var lastHeard = (frame: 0, time: 0.0)
    /// The time that a change needs on its way to the server.
    private var margin: RewindMargin

    init(rate: Int) {
        self.rate = Double(rate)
        margin = RewindMargin(rate: rate)
    }

    // MARK: Writing

    /// Where the next write goes, relative to where the server expects it; 0 or less.
    var offset: Int { next - server }

    /// Whether everything stale has been overwritten.
    var isFresh: Bool { next >= staleEnd }

    /// The number of stale frames that are still to be overwritten.
    var staleFrames: Int { staleEnd - next }

    /// The number of frames that can be written, if the server has room for so many behind its queue.
    func room(writable: Int) -> Int { writable + server - next }

    /// Notes that frames were written at ``next``.
    mutating func wrote(_ frames: Int) {
        guard frames > 0 else { return }
        next += frames
        server = next
        staleEnd = max(staleEnd, next)
    }

    // MARK: Rewinding

    /// Moves the write position back to a frame, or leaves it where it is before that; returns how many frames that is.
    @discardableResult
    mutating func rewind(to frame: Int) -> Int {
        let frames = max(0, next - frame)
        next -= frames
        rewindFloor = next
        return frames
    }

    /// Notes a change of the sound from a frame on.
    ///
    /// - Returns: Whether the server is to be asked for its position; false while an answer is on its way, since all
    ///   changes before it are made together.
    mutating func change(from frame: Int) -> Bool {
        defer { changedFrom = min(changedFrom ?? frame, frame) }
        return changedFrom == nil
    }

    /// Forgets a change that was still to be made, as everything queued is thrown away.
    mutating func forgetChange() { changedFrom = nil }

    /// Rewinds to where the change begins, as far as the server leaves time for it.
    ///
    /// - Parameter queued: The frames that the server has not taken, by its answer just now.
    /// - Returns: The number of frames rewound; nil without a change.
    mutating func rewindForChange(queued: Int, at time: Double) -> Int? {
        guard let changed = changedFrom else { return nil }
        changedFrom = nil
        let first = serverTook(server - queued, at: time) + Int(margin.seconds * rate)
        let floor = max(first, rewindFloor)
        let frames = rewind(to: max(floor, changed))
        // A change that begins later does not keep the next one from the frames before it.
        rewindFloor = min(floor, next)
        return frames
    }

    /// Notes that the server has seen a change that began at a frame: if it came late, its beginning is lost, and the
    /// next change gets more time.
    ///
    /// - Returns: The first frame that the server had not taken then.
    mutating func changeArrived(begun: Int, queued: Int, at time: Double) -> Int {
        let taken = serverTook(server - queued, at: time)
        margin.changed(at: begun, taken: taken)
        rewindFloor = max(rewindFloor, min(taken, next))
        return taken
    }

    // MARK: Starting and stopping

    /// Notes that the stream starts: the frame written next is the first one to be heard.
    mutating func started(at time: Double) {
        startFrame = next
        lastHeard = (next, time)
        serverTook(next, at: time)
    }

    /// Notes that the corked stream is emptied of so many frames that were never played.
    ///
    /// - Returns: The number of frames rewound.
    @discardableResult
    mutating func corked(discarding queued: Int) -> Int {
        let frames = rewind(to: server - queued)
        beginEmpty()
        return frames
    }

    /// Notes that another stream, which is empty, takes the place of this one.
    mutating func streamReplaced() {
        rewind(to: next)
        beginEmpty()
    }

    private mutating func beginEmpty() {
        server = next
        staleEnd = next
    }

    // MARK: The server and the listener

    /// Notes that the server has taken everything before a frame; returns the frame.
    @discardableResult
    mutating func serverTook(_ frame: Int, at time: Double) -> Int { margin.observed(taken: frame, at: time) }

    /// The first frame that the server has not taken, if it has so many queued.
    func taken(queued: Int) -> Int { server - queued }

    /// The frame that is heard while the stream runs.
    ///
    /// - Parameter latency: The time from a write to the listener, in seconds; nil just after the start, when the
    ///   server has not reported it.
    mutating func heard(latency: Double?, at time: Double) -> Int {
        guard let latency else { return startFrame }
        lastHeard = (max(startFrame, server - Int(latency * rate)), time)
        return lastHeard.frame
    }

    /// The frame that is heard, by the clock alone, since the last look; for a server that does not answer any more.
    func heardByClock(at time: Double) -> Int { lastHeard.frame + Int((time - lastHeard.time) * rate) }

    /// The frame that was heard at the last look.
    var lastHeardFrame: Int { lastHeard.frame }

    /// How much the server has left to give to the sink, in seconds.
    ///
    /// Frames that the sink has taken do not count: they stay as many while the server waits for more. While the first
    /// frame is on its way through the sink, the server's latency is too small by that way, so subtracting the sink's
    /// own latency would count it twice; then the server's last position tells more.
    func queued(heard frame: Int, sinkLatency: Double, at time: Double) -> Double {
        let untaken = Double(server - frame) / rate - sinkLatency
        return max(untaken, Double(server - margin.mostTaken(at: time)) / rate)
    }

    /// The time until a frame has been heard, in seconds, if the whole queue takes `latency`.
    func secondsUntilHeard(_ frame: Int, latency: Double) -> Double { latency - Double(server - frame) / rate }
}

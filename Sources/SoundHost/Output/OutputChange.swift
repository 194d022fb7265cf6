/// A change of what is queued: from a frame of the stream on, it sounds different.
///
/// Used with the main loop's lock held, as the voices.
struct OutputChange {
    /// The stream's frame with which the change begins.
    var begun = 0
    /// A voice that ends, where its frames went before, and how often it had left the mix by then.
    typealias Leaving = (voice: OutputVoice, before: VoiceTimeline, departures: Int)

    /// The voices that end there.
    private(set) var leaving: [Leaving]

    /// A change with which those leave that an earlier one was to end, of which the server has seen nothing.
    init(leaving: [Leaving]) { self.leaving = leaving }

    /// These end as well, before they have been taken back.
    mutating func add(_ voices: [OutputVoice]) {
        for voice in voices
        where !leaving.contains(where: { $0.voice === voice && $0.departures == voice.departures }) {
            leaving.append((voice, voice.timeline, voice.departures))
        }
    }

    /// The server had taken everything before a frame when it saw the change: so far the voices were heard, but for
    /// those that have left meanwhile, and may be about to begin elsewhere.
    ///
    /// - Returns: The voices that have left.
    @discardableResult
    func arrived(taken: Int) -> [OutputVoice] {
        let left = leaving.filter { voice, _, departures in
            voice.departures == departures && voice.state == .paused && voice.timeline.end ?? 0 <= begun
        }
        for (voice, before, _) in left { voice.wasHeard(upTo: taken, before: before) }
        return left.map(\.voice)
    }

    /// The stream has stopped at a frame, which may be one before the change: those that have left since, and stand
    /// there, were heard up to it only.
    func stopped(at frame: Int) {
        guard frame < begun else { return }
        for (voice, before, departures) in leaving where voice.departures == departures + 1 && voice.state == .paused {
            voice.wasHeard(onlyUpTo: frame, before: before)
        }
    }
}

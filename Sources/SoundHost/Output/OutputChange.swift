/// A change of the queued sound from a frame of the stream on, with the voices that end there.
///
/// Used with the main loop's lock held, as the voices.
struct OutputChange {
    /// The first frame of the change.
    var begun = 0
    /// A voice that ends, where its frames went before, and how often it had left the mix by then.
    typealias Leaving = (voice: OutputVoice, before: VoiceTimeline, departures: Int)

    /// The voices that end there.
    private(set) var leaving: [Leaving]

    /// A change that also ends the voices of an earlier one that the server has not seen.
    init(leaving: [Leaving]) { self.leaving = leaving }

    /// Adds voices that end, before they are rewound.
    mutating func add(_ voices: [OutputVoice]) {
        for voice in voices
        where !leaving.contains(where: { $0.voice === voice && $0.departures == voice.departures }) {
            leaving.append((voice, voice.timeline, voice.departures))
        }
    }

    /// Notes that the server had taken everything before a frame when it saw the change: so far the voices were heard.
    ///
    /// Voices that have left meanwhile may be about to begin elsewhere, and stay where they are.
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

    /// Notes that the stream has stopped at a frame, which may lie before the change: voices that have left with the
    /// change were heard up to that frame only.
    func stopped(at frame: Int) {
        guard frame < begun else { return }
        for (voice, before, departures) in leaving where voice.departures == departures + 1 && voice.state == .paused {
            voice.wasHeard(onlyUpTo: frame, before: before)
        }
    }
}

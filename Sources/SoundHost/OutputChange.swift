/// A change of what is queued: from a frame of the stream on, it sounds different.
///
/// Used with the main loop's lock held, as the voices.
struct OutputChange {
    /// The stream's frame with which the change begins.
    var begun = 0
    /// The voices that end there, and where their frames went before.
    private(set) var leaving: [(voice: OutputVoice, before: VoiceTimeline)]

    /// A change with which those leave that an earlier one was to end, of which the server has seen nothing.
    init(leaving: [(voice: OutputVoice, before: VoiceTimeline)]) { self.leaving = leaving }

    /// These end as well, before they have been taken back.
    mutating func add(_ voices: [OutputVoice]) {
        for voice in voices where !leaving.contains(where: { $0.voice === voice }) {
            leaving.append((voice, voice.timeline))
        }
    }

    /// The server had taken everything before a frame when it saw the change: so far the voices were heard.
    ///
    /// - Returns: The voices that have left.
    @discardableResult
    func arrived(taken: Int) -> [OutputVoice] {
        let left = leaving.filter { $0.voice.state == .paused && $0.voice.timeline.end ?? 0 <= begun }
        for (voice, before) in left { voice.wasHeard(upTo: taken, before: before) }
        return left.map(\.voice)
    }
}

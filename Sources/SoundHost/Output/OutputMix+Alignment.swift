internal import PulseClient

/// By how much the clock of one output is ahead of that of another, from several looks: each alone is as uncertain as
/// what servers say of their latency.
struct OutputAlignment {
    private static let most = 15
    private var looks: [Double] = []

    /// Takes over a look, in seconds.
    mutating func add(_ difference: Double) { looks = looks.suffix(Self.most - 1) + [difference] }

    /// Forgets all looks.
    mutating func reset() { looks = [] }

    /// The middle one of the looks; nil without any.
    var difference: Double? { looks.isEmpty ? nil : looks.sorted()[looks.count / 2] }
}

// A time that an app gives is that of the main output. On another one it is the frame that is heard at that moment,
// which is known well only some time after both have started: until a voice is about to begin, its frame is put right.
extension OutputMix {
    /// How often it is looked, how close to its beginning a voice is left alone, and how little is no matter, in
    /// seconds.
    private static let (pause, notice, tolerance) = (0.02, 0.06, 0.000_1)

    /// The stream's frame that is heard at a time; nil while the stream does not run.
    func frame(at time: Double) -> Int? {
        guard let mainTime else { return clock.frame(at: time) }
        let difference = alignment.difference ?? mainTime().map { deviceTime - $0 } ?? 0
        return clock.frame(at: time + difference)
    }

    /// Puts right where waiting voices begin, for as long as there are any.
    func align() {
        guard let mainTime else { return }
        alignTimer = nil
        guard phase == .running else { return alignment.reset() }
        let heard = heardFrame
        let notice = heard + Int(Self.notice * Double(format.rate))
        let waiting = voices.filter { $0.state == .playing && $0.startTime != nil && $0.joinFrame ?? 0 > notice }
        guard !waiting.isEmpty else { return alignment.reset() }
        if let main = mainTime() { alignment.add(clock.now(heard: heard) - main) }
        var first = Int.max
        for voice in waiting {
            guard let old = voice.joinFrame, let new = voice.startTime.flatMap({ frame(at: $0) }), new > notice,
                abs(new - old) > Int(Self.tolerance * Double(format.rate))
            else { continue }
            voice.joinFrame = new
            first = min(first, old, new)
        }
        if first < cursor.next { soundChanged(from: first) }
        let timer = MainloopTimer(mainloop: stream.mainloop) { [weak self] in self?.align() }
        alignTimer = timer
        timer.start(after: .microseconds(Int64(Self.pause * 1e6)))
    }
}

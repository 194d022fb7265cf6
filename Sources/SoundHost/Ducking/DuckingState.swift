internal import PulseClient
internal import SessionPolicy

/// What is lowered and how far it has come, as a value: what is seen goes in, what is to be done comes out.
///
/// | a stream's volume is | it was set by | so |
/// |---|---|---|
/// | a step of its volumeSteps other than the first | one of us | it goes on from there |
/// | the first step, the volume before, and we had it lower | the user | hands off |
/// | the first step, and it was just taken over | nobody yet | it is lowered, or struck out if it need not be |
/// | anything else | the user, or its program | hands off: his value stays, as he set it |
/// | not in the ledger, a step of a stream of the same kind | the server, which remembered our volume | it is lowered already |
struct DuckingState {
    /// What is written down.
    private(set) var ledger: DuckLedger
    /// Where on its volumeSteps each stream was set to; missing for one that was taken over and not looked at yet.
    private var positions: [UInt32: Double] = [:]

    /// What a look at all streams has shown.
    struct Findings {
        /// Streams that must be written down before anything else.
        var newcomers: [SinkInput] = []
        /// Streams that are gone, or as they were, once what the server remembers is right too.
        var finished: [UInt32] = []
        /// Streams whose volume is not ours any more.
        var overruled: [Overruled] = []
    }

    /// A stream that somebody gave another volume, and what was written of it.
    struct Overruled {
        let input: SinkInput
        let record: DuckLedger.Record
    }

    init(server: UInt32, owner: UInt32) {
        ledger = DuckLedger(server: server, owner: owner)
    }

    /// Puts somebody else's entries beside ours.
    mutating func adopt(_ other: DuckLedger) {
        guard other.server == ledger.server else { return }
        for (stream, entry) in other.entries where ledger.entries[stream] == nil { ledger.enter(entry, for: stream) }
    }

    /// Forgets how far streams had come, as if they had just been taken over.
    mutating func loseTrack() { positions = [:] }

    /// Makes the ledger the one that follows a revision.
    mutating func succeed(_ revision: UInt64) { ledger.revision = revision + 1 }

    // MARK: Looking

    /// Compares the ledger with the streams that are there; `wanted` are the steps that streams are to go down to.
    mutating func judge(_ inputs: [SinkInput], wanted: [UInt32: Int]) -> Findings {
        var findings = Findings()
        let present = Dictionary(inputs.map { ($0.index, $0) }) { first, _ in first }
        for (stream, entry) in ledger.entries {
            switch (entry, present[stream]) {
            case (.released, let input):
                if input == nil || wanted[stream] == nil { ledger.remove(stream) }
            case (.lowered, nil):
                findings.finished.append(stream)
            case (.lowered(let record), let input?):
                let isWanted = wanted[stream] != nil
                switch follow(input, record, isWanted: isWanted) {
                case nil: findings.overruled.append(Overruled(input: input, record: record))
                case 0 where !isWanted: findings.finished.append(stream)
                default: break
                }
            }
        }
        findings.newcomers = inputs.filter { input in
            ledger.entries[input.index] == nil && (wanted[input.index] != nil || kin(of: input) != nil)
        }
        return findings
    }

    /// Takes note of where a stream stands, and returns its step; nil if it is not ours any more.
    private mutating func follow(_ input: SinkInput, _ record: DuckLedger.Record, isWanted: Bool) -> Int? {
        let stream = input.index
        let position = positions[stream]
        let step = record.volumeSteps?.step(of: input.volume.values)
        guard let step, step > 0 || (position ?? 0) < 0.5 else {
            positions[stream] = nil
            if isWanted { ledger.enter(.released, for: stream) } else { ledger.remove(stream) }
            return nil
        }
        if position.map({ Int($0.rounded()) }) != step { positions[stream] = Double(step) }
        return step
    }

    /// A stream of the same kind from which the server has a lowered volume, and gave it to this one.
    private func kin(of input: SinkInput) -> (record: DuckLedger.Record, step: Int)? {
        guard input.hasVolume, input.isVolumeWritable, let key = input.restoreKey else { return nil }
        for (_, record) in ledger.records where record.key == key {
            if let step = record.volumeSteps?.step(of: input.volume.values), step > 0 { return (record, step) }
        }
        return nil
    }

    // MARK: Writing down

    /// Writes a stream down, to be lowered by a factor; `memory` is what the server remembers.
    mutating func enter(_ input: SinkInput, factor: UInt32, memory: [StreamRestoreEntry]) {
        let kin = kin(of: input)
        let original = kin?.record.volumeSteps?.original(channels: input.volume.values.count) ?? input.volume.values
        let factor = kin?.record.volumeSteps?.factor ?? factor
        guard input.hasVolume, input.isVolumeWritable, let volumeSteps = DuckVolumeSteps(from: original, by: factor)
        else {
            ledger.enter(.released, for: input.index)
            return
        }
        var record = DuckLedger.Record(key: input.restoreKey ?? "", volumeSteps: volumeSteps)
        let entry = memory.first { $0.name == record.key }
        if let entry, let volume = entry.volume?.values {
            let before = restored(volume, of: record.key) ?? volume
            if volumeSteps.step(of: before) != 0, before.allSatisfy({ $0 <= DuckVolumeSteps.highest }) {
                record.remembered = before
            }
        }
        if ledger.enter(.lowered(record), for: input.index) { positions[input.index] = Double(kin?.step ?? 0) }
    }

    /// Strikes streams out.
    mutating func remove(_ streams: [UInt32]) {
        for stream in streams {
            ledger.remove(stream)
            positions[stream] = nil
        }
    }

    // MARK: What the server remembers

    /// The kinds of streams of which the server must not remember our volume.
    var hasMemory: Bool { ledger.records.contains { !$0.record.key.isEmpty } }

    /// Those of the server's entries that hold a volume of ours, as they should be.
    func repaired(_ entries: [StreamRestoreEntry]) -> [StreamRestoreEntry] {
        entries.compactMap { entry in
            guard let volume = entry.volume?.values, let before = restored(volume, of: entry.name), before != volume
            else { return nil }
            var entry = entry
            entry.volume = Volume(values: before)
            return entry
        }
    }

    /// Those of the server's entries that hold what we had just written where a user's new volume should stand.
    ///
    /// He may have set it while our own was on its way, which then came last.
    static func handedOver(_ entries: [StreamRestoreEntry], of overruled: [Overruled]) -> [StreamRestoreEntry] {
        entries.compactMap { entry in
            guard let volume = entry.volume?.values, let new = overruled.first(where: { $0.record.key == entry.name }),
                new.record.before(channels: volume.count) == volume, new.input.volume.values.count == volume.count,
                new.input.volume.values != volume
            else { return nil }
            var entry = entry
            entry.volume = new.input.volume
            return entry
        }
    }

    /// What the server should remember instead of a volume; `nil` if that is not ours.
    private func restored(_ volume: [UInt32], of key: String) -> [UInt32]? {
        ledger.records.lazy.map(\.record).first { $0.key == key && $0.volumeSteps?.step(of: volume) != nil }
            .flatMap { $0.before(channels: volume.count) }
    }

    // MARK: Moving

    /// Moves every stream on and returns the volumes to be set; `abrupt` ones go all the way.
    mutating func advance(
        by time: Duration, ramps: DuckRamps, wanted: [UInt32: Int], abrupt: Set<UInt32>
    ) -> [(stream: UInt32, volume: Volume)] {
        ledger.records.compactMap { stream, record in
            guard let volumeSteps = record.volumeSteps, let position = positions[stream] else { return nil }
            let goal = Double(wanted[stream] ?? 0)
            let ramp = max(goal > position ? ramps.down : ramps.up, .milliseconds(1))
            let way = abrupt.contains(stream) ? abs(goal - position) : Double(DuckVolumeSteps.steps) * (time / ramp)
            let next = goal > position ? min(goal, position + way) : max(goal, position - way)
            positions[stream] = next
            let step = Int(next.rounded())
            guard step != Int(position.rounded()) else { return nil }
            return (stream, Volume(values: volumeSteps.volume(at: step)))
        }
    }

    /// Whether a stream is not yet where it should be.
    func isMoving(wanted: [UInt32: Int]) -> Bool {
        positions.contains { $0.value != Double(wanted[$0.key] ?? 0) }
    }
}

extension DuckLedger.Record {
    /// What the server remembered before, with so many channels.
    fileprivate func before(channels: Int) -> [UInt32]? {
        guard let before = remembered ?? volumeSteps?.original else { return nil }
        if before.count == channels { return before }
        return Array(repeating: before.max() ?? DuckVolumeSteps.normal, count: channels)
    }
}

extension SinkInput {
    /// Under which name the server remembers the stream's volume; it tells us itself.
    var restoreKey: String? { properties["module-stream-restore.id"] }
}

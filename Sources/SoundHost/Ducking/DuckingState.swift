internal import PulseClient
internal import SessionPolicy

/// The ducked streams of one process and the progress of their ramps, as a value: observations go in, commands come out.
///
/// | a stream's volume is | it was set by | so |
/// |---|---|---|
/// | one of its steps other than the first | a ducking process | the ramp continues there |
/// | the first step (the original), after a lower one | the user | the stream is exempt |
/// | the first step, just after a takeover | no one | the stream is lowered, or its entry removed if it need not be |
/// | any other | the user or the program | the stream is exempt: the value stays |
/// | a step of another stream of the same kind, without an entry | the server, which remembered it | the stream is already lowered |
struct DuckingState {
    /// The ledger as it was last written.
    private(set) var ledger: DuckLedger
    /// The step that each stream was set to; missing for a stream that was taken over and not looked at yet.
    private var positions: [UInt32: Double] = [:]

    /// The result of comparing the ledger with all streams.
    struct Findings {
        /// Streams that need an entry before anything else.
        var newcomers: [SinkInput] = []
        /// Streams that are gone or restored; their entries go once the server's remembered volume is right, too.
        var finished: [UInt32] = []
        /// Streams whose volume the user or their program has set.
        var overruled: [Overruled] = []
    }

    /// A stream that got another volume, and its record.
    struct Overruled {
        let input: SinkInput
        let record: DuckLedger.Record
    }

    init(server: UInt32, owner: UInt32) {
        ledger = DuckLedger(server: server, owner: owner)
    }

    /// Adds the entries of another process's ledger.
    mutating func adopt(_ other: DuckLedger) {
        guard other.server == ledger.server else { return }
        for (stream, entry) in other.entries where ledger.entries[stream] == nil { ledger.enter(entry, for: stream) }
    }

    /// Resets the progress of all ramps, as if the streams had just been taken over.
    mutating func loseTrack() { positions = [:] }

    /// Sets the ledger's revision to the one after another.
    mutating func succeed(_ revision: UInt64) { ledger.revision = revision + 1 }

    // MARK: Looking

    /// Compares the ledger with the streams on the server; `wanted` are the target steps by stream.
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

    /// Records the present step of a stream and returns it; nil if the volume was not set by ducking.
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

    /// The record of a stream of the same kind whose lowered volume the server gave to this one.
    private func kin(of input: SinkInput) -> (record: DuckLedger.Record, step: Int)? {
        guard input.hasVolume, input.isVolumeWritable, let key = input.restoreKey else { return nil }
        for (_, record) in ledger.records where record.key == key {
            if let step = record.volumeSteps?.step(of: input.volume.values), step > 0 { return (record, step) }
        }
        return nil
    }

    // MARK: Writing down

    /// Adds an entry for a stream that is to be lowered by a factor; `memory` has the server's remembered volumes.
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

    /// Removes the entries of streams.
    mutating func remove(_ streams: [UInt32]) {
        for stream in streams {
            ledger.remove(stream)
            positions[stream] = nil
        }
    }

    // MARK: What the server remembers

    /// Whether there are streams whose lowered volume the server may have remembered.
    var hasMemory: Bool { ledger.records.contains { !$0.record.key.isEmpty } }

    /// The server's remembered entries that hold a lowered volume, corrected to the original.
    func repaired(_ entries: [StreamRestoreEntry]) -> [StreamRestoreEntry] {
        entries.compactMap { entry in
            guard let volume = entry.volume?.values, let before = restored(volume, of: entry.name), before != volume
            else { return nil }
            var entry = entry
            entry.volume = Volume(values: before)
            return entry
        }
    }

    /// The server's remembered entries that hold the original volume although the user has set a new one, corrected.
    ///
    /// The user may have set the new volume while the correction to the original was under way.
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

    /// The volume that the server should remember instead of another; nil if ducking did not set that.
    private func restored(_ volume: [UInt32], of key: String) -> [UInt32]? {
        ledger.records.lazy.map(\.record).first { $0.key == key && $0.volumeSteps?.step(of: volume) != nil }
            .flatMap { $0.before(channels: volume.count) }
    }

    // MARK: Moving

    /// Advances all ramps and returns the volumes to be set; `abrupt` streams reach their target at once.
    mutating func advance(
        by time: Duration, ramps: DuckRamps, wanted: [UInt32: Int], abrupt: Set<UInt32>, newborn: Set<UInt32>
    ) -> [(stream: UInt32, volume: Volume)] {
        ledger.records.compactMap { stream, record in
            guard let volumeSteps = record.volumeSteps, let position = positions[stream] else { return nil }
            let goal = Double(wanted[stream] ?? 0)
            let ramp = max(goal > position ? ramps.down : ramps.up, .milliseconds(1))
            let isAtOnce = abrupt.contains(stream) || goal > position && newborn.contains(stream)
            let way = isAtOnce ? abs(goal - position) : Double(DuckVolumeSteps.steps) * (time / ramp)
            let next = goal > position ? min(goal, position + way) : max(goal, position - way)
            positions[stream] = next
            let step = Int(next.rounded())
            guard step != Int(position.rounded()) else { return nil }
            return (stream, Volume(values: volumeSteps.volume(at: step)))
        }
    }

    /// Whether any ramp is not finished.
    func isMoving(wanted: [UInt32: Int]) -> Bool {
        positions.contains { $0.value != Double(wanted[$0.key] ?? 0) }
    }
}

extension DuckLedger.Record {
    /// The volume that the server remembered before ducking, remapped to a number of channels.
    fileprivate func before(channels: Int) -> [UInt32]? {
        guard let before = remembered ?? volumeSteps?.original else { return nil }
        if before.count == channels { return before }
        return Array(repeating: before.max() ?? DuckVolumeSteps.normal, count: channels)
    }
}

extension SinkInput {
    /// The name under which the server remembers the stream's volume.
    var restoreKey: String? { properties["module-stream-restore.id"] }
}

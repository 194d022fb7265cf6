internal import AudioGraph

/// One sound in the queue of a player node.
final class ScheduledSound {
    let source: ScheduledSource
    let time: AVAudioTime?
    let options: AVAudioPlayerNodeBufferOptions
    let type: AVAudioPlayerNodeCompletionCallbackType
    let handler: AVAudioPlayerNodeCompletionHandler?

    /// The sound, as far as it was not handed to the player.
    fileprivate var stream: SoundStream?
    /// Whether all of it was handed to the player, or nothing more will be.
    fileprivate var isComplete = false
    /// The pieces that the player has.
    fileprivate var outstanding = 0
    fileprivate var hasBegun = false
    fileprivate var wasDropped = false
    /// The node's position behind the last frame that was played.
    fileprivate var lastEnd = 0

    init(
        _ source: ScheduledSource, at time: AVAudioTime?, _ options: AVAudioPlayerNodeBufferOptions,
        _ type: AVAudioPlayerNodeCompletionCallbackType, _ handler: AVAudioPlayerNodeCompletionHandler?
    ) {
        self.source = source
        self.time = time
        self.options = options
        self.type = type
        self.handler = handler
    }

    /// Nothing more of it will be handed to the player.
    fileprivate func end() {
        stream = nil
        isComplete = true
    }

    /// Begins again, for another player.
    fileprivate func restart() {
        (stream, isComplete, outstanding, hasBegun) = (nil, wasDropped, 0, false)
    }
}

/// What a player node has scheduled, in order, and how it reaches the graph's player.
///
/// Files are read ahead, a few chunks of the first one that is not read to its end; what comes after it waits here. All
/// that is freed, and all handlers, are left to the caller, who holds no lock then.
struct PlayerQueue {
    /// The chunks of files that are read ahead, at least.
    private static let ahead = 4

    private(set) var player: Player
    /// The most frames of a block, which are read ahead in any case.
    private var longestBlock = 0
    private var format: AVAudioFormat
    /// The sounds that are not finished, in order.
    private var sounds: [ScheduledSound] = []
    private var owners: [ObjectIdentifier: ScheduledSound] = [:]
    /// The sounds that were rendered and wait to be heard.
    private var unheard: [ScheduledSound] = []
    /// The sounds that were finished when another player took over, and that ``collect(_:)`` is to return.
    private var finishedBefore: [ScheduledSound] = []
    private var chunks = 0

    init(_ player: Player, _ format: AVAudioFormat) {
        self.player = player
        self.format = format
    }

    /// Reads ahead for blocks of another length.
    mutating func prepare(forBlock frames: Int) {
        if frames == longestBlock { return }
        longestBlock = frames
        feed()
    }

    /// Whether sounds are finished that nobody has taken.
    var hasFinished: Bool { !unheard.isEmpty || !finishedBefore.isEmpty }

    /// Adds a sound.
    mutating func schedule(_ sound: ScheduledSound) {
        if sound.options.contains(.interrupts) {
            dropWaiting { _ in true }
        } else if sound.options.contains(.interruptsAtLoop) {
            // A file that plays is played to its end.
            let first = sounds.first { !$0.isComplete && $0.hasBegun }
            if let first { while submit(first) {} }
            dropWaiting { $0 !== first }
        }
        sounds.append(sound)
        feed()
    }

    /// Drops all sounds, those that the player has as well.
    mutating func drop() {
        player.stop()
        for sound in sounds {
            sound.wasDropped = true
            sound.end()
        }
    }

    /// All sounds, of which nothing will be played any more.
    mutating func takeAll() -> [ScheduledSound] {
        defer { sounds = [] }
        return sounds
    }

    /// The sounds that were heard to their ends when a position of the node is heard.
    mutating func takeUnheard(before position: Int) -> [ScheduledSound] {
        defer { unheard.removeAll { $0.lastEnd <= position } }
        return unheard.filter { $0.lastEnd <= position }
    }

    /// The sounds that were rendered and wait to be heard, which they are not any more.
    mutating func takeUnheard() -> [ScheduledSound] {
        defer { unheard = [] }
        return unheard
    }

    /// Hands over what fits ahead, `frames` frames of files at least.
    mutating func feed(frames: Int = 0) {
        // The first chunk may be played but for a frame.
        let wanted = max(Self.ahead, frames / Int(SoundStream.chunk) + 1, longestBlock / Int(SoundStream.chunk) + 2)
        while let sound = sounds.first(where: { !$0.isComplete }), isWhole(sound) || chunks < wanted {
            _ = submit(sound)
        }
    }

    /// Takes back what the player needs no more, and returns the sounds that are finished, in order.
    mutating func collect(_ finished: [Player.Finished]) -> [ScheduledSound] {
        for one in finished {
            guard let sound = owners.removeValue(forKey: ObjectIdentifier(one.piece)) else { continue }
            sound.outstanding -= 1
            if !isWhole(sound) { chunks -= 1 }
            if let end = one.end {
                sound.lastEnd = end
            } else {
                sound.wasDropped = true
                sound.end()
            }
        }
        feed()
        var ended = finishedBefore
        finishedBefore = []
        while let first = sounds.first, first.isComplete, first.outstanding == 0 {
            sounds.removeFirst()
            if first.type == .dataPlayedBack && !first.wasDropped && first.hasBegun {
                unheard.append(first)
            } else {
                ended.append(first)
            }
        }
        return ended
    }

    /// Goes on with another player; the sound that was playing begins again.
    mutating func move(to next: Player, _ nextFormat: AVAudioFormat) {
        // What was rendered, and not taken back yet, does not begin again.
        let finished = collect(player.collect())
        finishedBefore = finished
        (player, format) = (next, nextFormat)
        (owners, chunks) = ([:], 0)
        for sound in sounds { sound.restart() }
        feed()
    }

    private func isWhole(_ sound: ScheduledSound) -> Bool {
        if case .buffer = sound.source { true } else { false }
    }

    /// Ends the sounds of which the player does not have everything yet.
    private func dropWaiting(where condition: (ScheduledSound) -> Bool) {
        for sound in sounds where !sound.isComplete && condition(sound) {
            sound.wasDropped = true
            sound.end()
        }
    }

    /// Hands the next chunk of a sound to the player; false at its end.
    private mutating func submit(_ sound: ScheduledSound) -> Bool {
        let stream = sound.stream ?? SoundStream(sound.source, format)
        sound.stream = stream
        let buffer = stream.next()
        let entry: Piece.Entry =
            sound.options.contains(.interrupts)
            ? .interrupts : sound.options.contains(.interruptsAtLoop) ? .interruptsAtLoop : .afterOthers
        // A sound without frames interrupts as well.
        guard let buffer = buffer ?? (sound.hasBegun || entry == .afterOthers ? nil : Self.empty(format)),
            let channels = buffer.floatChannelData
        else {
            sound.end()
            return false
        }
        let piece = Piece(
            channels: (0..<player.channels).map { UnsafePointer(channels[$0]) }, frames: Int(buffer.frameLength),
            time: sound.hasBegun ? nil : sound.time?.frames(atRate: format.sampleRate),
            loops: sound.options.contains(.loops) && stream.isWhole,
            entry: sound.hasBegun ? .afterOthers : entry, continues: sound.hasBegun, owner: buffer)
        owners[ObjectIdentifier(piece)] = sound
        sound.outstanding += 1
        sound.hasBegun = true
        if stream.isWhole { sound.end() } else { chunks += 1 }
        player.schedule(piece)
        return true
    }

    private static func empty(_ format: AVAudioFormat) -> AVAudioPCMBuffer? {
        AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1)
    }

}

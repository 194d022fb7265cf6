/// Plays short sounds, one at a time, beside the session's.
///
/// A sound is sent to the server once; playing it is one request then. The next sound ends the one before.
///
/// All functions may be called on any thread and wait for nothing; completions come on the host's thread.
package protocol ShortSounds: AnyObject, Sendable {
    /// Whether there is a server to play on.
    var isConnected: Bool { get }

    /// Sends a sound to the server, unless it is there; once for each ``remove(_:)``.
    func add(_ clip: SoundClip)

    /// Takes a sound away from the server, when nobody else added it.
    func remove(_ clip: SoundClip)

    /// Plays a sound; what plays now ends.
    ///
    /// - Parameters:
    ///   - clip: A sound; it is sent to the server if it was not added before.
    ///   - id: A number by which it can be stopped.
    ///   - outlivesProcess: Whether it goes on when this process ends meanwhile.
    ///   - asked: When the app asked for it: it fails where the server begins too late for it.
    ///   - completion: Called once when it is over.
    func play(
        _ clip: SoundClip, id: UInt32, outlivesProcess: Bool, asked: ContinuousClock.Instant,
        completion: @escaping @Sendable (ShortSoundEnd) -> Void)

    /// Ends the sound with the given number, if it plays or is about to.
    func stop(id: UInt32)
}

/// What became of a short sound.
package enum ShortSoundEnd: Hashable, Sendable {
    /// It was heard to its end.
    case finished
    /// Another sound was played.
    case replaced
    /// It was told to stop, or its end was not told in time.
    case cutOff
    /// It could not be played, or the server went away.
    case failed
}

/// A short sound, decoded, in the form in which a server keeps it.
package struct SoundClip: Hashable, Sendable {
    /// How samples are stored, little endian.
    package enum Storage: Hashable, Sendable {
        /// Signed 16-bit integers.
        case int16
        /// 32-bit floats of −1 … 1.
        case float32

        var bytes: Int { self == .int16 ? 2 : 4 }
    }

    /// Rates in Hz, and numbers of channels, that sound servers take.
    private static let limits = (rates: 1...384_000, channels: 1...CaptureRequest.mostChannels)
    /// How late a sound may begin, in seconds, if it is no longer than that itself: a click that comes later than its
    /// button is worse than none.
    private static let longestDelay = 0.5

    /// How samples are stored.
    package let storage: Storage
    /// Frames per second, in Hz.
    package let rate: Int
    /// Samples in a frame.
    package let channels: Int
    /// Interleaved frames.
    package let frames: [UInt8]

    /// A sound of the given frames; nil for a rate, or so many channels, that no server takes.
    package init?(storage: Storage, rate: Int, channels: Int, frames: [UInt8]) {
        guard Self.limits.rates.contains(rate), Self.limits.channels.contains(channels) else { return nil }
        self.storage = storage
        self.rate = rate
        self.channels = channels
        self.frames = frames
    }

    /// A hash of some of the frames only, so that a press of a button does not wait for it.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(rate)
        hasher.combine(channels)
        hasher.combine(frames.count)
        for index in stride(from: 0, to: frames.count, by: max(1, frames.count / 64)) { hasher.combine(frames[index]) }
    }

    /// How long it plays, in seconds.
    package var seconds: Double { Double(frames.count / (storage.bytes * channels)) / Double(rate) }

    /// Whether it is too late by now to begin with a sound that was asked for at a moment.
    package func isTooLate(asked: ContinuousClock.Instant) -> Bool {
        ContinuousClock.now - asked > .seconds(max(Self.longestDelay, seconds))
    }
}

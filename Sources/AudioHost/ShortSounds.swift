/// A player of short sounds, one at a time, beside the session's sounds.
///
/// A sound is sent to the server once; each playback is one request then. The next sound ends the current one.
///
/// All members may be called on any thread and return at once; completions are called on the host's thread.
package protocol ShortSounds: AnyObject, Sendable {
    /// Whether there is a server connection.
    var isConnected: Bool { get }

    /// Sends a sound to the server, if it is not there yet; each call is balanced by ``remove(_:)``.
    func add(_ clip: SoundClip)

    /// Removes a sound from the server once each ``add(_:)`` is balanced.
    func remove(_ clip: SoundClip)

    /// Plays a sound; the current sound ends.
    ///
    /// - Parameters:
    ///   - clip: The sound; it is sent to the server first if it was not added.
    ///   - id: The identifier for ``stop(id:)``.
    ///   - outlivesProcess: Whether the sound plays to its end if this process exits.
    ///   - asked: The time of the app's request: the sound fails if the server starts it too late
    ///     (``SoundClip/isTooLate(asked:)``).
    ///   - completion: Called once when the sound is over.
    func play(
        _ clip: SoundClip, id: UInt32, outlivesProcess: Bool, asked: ContinuousClock.Instant,
        completion: @escaping @Sendable (ShortSoundEnd) -> Void)

    /// Ends the sound with this identifier, if it plays or is about to.
    func stop(id: UInt32)
}

/// The end of a short sound.
package enum ShortSoundEnd: Hashable, Sendable {
    /// Heard to its end.
    case finished
    /// Replaced by another sound.
    case replaced
    /// Stopped, or its end was not reported in time.
    case cutOff
    /// Not playable, or the server went away.
    case failed
}

/// A decoded short sound in the format of a server's sample cache.
package struct SoundClip: Hashable, Sendable {
    /// The encoding of a sample, little endian.
    package enum Storage: Hashable, Sendable {
        /// Signed 16-bit integers.
        case int16
        /// 32-bit floats, −1 … 1.
        case float32

        var bytes: Int { self == .int16 ? 2 : 4 }
    }

    /// The legal rates in Hz and numbers of channels of sound servers.
    private static let limits = (rates: 1...384_000, channels: 1...CaptureRequest.mostChannels)
    /// The longest delay of a start in seconds, for sounds no longer than that: a click long after its button press is
    /// worse than none.
    private static let longestDelay = 0.5

    /// The encoding of a sample.
    package let storage: Storage
    /// The sample rate: frames per second, in Hz.
    package let rate: Int
    /// The number of channels in a frame.
    package let channels: Int
    /// Interleaved frames.
    package let frames: [UInt8]

    /// A sound of the given frames; nil for a rate or a number of channels that no server supports.
    package init?(storage: Storage, rate: Int, channels: Int, frames: [UInt8]) {
        guard Self.limits.rates.contains(rate), Self.limits.channels.contains(channels) else { return nil }
        self.storage = storage
        self.rate = rate
        self.channels = channels
        self.frames = frames
    }

    /// Hashes about 64 bytes of the frames only, because each playback looks the sound up.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(rate)
        hasher.combine(channels)
        hasher.combine(frames.count)
        for index in stride(from: 0, to: frames.count, by: max(1, frames.count / 64)) { hasher.combine(frames[index]) }
    }

    /// The length in seconds.
    package var seconds: Double { Double(frames.count / (storage.bytes * channels)) / Double(rate) }

    /// Whether a sound requested at a moment is too late to begin by now.
    package func isTooLate(asked: ContinuousClock.Instant) -> Bool {
        ContinuousClock.now - asked > .seconds(max(Self.longestDelay, seconds))
    }
}

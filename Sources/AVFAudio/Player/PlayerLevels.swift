internal import AudioRealtime

/// A player's levels at one moment, in dBFS for each channel of its file.
struct PlayerLevels {
    /// The time over which the average is taken, in seconds.
    static let windowSeconds = 0.05

    private var averages: [Float] = []
    private var peaks: [Float] = []

    /// Silence.
    init() {}

    /// The levels measured by the mixer; nil is silence.
    init(_ levels: Levels?) {
        guard let levels else { return }
        averages = levels.average.map(decibels)
        peaks = levels.peak.map(decibels)
    }

    func average(_ channel: Int) -> Float { averages.indices.contains(channel) ? averages[channel] : -160 }
    func peak(_ channel: Int) -> Float { peaks.indices.contains(channel) ? peaks[channel] : -160 }
}

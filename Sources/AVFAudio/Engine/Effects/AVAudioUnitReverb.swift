internal import AudioGraph

/// The rooms of a reverb.
///
/// Apple: `AVAudioUnitReverbPreset`
public enum AVAudioUnitReverbPreset: Int, Sendable {
    /// 0.4 s.
    case smallRoom = 0
    /// 0.7 s.
    case mediumRoom = 1
    /// 1 s.
    case largeRoom = 2
    /// 1.6 s.
    case mediumHall = 3
    /// 2.4 s.
    case largeHall = 4
    /// 1.8 s, dense and bright, without a first silence.
    case plate = 5
    /// 1.2 s.
    case mediumChamber = 6
    /// 1.7 s.
    case largeChamber = 7
    /// 5 s, after a first silence of 28 ms.
    case cathedral = 8
    /// 1.3 s.
    case largeRoom2 = 9
    /// 1.8 s.
    case mediumHall2 = 10
    /// 2 s.
    case mediumHall3 = 11
    /// 2.8 s.
    case largeHall2 = 12
}

/// The reverberation of a room.
///
/// What Apple's presets hold is not published: those here follow their names (docs/decisions/0152).
///
/// Apple: `AVAudioUnitReverb`
// SAFETY: the parameters have atomics only.
nonisolated open class AVAudioUnitReverb: AVAudioUnitEffect, @unchecked Sendable {
    private let parameters = Parameters([Double(AVAudioUnitReverbPreset.mediumHall.rawValue), 0.5])

    /// The rooms in the order of the presets.
    private static let rooms = [
        Room(decay: 0.4, before: 0, damping: 0.5, size: 0.35),
        Room(decay: 0.7, before: 0.002, damping: 0.45, size: 0.5),
        Room(decay: 1, before: 0.005, damping: 0.4, size: 0.7), Room(decay: 1.6, before: 0.012, damping: 0.35, size: 1),
        Room(decay: 2.4, before: 0.02, damping: 0.3, size: 1.3), Room(decay: 1.8, before: 0, damping: 0.1, size: 0.6),
        Room(decay: 1.2, before: 0.005, damping: 0.3, size: 0.6),
        Room(decay: 1.7, before: 0.01, damping: 0.3, size: 0.8),
        Room(decay: 5, before: 0.028, damping: 0.25, size: 1.5),
        Room(decay: 1.3, before: 0.008, damping: 0.4, size: 0.8),
        Room(decay: 1.8, before: 0.015, damping: 0.35, size: 1.1),
        Room(decay: 2, before: 0.015, damping: 0.3, size: 1.2),
        Room(decay: 2.8, before: 0.022, damping: 0.3, size: 1.4),
    ]

    /// A reverb with the preset `mediumHall`.
    ///
    /// Apple: `AVAudioUnitReverb.init()`
    public override init() { super.init() }

    override func makeEffect(channels: Int, rate: Double) -> Effect {
        .reverb(channels: channels, rate: rate, Self.rooms, parameters, switches)
    }

    /// Changes the room and leaves `wetDryMix` as it is.
    ///
    /// While sound runs, the old room's fades out within a block, and the new one begins with the next.
    ///
    /// Apple: `AVAudioUnitReverb.loadFactoryPreset(_:)`
    public func loadFactoryPreset(_ preset: AVAudioUnitReverbPreset) {
        parameters[ReverbParameter.room] = Double(preset.rawValue)
    }

    /// Per cent of the reverberation in the output, from 0 to 100; 0.5 at first, as on Apple's systems.
    ///
    /// Apple: `AVAudioUnitReverb.wetDryMix`
    public var wetDryMix: Float {
        get { Float(parameters[ReverbParameter.mix]) }
        set { parameters[ReverbParameter.mix] = Double(newValue) }
    }
}

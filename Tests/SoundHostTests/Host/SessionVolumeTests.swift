import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

@Suite("The volume of a session", .limited)
struct SessionVolumeTests {
    /// What a session hears, and the gain that comes of it.
    struct Row: CustomTestStringConvertible, Sendable {
        let verdict: Verdict
        var isMuted = false
        var isQuiet = false
        let gain: Float

        var testDescription: String {
            "\(verdict.isDucked ? "ducked" : verdict.isMutedByRecording ? "another records" : "full")"
                + (isMuted ? ", muted" : "") + (isQuiet ? ", locked" : "")
        }
    }

    static let full = Verdict(standing: .active)
    static let ducked = Verdict(standing: .active, isDucked: true)
    static let recording = Verdict(standing: .active, isDucked: true, isMutedByRecording: true)
    static let rows = [
        Row(verdict: full, gain: 1), Row(verdict: ducked, gain: 0.1), Row(verdict: recording, gain: 0),
        Row(verdict: full, isMuted: true, gain: 0), Row(verdict: ducked, isMuted: true, gain: 0),
        Row(verdict: full, isQuiet: true, gain: 0), Row(verdict: ducked, isQuiet: true, gain: 0),
        Row(verdict: full, isMuted: true, isQuiet: true, gain: 0),
    ]

    static var policy: UserPolicy {
        var policy = UserPolicy()
        policy.duckDepth = 20
        policy.duckDownSeconds = 0.25
        policy.duckUpSeconds = 0.75
        return policy
    }

    private var volume = SessionVolume(policy: policy)
    private let ambient: SessionSettings
    private let playback: SessionSettings

    init() throws {
        ambient = try .validated(category: .ambient)
        playback = try .validated(category: .playback)
    }

    @Test("The gain is the verdict's, unless the app or the desktop silences the session", arguments: rows)
    mutating func gains(row: Row) {
        _ = volume.follow(row.verdict)
        _ = volume.setOutputMuted(row.isMuted)
        _ = volume.updateQuiet(for: ambient) { $0.isSwitchOn = row.isQuiet }
        #expect(abs(volume.outputGain - row.gain) < 1e-6)
        // What silenced it goes in the other order, and leaves what the verdict says.
        _ = volume.updateQuiet(for: ambient) { $0.isSwitchOn = false }
        _ = volume.setOutputMuted(false)
        _ = volume.follow(Self.full)
        #expect(volume.outputGain == 1)
    }

    @Test("Ducking takes the user's time down, and the user's time up; what is said again changes nothing")
    mutating func ramps() {
        let fades = [Self.full, Self.ducked, Self.ducked, Self.recording, Self.full].map { volume.follow($0) }
        #expect(fades.map { $0?.seconds } == [nil, 0.25, nil, 0.25, 0.75])
        #expect(fades.compactMap { $0.map { ($0.gain * 1000).rounded() } } == [100, 0, 1000])
    }

    @Test("A verdict on a muted session is followed in silence, and heard when the mute ends")
    mutating func duckedWhileMuted() {
        let (mute, duck) = (volume.setOutputMuted(true), volume.follow(Self.ducked))
        #expect(mute == .init(gain: 0, seconds: 0.02) && duck?.gain == 0)
        let end = volume.setOutputMuted(false)
        #expect(abs(end.gain - 0.1) < 1e-6)
    }

    @Test("The silent switch and the locked screen count for sessions that keep quiet, from the moment they do")
    mutating func quietSettings() {
        let locked = volume.updateQuiet(for: playback) { $0.lockedBy = ["screen saver"] }
        #expect(locked == nil && volume.outputGain == 1)
        let fades = [ambient, ambient, playback].map { volume.updateQuiet(for: $0) }
        #expect(fades == [.init(gain: 0, seconds: 0.05), nil, .init(gain: 1, seconds: 0.05)])
    }

    @Test("Inputs are silent while the app mutes them, whatever becomes of the output")
    mutating func inputs() {
        #expect(!volume.isInputMuted)
        _ = volume.setOutputMuted(true)
        #expect(!volume.isInputMuted)
        volume.setInputMuted(true)
        _ = volume.setOutputMuted(false)
        #expect(volume.isInputMuted && volume.outputGain == 1)
        volume.setInputMuted(false)
        #expect(!volume.isInputMuted)
    }
}

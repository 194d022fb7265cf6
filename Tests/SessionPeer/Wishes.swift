import AVFAudio
import Foundation

/// Everything that an app may wish beside its category, each as another value than at first.
enum Wishes {
    private typealias Setter = @Sendable (AVAudioSession) throws -> Void

    private static let all: [(name: String, set: Setter)] = [
        ("rate", { try $0.setPreferredSampleRate(48_000) }),
        ("buffer", { try $0.setPreferredIOBufferDuration(0.05) }),
        ("channels", { try $0.setPreferredOutputNumberOfChannels(1) }),
        ("multichannel", { try $0.setSupportsMultichannelContent(true) }),
        ("haptics", { try $0.setAllowHapticsAndSystemSoundsDuringRecording(true) }),
        ("alerts", { try $0.setPrefersNoInterruptionsFromSystemAlerts(true) }),
        ("disconnect", { try $0.setPrefersInterruptionOnRouteDisconnect(false) }),
        ("echo", { try $0.setPrefersEchoCancelledInput(true) }),
        ("candidate", { try $0.setIsNowPlayingCandidate(false) }),
        ("override", { try $0.overrideOutputAudioPort(.none) }),
        ("input", { try $0.setPreferredInput(nil) }),
        ("output", { try $0.setPreferredOutput(nil) }),
    ]

    /// Wishes for everything, and returns the names of the wishes with the four letters of each refusal.
    static func tryAll(of session: AVAudioSession) -> String {
        let answers = all.map { wish in
            do { try wish.set(session) } catch { return "\(wish.name) \(fourCharacters((error as NSError).code))" }
            return wish.name
        }
        return answers.joined(separator: ", ")
    }

    /// What is in force.
    static func values(of session: AVAudioSession) -> String {
        let numbers = [
            session.preferredSampleRate, session.preferredIOBufferDuration,
            Double(session.preferredOutputNumberOfChannels),
        ]
        let switches = [
            session.supportsMultichannelContent, session.allowHapticsAndSystemSoundsDuringRecording,
            session.prefersNoInterruptionsFromSystemAlerts, session.prefersInterruptionOnRouteDisconnect,
            session.prefersEchoCancelledInput, session.isNowPlayingCandidate,
        ]
        return "\(numbers) \(switches)"
    }
}

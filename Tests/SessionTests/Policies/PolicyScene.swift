import HeadlessServer
import TestSupport

/// A policy of the sound server's own.
enum ServerPolicy: String, CaseIterable {
    case none
    case roleCork = "module-role-cork"
    case roleDucking = "module-role-ducking"
    case roleBased = "WirePlumber's role-based policy"

    /// The kind of server that has the policy.
    var kind: HeadlessServer.Kind { self == .roleBased ? .pipeWire : .pulseAudio }

    /// The modules to load for it.
    var modules: [String] { [.roleCork, .roleDucking].contains(self) ? [rawValue] : [] }

    /// WirePlumber's configuration for it.
    var configuration: String? { self == .roleBased ? RoleBasedPolicy.configuration : nil }
}

/// A moment in which a policy may act, in the order in which they are played.
enum PolicyScene: String, CaseIterable {
    case musicAlone = "the app's music alone"
    case notification = "a notification over the app's music"
    case screenReader = "a screen reader over the app's music"
    case alarm = "an alarm over the app's music"
    case alarmEnds = "the alarm ends, and the app resumes"
    case callOutside = "a stranger's call over the app's music"
    case callOutsideEnds = "the call ends, and the app resumes"
    case pausedBeforeCall = "the user pauses the app's music, then a stranger's call comes and ends"
    case prompt = "another app's prompt over the app's music"
    case promptEnds = "the prompt ends"
    case secondPlayer = "another app's music"
    case secondPlayerEnds = "the other music ends, and the app resumes"
    case call = "another app's call over the app's music"
    case callEnds = "the other app's call ends, and the app resumes"
    case gameOverMusic = "the app's game over a stranger's music"
    case promptOverOutside = "an app's prompt over a stranger's music"
    case promptOverOutsideEnds = "the prompt over a stranger's music ends"
    case callOverOutside = "an app's call over a stranger's music"
    case callOverOutsideEnds = "the call over a stranger's music ends"
    case resumedDuringCall = "the app resumes its music during a stranger's call"
    case resumedDuringCallEnds = "that call ends, and the app resumes if it was interrupted again"
    case startDuringCall = "the app starts its first music during a stranger's call"
}

/// What is heard and told in a scene, and who does it.
struct PolicyCell: Equatable {
    /// How loud something is.
    enum Heard: String { case full, lowered = "−20 dB", silent, other }
    /// Who changes what is heard.
    enum Hand: String, CaseIterable { case library, server }

    /// A stranger's music; nil where there is none.
    var outside: Heard?
    /// The app's sound; nil where it has none.
    var app: Heard?
    /// What the app is told, in its order: `began`, `ended 1` (it should resume), `refused` (`play()` returned false), `route`
    /// with a reason and an output.
    var told: [String] = []
    /// Who acts.
    var hands: Set<Hand> = []

    /// The cell as a row of docs/policies.md, without the scene.
    var columns: [String] {
        let phrases = ["began": "interrupted", "ended 1": "ended, should resume", "refused": "`play()` returns false"]
        let words = told.map { phrases[$0] ?? $0 }
        let acting = Hand.allCases.filter(hands.contains).map(\.rawValue)
        return [
            outside?.rawValue ?? "–", app?.rawValue ?? "–", words.isEmpty ? "nothing" : words.joined(separator: "; "),
            acting.isEmpty ? "nobody" : acting.joined(separator: ", "),
        ]
    }
}

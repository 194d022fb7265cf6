import SessionPolicy
import TestSupport

/// Claims as a broken or malicious program might publish them.
struct HostileClaims {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let tickets = [
        "18446744073709551615", "18446744073709551616", "18446744073709551614", "1099511627776", "1099511627775",
        "1099511627774", "340282366920938463463374607431768211456", "-1", "+5", "0x10", "1e9", "",
    ]

    /// A text of one of many kinds, up to 4 KB long.
    mutating func next() -> String {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return mutated(honest())
        case 1: return mutated(mutated(mutated(honest())))
        case 2: return noise(length: .random(in: 0...4096, using: &random))
        case 3: return honest() + ";padding=" + String(repeating: "x", count: .random(in: 300...4000, using: &random))
        case 4: return replacingTicket(honest())
        default: return shuffled(honest())
        }
    }

    /// A valid claim of anybody.
    private mutating func honest() -> String {
        let settings: [SessionSettings] = [
            .music, .of(.playback, .spokenAudio), .of(.playAndRecord, .voiceChat), .of(.record), .of(.ambient),
            .of(.playback, .default, .duckOthers),
        ]
        return Claim(
            seq: .random(in: 0..<100, using: &random), uid: random.next(),
            state: Claim.State.allCases.randomElement(using: &random)!,
            settings: settings.randomElement(using: &random)!, isPlaying: .random(using: &random),
            canDuck: .random(using: &random), host: "elsewhere", pid: 1, notify: .random(using: &random)
        ).encoded
    }

    private mutating func replacingTicket(_ text: String) -> String {
        let parts = text.split(separator: ";").map { part in
            part.hasPrefix("seq=") ? "seq=" + Self.tickets.randomElement(using: &random)! : String(part)
        }
        return parts.joined(separator: ";")
    }

    private mutating func shuffled(_ text: String) -> String {
        var parts = text.split(separator: ";").map(String.init)
        if Bool.random(using: &random) { parts.append(parts.randomElement(using: &random)!) }
        return parts.shuffled(using: &random).joined(separator: ";")
    }

    private mutating func mutated(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        let place = Int.random(in: 0..<scalars.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: scalars.remove(at: place)
        case 1: scalars.insert(scalar(), at: place)
        case 2: scalars[place] = scalar()
        default: scalars.removeSubrange(place...)
        }
        if scalars.isEmpty { scalars = ["1"] }
        return String(String.UnicodeScalarView(scalars))
    }

    private mutating func noise(length: Int) -> String {
        String(String.UnicodeScalarView((0..<length).map { _ in scalar() }))
    }

    /// Any character but NUL, which ends a C string; the ones with a meaning more often.
    private mutating func scalar() -> Unicode.Scalar {
        if Bool.random(using: &random) {
            return Array("0123456789;=%,abcdef-".unicodeScalars).randomElement(using: &random)!
        }
        return Unicode.Scalar(UInt32.random(in: 1...0x2FFF, using: &random)) ?? " "
    }
}

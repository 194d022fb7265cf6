import SessionPolicy
import SoundAnalysis
import TestSupport
import Testing

@Suite("Claims as text", .limited)
struct ClaimCodingTests {
    private static let example =
        "1;seq=42;uid=9f3c00000000beef;state=active;category=playback;mode=spokenAudio;options=3;playing=1;can=duck;"
        + "host=stue;pid=4711;notify=0"

    /// The example with one field replaced, or left out.
    private static func example(_ key: String, _ value: String?) -> String {
        example.split(separator: ";").compactMap { field in
            field.hasPrefix(key + "=") ? value.map { "\(key)=\($0)" } : String(field)
        }.joined(separator: ";")
    }

    @Test("The example of the protocol is written and read letter by letter")
    func exampleText() throws {
        let claim = Claim(
            seq: 42, uid: 0x9f3c_0000_0000_beef, state: .active,
            settings: .of(.playback, .spokenAudio, .duckOthers),
            isPlaying: true, canDuck: true, host: "stue", pid: 4711)
        #expect(claim.encoded == Self.example)
        #expect(Claim(Self.example) == claim)
    }

    @Test("Categories and modes are called as they are in Swift")
    func names() {
        for category in SessionPolicy.Category.allCases { #expect(category.name == "\(category)") }
        for mode in Mode.allCases { #expect(mode.name == "\(mode)") }
    }

    @Test("What was written reads back equal, in any order of keys, in at most 512 graphic characters")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 1)
        let hosts = ["", "stue", "størrelse; 100%=ja", String(repeating: "語", count: 300), "a\u{1B}[31mb\n"]
        for settings in SessionSettings.all {
            let claim = Claim(
                seq: random.next() >> UInt64.random(in: 0..<64, using: &random), uid: random.next(),
                state: Claim.State.allCases.randomElement(using: &random)!, settings: settings,
                isPlaying: .random(using: &random), canDuck: .random(using: &random),
                host: hosts.randomElement(using: &random)!, pid: .random(in: .min ... .max, using: &random),
                notify: .random(using: &random))
            let text = claim.encoded
            #expect(text.utf8.count <= 512 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(Claim(text) == claim)
            let fields = text.split(separator: ";").dropFirst().shuffled(using: &random)
            #expect(Claim("1;" + fields.joined(separator: ";")) == claim)
            #expect(claim.settings.isMixable == settings.isMixable && claim.settings.isCall == settings.isCall)
            #expect(claim.settings.options == settings.options)
        }
    }

    @Test("A long-form policy is nobody else's business, and a long or wild host name is tamed")
    func normalised() throws {
        let settings = try SessionSettings.validated(category: .playback, policy: .longFormAudio)
        #expect(Claim(uid: 1, settings: settings) == Claim(uid: 1, settings: .music))
        #expect(Claim(uid: 1, host: String(repeating: "é", count: 200)).host.utf8.count == 64)
        #expect(Claim(uid: 1, host: "a\u{1B}b\u{9B}c").host == "abc")
        #expect(Claim(uid: 1, state: .active, notify: true).notify == false)
    }

    @Test(
        "Valid, and what it means",
        arguments: [
            ("pid", nil), ("host", nil), ("can", nil), ("playing", nil), ("notify", nil), ("can", "duck,dance"),
            ("can", "dance"), ("seq", "1099511627775"), ("seq", "0042"), ("uid", "9F3C00000000BEEF"),
            ("state", "%61ctive"),
            ("host", "a%20b%3B%3d"), ("notify", "1"), ("future", "%zz"), ("pid", "2147483647"), ("host", "a=b"),
            ("options", "2"),
        ])
    func valid(key: String, value: String?) throws {
        let text = key == "future" ? Self.example + ";future=%zz" : Self.example(key, value)
        let claim = try #require(Claim(text))
        #expect(claim.canDuck == (key != "can" || value == "duck,dance"))
        #expect(claim.state == .active)
        #expect(claim.settings == .of(.playback, .spokenAudio, .duckOthers))
    }

    @Test(
        "Invalid, for everybody and always",
        arguments: [
            ("seq", nil), ("uid", nil), ("state", nil), ("category", nil), ("mode", nil), ("options", nil),
            ("seq", ""), ("seq", "-1"), ("seq", "+1"), ("seq", "1.0"), ("seq", "4x"), ("seq", "1099511627776"),
            ("seq", "18446744073709551615"), ("seq", "18446744073709551616"), ("seq", "99999999999999999999999999"),
            ("uid", "9f3c"), ("uid", "9f3c00000000beef0"), ("uid", "9f3c00000000beeg"), ("state", "Active"),
            ("state", ""), ("category", "Playback"), ("category", "AVAudioSessionCategoryPlayback"), ("mode", "chat"),
            ("mode", "voiceChat"), ("options", "4"), ("options", "4096"), ("options", "18446744073709551615"),
            ("playing", "2"), ("playing", "true"), ("notify", ""), ("pid", "-1"), ("pid", "2147483648"),
            ("host", "%"), ("host", "%4"), ("host", "%zz"), ("host", "%ff"), ("host", "%1B%5B2J"), ("host", "%C2%9B"),
            ("host", "a b"), ("host", "é"), ("host", "a\u{7F}"),
        ])
    func invalid(key: String, value: String?) {
        #expect(Claim(Self.example(key, value)) == nil)
    }

    @Test("Invalid as a whole: versions, forms, sizes, and keys that come twice")
    func invalidForms() {
        let body = Self.example.dropFirst(1)
        #expect(Claim("1" + body) != nil)
        for version in ["", "0", "2", "01", "1.0", "one", "version=1", "18446744073709551617"] {
            #expect(Claim(version + body) == nil)
        }
        for text in ["", "1", "1;", ";", "=", "1;=", Self.example + ";", Self.example + ";;", Self.example + ";=x"] {
            #expect(Claim(text) == nil)
        }
        #expect(Claim(Self.example + ";x") == nil)
        #expect(Claim(Self.example + ";seq=42") == nil)
        #expect(Claim(Self.example + ";x=1;x=1") == nil)
        let room = 512 - Self.example.utf8.count - ";x=".utf8.count
        #expect(Claim(Self.example + ";x=" + String(repeating: "y", count: room)) != nil)
        #expect(Claim(Self.example + ";x=" + String(repeating: "y", count: room + 1)) == nil)
        #expect(Claim(String(repeating: "1", count: 1 << 20)) == nil)
    }

    @Test("20 000 random and mutated texts: no trap, and what is read can be written")
    func fuzz() {
        var random = SeededGenerator(seed: 2)
        let pieces =
            Self.example.split(separator: ";").map(String.init) + ["%", "%00", "=", "99999999999999999999", "é"]
        var valid = 0
        var wrong: [Claim] = []
        for round in 0..<20_000 {
            var bytes = Array(Self.example.utf8)
            switch round % 4 {
            case 0:
                let size = random.oneIn(50) ? 600 : Int(random.next() % 60)
                bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            case 1:
                let some = pieces.shuffled(using: &random).prefix(Int(random.next() % 16))
                bytes = Array(some.joined(separator: ";").utf8)
            default:
                for _ in 0...random.next() % 4 {
                    let index = Int.random(in: bytes.indices, using: &random)
                    switch random.next() % 3 {
                    case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                    case 1: bytes.insert(UInt8.random(in: 0x20...0x7F, using: &random), at: index)
                    default: bytes.remove(at: index)
                    }
                }
            }
            guard let claim = Claim(String(decoding: bytes, as: UTF8.self)) else { continue }
            valid += 1
            if Claim(claim.encoded) != claim || claim.seq >= 1 << 40 { wrong.append(claim) }
        }
        #expect(valid > 500 && wrong.isEmpty, "\(valid) valid, wrong: \(wrong.prefix(3))")
    }
}

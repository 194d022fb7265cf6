/// The text form of a claim.
///
/// The version, then `key=value` pairs, separated by `;`. Graphic ASCII only, 512 bytes at most; values are
/// percent-encoded.
///
/// | key | value | if missing |
/// |---|---|---|
/// | seq | decimal, below 2⁴⁰ | invalid |
/// | uid | 16 hexadecimal digits | invalid |
/// | state | idle, active, interrupted | invalid |
/// | category, mode | as spelled in Swift | invalid |
/// | options | decimal, the bits in force | invalid |
/// | playing | 0 or 1 | 0 |
/// | can | words separated by commas; known is duck | none |
/// | host | UTF-8 without control characters | empty |
/// | pid | decimal, below 2³¹ | 0 |
/// | notify | 0 or 1, read with state idle only | 0 |
/// | foreign | silence, duck; any other, and with state idle, none | none; not written then |
/// | process | silent; any other, and with state idle, none | none; not written then |
///
/// Reading: the keys come in any order. Unknown keys, and unknown words in `can`, are skipped. Everything else that is
/// not as above makes the claim invalid, as do another version, a key that comes twice, and a combination of category,
/// mode and options that a session refuses. Whether a claim is valid depends on its text alone, so all processes agree
/// on it.
extension Claim {
    /// The name of the property that carries the claim.
    package static let property = "avaudiosession.claim"

    /// The longest claim, in bytes.
    package static let longestText = 512

    /// The claim as text: graphic ASCII, at most 512 bytes.
    package var encoded: String {
        var text = "1;seq=\(seq);uid=\(owner)"
        text += ";state=\(state.rawValue);category=\(settings.category.name);mode=\(settings.mode.name)"
        text += ";options=\(settings.options.rawValue);playing=\(isPlaying ? 1 : 0);can=\(canDuck ? "duck" : "")"
        text += ";host=\(ClaimText.percentEncoded(host));pid=\(pid);notify=\(notify ? 1 : 0)"
        if let foreign { text += ";foreign=\(foreign.rawValue)" }
        if isProcessSilent { text += ";process=silent" }
        return text
    }

    /// The session's random bits as 16 hexadecimal digits; its streams have them in `avaudiosession.owner`.
    package var owner: String {
        let digits = String(uid, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The claim with this text form; `nil` if the text is invalid.
    package init?(_ text: String) {
        guard let text = ClaimText(text),
            let seq = text.number("seq", below: ClaimOrder.limit),
            let uid = text.hexadecimal("uid"),
            let state = text.value("state").flatMap(State.init(rawValue:)),
            let settings = text.settings,
            let isPlaying = text.flag("playing"),
            let abilities = text.value("can", default: ""),
            let host = text.value("host", default: ""),
            let pid = text.number("pid", below: 1 << 31, default: 0),
            let notify = text.flag("notify")
        else { return nil }
        self.init(
            seq: seq, uid: uid, state: state, settings: settings, isPlaying: isPlaying,
            canDuck: abilities.split(separator: ",").contains("duck"),
            host: host, pid: Int32(truncatingIfNeeded: pid), notify: notify,
            // Programs without support for these keys skip them, so no value of them is invalid.
            foreign: text.value("foreign").flatMap(Foreign.init(rawValue:)),
            isProcessSilent: text.value("process") == "silent")
    }
}

extension ClaimText {
    /// The settings of category, mode and options; `nil` if one is unknown or the combination is illegal.
    fileprivate var settings: SessionSettings? {
        guard let category = value("category").flatMap({ Self.categories[$0] }),
            let mode = value("mode").flatMap({ Self.modes[$0] }), let bits = number("options", below: 1 << 32)
        else { return nil }
        return try? .validated(category: category, mode: mode, options: CategoryOptions(rawValue: UInt(bits)))
    }

    private static let categories = Dictionary(uniqueKeysWithValues: Category.allCases.map { ($0.name, $0) })
    private static let modes = Dictionary(uniqueKeysWithValues: Mode.allCases.map { ($0.name, $0) })
}

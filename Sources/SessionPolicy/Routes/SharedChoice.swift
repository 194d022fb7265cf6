/// The output that the user chose for long programmes, in whichever app: sessions with a long-form policy share it.
///
/// Each of their apps says in a property of its client, `avaudiosession.longform`, what it knows: `N;PORT`, without a
/// name for the system's choice. The highest number counts, of equal ones the greater name, and every choice takes the
/// next number. So the choice lives as long as one of them does.
package struct SharedChoice: Hashable, Sendable, Comparable {
    /// The property's key.
    package static let property = "avaudiosession.longform"
    /// What peers say is not to be trusted: no user chooses more often.
    private static let most: UInt32 = 1_000_000

    private let number: UInt32
    /// The port's name for programs; nil for the system's choice.
    package let port: String?

    private init(number: UInt32, port: String?) {
        self.number = number
        self.port = port
    }

    /// What a property says; nil for nonsense.
    package init?(_ text: String) {
        guard text.utf8.count <= 512 else { return nil }
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt32(parts[0]), (1...Self.most).contains(number) else { return nil }
        self.init(number: number, port: parts[1].isEmpty ? nil : String(parts[1]))
    }

    /// The choice after another one, or the first.
    package init(_ port: String?, after last: SharedChoice?) {
        self.init(number: min(last?.number ?? 0, Self.most - 1) + 1, port: port)
    }

    /// The property's text.
    package var encoded: String { "\(number);\(port ?? "")" }

    package static func < (some: SharedChoice, other: SharedChoice) -> Bool {
        (some.number, some.port ?? "") < (other.number, other.port ?? "")
    }
}

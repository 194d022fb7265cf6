/// The user's choice of an output for long-form audio, shared by all sessions with a long-form policy.
///
/// Each process of such a session publishes the choice it knows as a property of its client, `avaudiosession.longform`:
/// `N;PORT`, without a port for the system's choice. The highest number counts, of equal ones the greater name, and
/// every choice gets the next number. The choice lives as long as one of the processes does.
package struct SharedChoice: Hashable, Sendable, Comparable {
    /// The property's key.
    package static let property = "avaudiosession.longform"
    /// The highest valid number: peers are not trusted, and no user makes more choices.
    private static let most: UInt32 = 1_000_000

    private let number: UInt32
    /// The port's uid; nil for the system's choice.
    package let port: String?

    private init(number: UInt32, port: String?) {
        self.number = number
        self.port = port
    }

    /// The choice in a property's text; nil if it is invalid.
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

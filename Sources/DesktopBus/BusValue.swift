/// What a peer sent, as far as anybody here wants to know it.
enum BusValue: Hashable {
    /// A string, an object path or a signature.
    case text(String)
    /// A boolean.
    case flag(Bool)
    /// A dictionary of anything by name (`a{sv}`).
    case table([String: BusValue])
    /// Anything else, unread.
    case other

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var flag: Bool? {
        if case .flag(let flag) = self { flag } else { nil }
    }

    var table: [String: BusValue]? {
        if case .table(let table) = self { table } else { nil }
    }
}

/// A request that is decided once these changes are known, or after one second.
struct DeferredRequest: Sendable {
    let kind: Kind
    let request: Int
    /// Whether it is confirmed that the calls that refuse it are still in progress.
    let isSure: Bool
    let changes: [UInt32: Int]
    let number: Int

    /// A request of the session.
    enum Kind: Sendable {
        case activate(SessionSettings)
        case change(SessionSettings)
    }
}

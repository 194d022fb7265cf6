import Foundation

/// Why a private server could not be started: one line for a human.
package struct HeadlessServerError: Error, LocalizedError, CustomStringConvertible, Sendable {
    /// The reason, with what to do about it.
    package let description: String
    /// The same, for `localizedDescription`.
    package var errorDescription: String? { description }
    /// Whether a program neither ended nor got anywhere: another start may do better.
    let isHang: Bool

    init(_ description: String, isHang: Bool = false) {
        self.description = description
        self.isHang = isHang
    }

    static func missing(_ program: String) -> HeadlessServerError {
        HeadlessServerError("no \(program) found: `make setup` brings it without installing a sound server")
    }
}

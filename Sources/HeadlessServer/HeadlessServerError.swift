import Foundation

/// Why a private server could not be started: one line for a human.
package struct HeadlessServerError: Error, LocalizedError, CustomStringConvertible, Sendable {
    /// The reason, with what to do about it.
    package let description: String
    /// The same, for `localizedDescription`.
    package var errorDescription: String? { description }

    init(_ description: String) {
        self.description = description
    }

    static func missing(_ program: String) -> HeadlessServerError {
        HeadlessServerError("no \(program) found: `make setup` brings it without installing a sound server")
    }
}

import Foundation

/// The reason why a private server could not be started, in one line to display.
package struct HeadlessServerError: Error, LocalizedError, CustomStringConvertible, Sendable {
    /// The reason and its remedy.
    package let description: String
    /// The same, for `localizedDescription`.
    package var errorDescription: String? { description }
    /// Whether a program hung, so that another start may succeed.
    let isHang: Bool

    init(_ description: String, isHang: Bool = false) {
        self.description = description
        self.isHang = isHang
    }

    static func missing(_ program: String) -> HeadlessServerError {
        HeadlessServerError("no \(program) found: `make setup` brings it without installing a sound server")
    }
}

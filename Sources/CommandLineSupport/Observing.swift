package import Foundation

/// Calls `handler` with the value that `read` extracts from each notification of that name, for the life of the
/// process.
///
/// In two steps, as a `Notification` must not change threads in Swift 6, but its contents can.
@MainActor
package func observe<Content: Sendable>(
    _ name: Notification.Name, _ read: @escaping @Sendable (Notification) -> Content,
    _ handler: @escaping @MainActor (Content) -> Void
) {
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { notification in
        let content = read(notification)
        MainActor.assumeIsolated { handler(content) }
    }
}

/// Calls `handler` for each notification of that name, for the life of the process.
@MainActor
package func observe(_ name: Notification.Name, _ handler: @escaping @MainActor () -> Void) {
    observe(name, { _ in }, { _ in handler() })
}

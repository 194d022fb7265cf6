public import Foundation

extension NotificationCenter {
    /// The notifications with a name as a sequence, beginning when it is iterated.
    ///
    /// Notifications are taken where they are posted and queued in order, so a busy loop misses none. The loop runs on
    /// its own task, the main actor's included, and ends when the task is cancelled. Of all members of
    /// `NotificationCenter` Foundation on Linux lacks only this one.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The sender; nil for all.
    ///
    /// Apple: `NotificationCenter.notifications(named:object:)`.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// An asynchronous sequence of the notifications with a name, see ``notifications(named:object:)``.
    ///
    /// Apple: `NotificationCenter.Notifications`.
    public final class Notifications: AsyncSequence {
        /// The element: a notification.
        public typealias Element = Notification

        private let center: NotificationCenter
        private let name: Notification.Name
        private let object: AnyObject?

        init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Starts listening.
        public func makeAsyncIterator() -> Iterator {
            let (posts, poster) = AsyncStream.makeStream(of: Post.self)
            let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
                poster.yield(Post(notification: notification))
            }
            return Iterator(posts: posts.makeAsyncIterator(), registration: Registration(center, token))
        }

        /// The iterator, which listens until its last copy is released.
        ///
        /// Apple: `NotificationCenter.Notifications.Iterator`.
        public struct Iterator: AsyncIteratorProtocol {
            private var posts: AsyncStream<Post>.Iterator
            private let registration: Registration

            fileprivate init(posts: AsyncStream<Post>.Iterator, registration: Registration) {
                self.posts = posts
                self.registration = registration
            }

            /// The next notification; nil once the task is cancelled.
            public mutating func next() async -> Notification? { await next(isolation: nil) }

            /// The next notification, for a loop on an actor; nil once the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                await posts.next(isolation: actor)?.notification
            }
        }
    }
}

// SAFETY: immutable; the object is only compared.
extension NotificationCenter.Notifications: @unchecked Sendable {}

/// A notification on its way from the posting thread to the receiving task.
// SAFETY: the posting thread gives it up, and one task receives it; its contents are shared as with any observer.
private struct Post: @unchecked Sendable { let notification: Notification }

/// An observer's registration, removed with its last reference.
// Immutable, and the center may be used from any thread.
private final class Registration {
    private let center: NotificationCenter
    private let token: any NSObjectProtocol

    init(_ center: NotificationCenter, _ token: any NSObjectProtocol) {
        self.center = center
        self.token = token
    }

    deinit { center.removeObserver(token) }
}

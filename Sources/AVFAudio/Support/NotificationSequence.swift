public import Foundation

extension NotificationCenter {
    /// The notifications of a name, one after the other, from the moment at which the sequence is iterated.
    ///
    /// Each is taken where it is posted and waits, in order, until the loop asks for it, so a loop that is busy misses
    /// none. The loop runs wherever its task does, on the main actor too, and ends when its task is cancelled.
    /// Foundation on Linux has everything else of `NotificationCenter`, but not this.
    ///
    /// - Parameters:
    ///   - name: The notifications' name.
    ///   - object: Who posts them; nil for anybody.
    ///
    /// Apple: `NotificationCenter.notifications(named:object:)`.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// The notifications of a name as an asynchronous sequence, see ``notifications(named:object:)``.
    ///
    /// Apple: `NotificationCenter.Notifications`.
    public final class Notifications: AsyncSequence {
        /// What is posted.
        public typealias Element = Notification

        private let center: NotificationCenter
        private let name: Notification.Name
        private let object: AnyObject?

        init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Begins to listen.
        public func makeAsyncIterator() -> Iterator {
            let (posts, poster) = AsyncStream.makeStream(of: Post.self)
            let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
                poster.yield(Post(notification: notification))
            }
            return Iterator(posts: posts.makeAsyncIterator(), registration: Registration(center, token))
        }

        /// Listens for as long as it, or a copy of it, exists.
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

// SAFETY: nothing in it changes; the object is only compared with.
extension NotificationCenter.Notifications: @unchecked Sendable {}

/// A notification on its way from the thread that posted it to the task that asks for it.
// SAFETY: who posts one lets go of it, and one task receives it; what it carries is shared as with any observer.
private struct Post: @unchecked Sendable { let notification: Notification }

/// Ends with its last reference.
// Nothing in it changes, and the center may be used from any thread.
private final class Registration {
    private let center: NotificationCenter
    private let token: any NSObjectProtocol

    init(_ center: NotificationCenter, _ token: any NSObjectProtocol) {
        self.center = center
        self.token = token
    }

    deinit { center.removeObserver(token) }
}

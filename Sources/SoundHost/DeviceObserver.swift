internal import PulseClient
internal import Synchronization

/// Tells when an output or an input comes or goes, its volume changes, or another one is the default.
///
/// For volume controls, route pickers and observers of the session's properties. It has a connection of its own, and
/// ends with its last reference or the server.
package final class DeviceObserver: Sendable {
    /// Tellings are at least so far apart, however fast somebody turns a knob.
    private static let pause = Duration.milliseconds(20)

    private final class End: Sendable { let isReached = Atomic<Bool>(false) }

    private let task: Task<Void, Never>
    private let end: End

    /// Whether nothing more is told, as the server is gone, or there is none; already so when that is told.
    package var isOver: Bool { end.isReached.load(ordering: .acquiring) }

    /// Begins to look.
    ///
    /// - Parameters:
    ///   - server: The address; nil looks where every client looks.
    ///   - watchesInputs: Whether inputs are of interest too.
    ///   - changed: Told on a thread of Swift's pool, which it may keep for as long as a question to the server lasts;
    ///     once at the beginning, and once at the end, when the server is gone or there is none.
    package init(server: String?, watchesInputs: Bool = false, changed: @escaping @Sendable () -> Void) {
        let end = End()
        self.end = end
        task = Task.detached {
            await Self.follow(server, watchesInputs ? [.sink, .source, .server] : [.sink, .server], changed)
            end.isReached.store(true, ordering: .releasing)
            changed()
        }
    }

    deinit { task.cancel() }

    private static func follow(
        _ server: String?, _ interests: SubscriptionMask, _ changed: @escaping @Sendable () -> Void
    ) async {
        let app = AppIdentity.current
        guard let connection = try? PulseConnection(name: app.name, properties: app.clientProperties) else { return }
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        do {
            try await connection.connect(to: server, timeout: .seconds(2))
            await connection.setHandlers(state: { _, _ in change.finish() }, event: { _, _ in change.yield() })
            try await connection.subscribe(interests)
            change.yield()
            for await _ in changes {
                changed()
                try await Task.sleep(for: pause)
            }
        } catch {}
        await connection.close()
    }
}

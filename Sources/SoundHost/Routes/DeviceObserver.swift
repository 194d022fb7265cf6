internal import AudioHost
internal import PulseClient
internal import Synchronization

/// An observer of outputs and inputs that appear or vanish, of their volumes, and of the defaults.
///
/// For volume controls, route pickers and observers of the session's properties. It has its own connection, and ends
/// with its last reference. Without a server it retries after 1 s, 2, 4 and so on up to 64.
package final class DeviceObserver: Sendable {
    /// The least time between two reports, however fast the volume changes.
    private static let pause = Duration.milliseconds(20)

    private final class Absence: Sendable { let isFelt = Atomic<Bool>(false) }

    private let task: Task<Void, Never>
    private let absence: Absence

    /// Whether there is no server, so that nothing is reported until the next attempt.
    ///
    /// It is set before the loss is reported.
    package var lacksServer: Bool { absence.isFelt.load(ordering: .acquiring) }

    /// Starts the observer.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil for libpulse's default.
    ///   - watchesInputs: Whether inputs are observed as well.
    ///   - changed: Called on a thread of Swift's pool, once there is a server, after each change, and after each loss
    ///     or failed attempt. It may block that thread for a request to the server.
    package init(server: String?, watchesInputs: Bool = false, changed: @escaping @Sendable () -> Void) {
        let absence = Absence()
        self.absence = absence
        task = Task.detached {
            let interests: SubscriptionMask = watchesInputs ? [.sink, .source, .server] : [.sink, .server]
            var pauses = ReconnectPolicy(first: .seconds(1), limit: .seconds(64))
            while true {
                let wasThere = await Self.follow(server, interests, changed)
                if wasThere { pauses.reset() }
                absence.isFelt.store(true, ordering: .releasing)
                changed()
                do { try await Task.sleep(for: pauses.next()) } catch { return }
                absence.isFelt.store(false, ordering: .releasing)
            }
        }
    }

    deinit { task.cancel() }

    /// Observes until the server is gone; returns whether there was one.
    private static func follow(
        _ server: String?, _ interests: SubscriptionMask, _ changed: @escaping @Sendable () -> Void
    ) async -> Bool {
        let app = AppIdentity.current
        let made = try? PulseConnection(name: app.name, properties: app.clientProperties)
        guard let connection = made else { return false }
        var wasThere = false
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        do {
            try await connection.connect(to: server, timeout: .seconds(2))
            await connection.setHandlers(state: { _, _ in change.finish() }, event: { _, _ in change.yield() })
            try await connection.subscribe(interests)
            wasThere = true
            change.yield()
            for await _ in changes {
                changed()
                try await Task.sleep(for: pause)
            }
        } catch {}
        await connection.close()
        return wasThere
    }
}

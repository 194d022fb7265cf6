internal import AudioHost
internal import PulseClient
internal import Synchronization

/// Tells when an output or an input comes or goes, its volume changes, or another one is the default.
///
/// For volume controls, route pickers and observers of the session's properties. It has a connection of its own, and
/// ends with its last reference. A server that is gone, or not there yet, is looked for after 1 s, 2, 4 and so on to 64.
package final class DeviceObserver: Sendable {
    /// Tellings are at least so far apart, however fast somebody turns a knob.
    private static let pause = Duration.milliseconds(20)

    private final class Absence: Sendable { let isFelt = Atomic<Bool>(false) }

    private let task: Task<Void, Never>
    private let absence: Absence

    /// Whether nothing is told until it looks again, as the server is gone or there is none; already so when that is
    /// told.
    package var lacksServer: Bool { absence.isFelt.load(ordering: .acquiring) }

    /// Begins to look.
    ///
    /// - Parameters:
    ///   - server: The address; nil looks where every client looks.
    ///   - watchesInputs: Whether inputs are of interest too.
    ///   - changed: Told on a thread of Swift's pool, which it may keep for as long as a question to the server lasts;
    ///     once when there is a server, and each time that it is gone, or none was found.
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

    /// Looks until the server is gone; says whether it was there.
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

import CommandLineSupport
import Glibc
import Locks
import PulseClient
import SoundHost

/// A receiver of what ``ServerWatch`` sees; called on one task at a time.
protocol ServerWatchReceiver: Sendable {
    /// Takes a snapshot, and the age in seconds of the news that led to it.
    func look(at snapshot: ServerSnapshot, age: Double)
    /// Takes the loss of the server.
    func lose()
    /// Takes the return of a server, before its first snapshot.
    func find()
}

/// The loop of `monitor` and `log`: snapshots of a server after each change, and of the next server after its loss.
struct ServerWatch {
    let access: ServerAccess
    let pace: ServerObserver.Pace
    /// Whether a first server that is missing is waited for, rather than the end of the process.
    var waitsForFirst = false
    /// The longest time between two attempts to connect.
    var longestDelay = Duration.seconds(2)

    /// Runs until the process ends; ends it if the server refuses to be watched.
    func run(_ receiver: some ServerWatchReceiver) -> Never {
        let (access, pace, waitsForFirst, longestDelay) = (access, pace, waitsForFirst, longestDelay)
        access.run {
            var observer = waitsForFirst ? await .reconnected(longestDelay) : await access.observer()
            while true {
                let hasLooked = Guarded(false)
                let error = await Self.follow(observer, pace) { snapshot, age in
                    receiver.look(at: snapshot, age: age)
                    hasLooked.withLock { $0 = true }
                }
                // What a server that is there refuses at once it would refuse again, for ever.
                if await observer.connection.state == .ready, !hasLooked.value {
                    await access.fail("the sound server cannot be watched", error, on: observer.connection)
                }
                await observer.close()
                access.unlessLeaving { receiver.lose() }
                observer = await .reconnected(longestDelay)
                receiver.find()
            }
        }
    }

    /// Looks until the connection ends, and returns the reason of its end.
    private static func follow(
        _ observer: ServerObserver, _ pace: ServerObserver.Pace,
        _ look: @escaping @Sendable (ServerSnapshot, Double) -> Void
    ) async -> PulseError {
        do throws(PulseError) {
            try await observer.follow(pace) { snapshot, age in
                look(snapshot, age)
                return true
            }
            return PulseError(.connectionTerminated, in: "pa_context_subscribe")
        } catch {
            return error
        }
    }
}

extension ServerObserver {
    /// Connects to the server, however long it takes until there is one.
    static func reconnected(_ longestDelay: Duration = .seconds(2)) async -> ServerObserver {
        var policy = ReconnectPolicy(limit: longestDelay)
        while true {
            if let observer = try? await ServerObserver(name: "audiosession") { return observer }
            try? await Task.sleep(for: policy.next())
        }
    }
}

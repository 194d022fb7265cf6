internal import CSystemdBus
internal import Dispatch

/// The message bus of the user's session (D-Bus).
///
/// No function blocks its caller, and none fails without a bus: requests then end without an answer. All functions can
/// be called on any thread; every completion and handler runs on the bus's own thread, in the order of the messages.
/// The bus is connected at its first use, and again after a loss.
///
/// D-Bus: a connection of sd-bus, from whichever library has it (systemd, elogind, basu).
// SAFETY: what is mutable is touched on the bus's thread only.
package final class SessionBus: @unchecked Sendable {
    private let thread: BusThread
    /// The queue of delays; its jobs only continue on a bus's thread.
    static let timers = DispatchQueue(label: "DesktopBus.timers")
    /// The watch of players, begun and ended by the calls about players.
    let players = PlayerWatch()
    private var lossHandlers: [() -> Void] = []
    /// The subscriptions that last as long as the connection.
    private var kept: [BusConnection.Subscription?] = []

    /// Creates the user's session bus; nil if the environment names none.
    ///
    /// - Parameter environment: The variables: `DBUS_SESSION_BUS_ADDRESS`, else the socket `$XDG_RUNTIME_DIR/bus`.
    package convenience init?(environment: [String: String] = BusAddress.environment) {
        guard let address = BusAddress.user(in: environment) else { return nil }
        self.init(address: address)
    }

    /// Creates the bus at an address, such as `unix:path=/run/user/1000/bus`.
    package convenience init(address: String) { self.init(address: address) { systemd_bus_load() } }

    /// Creates the bus at an address, reached with another library's functions.
    init(address: String, library: @escaping @Sendable () -> UnsafePointer<systemd_bus>?) {
        thread = BusThread(address: address, library: library)
        thread.whenLost = { [weak self] in self?.connectionLost() }
    }

    deinit {
        thread.end()
    }

    /// Runs a job on the bus's thread: at once if called there, else after earlier jobs.
    package func perform(_ job: @escaping @Sendable () -> Void) { thread.perform(job) }

    // MARK: On the bus's thread

    /// The connection, opened now if there is none; nil without a bus.
    func connected() -> BusConnection? { thread.connected() }

    /// Runs `body` on the bus's thread with the connection: now, or once there is one.
    ///
    /// The bus may be starting, or the process out of descriptors for a moment. Attempts follow after 1, 2, 4 … 64
    /// seconds, and then end. A bus that has not accepted the connection counts as missing.
    func whenConnected(failures: Int = 0, _ body: @escaping @Sendable (BusConnection) -> Void) {
        perform { [weak self] in
            guard let self else { return }
            guard let connection = connected() else { return lookAgain(after: failures, body) }
            whenLost { [weak self] in if !connection.isReady { self?.lookAgain(after: failures, body) } }
            body(connection)
        }
    }

    private func lookAgain(after failures: Int, _ body: @escaping @Sendable (BusConnection) -> Void) {
        guard failures < 7 else { return }
        Self.timers.asyncAfter(deadline: .now() + .seconds(1 << failures)) { [weak self] in
            self?.whenConnected(failures: failures + 1, body)
        }
    }

    /// Calls `handler` once, when the connection is lost, and its names and objects with it.
    func whenLost(_ handler: @escaping () -> Void) { lossHandlers.append(handler) }

    /// Keeps a subscription until the connection is lost.
    func keep(_ subscription: BusConnection.Subscription?) { kept.append(subscription) }

    private func connectionLost() {
        kept = []
        players.lost()
        let handlers = lossHandlers
        lossHandlers = []
        for handler in handlers { handler() }
    }
}

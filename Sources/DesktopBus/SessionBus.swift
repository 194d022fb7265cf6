internal import Dispatch

/// The message bus of the user's session (D-Bus), where desktop programs meet.
///
/// Nothing here blocks its caller, and nothing fails where there is no bus: questions are answered with nothing. All
/// functions may be called on any thread; every completion and handler runs on the bus's own, in the order in which
/// messages arrived. It connects when it is first used, and again after the bus was lost.
///
/// D-Bus: a connection of sd-bus, from whichever library has it (systemd, elogind, basu).
// SAFETY: what is mutable is touched on the bus's thread only.
package final class SessionBus: @unchecked Sendable {
    private let thread: BusThread
    /// What is to be done later is only handed on here, to a bus's thread.
    static let timers = DispatchQueue(label: "DesktopBus.timers")
    var playerHandler: (@Sendable (PlayerEvent) -> Void)?
    var playerSubscriptions: [BusConnection.Subscription] = []
    var wakeSubscription: BusConnection.Subscription?
    /// Called once each when the connection is lost, and with it the names and objects that were ours.
    var whenLost: [() -> Void] = []
    /// What tests and tools listen to.
    var listeners: [BusConnection.Subscription] = []

    /// The bus of this user's session; `nil` where the environment names none.
    ///
    /// - Parameter environment: Where to look: `DBUS_SESSION_BUS_ADDRESS`, else the socket `$XDG_RUNTIME_DIR/bus`.
    package convenience init?(environment: [String: String] = BusAddress.environment) {
        guard let address = BusAddress.user(in: environment) else { return nil }
        self.init(address: address)
    }

    /// The bus at an address, such as `unix:path=/run/user/1000/bus`.
    package init(address: String) {
        thread = BusThread(address: address)
        thread.whenLost = { [weak self] in self?.connectionLost() }
    }

    deinit {
        thread.end()
    }

    /// Runs a job on the bus's thread: at once if called there, else after the jobs before it.
    package func perform(_ job: @escaping @Sendable () -> Void) { thread.perform(job) }

    // MARK: On the bus's thread

    /// The connection, made now if there is none; `nil` if there is no bus.
    func connected() -> BusConnection? { thread.connected() }

    /// Has something done on the bus's thread with the connection: now, or once there is one.
    ///
    /// The bus may be on its way, or the process out of descriptors for a moment. It is looked for again after 1, 2, 4
    /// … 64 seconds, and then no more. One that takes the connection and does not let us in is none yet.
    func whenConnected(failures: Int = 0, _ body: @escaping @Sendable (BusConnection) -> Void) {
        perform { [weak self] in
            guard let self else { return }
            guard let connection = connected() else { return lookAgain(after: failures, body) }
            whenLost.append { [weak self] in if !connection.isReady { self?.lookAgain(after: failures, body) } }
            body(connection)
        }
    }

    private func lookAgain(after failures: Int, _ body: @escaping @Sendable (BusConnection) -> Void) {
        guard failures < 7 else { return }
        Self.timers.asyncAfter(deadline: .now() + .seconds(1 << failures)) { [weak self] in
            self?.whenConnected(failures: failures + 1, body)
        }
    }

    private func connectionLost() {
        playerSubscriptions = []
        wakeSubscription = nil
        listeners = []
        let handler = playerHandler
        playerHandler = nil
        handler?(.busLost)
        let others = whenLost
        whenLost = []
        for other in others { other() }
    }
}

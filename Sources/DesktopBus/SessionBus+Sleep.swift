/// D-Bus: `org.freedesktop.login1.Manager.PrepareForSleep`, on the machine's bus.
extension SessionBus {
    /// The machine's own bus; `nil` where there is none.
    ///
    /// - Parameter environment: Where to look: `DBUS_SYSTEM_BUS_ADDRESS`, else the usual socket.
    package static func ofMachine(environment: [String: String] = BusAddress.environment) -> SessionBus? {
        BusAddress.machine(in: environment).map { SessionBus(address: $0) }
    }

    /// Calls back on the bus's thread whenever the machine has woken up, until the bus is lost.
    package func onWake(_ handler: @escaping @Sendable () -> Void) {
        whenConnected { [weak self] connection in
            guard let self else { return }
            let rule =
                "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',"
                + "interface='org.freedesktop.login1.Manager',member='PrepareForSleep'"
            // Its argument says whether the machine goes to sleep, or has woken up.
            self.wakeSubscription = connection.subscribe(rule) { if $0.flag() == false { handler() } }
        }
    }
}

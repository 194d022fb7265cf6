/// D-Bus: `org.freedesktop.login1.Manager.PrepareForSleep`, on the machine's bus.
extension SessionBus {
    /// The machine's system bus; nil without one.
    ///
    /// - Parameter environment: The variables: `DBUS_SYSTEM_BUS_ADDRESS`, else the usual socket.
    package static func ofMachine(environment: [String: String] = BusAddress.environment) -> SessionBus? {
        BusAddress.machine(in: environment).map { SessionBus(address: $0) }
    }

    /// Calls the handler on the bus's thread after each wake-up of the machine, until the bus is lost.
    package func onWake(_ handler: @escaping @Sendable () -> Void) {
        whenConnected { [weak self] connection in
            guard let self else { return }
            let rule =
                "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',"
                + "interface='org.freedesktop.login1.Manager',member='PrepareForSleep'"
            // The argument is true before sleep, and false after the wake-up.
            self.keep(connection.subscribe(rule) { if $0.flag() == false { handler() } })
        }
    }
}

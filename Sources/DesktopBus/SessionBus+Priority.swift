/// D-Bus: `org.freedesktop.RealtimeKit1`, on the machine's bus.
extension SessionBus {
    /// Asks for a better place in the queue for the processors, for a thread of this process that others wait for.
    ///
    /// - Parameters:
    ///   - thread: The kernel's number of it.
    ///   - nice: Between −20 and 19; RealtimeKit gives −15 at best.
    package func raisePriority(ofThread thread: Int32, nice: Int32) {
        perform { [weak self] in
            // Where there is no RealtimeKit, it stays as it is.
            self?.connected()?.call(
                "org.freedesktop.RealtimeKit1", path: "/org/freedesktop/RealtimeKit1",
                interface: "org.freedesktop.RealtimeKit1", method: "MakeThreadHighPriority",
                arguments: [.count(UInt64(thread)), .number(nice)]
            ) { _ in }
        }
    }
}

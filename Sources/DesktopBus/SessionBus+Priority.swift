/// D-Bus: `org.freedesktop.RealtimeKit1`, on the machine's bus.
extension SessionBus {
    /// Requests a higher priority (lower nice value) for a thread of this process.
    ///
    /// - Parameters:
    ///   - thread: The kernel thread ID.
    ///   - nice: The nice value, from −20 to 19; RealtimeKit grants −15 at best.
    package func raisePriority(ofThread thread: Int32, nice: Int32) {
        perform { [weak self] in
            // Without RealtimeKit the priority stays.
            self?.connected()?.call(
                "org.freedesktop.RealtimeKit1", path: "/org/freedesktop/RealtimeKit1",
                interface: "org.freedesktop.RealtimeKit1", method: "MakeThreadHighPriority",
                arguments: [.count(UInt64(thread)), .number(nice)]
            ) { _ in }
        }
    }
}

internal import Glibc

/// The order of the calls of a player's methods, without the pauses of the sound server's session manager.
///
/// WirePlumber from 0.5.11 sends `Pause` to each player whose sink goes (`linking.pause-playback`). The session notices
/// the loss itself, interrupts with its reason, and may resume; a command of a user would forbid that. So the sender of
/// each `Pause` is asked for, and calls that come meanwhile wait for the answer, which takes the bus less than a
/// millisecond. Used on the bus's thread.
final class SessionManagerPauses {
    private static let bus = "org.freedesktop.DBus"
    private let carryOut: (BusCall) -> Void
    private var waiting: [BusCall] = []

    /// Calls that are carried out by a function.
    init(carryOut: @escaping (BusCall) -> Void) {
        self.carryOut = carryOut
    }

    /// The number of calls that wait.
    var count: Int { waiting.count }

    /// Carries a call out in its turn; a session manager's pause is answered, and not carried out.
    func take(_ call: BusCall, over connection: BusConnection?) {
        waiting.append(call)
        guard waiting.count == 1 else { return }
        next(over: connection)
    }

    /// Forgets the calls that wait: their bus is lost.
    func removeAll() { waiting = [] }

    private func next(over connection: BusConnection?) {
        while let call = waiting.first {
            guard call.message.member == "Pause", let sender = call.message.sender, let connection else {
                waiting.removeFirst()
                carryOut(call)
                continue
            }
            return connection.call(
                Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, method: "GetConnectionUnixProcessID",
                arguments: [.text(sender)]
            ) { [weak self, weak connection] reply in
                guard let self, waiting.first === call else { return }
                waiting.removeFirst()
                if case .answer(let message) = reply, let process = message.number(), Self.isSessionManager(process) {
                    call.answer()
                } else {
                    carryOut(call)
                }
                next(over: connection)
            }
        }
    }

    /// Whether a process is WirePlumber: one of the first words of its command line has that name.
    ///
    /// The name of the process is that of a loader where the program is started by one.
    private static func isSessionManager(_ process: UInt32) -> Bool {
        let file = open("/proc/\(process)/cmdline", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let line = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { bytes in
            let length = read(file, bytes.baseAddress, bytes.count)
            return String(decoding: bytes.prefix(max(0, length)), as: UTF8.self)
        }
        return line.split(separator: "\0").contains { $0.split(separator: "/").last == "wireplumber" }
    }
}

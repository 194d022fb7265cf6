/// Calls to any peer, for tools and tests.
extension SessionBus {
    /// The result of a call.
    package enum Answer: Hashable, Sendable {
        /// The values of the answer, as far as they can be read.
        case values([BusValue])
        /// The name of the returned error.
        case error(String)
        /// There was no answer within two seconds.
        case silence
    }

    /// Calls a method of a peer; of the answer a table or variant at the beginning is read.
    package func call(
        _ destination: String, path: String, interface: String, method: String, _ arguments: [BusArgument] = []
    ) async -> Answer {
        await withCheckedContinuation { continuation in
            perform { [weak self] in
                guard let connection = self?.connected() else { return continuation.resume(returning: .silence) }
                connection.call(
                    destination, path: path, interface: interface, method: method, arguments: arguments
                ) { reply in
                    switch reply {
                    case .answer(let message): continuation.resume(returning: .values(Self.values(of: message)))
                    case .refusal(let name): continuation.resume(returning: .error(name))
                    case .silence: continuation.resume(returning: .silence)
                    }
                }
            }
        }
    }

    private static func values(of message: BusMessage) -> [BusValue] {
        if message.has(signature: "a{sv}") { return message.table().map { [.table($0)] } ?? [] }
        if message.has(signature: "v") { return message.variant().map { [$0] } ?? [] }
        if message.has(signature: "s") { return message.text().map { [.text($0)] } ?? [] }
        if message.has(signature: "as") { return message.texts().map { [.texts($0)] } ?? [] }
        return []
    }

    /// Reports the signals of an interface at a path: the sender, the name, and for property signals the changed and
    /// invalidated properties; for `Seeked` the position in microseconds.
    package func listen(
        path: String, _ handler: @escaping @Sendable (_ sender: String, _ member: String, _ values: [BusValue]) -> Void
    ) {
        perform { [weak self] in
            guard let self, let connection = self.connected() else { return }
            let subscription = connection.subscribe("type='signal',path='\(path)'") { message in
                var values: [BusValue] = []
                if message.has(signature: "sa{sv}as") {
                    values = [
                        message.text().map(BusValue.text), message.table().map(BusValue.table),
                        message.texts().map(BusValue.texts),
                    ].compactMap(\.self)
                } else if message.has(signature: "x") {
                    values = message.long().map { [.integer($0)] } ?? []
                }
                handler(message.sender ?? "", message.member ?? "", values)
            }
            self.keep(subscription)
        }
    }
}

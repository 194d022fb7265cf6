internal import PulseClient
internal import SessionPolicy

extension SystemSounds {
    /// The prefix of this library's sample names; the owner, a dot and a number follow.
    static let prefix = "avaudiosession."

    /// Removes the samples of killed processes, whose owner is no longer a client.
    ///
    /// Clients are listed after the samples, so the list includes every living owner of a listed sample.
    func removeStraySamples(on connection: PulseConnection) {
        connection.sync { connection in
            connection.samples { [weak self, weak connection] result in
                guard let self, let connection, case .success(let samples) = result else { return }
                let strays = samples.compactMap { sample in Self.owner(of: sample.name).map { (sample.name, $0) } }
                    .filter { $0.1 != self.owner }
                guard !strays.isEmpty else { return }
                connection.sync { connection in
                    connection.clients { [weak connection] result in
                        guard let connection, case .success(let clients) = result else { return }
                        let alive = Set(clients.compactMap { $0.properties[Claim.property].flatMap(Claim.init)?.owner })
                        connection.sync { connection in
                            for (name, owner) in strays where !alive.contains(owner) {
                                connection.removeSample(named: name)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func owner(of name: String) -> String? {
        guard name.hasPrefix(prefix) else { return nil }
        let parts = name.dropFirst(prefix.count).split(separator: ".")
        return parts.count == 2 ? String(parts[0]) : nil
    }
}

package import PulseClient
package import SessionPolicy

/// The sinks that a session manager has for roles, and the devices that their sound comes out of.
///
/// Such a sink is one end of a loopback, and a playback stream is the other: both have the same `node.link-group`. Apps are to
/// know devices, so these sinks stand in no route.
///
/// WirePlumber 0.5: sinks with `policy.role-based.target`.
package struct RoleSinks {
    /// What the sinks do to one another's sound.
    package let policy: RolePolicy
    private let outlets: [UInt32: UInt32]
    private let defaultSink: UInt32?

    /// None.
    package static var none: RoleSinks { RoleSinks(among: [], inputs: [], defaultSink: nil) }

    /// The sinks for roles among all sinks.
    ///
    /// - Parameters:
    ///   - sinks: All sinks.
    ///   - inputs: All playback streams, as far as they are known.
    ///   - defaultSink: The name of the default sink, which a loopback plays to whose stream is not known.
    package init(
        among sinks: some Collection<Sink>, inputs: @autoclosure () -> some Collection<SinkInput>, defaultSink: String?
    ) {
        let found = sinks.filter(\.isForRoles)
        policy = RolePolicy(targets: Dictionary(found.map { ($0.index, .init($0)) }) { $1 })
        guard !found.isEmpty else {
            (outlets, self.defaultSink) = ([:], nil)
            return
        }
        let ends = inputs().compactMap { input in input.properties[Self.pair].map { ($0, input.sink) } }
        let byPair = Dictionary(ends) { $1 }
        outlets = Dictionary(
            found.compactMap { sink in
                sink.properties[Self.pair].flatMap { byPair[$0] ?? nil }.map { (sink.index, $0) }
            }
        ) { $1 }
        self.defaultSink = sinks.first { $0.name == defaultSink && !$0.isForRoles }?.index
    }

    /// The device that the sound of a sink comes out of: the sink itself, unless it is one for roles.
    package func device(behind sink: UInt32) -> UInt32? {
        policy.targets[sink] == nil ? sink : outlets[sink] ?? defaultSink
    }

    private static let pair = "node.link-group"
}

extension Sink {
    /// Whether the sink is one that a session manager has for roles, and no device.
    package var isForRoles: Bool { properties["policy.role-based.target"] == "true" }
}

extension RolePolicy.Target {
    fileprivate init(_ sink: Sink) {
        func action(_ key: String) -> RolePolicy.Action {
            sink.properties["policy.role-based.action.\(key)"].flatMap(RolePolicy.Action.init) ?? .mix
        }
        self.init(
            name: sink.description, priority: sink.properties["policy.role-based.priority"].flatMap { Int($0) } ?? 0,
            samePriority: action("same-priority"), lowerPriority: action("lower-priority"))
    }
}

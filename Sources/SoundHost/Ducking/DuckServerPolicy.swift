package import PulseClient

/// Whether the server lowers streams by a policy of its own, with which ours would be multiplied.
///
/// | server | sign |
/// |---|---|
/// | PulseAudio | `module-role-ducking` is loaded; moving a stream that it has lowered ends PulseAudio 16 and 17 |
/// | PipeWire with WirePlumber 0.5 | sinks for roles (`policy.role-based.target`) |
///
/// WirePlumber 0.4 has such a policy too; its sinks cannot be told from others, and it is off unless switched on.
package enum DuckServerPolicy {
    /// Whether these modules and sinks are signs of such a policy.
    package static func isPresent(modules: [Module], sinks: [Sink] = []) -> Bool {
        modules.contains { $0.name == "module-role-ducking" }
            || sinks.contains { $0.properties["policy.role-based.target"] == "true" }
    }
}

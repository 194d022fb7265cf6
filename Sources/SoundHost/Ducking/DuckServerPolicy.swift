package import PulseClient

/// Detection of a ducking policy of the server, whose depth would multiply with the library's.
///
/// | server | sign |
/// |---|---|
/// | PulseAudio | `module-role-ducking` is loaded; moving a stream that it has lowered ends PulseAudio 16 and 17 |
/// | PipeWire with WirePlumber 0.5 | sinks for roles (`policy.role-based.target`) |
///
/// WirePlumber 0.4 has such a policy, too. It is off by default, and its sinks look like others, so it is not detected.
package enum DuckServerPolicy {
    /// Whether these modules and sinks indicate such a policy.
    package static func isPresent(modules: [Module], sinks: [Sink] = []) -> Bool {
        modules.contains { $0.name == "module-role-ducking" }
            || sinks.contains { $0.properties["policy.role-based.target"] == "true" }
    }
}

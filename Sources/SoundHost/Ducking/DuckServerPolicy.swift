package import PulseClient

/// Detection of a policy of the server that lowers all that it can, and to which ducking is left.
///
/// | server | policy | what sessions do |
/// |---|---|---|
/// | PulseAudio | `module-role-ducking` is loaded | they lower no other program: moving a stream that the module has lowered ends PulseAudio 16 and 17 |
/// | PipeWire with WirePlumber 0.5 | sinks for roles (`RolePolicy`) | they lower what a prompt's sink does not lower |
///
/// WirePlumber 0.4 has a policy for roles, too. It is off by default and not meant for desktops, and its sinks look like others,
/// so it is not detected.
package enum DuckServerPolicy {
    /// Whether these modules indicate such a policy.
    package static func isPresent(modules: [Module]) -> Bool {
        modules.contains { $0.name == "module-role-ducking" }
    }
}

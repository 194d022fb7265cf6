internal import CPulse

/// A loaded module of the server.
///
/// PulseAudio: `pa_module_info`.
public struct Module: Hashable, Sendable {
    /// The module's number.
    public let index: UInt32
    /// The name, such as `module-role-cork`.
    public let name: String
    /// The arguments of the module.
    public let argument: String
    /// Further properties of the module.
    public let properties: PropertyList

    init(_ raw: pa_module_info) {
        index = raw.index
        name = text(raw.name)
        argument = text(raw.argument)
        properties = PropertyList(raw.proplist)
    }
}

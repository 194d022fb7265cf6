internal import CPulse

/// A client of the server: one connection of a program, which may have several.
///
/// PulseAudio: `pa_client_info`.
public struct Client: Hashable, Sendable {
    /// The client's number.
    public let index: UInt32
    /// The name shown to users (`application.name`).
    public let name: String
    /// The driver, such as `protocol-native.c`.
    public let driver: String
    /// The index of the module that accepts the client's connection; nil when the server does not say.
    public let ownerModule: UInt32?
    /// Further properties of the client, such as `application.process.id`.
    public let properties: PropertyList

    init(_ raw: pa_client_info) {
        index = raw.index
        name = text(raw.name)
        driver = text(raw.driver)
        ownerModule = optionalIndex(raw.owner_module)
        properties = PropertyList(raw.proplist)
    }
}

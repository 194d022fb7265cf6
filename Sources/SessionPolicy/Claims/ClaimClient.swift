/// A client in the server's list of all clients.
package struct ClaimClient: Sendable {
    let index: UInt32
    let properties: ClaimProperties

    /// A client with this index on the server.
    package init(index: UInt32, properties: ClaimProperties) {
        self.index = index
        self.properties = properties
    }
}

/// The properties of a client that matter here.
package struct ClaimProperties: Sendable {
    let text: String?
    let name: String?

    /// Creates the properties: the text of the client's claim, if it has one, and its name to display.
    package init(text: String?, name: String?) {
        self.text = text
        self.name = name
    }
}

internal import CPulse

/// Keys and text values that describe a client, stream or device.
///
/// Values that are not text are dropped when a list is read from the server.
///
/// PulseAudio: `pa_proplist`.
public struct PropertyList: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The properties by key, such as `media.role`.
    public var values: [String: String]

    /// Creates a list of properties.
    public init(_ values: [String: String] = [:]) { self.values = values }

    /// Creates a list of properties.
    public init(dictionaryLiteral elements: (String, String)...) {
        values = Dictionary(elements, uniquingKeysWith: { $1 })
    }

    /// The value of a key.
    public subscript(key: String) -> String? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// A copy of this list with the values of another one, which take precedence.
    public func merging(_ other: PropertyList) -> PropertyList {
        PropertyList(values.merging(other.values, uniquingKeysWith: { $1 }))
    }

    init(_ raw: OpaquePointer?) {
        values = [:]
        guard let raw else { return }
        var state: UnsafeMutableRawPointer?
        while let key = pa_proplist_iterate(raw, &state) {
            guard let value = pa_proplist_gets(raw, key) else { continue }
            values[String(cString: key)] = String(cString: value)
        }
    }

    /// Lends the list in libpulse's form for the length of one call.
    func withRaw<T>(_ body: (OpaquePointer?) -> T) -> T {
        let raw = pa_proplist_new()
        defer { pa_proplist_free(raw) }
        for (key, value) in values { pa_proplist_sets(raw, key, value) }
        return body(raw)
    }
}

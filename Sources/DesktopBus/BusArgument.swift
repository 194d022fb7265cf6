internal import CSystemdBus

/// A value in a message to send.
package indirect enum BusArgument: Hashable, Sendable {
    /// D-Bus: `s`; cut before the first NUL, and without Unicode's noncharacters, as sd-bus accepts neither.
    case text(String)
    /// D-Bus: `o`.
    case path(String)
    /// D-Bus: `t`.
    case count(UInt64)
    /// D-Bus: `i`.
    case number(Int32)
    /// D-Bus: `u`.
    case bits(UInt32)
    /// D-Bus: `x`.
    case long(Int64)
    /// D-Bus: `d`.
    case real(Double)
    /// D-Bus: `b`.
    case flag(Bool)
    /// D-Bus: `as`.
    case texts([String])
    /// D-Bus: `v`.
    case variant(BusArgument)
    /// D-Bus: `a{sv}`; the values are given without their variants.
    case table([String: BusArgument])

    /// The D-Bus signature of the value.
    var signature: String {
        switch self {
        case .text: "s"
        case .path: "o"
        case .count: "t"
        case .number: "i"
        case .bits: "u"
        case .long: "x"
        case .real: "d"
        case .flag: "b"
        case .texts: "as"
        case .variant: "v"
        case .table: "a{sv}"
        }
    }

    /// Appends the value to a message; false without memory, or for an invalid value (a malformed path).
    func append(to message: OpaquePointer, _ api: UnsafePointer<systemd_bus>) -> Bool {
        func add(_ value: UnsafeRawPointer) -> Bool {
            api.pointee.message_append_basic(message, CChar(bitPattern: signature.utf8.first ?? 0), value) >= 0
        }
        func container(_ type: Unicode.Scalar, _ contents: String, _ fill: () -> Bool) -> Bool {
            api.pointee.message_open_container(message, CChar(truncatingIfNeeded: type.value), contents) >= 0 && fill()
                && api.pointee.message_close_container(message) >= 0
        }
        switch self {
        case .text(let text):
            // A noncharacter in a title would make the whole message unreadable, and with it the status.
            let speakable = String(text.unicodeScalars.filter { !$0.properties.isNoncharacterCodePoint })
            return speakable.withCString { add($0) }
        case .path(let path): return path.withCString { add($0) }
        case .count(let count): return withUnsafePointer(to: count) { add($0) }
        case .number(let number): return withUnsafePointer(to: number) { add($0) }
        case .bits(let bits): return withUnsafePointer(to: bits) { add($0) }
        case .long(let number): return withUnsafePointer(to: number) { add($0) }
        case .real(let number): return withUnsafePointer(to: number) { add($0) }
        case .flag(let flag): return withUnsafePointer(to: Int32(flag ? 1 : 0)) { add($0) }
        case .texts(let texts):
            return container("a", "s") { texts.allSatisfy { BusArgument.text($0).append(to: message, api) } }
        case .variant(let value): return container("v", value.signature) { value.append(to: message, api) }
        case .table(let table):
            return container("a", "{sv}") {
                // In a fixed order, the same in every process.
                table.sorted { $0.key < $1.key }.allSatisfy { key, value in
                    container("e", "sv") {
                        BusArgument.text(key).append(to: message, api)
                            && BusArgument.variant(value).append(to: message, api)
                    }
                }
            }
        }
    }
}

internal import CSystemdBus

/// What a method is given.
enum BusArgument {
    /// D-Bus: `s`.
    case text(String)
    /// D-Bus: `t`.
    case count(UInt64)
    /// D-Bus: `i`.
    case number(Int32)

    /// Adds it to a message; false if there is no memory for it.
    func append(to message: OpaquePointer, _ api: UnsafePointer<systemd_bus>) -> Bool {
        func add(_ type: Unicode.Scalar, _ value: UnsafeRawPointer) -> Bool {
            api.pointee.message_append_basic(message, CChar(truncatingIfNeeded: type.value), value) >= 0
        }
        switch self {
        case .text(let text): return text.withCString { add("s", $0) }
        case .count(let count): return withUnsafePointer(to: count) { add("t", $0) }
        case .number(let number): return withUnsafePointer(to: number) { add("i", $0) }
        }
    }
}

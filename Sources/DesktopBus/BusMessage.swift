internal import CSystemdBus

/// A received message, to be read from front to back while its handler runs.
///
/// Its contents come from another program, and are not trusted. A reader returns nil for another type than requested,
/// and the rest of the message must not be read then.
struct BusMessage {
    let api: UnsafePointer<systemd_bus>
    let raw: OpaquePointer

    init(_ raw: OpaquePointer, api: UnsafePointer<systemd_bus>) {
        self.raw = raw
        self.api = api
    }

    /// The unique name of the sender.
    var sender: String? { api.pointee.message_get_sender(raw).map { String(cString: $0) } }

    /// The interface, if the message names one, and the method or signal.
    var interface: String? { api.pointee.message_get_interface(raw).map { String(cString: $0) } }
    var member: String? { api.pointee.message_get_member(raw).map { String(cString: $0) } }

    /// The name of the error.
    var errorName: String? { api.pointee.message_get_error(raw)?.pointee.name.map { String(cString: $0) } }

    /// Whether the message has exactly this signature.
    func has(signature: String) -> Bool { api.pointee.message_has_signature(raw, signature) > 0 }

    /// Whether the message is an error, of the given name if any.
    func isError(_ name: String? = nil) -> Bool { api.pointee.message_is_method_error(raw, name) > 0 }

    /// A string.
    func text() -> String? { text(of: "s") }

    /// An unsigned number of 32 bits.
    func number() -> UInt32? {
        var value: UInt32 = 0
        return api.pointee.message_read_basic(raw, Self.code("u"), &value) > 0 ? value : nil
    }

    /// A Boolean.
    func flag() -> Bool? {
        var value: Int32 = 0
        return api.pointee.message_read_basic(raw, Self.code("b"), &value) > 0 ? value != 0 : nil
    }

    /// The path of an object.
    func path() -> String? { text(of: "o") }

    /// A number of 64 bits, with a sign.
    func long() -> Int64? {
        var value: Int64 = 0
        return api.pointee.message_read_basic(raw, Self.code("x"), &value) > 0 ? value : nil
    }

    /// A variant (`v`), with any value.
    func variant() -> BusValue? { value(depth: 1) }

    /// A list of strings.
    func texts() -> [String]? {
        var found: [String] = []
        let isRead = container("a", "s") {
            while let text = text() { found.append(text) }
            return true
        }
        return isRead ? found : nil
    }

    /// A dictionary with string keys and variants (`a{sv}`); nested tables are read one level deep.
    func table(depth: Int = 1) -> [String: BusValue]? {
        var found: [String: BusValue] = [:]
        let isRead = container("a", "{sv}") {
            while true {
                let entered = api.pointee.message_enter_container(raw, Self.code("e"), "sv")
                guard entered > 0 else { return entered == 0 }
                guard let key = text(), let value = value(depth: depth) else { return false }
                guard api.pointee.message_exit_container(raw) >= 0 else { return false }
                found[key] = value
            }
        }
        return isRead ? found : nil
    }

    /// A dictionary of string lists (`a{sas}`).
    func textLists() -> [String: [String]]? {
        var found: [String: [String]] = [:]
        let isRead = container("a", "{sas}") {
            while true {
                let entered = api.pointee.message_enter_container(raw, Self.code("e"), "sas")
                guard entered > 0 else { return entered == 0 }
                guard let key = text(), let list = texts() else { return false }
                guard api.pointee.message_exit_container(raw) >= 0 else { return false }
                found[key] = list
            }
        }
        return isRead ? found : nil
    }

    // MARK: Parts

    private func value(depth: Int) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard api.pointee.message_peek_type(raw, &type, &contents) > 0, type == Self.code("v"), let contents else {
            return nil
        }
        let signature = String(cString: contents)
        var result: BusValue?
        func inside(_ read: () -> BusValue?) -> Bool {
            container("v", signature) {
                result = read()
                return result != nil
            }
        }
        let isRead =
            switch signature {
            case "s", "o", "g": inside { text(of: signature).map(BusValue.text) }
            case "b": inside { flag().map(BusValue.flag) }
            case "as": inside { texts().map(BusValue.texts) }
            case "d", "y", "n", "q", "i", "u", "x", "t": inside { number(of: signature) }
            case "a{sv}" where depth > 0: inside { table(depth: depth - 1).map(BusValue.table) }
            default: api.pointee.message_skip(raw, "v") >= 0
            }
        return isRead ? result ?? .other : nil
    }

    private func number(of type: String) -> BusValue? {
        func read<Number: Numeric & BitwiseCopyable>(_ convert: (Number) -> BusValue) -> BusValue? {
            var value = Number.zero
            guard let code = type.utf8.first,
                api.pointee.message_read_basic(raw, CChar(bitPattern: code), &value) > 0
            else { return nil }
            return convert(value)
        }
        return switch type {
        case "d": read { (value: Double) in .real(value) }
        case "y": read { (value: UInt8) in .integer(Int64(value)) }
        case "n": read { (value: Int16) in .integer(Int64(value)) }
        case "q": read { (value: UInt16) in .integer(Int64(value)) }
        case "i": read { (value: Int32) in .integer(Int64(value)) }
        case "u": read { (value: UInt32) in .integer(Int64(value)) }
        case "x": read { (value: Int64) in .integer(value) }
        case "t": read { (value: UInt64) in Int64(exactly: value).map(BusValue.integer) ?? .real(Double(value)) }
        default: nil
        }
    }

    private func text(of type: String) -> String? {
        var text: UnsafePointer<CChar>?
        guard let code = type.utf8.first, api.pointee.message_read_basic(raw, CChar(bitPattern: code), &text) > 0 else {
            return nil
        }
        return text.map { String(cString: $0) }
    }

    private func container(_ type: Unicode.Scalar, _ contents: String, _ read: () -> Bool) -> Bool {
        guard api.pointee.message_enter_container(raw, Self.code(type), contents) > 0, read() else { return false }
        return api.pointee.message_exit_container(raw) >= 0
    }

    private static func code(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}

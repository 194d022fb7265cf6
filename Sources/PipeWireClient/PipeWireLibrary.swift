internal import CPipeWire

/// libpipewire, loaded when it is asked for and not before.
///
/// It is not linked: it costs start-up time and memory, and most processes never need it. Once loaded it stays.
// SAFETY: the pointer never changes, and what it points to is only read.
package final class PipeWireLibrary: @unchecked Sendable {
    /// The name under which the dynamic linker knows it.
    package static let soname = "libpipewire-0.3.so.0"

    let raw: OpaquePointer

    /// Loads the library; a name or a path can stand in for the usual one.
    ///
    /// Throws `PipeWireError` with the reason `libraryMissing`, and says what is missing.
    package init(soname: String = PipeWireLibrary.soname) throws(PipeWireError) {
        var message = [CChar](repeating: 0, count: 256)
        guard let raw = pipewire_load(soname, &message, message.count) else {
            let end = message.firstIndex(of: 0) ?? message.endIndex
            let text = String(decoding: message[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw PipeWireError(.libraryMissing, "libpipewire cannot be loaded: \(text)")
        }
        self.raw = raw
    }

    deinit { pipewire_forget(raw) }

    /// Such as `0.3.65`.
    package var version: String { String(cString: pipewire_version(raw)) }
}

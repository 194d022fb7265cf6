internal import CPipeWire

/// The library libpipewire, loaded at its first use.
///
/// It is not linked, because it costs start-up time and memory and most processes never need it. It is never unloaded.
package final class PipeWireLibrary: Sendable {
    /// The library's soname.
    package static let soname = "libpipewire-0.3.so.0"

    // SAFETY: the pointer never changes, and its target is only read.
    nonisolated(unsafe) let raw: OpaquePointer

    /// Loads the library, by its usual name or by another name or path.
    ///
    /// Throws `PipeWireError` with the reason `libraryMissing` and a description of the missing part.
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

    /// The library's version, such as `0.3.65`.
    package var version: String { String(cString: pipewire_version(raw)) }
}

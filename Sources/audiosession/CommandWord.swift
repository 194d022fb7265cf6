import Glibc

/// A word of a command line, or an entry of an environment: any bytes but 0, which need not be UTF-8.
struct CommandWord: Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Copies what C has.
    init(copying pointer: UnsafePointer<CChar>) {
        bytes = Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }

    /// For people: what is not UTF-8 is marked.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// For C, with the 0 at its end.
    var cString: [CChar] { bytes.map { CChar(truncatingIfNeeded: $0) } + [0] }

    /// The words of our own command line.
    static var ofCommandLine: [CommandWord] {
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { CommandWord(copying: $0) } }
    }
}

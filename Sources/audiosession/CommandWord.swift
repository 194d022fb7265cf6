import Glibc

/// A word of a command line or an entry of an environment: any bytes but 0, not necessarily UTF-8.
struct CommandWord: Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// A copy of a C string.
    init(copying pointer: UnsafePointer<CChar>) {
        bytes = Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }

    /// The text for people; bytes that are not UTF-8 become replacement characters.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The C string, with its final 0.
    var cString: [CChar] { bytes.map { CChar(truncatingIfNeeded: $0) } + [0] }

    /// The words of this process's command line.
    static var ofCommandLine: [CommandWord] {
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { CommandWord(copying: $0) } }
    }
}

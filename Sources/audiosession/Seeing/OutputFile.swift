import CommandLineSupport
import Glibc

/// A file that is opened before the work and written after it.
struct OutputFile {
    private let path: String
    private let descriptor: Int32

    /// Creates or empties a file; ends the process with status 73 if that fails.
    init(_ path: String) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 { Self.fail(path, errno) }
    }

    /// Writes the text and closes the file; ends the process with status 73 if that fails.
    func save(_ text: String) {
        var code = put(text, to: descriptor)
        if close(descriptor) != 0, code == 0 { code = errno }
        if code != 0 { Self.fail(path, code) }
    }

    private static func fail(_ path: String, _ code: Int32) -> Never {
        complain("cannot write \(path): \(String(cString: strerror(code)))")
        Glibc.exit(ExitStatus.cannotCreate.rawValue)
    }
}

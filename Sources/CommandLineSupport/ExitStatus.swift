import AudioFiles
import Foundation
import Glibc

/// The exit status of a program, which scripts rely on (the numbers of sysexits.h).
package enum ExitStatus: Int32, Sendable {
    /// The work is done.
    case done = 0
    /// The work failed; one line on stderr says why.
    case failed = 1
    /// The command line is invalid.
    case usage = 64
    /// The input cannot be read or is not audio.
    case inputUnreadable = 66
    /// No sound server answers.
    case noServer = 69
    /// The output cannot be created.
    case cannotCreate = 73
}

/// The reason in one line why a file cannot be read; nil if it can.
///
/// Checked before connecting to a server, so that a wrong name fails at once and with the right reason.
package func whyUnreadable(_ path: String) -> String? {
    let descriptor = open(path.pathForC, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return systemReason() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return systemReason() }
    if status.st_mode & S_IFMT == S_IFDIR { return "it is a directory" }
    if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { return "it is empty" }
    return nil
}

/// The reason in one line why a file cannot be created or overwritten; nil if it can.
///
/// Changes nothing.
package func whyNotWritable(_ path: String) -> String? {
    var status = stat()
    if stat(path.pathForC, &status) == 0 {
        if status.st_mode & S_IFMT == S_IFDIR { return "it is a directory" }
        return access(path.pathForC, W_OK) == 0 ? nil : systemReason()
    }
    guard errno == ENOENT else { return systemReason() }
    let folder = URL(fileURLWithPath: absolutePath(path)).deletingLastPathComponent().path
    return access(folder.pathForC, W_OK | X_OK) == 0 ? nil : "\(folder): \(systemReason())"
}

private func systemReason() -> String { String(cString: strerror(errno)) }

package import Foundation

/// Writes a script that can be run, by way of another process.
///
/// A process that another test forks while this one writes would hold the file open for writing until it has its own
/// program, and to run the script then fails with "Text file busy".
package func writeScript(_ text: String, to url: URL) async throws {
    let writing = #"printf '%s\n' "$1" > "$2" && chmod +x "$2""#
    let writer = try ChildProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", writing, "sh", text, url.path])
    guard try await writer.wait().status == 0 else { throw SupportError("\(url.path): \(writer.errorText)") }
}

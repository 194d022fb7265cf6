package import HeadlessServer

/// A sink or source of a private PipeWire server whose sound takes a while, as that of Bluetooth and networks does.
///
/// It is a process of its own, `fake-card`, which is killed with the last reference.
package final class DistantDevice: Sendable {
    private let process: ChildProcess

    /// Shows it to the server, and returns when it has it.
    ///
    /// - Parameters:
    ///   - name: The server's name of it.
    ///   - isSource: Whether it records; else it plays.
    ///   - milliseconds: How long its sound takes.
    ///   - server: One of PipeWire.
    package static func start(
        _ name: String, isSource: Bool, milliseconds: Int, on server: HeadlessServer
    ) async throws -> DistantDevice {
        guard server.kind == .pipeWire else { throw SupportError("a distant device needs a PipeWire server") }
        let process = try ChildProcess(
            "fake-card", [isSource ? "source" : "sink", name, "\(milliseconds)"],
            environment: server.toolEnvironment, input: true)
        _ = try await process.line(from: 0, timeout: hangLimit) { $0.contains(" distant id=") }
        let pactl = Pactl(server)
        try await waitUntil(name) {
            try await (isSource ? pactl.sources() : pactl.sinks()).contains { $0.name == name }
        }
        return DistantDevice(process)
    }

    private init(_ process: ChildProcess) { self.process = process }
}

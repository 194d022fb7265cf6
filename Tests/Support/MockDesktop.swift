package import Foundation

/// A bus of a test's own, which is both the session's and the machine's, and a desktop on it that obeys the test.
package struct MockDesktop: Sendable {
    package let bus: ChildProcess
    package let desktop: ChildProcess
    /// For programs that are to see this desktop.
    package let environment: [String: String]

    /// A desktop with these services, whose bus listens in a folder.
    package init(in folder: URL, owning services: [String]) async throws {
        let address = "unix:path=\(folder.appendingPathComponent("desktop-bus").path)"
        environment = ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address]
        bus = try await SessionBusDaemon.start(at: address, in: folder) { _ in [:] }
        desktop = try ChildProcess(
            "mock-bus", ["desktop"], environment: ["DBUS_SESSION_BUS_ADDRESS": address], input: true)
        try await desktop.line(timeout: hangLimit) { $0 == "ready" }
        for service in services { try await order("own \(service)") }
    }

    /// Has the desktop do something, and returns when it is done.
    package func order(_ order: String) async throws {
        let first = desktop.outputLines.count
        try desktop.write(line: order)
        try await desktop.line(from: first, timeout: hangLimit) { $0 == "done \(order)" }
    }

    /// Ends the desktop and its bus.
    package func kill() {
        desktop.send(SIGKILL)
        bus.send(SIGKILL)
    }
}

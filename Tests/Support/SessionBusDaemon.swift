package import Foundation
internal import HeadlessServer

/// A session bus without any services, which takes whoever connects.
package enum SessionBusDaemon {
    /// Starts one that listens at an address, and returns when it does; its configuration stays in the folder.
    ///
    /// - Parameters:
    ///   - address: Such as `unix:path=/tmp/bus`.
    ///   - folder: Where its configuration is written.
    ///   - libraries: Environment for a program that was unpacked with the servers instead of installed.
    package static func start(
        at address: String, in folder: URL, libraries: (URL) -> [String: String]
    ) async throws -> ChildProcess {
        // The system's own configuration would let the bus start services.
        let configuration = """
            <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>
            """
        let file = folder.appendingPathComponent("bus.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        guard let program = HeadlessServer.findBinary("dbus-daemon") else {
            throw SupportError("no dbus-daemon: run `make setup`")
        }
        let daemon = try ChildProcess(
            program, ["--nofork", "--nopidfile", "--nosyslog", "--print-address=1", "--config-file=\(file.path)"],
            environment: libraries(program))
        try await daemon.line { $0.hasPrefix("unix:") }
        return daemon
    }
}

import Foundation
import HeadlessServer
import TestSupport
import Testing

/// WirePlumber's policy for roles, with the sinks and settings of the example that WirePlumber 0.5 ships
/// (`media-role-nodes.conf`).
enum RoleBasedPolicy {
    /// The sinks: name, what people read, roles, priority, and what they do to sinks of lower priorities.
    private static let sinks = [
        ("multimedia", "Multimedia", "Music, Movie, Game, Multimedia", 10, "mix"),
        ("notification", "System Notifications", "Notification", 20, "mix"),
        ("navigation", "Navigation", "Navigation, GPS", 30, "duck"),
        ("assistant", "Voice Assistant", "Assistant", 40, "cork"),
        ("communication", "Communication", "Communication, Phone", 50, "cork"),
        ("alert", "Alert", "Alert, Emergency", 100, "cork"),
    ]

    private static let script = "/share/wireplumber/scripts/linking/rescan-media-role-links.lua"

    /// Whether the session manager of the tests' servers has the policy: WirePlumber 0.5 and later.
    static var isAvailable: Bool {
        let program = HeadlessServer.findBinary("wireplumber")
        let folder = program?.deletingLastPathComponent().deletingLastPathComponent()
        return folder.map { FileManager.default.fileExists(atPath: $0.path + Self.script) } ?? false
    }

    /// Why a test is left out where it does not.
    static let requirement: Comment = "only with WirePlumber 0.5 and later (make test-servers)"

    /// The configuration, for `HeadlessServer.start`.
    static let configuration = configuration(with: sinks)

    /// The same with a sink for the role of prompts, which lowers others.
    static let configurationWithPrompts =
        configuration(with: sinks + [("prompt", "Prompts", "Accessibility", 35, "duck")])

    private static func configuration(with sinks: [(String, String, String, Int, String)]) -> String {
        let names = sinks.map { "loopback.sink.role.\($0.0)" }.joined(separator: ", ")
        return """
            wireplumber.profiles = { main = { policy.linking.role-based.loopbacks = required } }
            wireplumber.settings = { node.stream.default-media-role = "Multimedia" }
            wireplumber.components.rules = [ {
              matches = [ { provides = "~loopback.sink.*" } ]
              actions = { merge = {
                requires = [ support.export-core, pw.node-factory.adapter ]
                arguments = {
                  capture.props = { policy.role-based.target = true, audio.position = [ FL, FR ], media.class = Audio/Sink }
                  playback.props = { node.passive = true, media.role = "Loopback" }
                }
              } }
            } ]
            wireplumber.components = [
              { type = virtual, provides = policy.linking.role-based.loopbacks, requires = [ \(names) ] }
            \(sinks.map(component).joined(separator: "\n"))
            ]

            """
    }

    /// Waits until all sinks are there, which come after the server takes connections.
    static func waitUntilReady(_ pactl: Pactl) async throws {
        try await waitUntil("the sinks for roles", timeout: hangLimit) {
            try await pactl.sinks().count { $0.properties["policy.role-based.target"] == "true" } >= sinks.count
        }
    }

    private static func component(
        _ name: String, _ description: String, _ roles: String, _ priority: Int, _ lower: String
    ) -> String {
        """
          { name = libpipewire-module-loopback, type = pw-module, provides = loopback.sink.role.\(name)
            arguments = { node.name = "loopback.sink.role.\(name)", node.description = "\(description)"
              capture.props = { device.intended-roles = [ \(roles) ], policy.role-based.priority = \(priority)
                policy.role-based.action.same-priority = "mix", policy.role-based.action.lower-priority = "\(lower)" } } }
        """
    }
}

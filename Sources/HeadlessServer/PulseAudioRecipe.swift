import Foundation

/// PulseAudio with null sinks, configured by a start script.
struct PulseAudioRecipe: ServerRecipe {
    let folder: ServerFolder
    let sinks: [HeadlessServer.NullSink]
    let modules: [String]

    var versionCommand: String {
        get throws { try Supervisor.quoted(ServerPrograms.require("pulseaudio")) + " --version | sed 's/.* //'" }
    }

    private var script: String { folder.configuration + "/headless.pa" }

    func prepare() throws {
        // The socket comes last: a client that can connect finds everything in place.
        let loads = sinks.map(load) + modules.map { "load-module \($0)" }
        let listen = "load-module module-native-protocol-unix socket=\(folder.socket) auth-anonymous=1"
        let defaults = sinks.prefix(1).flatMap {
            ["set-default-sink \($0.name)", "set-default-source \($0.name).monitor"]
        }
        try folder.write((loads + defaults + [listen]).joined(separator: "\n") + "\n", to: "headless.pa")
    }

    func launch(
        under supervisor: Supervisor, version: String, isAwaited: Bool, beforePolicy: () -> Void
    ) throws -> [pid_t] {
        // Shared memory stays on, as on a desktop: it is memfd, so a killed server leaves nothing in /dev/shm.
        // Rewinds are only logged at debug level.
        let level = sinks.contains(where: \.rewinds) ? "debug" : "notice"
        var command = [
            try ServerPrograms.require("pulseaudio"), "-n", "--daemonize=no", "--use-pid-file=no",
            "--exit-idle-time=-1", "--log-target=stderr", "--log-level=\(level)", "-F", script,
        ]
        if try ServerPrograms.isUnpacked("pulseaudio"), let modules = ServerPrograms.pulseModules {
            command.append("--dl-search-path=\(modules)")
        }
        let process = try supervisor.launch(command)
        try wait(for: "listening", while: [process]) { accepts(folder.socket) }
        // The daemon starts even if it cannot load a module (`.fail` and `--fail` do not change that).
        let log = (try? String(contentsOfFile: folder.log, encoding: .utf8)) ?? ""
        if let line = log.split(separator: "\n").last(where: { $0.contains("module.c: Failed to") }) {
            throw HeadlessServerError("the headless server lacks a module: \(line)")
        }
        return [process]
    }

    var policyIndex: Int? { nil }

    func launchPolicy(under supervisor: Supervisor) throws -> pid_t {
        throw HeadlessServerError("PulseAudio has no session manager")
    }

    private func load(_ sink: HeadlessServer.NullSink) -> String {
        let properties = sink.properties.isEmpty ? "" : " sink_properties=\"\(sink.properties)\""
        return "load-module module-null-sink sink_name=\(sink.name) format=\(sink.format) rate=\(sink.rate)"
            + " channels=\(sink.channels) channel_map=\(sink.channelMap)\(sink.rewinds ? "" : " norewinds=1")\(properties)"
    }
}

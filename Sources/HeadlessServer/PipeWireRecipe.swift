import Foundation

/// PipeWire, WirePlumber and pipewire-pulse with null sinks and nothing of the machine's hardware.
///
/// The distribution's own configuration is copied and added to, so that the graph behaves as on a desktop.
struct PipeWireRecipe: ServerRecipe {
    let folder: ServerFolder
    let sinks: [HeadlessServer.NullSink]
    let modules: [String]
    /// A further configuration of WirePlumber 0.5.
    let policy: String?

    var versionCommand: String {
        get throws { try Supervisor.quoted(ServerPrograms.require("pipewire")) + " --version | sed -n '$s/.* //p'" }
    }

    func prepare() throws {
        for name in ["pipewire", "wireplumber"] {
            let source = try ServerPrograms.sharedFolder(name, of: name)
            do {
                try FileManager.default.copyItem(atPath: source, toPath: folder.configuration + "/" + name)
            } catch {
                throw HeadlessServerError("cannot copy \(source): \(error.localizedDescription)")
            }
        }
        try folder.write(graph, to: "pipewire/pipewire.conf.d/headless.conf")
        try folder.write(pulse, to: "pipewire/pipewire-pulse.conf.d/headless.conf")
        try writePolicy()
    }

    func launch(
        under supervisor: Supervisor, version: String, isAwaited: Bool, beforePolicy: () -> Void
    ) throws -> [pid_t] {
        let pipewire = try supervisor.launch([ServerPrograms.require("pipewire")])
        // WirePlumber and pipewire-pulse do not wait for it, but end if they cannot connect.
        try wait(for: "listening", while: [pipewire]) { accepts(folder.path + "/pipewire-0") }
        let pulse = try supervisor.launch([ServerPrograms.require("pipewire-pulse")])
        beforePolicy()
        let wireplumber = try launchPolicy(under: supervisor)
        let processes = [pipewire, wireplumber, pulse]
        try wait(for: "listening", while: processes) { accepts(folder.socket) }
        guard let first = sinks.first else { return processes }
        // WirePlumber sets the defaults. Of their change it tells those clients only that are connecting, such as the
        // program that asks here (to 1.6); so clients that wait for them since before would not hear of it.
        let pause: UInt32? = isAwaited ? 200_000 : nil
        let pactl = try Supervisor.quoted(ServerPrograms.require("pactl"))
        for (what, suffix) in [("sink", ""), ("source", ".monitor")] {
            let name = savedDefault(what, of: sinks.map { $0.name + suffix }) ?? first.name + suffix
            // A query without an answer would block the supervisor, and a query without output must print a line as
            // well.
            let ask = "echo \"$(timeout 2 \(pactl) get-default-\(what) 2>&1 | tail -n 1)\""
            try wait(for: "choosing \(name)", while: processes, every: pause) { try supervisor.run(ask) == name }
        }
        // It may refuse streams for some milliseconds more.
        let pacat = try Supervisor.quoted(ServerPrograms.require("pacat"))
        let play = "timeout 2 \(pacat) --playback --raw </dev/null >/dev/null 2>&1; echo $?"
        try wait(for: "taking a stream", while: processes) { try supervisor.run(play) == "0" }
        if version.hasPrefix("1.4.") { try playOnce(under: supervisor) }
        return processes
    }

    /// The sink or source of `names` that a client chose before a restart, which WirePlumber chooses again.
    private func savedDefault(_ what: String, of names: [String]) -> String? {
        let path = folder.path + "/state/wireplumber/default-nodes"
        let lines = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
        let key = "default.configured.audio.\(what)="
        return lines.first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }.flatMap {
            names.contains($0) ? $0 : nil
        }
    }

    /// Plays a moment of silence on each sink: PipeWire 1.4 shows the volume of a null sink, and tells of its changes,
    /// only once something was played there.
    private func playOnce(under supervisor: Supervisor) throws {
        let pacat = try Supervisor.quoted(ServerPrograms.require("pacat"))
        for sink in sinks {
            let play = "timeout 5 \(pacat) --playback --raw --device=\(Supervisor.quoted(sink.name))"
            _ = try supervisor.run("head -c 8192 /dev/zero | \(play) >/dev/null 2>&1; echo")
        }
    }

    var policyIndex: Int? { 1 }

    func launchPolicy(under supervisor: Supervisor) throws -> pid_t {
        try supervisor.launch([ServerPrograms.require("wireplumber")])
    }

    /// The lines that set the graph's rate and quantum.
    ///
    /// The rate is the first sink's: at 48 kHz the graph would resample the sound of a 44.1 kHz sink.
    ///
    /// The quantum is at least 1024 frames, PipeWire's own value in a virtual machine. On a machine with two virtual
    /// cores, shorter cycles for a recorder that requested 5 ms lost sound in every run, these in none of ten.
    private var graph: String {
        let rate = sinks.first.map { "    default.clock.rate = \($0.rate)\n" } ?? ""
        return """
            context.properties = {
            \(rate)    default.clock.min-quantum = 1024
                support.dbus = false
            }
            context.objects = [
            \(sinks.enumerated().map(node).joined(separator: "\n"))
            ]

            """
    }

    private var pulse: String {
        let commands = modules.map { module in
            let words = module.split(separator: " ", maxSplits: 1)
            return "    { cmd = \"load-module\" args = \"\(words.joined(separator: " "))\" flags = [ ] }"
        }
        return "context.properties = { support.dbus = false }\n"
            + (commands.isEmpty ? "" : "pulse.cmd = [\n\(commands.joined(separator: "\n"))\n]\n")
    }

    private func node(_ index: Int, _ sink: HeadlessServer.NullSink) -> String {
        let position = sink.positions.joined(separator: " ")
        let properties = Self.parse(sink.properties).map { " \"\($0)\" = \"\($1)\"" }.joined()
        return """
                { factory = adapter
                  args = { factory.name = support.null-audio-sink media.class = Audio/Sink object.linger = true
                    node.name = "\(sink.name)" node.description = "\(sink.name)" audio.rate = \(sink.rate)
                    audio.channels = \(sink.channels) audio.position = [ \(position) ]
                    priority.session = \(2000 - 10 * index) monitor.channel-volumes = true\(properties) } }
            """
    }

    /// Hardware is left to the user's server, and so are portals: WirePlumber then needs no message bus.
    private func writePolicy() throws {
        // WirePlumber 0.4 is configured by scripts.
        let hardware = ["alsa_monitor", "v4l2_monitor", "libcamera_monitor", "bluez_monitor", "bluez_midi_monitor"]
        let off = hardware.map { "if \($0) then \($0).enabled = false end\n" }.joined()
        try folder.write(
            off + "default_access.properties[\"enable-flatpak-portal\"] = false\n",
            to: "wireplumber/main.lua.d/80-headless.lua")
        try folder.write(off, to: "wireplumber/bluetooth.lua.d/80-headless.lua")
        // 0.5 and later by profiles.
        let features = [
            "hardware.audio", "hardware.bluetooth", "hardware.video-capture", "support.reserve-device",
            "support.portal-permissionstore", "support.logind",
        ]
        let profile = features.map { "    \($0) = disabled\n" }.joined()
        try folder.write(
            "wireplumber.profiles = {\n  main = {\n\(profile)  }\n}\n",
            to: "wireplumber/wireplumber.conf.d/headless.conf")
        if let policy { try folder.write(policy, to: "wireplumber/wireplumber.conf.d/policy.conf") }
    }

    /// Splits `a=b c='d e'` into pairs.
    static func parse(_ properties: String) -> [(String, String)] {
        var pairs: [(String, String)] = []
        var rest = Substring(properties)
        while let equals = rest.firstIndex(of: "=") {
            let key = rest[..<equals].trimmingCharacters(in: .whitespaces)
            rest = rest[rest.index(after: equals)...]
            let quote = rest.first.flatMap { "'\"".contains($0) ? $0 : nil }
            if quote != nil { rest = rest.dropFirst() }
            let end = rest.firstIndex(of: quote ?? " ") ?? rest.endIndex
            pairs.append((key, String(rest[..<end])))
            rest = rest[end...].dropFirst()
        }
        return pairs
    }
}

import Foundation

/// The private folder of a server, and the environments that keep its programs and clients inside it.
struct ServerFolder: Sendable {
    /// The path, which is short because a socket's path can have 107 bytes only.
    let path: String
    let pulse: String
    let socket: String
    let log: String
    let configuration: String

    init() throws {
        var template = Array("/tmp/avfaudio-XXXXXX".utf8CString)
        // `mkdtemp` creates the folder for this user only (0700).
        guard mkdtemp(&template) != nil else {
            throw HeadlessServerError("cannot make a folder in /tmp: \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        pulse = path + "/pulse"
        socket = pulse + "/native"
        log = path + "/server.log"
        configuration = path + "/config"
        for folder in [pulse, configuration] { mkdir(folder, 0o700) }
        close(open(log, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    }

    /// Removes the folder if it is otherwise empty; uses no file descriptor, as there may be none left.
    func remove() {
        unlink(log)
        for folder in [pulse, configuration, path] { rmdir(folder) }
    }

    /// The environment for clients.
    ///
    /// Everything of the user's session is replaced, its buses by an address without a listener.
    var clientEnvironment: [String: String] {
        [
            "PULSE_SERVER": "unix:" + socket,
            "PULSE_RUNTIME_PATH": pulse,
            "PIPEWIRE_RUNTIME_DIR": path,
            "HOME": path,
            "XDG_RUNTIME_DIR": path,
            "XDG_CONFIG_HOME": configuration,
            "XDG_STATE_HOME": path + "/state",
            "XDG_CACHE_HOME": path + "/cache",
            "XDG_DATA_HOME": path + "/data",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)/no-bus",
            // A locked screen would silence ambient sessions.
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)/no-bus",
        ]
    }

    /// The environment for the server's programs: that of clients, nothing inherited, and the unpacked libraries if
    /// they are used.
    var serverEnvironment: [String: String] {
        var environment = clientEnvironment
        environment["PATH"] = "/usr/bin:/bin"
        environment["LANG"] = "C.UTF-8"
        // RTKit and logind are not reachable, so the server has the permissions of this process.
        environment["PIPEWIRE_CONFIG_DIR"] = configuration + "/pipewire"
        environment["WIREPLUMBER_CONFIG_DIR"] = configuration + "/wireplumber"
        environment["WIREPLUMBER_DATA_DIR"] = configuration + "/wireplumber"
        let isUnpacked = { (program: String) in (try? ServerPrograms.isUnpacked(program)) ?? false }
        if ["pulseaudio", "pactl", "pipewire", "wireplumber"].contains(where: isUnpacked) {
            environment["LD_LIBRARY_PATH"] = ServerPrograms.libraryFolders.joined(separator: ":")
        }
        if isUnpacked("pipewire") {
            environment["SPA_PLUGIN_DIR"] = ServerPrograms.pluginFolder("spa-0.")
            environment["PIPEWIRE_MODULE_DIR"] = ServerPrograms.pluginFolder("pipewire-0.")
        }
        if isUnpacked("wireplumber") {
            environment["WIREPLUMBER_MODULE_DIR"] = ServerPrograms.pluginFolder("wireplumber-0.")
        }
        return environment
    }

    func write(_ text: String, to name: String) throws {
        let file = configuration + "/" + name
        do {
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try text.write(toFile: file, atomically: false, encoding: .utf8)
        } catch {
            throw HeadlessServerError("cannot write \(file): \(error.localizedDescription)")
        }
    }
}

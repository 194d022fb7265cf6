import ArgumentParser
import CommandLineSupport
import Glibc
import SessionHistory
import SoundHost

/// The folder of a history, as an option of the commands that write and read one.
struct HistoryOptions: ParsableArguments {
    @Option(
        help: "Folder of the history (default: $XDG_STATE_HOME/avaudiosession/history).", completion: .directory)
    var folder: String?

    /// The folder; ends the process if none is named and there is no home.
    func found() -> HistoryFolder {
        if let folder { return HistoryFolder(absolutePath(folder)) }
        if let folder = HistoryFolder.ofUser() { return folder }
        complain("there is no folder for a history: neither HOME nor XDG_STATE_HOME is set, so name one with --folder")
        Glibc.exit(ExitStatus.usage.rawValue)
    }
}

/// `audiosession log`: a history on disk.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Writes what sessions and streams do into the history, until Ctrl-C.",
        discussion: """
            `audiosession history`, `explain --at` and `timeline` read it. The log waits for a sound server, survives its \
            restarts, and wakes only when it tells of a change. To run it as a service of the user: \
            audiosession log --unit > ~/.config/systemd/user/audiosession-log.service; \
            systemctl --user enable --now audiosession-log.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var history: HistoryOptions

    @Option(help: "The most bytes of the history; the oldest events are deleted.")
    var maxBytes = HistoryLimits().bytes

    @Option(help: "The age in days after which events are deleted.")
    var maxDays = HistoryLimits().days

    @Flag(help: "Write the peak levels of the sinks, too, two a second, from their monitors.")
    var levels = false

    @Flag(help: "Print the systemd unit of the log, and end.")
    var unit = false

    func validate() throws {
        guard maxBytes >= 100_000 else { throw ValidationError("--max-bytes must be at least 100000.") }
        guard maxDays > 0, maxDays <= 36_500 else {
            throw ValidationError("--max-days must be more than 0, and at most 36500.")
        }
    }

    func run() {
        if unit { return show(LogUnit.text) }
        let folder = history.found()
        Signals.block()
        let recorder: HistoryRecorder
        do throws(HistoryError) {
            recorder = HistoryRecorder(
                try HistoryStore(folder, limits: HistoryLimits(bytes: maxBytes, days: maxDays)), in: folder)
        } catch {
            complain(error.description)
            Glibc.exit(ExitStatus.cannotCreate.rawValue)
        }
        let access = ServerAccess(server)
        Signals.receive { _ in
            recorder.end()
            access.leave()
        }
        // Half a minute, since a machine without a sound server is to sleep.
        let quiet = QuietNews { recorder.note($0) }
        defer { withExtendedLifetime(quiet) {} }
        let meters = levels ? LevelMeters { recorder.note($0, peak: $1) } : nil
        ServerWatch(access: access, pace: .changesOnly, waitsForFirst: true, longestDelay: .seconds(30))
            .run(MeteredReceiver(receiver: recorder, meters: meters))
    }
}

/// The systemd unit of the log, for the user's own systemd.
enum LogUnit {
    static var text: String {
        """
        [Unit]
        Description=History of sound sessions
        Documentation=man:audiosession(1)
        After=pipewire-pulse.socket pulseaudio.socket

        [Service]
        ExecStart=\(quoted(program)) log
        Restart=on-failure
        RestartSec=10
        NoNewPrivileges=true
        MemoryMax=128M
        UMask=0077

        [Install]
        WantedBy=default.target

        """
    }

    /// This program's path.
    private static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        return String(decoding: path[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A path as systemd reads it.
    private static func quoted(_ path: String) -> String {
        let escaped = path.flatMap { character -> String in
            switch character {
            case "%": "%%"
            case "$": "$$"
            case "\"", "\\": "\\\(character)"
            default: String(character)
            }
        }
        return "\"\(String(escaped))\""
    }
}

import Foundation
import HeadlessServer

/// A player of the comparison.
struct Program {
    let name: String
    /// The command, without the file.
    let command: [String]
    /// The formats that the player cannot read.
    var unreadable: Set<String> = []

    func arguments(for file: String) -> [String] {
        name == "gst-launch" ? command + ["uri=file://" + file] : command + [file]
    }

    /// The installed players, ours first.
    static func installed(player: String) -> [Program] {
        let lossy: Set<String> = ["mp3", "m4a"]
        let others: [(String, String, [String], Set<String>)] = [
            ("paplay", "paplay", [], lossy), ("pw-play", "pw-play", [], lossy),
            ("mpv", "mpv", ["--no-config", "--no-video", "--really-quiet", "--ao=pulse"], []),
            ("ffplay", "ffplay", ["-nodisp", "-autoexit", "-loglevel", "error"], []),
            ("gst-launch", "gst-launch-1.0", ["-q", "playbin", "audio-sink=pulsesink"], []),
        ]
        return [Program(name: "player", command: [player])]
            + others.compactMap { name, program, options, unreadable in
                HeadlessServer.findBinary(program).map {
                    Program(name: name, command: [$0.path] + options, unreadable: unreadable)
                }
            }
    }
}

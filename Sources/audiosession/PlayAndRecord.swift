import ArgumentParser
import AudioHost
import CommandLineSupport
import PlayerProgram
import RecorderProgram

/// `audiosession play`: the program `player`.
struct PlayCommand: ParsableCommand {
    static let configuration = PlayerOptions.configuration(named: "play")

    @OptionGroup var options: PlayerOptions

    func run() {
        showAs("audiosession play")
        MainActor.assumeIsolated { options.play(as: "audiosession") }
    }
}

/// `audiosession record`: the program `recorder`.
struct RecordCommand: ParsableCommand {
    static let configuration = RecorderOptions.configuration(named: "record")

    @OptionGroup var options: RecorderOptions

    func run() {
        showAs("audiosession record")
        MainActor.assumeIsolated { options.record(as: "audiosession") }
    }
}

/// Names the session for other programs: without it they would be told of `audiosession`, which does many things.
private func showAs(_ name: String) {
    // The name can be set, since nothing has used it yet.
    try? AppIdentity.choose(id: "audiosession", name: name, icon: nil)
}

/// Runs `play` or `record` to the end of the process if that is the command and its words are right; otherwise does nothing.
///
/// Reading the words as one of all commands takes 60 ms longer in a debug build. Help and complaints are those of the whole
/// command line.
func runProgramOfCommand(_ words: [String]) {
    let rest = Array(words.dropFirst())
    switch words.first {
    case "play": (try? PlayCommand.parse(rest))?.run()
    case "record": (try? RecordCommand.parse(rest))?.run()
    default: break
    }
}

/// Runs `player` or `recorder` to the end of the process if this program was called by a link of that name; otherwise does
/// nothing.
@MainActor
func runProgramOfLink() {
    switch CommandLine.arguments.first?.split(separator: "/").last {
    case "player": PlayerCommand.parseOrLeave().options.play(as: "player")
    case "recorder": RecorderCommand.parseOrLeave().options.record(as: "recorder")
    default: break
    }
}

// Plays a file with blocking writes on a plain thread, and still is a good citizen: the session says what the sound
// means, and an interruption ends the write that is under way.
//
// The command line is here; what happens is in SimplePlay.swift.
import ArgumentParser
import CommandLineSupport
import Foundation

struct SimplePlayOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simple-play", abstract: "Plays a sound file through blocking writes under a session.",
        version: programVersion)

    @OptionGroup var shared: SharedOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: "The file to play.", completion: .file())
    var file: String
}

keepStandardDescriptors()
let options = SimplePlayOptions.parseOrLeave()
// A blocking stream has no place for a role of its own; the server takes it from the client's properties.
setenv("PULSE_PROP", "media.role=music", 0)
let program = Program(name: "simple-play", options: options.shared.values)
let simplePlay = SimplePlay(options: options, program: program)
program.run(simplePlay) { simplePlay.start() }

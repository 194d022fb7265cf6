// The helper of scripts/demo and others: writes the sounds to play, runs a private server, and measures the recording.
import AudioFiles
import Foundation
import HeadlessServer
import SoundAnalysis

/// Ends the program with one line for a human.
func fail(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data("demo-report: \(message)\n".utf8))
    exit(status)
}

let usage =
    "usage: demo-report acts FOLDER | tone WAV | server [pipeWire] | capture SOURCE WAV | acts-report MUSIC RECORDED SVG"
    + " | report PLAYED RECORDED PNG"

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("acts", 2): try ThreeActs.write(to: URL(fileURLWithPath: arguments[1]))
    case ("capture", 3): try ThreeActs.capture(source: arguments[1], to: arguments[2])
    case ("acts-report", 4):
        let report = try ActsReport(music: Recording(file: arguments[1]), heard: Recording(file: arguments[2]))
        try Data(report.picture().utf8).write(to: URL(fileURLWithPath: arguments[3]))
        print(report.table)
        print(report.continuity)
        print("picture    \(arguments[3])")
    case ("tone", 2):
        // Five seconds of a whole number of periods, to be played in loops.
        try TestSignal.sine(frequency: 1_000, level: -12, seconds: 5).writeWAV(to: URL(fileURLWithPath: arguments[1]))
    case ("server", 1), ("server", 2):
        // Lives as long as the script's end of our standard input.
        let isPipeWire = arguments.last == "pipeWire"
        let server = try HeadlessServer.start(isPipeWire ? .pipeWire : .pulseAudio)
        print("\(server.address) \(isPipeWire ? "PipeWire" : "PulseAudio") \(server.version)")
        fflush(nil)
        while readLine() != nil {}
        server.stop()
    case ("report", 4):
        let report = try DemoReport(played: arguments[1], recorded: arguments[2])
        try report.picture().write(to: URL(fileURLWithPath: arguments[3]))
        print(report.table)
        print("picture    \(arguments[3])")
        if !report.isHeard { fail(1, "what was played is not in the recording") }
    case ("--help", 1), ("-h", 1): print(usage)
    default: fail(64, usage)
    }
} catch {
    fail(1, "\(error)")
}

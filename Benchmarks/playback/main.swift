// Measures the cost of playback beside other installed players, on both servers.
//
//     playback-bench PLAYER [SECONDS] [RUNS]
//     playback-bench starts PLAYER [RUNS [BUILD ...]]
//     playback-bench sounds [RUNS]
//
// For each file format: processor time of the player and of the server, wake-ups of both, peak resident and
// anonymous memory; for a short file, the time from the start of the process to the first sample on the sink's monitor.
// Then, inside this process: voices that one core mixes in real time, allocations of the mixer, decoding speed.
// `starts` measures only start times, and players in a running program; other builds of the player alternate with it
// and paplay. `sounds` measures from the call to the first sample of a system sound, beside starting paplay.
import AVFAudio
import Foundation
import HeadlessServer

// The main thread waits for the programs that it measures.
let told = OperationQueue()
told.maxConcurrentOperationCount = 1
AVAudioSession.deliver(on: told)

let words = Array(CommandLine.arguments.dropFirst())
guard let player = words.first else {
    let usage = "usage: playback-bench PLAYER [SECONDS] [RUNS] | starts PLAYER [RUNS [BUILD ...]] | sounds [RUNS]\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
if player == "sounds" {
    do {
        for kind in HeadlessServer.Kind.allCases {
            try SystemSoundStart(kind: kind, runs: words.dropFirst().first.flatMap { Int($0) } ?? 20).run()
        }
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("playback-bench: \(error)\n".utf8))
        exit(1)
    }
}
if player == "starts", words.count > 1 {
    do {
        let files = try BenchFiles(seconds: 1)
        defer { files.remove() }
        let runs = words.dropFirst(2).first.flatMap { Int($0) } ?? 10
        for kind in HeadlessServer.Kind.allCases {
            let builds = words.dropFirst(3).map { Program(name: ($0 as NSString).lastPathComponent, command: [$0]) }
            let programs =
                builds.isEmpty
                ? Program.installed(player: words[1])
                : Program.installed(player: words[1]).filter { ["player", "paplay"].contains($0.name) } + builds
            try Comparison(kind: kind, programs: programs, files: files, runs: runs).starts()
        }
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("playback-bench: \(error)\n".utf8))
        exit(1)
    }
}
let seconds = words.dropFirst().first.flatMap { Double($0) } ?? 20
let runs = words.dropFirst(2).first.flatMap { Int($0) } ?? 10
do {
    let files = try BenchFiles(seconds: seconds)
    defer { files.remove() }
    let programs = Program.installed(player: player)
    for kind in HeadlessServer.Kind.allCases {
        do {
            try Comparison(kind: kind, programs: programs, files: files, runs: runs).run()
        } catch let error as HeadlessServerError {
            say("\(kind): \(error)")
        }
    }
    try MixerCost().run()
    try DecodeSpeed(files: files).run()
} catch {
    FileHandle.standardError.write(Data("playback-bench: \(error)\n".utf8))
    exit(1)
}

import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@Suite("StreamDirectory", .limited)
struct StreamDirectoryTests {
    @Test(
        "knows a stream from its start to its end: program, machine, role, cork and mute",
        arguments: HeadlessServer.Kind.allCases)
    func life(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { server, directory in
            let foreign = try await ForeignStream.start(
                on: server, role: "alarm", properties: ["avaudiosession.owner": "00000000000000ff"])
            let seen = try await directory.stream { $0.index == foreign.index && !$0.isCorked }
            #expect(seen.direction == .playback)
            #expect(seen.kind == .program)
            #expect(seen.role == "alarm")
            #expect(seen.pid == foreign.process.processID)
            #expect(seen.host == thisHost)
            #expect(seen.applicationName == "pacat")
            #expect(seen.owner == 0xFF)
            #expect(seen.client != nil)
            #expect(seen.device == directory.read { $0.sinks.values.first?.index })
            try await Pactl(server).setMute(true, sinkInput: foreign.index)
            _ = try await directory.stream { $0.index == foreign.index && $0.isMuted }
            try await foreign.kill()
            try await waitUntil("the stream's end") { directory.read(\.streams).isEmpty }
        }
    }

    @Test(
        "lists what is there at its start, and follows devices and defaults",
        arguments: HeadlessServer.Kind.allCases)
    func devices(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let foreign = try await ForeignStream.start(on: server)
            try await withDirectory(on: server) { directory in
                #expect(directory.read(\.streams).contains { $0.index == foreign.index && $0.pid != nil })
                #expect(directory.read(\.defaultSink) == "test_out")
                #expect(directory.read(\.defaultSource) == "test_out.monitor")
                let pactl = Pactl(server)
                let module = try await pactl.loadModule("module-null-sink", ["sink_name=second"])
                try await waitUntil("the new sink") {
                    directory.read { $0.sinks.values.contains { $0.name == "second" } }
                }
                try await pactl.setDefault(sink: "second")
                try await waitUntil("the new default") { directory.read(\.defaultSink) == "second" }
                try await pactl.unloadModule(module)
                try await waitUntil("the old default") { directory.read(\.defaultSink) == "test_out" }
                #expect(directory.read { $0.sinks.count } == 1)
            }
        }
    }

    @Test("lists cards, and follows what is plugged into them")
    func cards() async throws {
        try await withServer(.pipeWire) { server in
            let first = try await FakeCard.start(.pci, on: server)
            try await withDirectory(on: server) { directory in
                try await waitUntil("the card") { directory.read { $0.cards.count } == 1 }
                let second = try await FakeCard.start(.hdmi, on: server)
                try await waitUntil("another one") { directory.read { $0.cards.count } == 2 }
                try await second.unplug()
                try await first.jack(in: true)
                try await waitUntil("the headphones in one") {
                    let headphones = directory.read(\.cards).map { card in
                        card.ports.first { $0.name == "analog-output-headphones" }?.availability
                    }
                    return headphones == [.yes]
                }
                directory.read { $0.stop() }
                #expect(directory.read(\.cards).isEmpty)
            }
        }
    }

    @Test(
        "tells programs from loopbacks, recordings of sinks and cached samples, from the first look on",
        arguments: HeadlessServer.Kind.allCases)
    func kinds(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { server, directory in
            let seen = directory.allStreams()
            let pactl = Pactl(server)
            let loopback = try await pactl.loadModule("module-loopback")
            _ = try await directory.stream { $0.direction == .playback && $0.kind == .plumbing }
            _ = try await directory.stream { $0.direction == .capture && $0.kind == .plumbing }
            try await pactl.unloadModule(loopback)
            let recorder = try ChildProcess(tool: "parec", ["--device=test_out.monitor"], on: server)
            _ = try await directory.stream { $0.pid == recorder.processID && $0.kind == .plumbing }
            let foreign = try await ForeignStream.start(on: server)
            _ = try await directory.stream { $0.index == foreign.index }
            let file = try TestSignal.sine(frequency: 440, level: -20, seconds: 2)
                .writeWAV(to: server.directory.appendingPathComponent("bell.wav"))
            try await pactl.run("upload-sample", file.path, "bell")
            try await pactl.run("play-sample", "bell")
            _ = try await directory.stream { $0.kind == .sample }
            // A stream is taken for a recording of a program until the source is known.
            let wrong = seen.all.filter { stream in
                let isForeign = stream.direction == .playback && stream.index == foreign.index
                return stream.device != nil && isForeign != (stream.kind == .program)
            }
            #expect(wrong.isEmpty)
        }
    }

    @Test("knows the process of PipeWire's native programs, and their roles in PulseAudio's words")
    func native() async throws {
        try await withDirectory(.pipeWire) { server, directory in
            let file = try TestSignal.sine(frequency: 440, level: -20, seconds: 20)
                .writeWAV(to: server.directory.appendingPathComponent("call.wav"))
            let player = try ChildProcess(tool: "pw-play", ["--media-role", "Communication", file.path], on: server)
            let call = try await directory.stream { $0.pid == player.processID && !$0.isCorked }
            #expect(call.role == "phone")
            #expect(call.kind == .program)
            #expect(call.host == thisHost)
            let loopback = try ChildProcess(tool: "pw-loopback", [], on: server)
            _ = try await directory.stream { $0.kind == .plumbing }
            #expect(loopback.exit == nil)
        }
    }

    @Test("is empty and deaf once it is stopped, and starts again", arguments: HeadlessServer.Kind.allCases)
    func stopped(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { server, directory in
            let foreign = try await ForeignStream.start(on: server)
            _ = try await directory.stream { $0.index == foreign.index }
            directory.read { $0.stop() }
            #expect(directory.read { $0.streams.isEmpty && $0.clients.isEmpty && $0.defaultSink == nil })
            try await Pactl(server).setMute(true, sinkInput: foreign.index)
            #expect(directory.read { $0.streams.isEmpty })
            directory.read { $0.start() }
            _ = try await directory.stream { $0.index == foreign.index && $0.isMuted }
        }
    }

    @Test("asks for an object once at a time, however often it changes", arguments: HeadlessServer.Kind.allCases)
    func bursts(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { server, directory in
            let foreign = try await ForeignStream.start(on: server)
            _ = try await directory.stream { $0.index == foreign.index }
            let told = Journal<Bool>()
            directory.observe { told.add($0.streams.first?.isMuted == true) }
            try await Pactl(server).setMute(true, sinkInput: foreign.index)
            try await waitUntil("the mute") { told.all.last == true }
            let event = try #require(directory.events.all.last { $0.facility == .sinkInput && $0.change == .change })
            // The lock is held: no answer comes in between.
            directory.read { directory in for _ in 0..<1000 { directory.received(event) } }
            try await Pactl(server).setMute(false, sinkInput: foreign.index)
            try await waitUntil("the last change") { told.all.last == false }
            #expect(told.all.count < 40)
        }
    }
}

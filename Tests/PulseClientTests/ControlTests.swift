import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite(.limited) struct ControlTests {
    private static let sinks = [HeadlessServer.NullSink(name: "first"), HeadlessServer.NullSink(name: "second")]

    @Test(arguments: HeadlessServer.Kind.allCases)
    func streamsAreChanged(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: Self.sinks) { server in
            let connection = try await connected(to: server)
            let foreign = try await ForeignStream.start(on: server)
            let index = UInt32(foreign.index)
            try await connection.setSinkInputVolume(Volume(channels: 2, fraction: 0.5), at: index)
            try await connection.setSinkInputMute(true, at: index)
            try await waitUntil("volume and mute") {
                let input = try await connection.sinkInput(at: index)
                return input.isMuted && abs(input.volume.fraction - 0.5) < 0.01
            }
            try await connection.moveSinkInput(at: index, to: "second")
            let second = try await connection.sink(named: "second").index
            try await waitUntil("the move") { try await connection.sinkInput(at: index).sink == second }
            try await connection.killSinkInput(at: index)
            try await foreign.process.wait()
            let missing = await #expect(throws: PulseError.self) {
                try await connection.setSinkInputMute(true, at: index)
            }
            #expect(missing?.code == .noSuchEntity)
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func devicesAreChanged(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: Self.sinks) { server in
            let connection = try await connected(to: server)
            // PipeWire refuses, or forgets again, what comes before WirePlumber has set its sinks up: asked until it
            // holds.
            try await waitUntil("the changes", timeout: hangLimit) {
                try await connection.setSinkVolume(Volume(channels: 2, linear: 0.25), of: "second")
                try await connection.setSinkMute(true, of: "second")
                try await connection.setSourceMute(true, of: "first.monitor")
                try? await connection.setDefaultSink("second")
                let second = try await connection.sink(named: "second")
                let monitor = try await connection.source(named: "first.monitor")
                let info = try await connection.serverInfo()
                return second.isMuted && abs(second.volume.linear[0] - 0.25) < 0.01 && monitor.isMuted
                    && info.defaultSink == "second"
            }
            try await connection.suspendSink("first", true)
            try await waitUntil("sleep") { try await connection.sink(named: "first").state == .suspended }
            try await connection.suspendSink("first", false)
            await #expect(throws: PulseError.self) { try await connection.setSinkPort("none", of: "first") }
            await #expect(throws: PulseError.self) { try await connection.setCardProfile("off", of: "none") }
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func modulesAreLoaded(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            let index = try await connection.loadModule("module-null-sink", "sink_name=extra")
            try await waitUntil("the sink") { (try? await connection.sink(named: "extra")) != nil }
            #expect(try await connection.module(at: index).name == "module-null-sink")
            try await connection.unloadModule(index)
            try await waitUntil("no sink") { (try? await connection.sink(named: "extra")) == nil }
            await #expect(throws: PulseError.self) { try await connection.loadModule("module-that-nobody-has") }
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func clientsAreKilled(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            let states = Journal<PulseConnection.State>()
            let victim = try await connected(to: server)
            await victim.setHandlers(state: { states.add($1) })
            let index = try #require(await victim.clientIndex)
            // PipeWire lets a client in before others can see it.
            try await waitUntil("a visible client") { (try? await connection.client(at: index)) != nil }
            try await connection.killClient(at: index)
            try await states.wait(for: "the end") { if case .failed = $0 { true } else { false } }
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func volumesAreRemembered(kind: HeadlessServer.Kind) async throws {
        let modules = kind == .pulseAudio ? ["module-stream-restore restore_device=false"] : []
        try await withServer(kind, modules: modules) { server in
            let connection = try await connected(to: server)
            let name = "sink-input-by-media-role:music"
            var attempts = 0
            try await waitUntil("the entry") {
                // PipeWire loses what is written before WirePlumber has set up its store, and while another client binds
                // it; the same value once more is no change then, and nobody is told.
                attempts += 1
                let volume = Volume(channels: 2, fraction: attempts.isMultiple(of: 2) ? 0.5 : 0.504)
                let entry = StreamRestoreEntry(
                    name: name, map: ChannelMap([.frontLeft, .frontRight]), volume: volume)
                try await connection.writeRestoreEntries([entry])
                let found = try await connection.restoreEntries().first { $0.name == name }
                return found.map { abs(($0.volume?.fraction ?? 0) - 0.5) < 0.01 && !$0.isMuted } ?? false
            }
            // WirePlumber 0.5 takes only the entry of event sounds from the extension; it comes with PipeWire 1.
            if kind == .pipeWire, !server.isPipeWire(before: "1.0") { return }
            let foreign = try await ForeignStream.start(on: server, role: "music")
            try await waitUntil("a stream at half volume") {
                abs(try await connection.sinkInput(at: UInt32(foreign.index)).volume.fraction - 0.5) < 0.02
            }
            try await foreign.stop()
            if kind == .pulseAudio {
                try await connection.deleteRestoreEntries([name])
                #expect(try await connection.restoreEntries().contains { $0.name == name } == false)
            }
        }
    }

    @Test func withoutTheExtensionThereIsAnError() async throws {
        try await withServer(.pulseAudio) { server in
            let connection = try await connected(to: server)
            let error = await #expect(throws: PulseError.self) { try await connection.restoreEntries() }
            #expect(error?.code == .noSuchExtension)
        }
    }
}

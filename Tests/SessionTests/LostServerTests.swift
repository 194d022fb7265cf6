import Foundation
import HeadlessServer
import SoundAnalysis
import TestSupport
import Testing

@Suite("The sound server goes away under several apps", .limited)
struct LostServerTests {
    @Test(
        "S45, S46, S48: all are told on the main thread, are inactive with defaults afterwards, and can begin anew",
        arguments: HeadlessServer.Kind.allCases)
    func lostAndReset(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            var peers: [Peer] = []
            for number in 0..<3 {
                let peer = try await Peer.start(on: server, name: "app \(number)")
                try await peer.send("category playback moviePlayback mixWithOthers")
                try await peer.send("prefer-no-alerts 1")
                try await peer.send("play 440")
                peers.append(peer)
            }
            server.kill()
            for peer in peers {
                #expect(try await peer.wait(for: "servicesLost").bool("main") == true)
                #expect(try await peer.attempt("activate").string("fourCC") == "msrv")
                #expect(try await peer.attempt("category playback").string("fourCC") == "msrv")
                #expect(try await peer.attempt("deactivate").bool("ok") == true)
            }
            try await offPool { try server.restart() }
            for peer in peers {
                #expect(try await peer.wait(for: "servicesReset").bool("main") == true)
                let state = try await peer.state()
                #expect(state.string("category") == "soloAmbient" && state.string("mode") == "default")
                #expect(state.number("options") == 0 && state.bool("prefersNoAlerts") == false)
                #expect(state.bool("active") == false && state.bool("isPlaying") == false, "S47")
                #expect(try await peer.send("resume").bool("value") == false, "the player is dead")
                #expect(peer.events("servicesLost").count == 1 && peer.events("servicesReset").count == 1)
            }
            // And they know each other again.
            try await peers[0].send("category playback")
            try await peers[0].send("play 440")
            try await peers[1].send("category playback")
            try await peers[1].send("activate")
            try await peers[0].waitForInterruption()
            try await peers[1].send("deactivate notify")
            #expect(try await peers[0].waitForEnd().number("option") == 1)
        }
    }

    @Test(
        "S47: after the return nothing plays or records until the app says so", arguments: HeadlessServer.Kind.allCases)
    func nothingGoesOnByItself(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let (player, item) = try await (Peer.start(on: server), Peer.start(on: server))
            let recorder = try await Peer.start(on: server)
            for peer in [player, item, recorder] { try await peer.send("category playAndRecord default mixWithOthers") }
            try await player.send("play 440")
            let file = server.directory.appendingPathComponent("tone.wav")
            try await item.send(
                "avplayer \(TestSignal.sine(frequency: 880, level: -12, seconds: 30).writeWAV(to: file).path)")
            try await recorder.send("record \(server.directory.appendingPathComponent("take.wav").path)")
            let peers = [player, item, recorder]
            try await waitUntil("all their streams", timeout: hangLimit) {
                let pactl = Pactl(server)
                let streams = try await pactl.sinkInputs() + pactl.sourceOutputs()
                return Set(streams.filter { !$0.isCorked }.map(\.processID)).count == peers.count
            }
            server.kill()
            for peer in peers { try await peer.wait(for: "servicesLost") }
            try await offPool { try server.restart() }
            for peer in peers { try await peer.wait(for: "servicesReset") }
            let monitor = try await MonitorRecording.start(on: server)
            try await monitor.wait(seconds: 1)
            for peer in peers {
                let state = try await peer.state()
                #expect(state.bool("active") == false && state.bool("isPlaying") == false, "\(state)")
                #expect(state.bool("isRecording") == false && (state.number("rate") ?? 0) == 0, "\(state)")
            }
            let pactl = Pactl(server)
            let streams = try await pactl.sinkInputs() + pactl.sourceOutputs()
            let ids = peers.map(\.processID)
            #expect(!streams.contains { $0.processID.map(ids.contains) == true && !$0.isCorked }, "\(streams)")
            #expect(monitor.soFar(from: 0).peakLevel() < -80)
            // The user asks.
            try await player.send("category playback default mixWithOthers")
            #expect(try await player.send("play 440").bool("value") == true)
            try await monitor.wait(for: 440, at: -12)
            _ = try await monitor.stop()
        }
    }

    @Test(
        "S45: who plays or records as soon as it hears of the return can, though a server may answer before its devices",
        arguments: HeadlessServer.Kind.allCases)
    func goesOnAtOnce(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let player = try await Peer.start(on: server)
            let recorder = try await Peer.start(on: server)
            let file = server.directory.appendingPathComponent("take.wav").path
            try await player.send("category playback default mixWithOthers")
            try await player.send("play 440")
            try await recorder.send("category playAndRecord default mixWithOthers")
            try await recorder.send("record \(file)")
            for _ in 0..<3 {
                server.kill()
                for peer in [player, recorder] { try await peer.wait(for: "servicesLost") }
                async let restarted: Void = offPool { try server.restart() }
                for peer in [player, recorder] { try await peer.wait(for: "servicesReset") }
                try await recorder.send("category playAndRecord default mixWithOthers")
                #expect(try await recorder.send("record \(file)").bool("value") == true)
                try await player.send("category playback default mixWithOthers")
                #expect(try await player.send("play 440").bool("value") == true)
                try await restarted
            }
        }
    }

    @Test(
        "S46, S48: what is wished between the loss and the return is refused, and nothing of it is in force afterwards",
        arguments: HeadlessServer.Kind.allCases)
    func wishes(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await Peer.start(on: server)
            try await app.send("category playAndRecord default mixWithOthers")
            let first = try await app.send("wishes").string("value")
            let names = try #require(try await app.send("wish").string("value")).split(separator: ", ")
            #expect(names.count == 12 && !names.contains { $0.contains(" ") }, "\(names)")
            #expect(try await app.send("wishes").string("value") != first)
            try await app.send("activate")
            server.kill()
            try await app.wait(for: "servicesLost")
            #expect(try await app.send("wishes").string("value") == first)
            let refusals = names.map { $0 + " msrv" }.joined(separator: ", ")
            #expect(try await app.send("wish").string("value") == refusals)
            try await offPool { try server.restart() }
            try await app.wait(for: "servicesReset")
            #expect(try await app.send("wishes").string("value") == first)
            try await app.send("category playAndRecord default mixWithOthers")
            #expect(try await app.send("wish").string("value") == names.joined(separator: ", "))
        }
    }

    @Test("S45: PipeWire is not back before its session manager is, though it answers and shows devices")
    func lateManager() async throws {
        try await withServer(.pipeWire) { server in
            let player = try await Peer.start(on: server)
            let recorder = try await Peer.start(on: server)
            let file = server.directory.appendingPathComponent("take.wav").path
            try await player.send("category playback default mixWithOthers")
            try await player.send("play 440")
            try await recorder.send("category playAndRecord default mixWithOthers")
            try await recorder.send("activate")
            server.kill()
            for peer in [player, recorder] { try await peer.wait(for: "servicesLost") }
            let gate = DispatchSemaphore(value: 0)
            async let restarted: Void = offPool { try server.restart(beforePolicy: { gate.wait() }) }
            defer { gate.signal() }
            // Longer than a machine is given that has no such device.
            await #expect(throws: (any Error).self) {
                try await player.wait(for: "servicesReset", timeout: .seconds(4))
            }
            gate.signal()
            for peer in [player, recorder] { try await peer.wait(for: "servicesReset") }
            try await recorder.send("category playAndRecord default mixWithOthers")
            #expect(try await recorder.send("record \(file)").bool("value") == true)
            try await player.send("category playback default mixWithOthers")
            #expect(try await player.send("play 440").bool("value") == true)
            try await restarted
        }
    }

    @Test(
        "S45: an app that was interrupted when the server went away hears of the loss, and of no end",
        arguments: HeadlessServer.Kind.allCases)
    func interruptedBefore(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let first = try await Peer.start(on: server, name: "first")
            let second = try await Peer.start(on: server, name: "second")
            try await first.send("category playback")
            try await second.send("category playback")
            try await first.send("play 440")
            try await second.send("activate")
            try await first.waitForInterruption()
            server.kill()
            try await first.wait(for: "servicesLost")
            try await second.wait(for: "servicesLost")
            try await offPool { try server.restart() }
            try await first.wait(for: "servicesReset")
            try await second.wait(for: "servicesReset")
            #expect(first.interruptions == ["began"] && second.interruptions == [])
        }
    }

    @Test(
        "While the lost server is looked for, nothing else connects: a session is on one connection",
        arguments: HeadlessServer.Kind.allCases)
    func oneConnection(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await Peer.start(on: server)
            try await app.send("category playback")
            try await app.send("activate")
            server.kill()
            try await app.wait(for: "servicesLost")
            // Its socket is kept by somebody who will start it, as systemd does.
            let socket = try SilentServer(inPlaceOf: server)
            #expect(try await app.attempt("volume 0.5").string("fourCC") == "msrv")
            #expect(socket.takeVisitors() <= 1, "whoever looks for the server, and nobody else")
            withExtendedLifetime(socket) {}
        }
    }

    @Test(
        "A lock that was simulated ends with its server, and does not silence an app on the next one",
        arguments: HeadlessServer.Kind.allCases)
    func simulatedLock(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            // Programs come and go, so that no client of the next server has the number of the one that pretends.
            for _ in 0..<20 { _ = try await Pactl(server).clients() }
            let game = try await Peer.start(on: server, name: "game")
            try await game.send("category ambient")
            try await game.send("play 440 120")
            let simulation = try ChildProcess(
                "audiosession", ["simulate", "lock", "--pid", "\(game.processID)", "--json"], on: server)
            try await simulation.event("announced")
            let before = Scene(server: server, monitor: try await MonitorRecording.start(on: server))
            try await before.wait(for: 440, at: nil)
            server.kill()
            try await game.wait(for: "servicesLost")
            simulation.send(SIGKILL)
            try await offPool { try server.restart() }
            try await game.wait(for: "servicesReset")
            try await game.send("category ambient")
            try await game.send("play 440 120")
            let after = Scene(server: server, monitor: try await MonitorRecording.start(on: server))
            try await after.wait(for: 440, at: -12)
            _ = try await after.monitor.stop()
        }
    }
}

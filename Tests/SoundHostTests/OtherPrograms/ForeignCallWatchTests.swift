import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

@Suite("Calls of other programs", .limited)
struct ForeignCallWatchTests {
    private static let ended = HostEvent.interruptionEnded(.foreignCall, shouldResume: true)

    private static func began(_ stream: ForeignStream) -> HostEvent {
        .interruptionBegan(
            .foreignCall,
            by: InterruptionOrigin(name: "pacat", pid: stream.process.processID, stream: UInt32(stream.index)))
    }

    @Test(
        "Rule 4: a call or an alarm interrupts from its start to its end, and says who it is",
        arguments: HeadlessServer.Kind.allCases, ["phone", "alarm"])
    func startAndEnd(kind: HeadlessServer.Kind, role: String) async throws {
        try await withDirectory(kind) { server, directory in
            let watch = LiveCallWatch(directory)
            let music = try await ForeignStream.start(on: server, role: "music")
            let call = try await ForeignStream.start(on: server, role: role)
            try await watch.events.wait(for: [Self.began(call)])
            #expect(watch.blocksInput?.pid == call.process.processID)
            try await music.stop()
            try await call.kill()
            try await watch.events.wait(for: [Self.began(call), Self.ended])
            #expect(watch.blocksInput == nil)
        }
    }

    @Test("A native call of PipeWire's interrupts as well")
    func native() async throws {
        try await withDirectory(.pipeWire) { server, directory in
            let watch = LiveCallWatch(directory)
            let file = try TestSignal.sine(frequency: 440, level: -20, seconds: 20)
                .writeWAV(to: server.directory.appendingPathComponent("call.wav"))
            let call = try ChildProcess(tool: "pw-play", ["--media-role", "Communication", file.path], on: server)
            try await waitUntil("a call") { watch.events.all.count == 1 }
            guard case .interruptionBegan(.foreignCall, let origin) = watch.events.all[0] else {
                throw SupportError("\(watch.events.all)")
            }
            #expect(origin?.pid == call.processID)
            #expect(origin?.name == "pw-play")
            call.send(SIGKILL)
            try await waitUntil("its end") { watch.events.all.last == Self.ended }
        }
    }

    @Test(
        "A call that is on hold is over, and starts again when it goes on", arguments: HeadlessServer.Kind.allCases)
    func hold(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { _, directory in
            let watch = LiveCallWatch(directory)
            let call = try await directory.playback(role: "phone")
            try await waitUntil("the call") { watch.events.all.count == 1 }
            for round in 1...3 {
                try await call.cork(true)
                try await waitUntil("its end") { watch.events.all.count == 2 * round }
                try await call.cork(false)
                try await waitUntil("its start") { watch.events.all.count == 2 * round + 1 }
            }
            let ends = watch.events.all.filter { $0 == Self.ended }
            #expect(ends.count == 3)
            await call.close()
        }
    }

    @Test(
        "A call that is moved between sinks goes on: no end and no second start", .judges(.time(seconds: 0.05)),
        arguments: HeadlessServer.Kind.allCases)
    func moved(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [.init(), .init(name: "second")]) { server in
            try await withDirectory(on: server) { directory in
                let watch = LiveCallWatch(directory)
                let call = try await ForeignStream.start(on: server, role: "phone")
                try await watch.events.wait(for: [Self.began(call)])
                let pactl = Pactl(server)
                for round in 0..<10 {
                    let name = round % 2 == 0 ? "second" : "test_out"
                    let sink = try #require(directory.read { $0.sinks.values.first { $0.name == name }?.index })
                    // WirePlumber forgets some moves that follow each other closely.
                    try await waitUntil("the call on \(name)") {
                        try await pactl.move(sinkInput: call.index, to: name)
                        return directory.read { $0.sinkInputs[UInt32(call.index)]?.sink == sink }
                    }
                }
                try await call.stop()
                try await watch.events.wait(for: [Self.began(call), Self.ended])
            }
        }
    }

    @Test(
        "A call that runs before the watch begins does not interrupt, but blocks input",
        arguments: HeadlessServer.Kind.allCases)
    func before(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { server, directory in
            let first = try await ForeignStream.start(on: server, role: "phone")
            _ = try await directory.stream { $0.index == first.index && !$0.isCorked }
            let watch = LiveCallWatch(directory)
            #expect(watch.blocksInput?.stream == UInt32(first.index))
            let second = try await ForeignStream.start(on: server, role: "phone")
            try await watch.events.wait(for: [Self.began(second)])
            try await second.stop()
            try await watch.events.wait(for: [Self.began(second), Self.ended])
            try await first.stop()
            try await waitUntil("its end") { watch.blocksInput == nil }
            #expect(watch.events.all == [Self.began(second), Self.ended])
        }
    }

    @Test(
        "A participant's stream is no foreign call, from the moment on that its program takes part",
        arguments: HeadlessServer.Kind.allCases)
    func participant(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { server, directory in
            let call = try await ForeignStream.start(on: server, role: "phone")
            let claim = Claim(uid: 1, host: thisHost, pid: call.process.processID)
            let participant = Participant(id: 4711, claim: claim)
            let watch = LiveCallWatch(directory, participants: [participant])
            #expect(watch.blocksInput == nil)
            watch.set(participants: [])
            try await watch.events.wait(for: [Self.began(call)])
            watch.set(participants: [participant])
            try await watch.events.wait(for: [Self.began(call), Self.ended])
        }
    }

    @Test(
        "calls=duplex: a program that plays and takes sound from a microphone is a call, a recorder of a sink is not",
        arguments: HeadlessServer.Kind.allCases)
    func duplex(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { server, directory in
            var policy = UserPolicy()
            policy.calls = .duplex
            let watch = LiveCallWatch(directory, policy: policy)
            try await Pactl(server).addMicrophone(on: kind)
            let playback = try await directory.playback()
            let monitor = try await directory.capture(from: "test_out.monitor")
            _ = try await directory.stream { $0.direction == .capture && $0.kind == .plumbing && !$0.isCorked }
            #expect(watch.blocksInput == nil)
            let capture = try await directory.capture(from: "mic")
            try await waitUntil("the call") { watch.events.all.count == 1 }
            #expect(watch.blocksInput?.stream == playback.sync { $0.index })
            #expect(watch.blocksInput?.pid == getpid())
            await capture.close()
            try await waitUntil("its end") { watch.events.all.last == Self.ended }
            #expect(watch.events.all.count == 2)
            await monitor.close()
            await playback.close()
        }
    }

    @Test("PulseAudio corks us for the same call: one interruption began, and one ended with shouldResume")
    func withRoleCork() async throws {
        try await withDirectory(.pulseAudio, modules: ["module-role-cork"]) { server, directory in
            let watch = LiveCallWatch(directory)
            let music = try await directory.playback(role: "music")
            let silences = Journal<Int>()
            let policyWatch = directory.read { _ in
                ServerPolicyWatch(connection: directory.connection, silence: { silences.add(watch.events.all.count) }) {
                    watch.events.add($0)
                }
            }
            directory.read { _ in policyWatch.streamAppeared(music.sync { $0.index }) {} }
            await music.setHandlers(
                request: { _, _ in },
                event: { if case .server(let name) = $1 { policyWatch.streamAsked(name) } })
            let events = directory.events
            await directory.connection.setHandlers(event: { [directory] _, event in
                events.add(event)
                directory.directory.received(event)
                if event.facility == .sinkInput { policyWatch.sinkInputChanged(event) }
            })
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await waitUntil("both began") { watch.events.all.count == 2 }
            try await music.cork(true)
            try await call.stop()
            try await waitUntil("both ended among \(watch.events.all)") { watch.events.all.count == 4 }
            var machine = SessionMachine()
            _ = machine.activated(implicitly: false)
            var told: [SessionNotification] = []
            for event in watch.events.all {
                for case .post(let notification) in machine.received(event) { told.append(notification) }
            }
            #expect(told.count == 2)
            let origin = InterruptionOrigin(name: "pacat", pid: call.process.processID, stream: UInt32(call.index))
            #expect(watch.events.all.contains(.interruptionBegan(.serverPolicy, by: origin)))
            guard case .interruptionBegan(_, origin) = told.first else {
                Issue.record("\(told) without \(origin)")
                return
            }
            #expect(silences.all.count == 1)
            #expect(told.last == .interruptionEnded(shouldResume: true))
            await music.close()
        }
    }
}

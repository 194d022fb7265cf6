import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Routes: what decides them, and what is news", .serialized, .limited)
struct RouteDetailTests {
    @Test(
        "PULSE_SINK is in the place of the default output: an app's own choice wins, before it plays and while it does",
        .oneSlot)
    func environment() async {
        // In a process of its own: the variable is everybody's there.
        await #expect(processExitsWith: .success) {
            setenv("PULSE_SINK", "hall", 1)
            for kind in HeadlessServer.Kind.allCases {
                let sinks = ["desk", "hall", "attic"].map { HeadlessServer.NullSink(name: $0) }
                try await withServer(kind, sinks: sinks) { server in
                    try await Pactl(server).setDefault(sink: "desk")
                    let session = AVAudioSession(server: server.address)
                    func wait(_ name: String, _ what: String) async throws {
                        try await waitUntil("\(name) \(what)") { session.currentRoute.outputs.map(\.uid) == [name] }
                    }
                    try session.setCategory(.playback)
                    try await wait("hall", "of a session that is not active")
                    try session.setActive(true)
                    #expect(session.currentRoute.outputs.map(\.uid) == ["hall"], "the devices are watched now")
                    let data = TestSignal.sine(level: -12, seconds: 60).wavData
                    let player = try AVAudioPlayer(data: data, session: session)
                    #expect(player.play())
                    try await wait("hall", "of the sound")
                    let attic = session.availableOutputs.first { $0.uid == "attic" }
                    try session.setPreferredOutput(attic)
                    try await wait("attic", "that was chosen")
                    player.stop()
                    try session.setActive(false)
                    let monitor = try await MonitorRecording.start(on: server, sink: sinks[1])
                    #expect(player.play())
                    try await wait("attic", "of a new stream")
                    let place = player.currentTime
                    try await waitUntil("more sound") { player.currentTime > place + 0.3 }
                    let streams = try await Pactl(server).sinkInputs(of: getpid())
                    let index = try await Pactl(server).sink("attic")?.index
                    #expect(streams.map(\.device) == [index])
                    #expect(try await monitor.stop().soundRange() == nil, "not even at first")
                    try session.setPreferredOutput(nil)
                    try await wait("hall", "at last")
                    player.stop()
                }
            }
        }
    }

    @Test("S67, S69: another rate of an input is a change of the route, and none of the available inputs")
    func rateOfAnInput() async throws {
        try await withServer(.pulseAudio, sinks: [HeadlessServer.NullSink(name: "desk")]) { server in
            let pactl = Pactl(server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.record)
            try session.setActive(true)
            let (told, changes) = (Log<[String]>(), RouteEvents(of: session))
            let inputs: @Sendable () -> [String] = { session.availableInputs?.map(\.uid) ?? [] }
            let first = inputs()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.availableInputsChangeNotification, object: session, queue: nil
            ) { _ in told.note(inputs()) }
            let file = server.directory.appendingPathComponent("48.wav")
            try TestSignal.sine(level: -12, seconds: 30, sampleRate: 48_000).wavData.write(to: file)
            let stream = try await ForeignStream.start(on: server, playing: .file(file))
            // The sink has taken that rate, and so has its monitor; the server says so with the next news of that.
            try await pactl.run("set-source-volume", "desk.monitor", "50%")
            try await waitUntil("the rate") { changes.all.map(\.reason) == [.routeConfigurationChange] }
            _ = try await pactl.loadModule("module-null-sink", ["sink_name=more", "norewinds=1"])
            try await waitUntil("one more") { told.all.last?.contains("more.monitor") == true }
            for (before, after) in zip([first] + told.all, told.all) { #expect(before != after) }
            try await stream.stop()
            NotificationCenter.default.removeObserver(token)
        }
    }

    @Test(
        "what is said to be unplugged for a second time is not silenced again", .judges(.time(seconds: 0.5)),
        arguments: HeadlessServer.Kind.allCases)
    func unpluggedTwice(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback, options: .mixWithOthers)
            let data = TestSignal.sine(level: -12, seconds: 60).wavData
            let player = try AVAudioPlayer(data: data, session: session)
            let events = RouteEvents(of: session)
            #expect(player.play())
            let monitor = try await MonitorRecording.start(on: server)
            func unplug() async throws {
                let arguments = ["simulate", "unplug", "--pid", "\(getpid())"]
                #expect(try await ChildProcess("audiosession", arguments, on: server).wait().status == 0)
            }
            try await unplug()
            try await waitUntil("the news") { events.all.map(\.reason) == [.oldDeviceUnavailable] }
            let first = monitor.frames
            try await monitor.waitForSound(from: first)
            let second = monitor.frames
            try await unplug()
            // The command says it for half a second, and a silence lasts a whole one.
            try await monitor.wait(seconds: 0.7)
            let heard = try await monitor.stop()
            let block = heard.sampleRate / 100
            let loud = (second / block..<heard.frames / block).filter { index in
                heard.channels[0][index * block..<(index + 1) * block].contains { abs($0) > 0.01 }
            }
            let longest = zip(loud, loud.dropFirst()).map { $1 - $0 }.max() ?? .max
            #expect(longest < 50 && heard.frames / block - (loud.last ?? 0) < 50, "hundredths of a second")
            #expect(events.all.count == 1)
            player.stop()
        }
    }
}

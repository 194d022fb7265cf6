import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Cards with connectors, as PipeWire and its session manager treat hardware.
@Suite("Routes of cards", .serialized, .limited)
struct CardRouteTests {
    private func outputs(_ session: AVAudioSession) -> [AVAudioSession.Port] {
        session.currentRoute.outputs.map(\.portType)
    }

    private func player(in session: AVAudioSession) throws -> AVAudioPlayer {
        let player = try AVAudioPlayer(data: TestSignal.sine(level: -12, seconds: 60).wavData, session: session)
        try #require(player.play())
        return player
    }

    /// A card whose sink is the default one.
    private func card(_ model: FakeCard.Model, on server: HeadlessServer) async throws -> FakeCard {
        let card = try await FakeCard.start(model, on: server)
        let pactl = Pactl(server)
        let sink = try #require(card.nodeNames.first { $0.contains("output") })
        try await waitUntil("the card's sink") { try await pactl.sink(sink) != nil }
        try await pactl.setDefault(sink: sink)
        return card
    }

    /// Makes the card's microphone the default source, and returns its name.
    private func microphone(of card: FakeCard, on server: HeadlessServer) async throws -> String {
        let pactl = Pactl(server)
        let source = try #require(card.nodeNames.first { $0.contains("input") })
        try await waitUntil("the microphone") { try await pactl.sources().contains { $0.name == source } }
        try await pactl.setDefault(source: source)
        return source
    }

    /// Whether the session manager of the tests' servers switches a headset for streams of the role of calls: before 0.5.
    ///
    /// Later ones switch it for who records from a source that they make for real headsets only.
    private static var switchesByRole: Bool {
        let program = HeadlessServer.findBinary("wireplumber")
        let folder = program?.deletingLastPathComponent().deletingLastPathComponent().path
        let script = "/share/wireplumber/scripts/policy-bluetooth.lua"
        return folder.map { FileManager.default.fileExists(atPath: $0 + script) } ?? false
    }

    private static let headsetSwitch: Comment = "WirePlumber from 0.5 on switches real headsets only"

    /// The profile in use of the only card.
    private func profile(on server: HeadlessServer) async throws -> String? {
        try await Pactl(server).run("list", "cards").split(separator: "\n")
            .first { $0.contains("Active Profile:") }?.split(separator: ":", maxSplits: 1).last
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("headphones in a jack: plugged in, they are new; pulled, they are gone, and who pauses stays silent")
    func jack() async throws {
        try await withServer(.pipeWire) { server in
            let card = try await card(.pci, on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            let player = try player(in: session)
            try await waitUntil("the speaker") { outputs(session) == [.builtInSpeaker] }
            let events = RouteEvents(of: session) { session in
                if session.currentRoute.outputs.first?.portType == .builtInSpeaker { player.pause() }
            }
            try await card.jack(in: true)
            try await waitUntil("the headphones") { outputs(session) == [.headphones] }
            let headphones = try #require(session.currentRoute.outputs.first?.uid)
            #expect(player.isPlaying && headphones.hasSuffix("analog-output-headphones"))
            try await card.jack(in: false)
            try await waitUntil("the speaker again") { outputs(session) == [.builtInSpeaker] }
            try await waitUntil("the pause") { !player.isPlaying }
            // The word of what was waited for may come after the state.
            func areHeadphones(_ outputs: [String]) -> Bool { outputs == [headphones] }
            try await waitUntil("both news") { events.all.contains { areHeadphones($0.previous) } }
            let told = events.all
            #expect(told.filter { areHeadphones($0.current) }.map(\.reason) == [.newDeviceAvailable], "\(told)")
            #expect(told.filter { areHeadphones($0.previous) }.map(\.reason) == [.oldDeviceUnavailable], "\(told)")
            // The session manager may take the other sink until the card has gone over to what is connected.
            let others = told.filter { !areHeadphones($0.current) && !areHeadphones($0.previous) }
            #expect(others.allSatisfy { $0.previous == ["test_out"] || $0.current == ["test_out"] }, "\(told)")
        }
    }

    /// Alone: a busy server still answers about the card when the next change comes, and that one may count as a loss.
    @Test(
        "another profile of the card is somebody's choice while the headphones stay in the jack; then they are pulled",
        .alone, arguments: [false, true])
    func profiles(isCardPulled: Bool) async throws {
        try await withServer(.pipeWire) { server in
            let card = try await card(.pci, on: server)
            let pactl = Pactl(server)
            try await card.jack(in: true)
            try await waitUntil("the jack") {
                try await pactl.run("list", "sinks").contains("Active Port: analog-output-headphones")
            }
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let player = try player(in: session)
            try await waitUntil("the headphones") { outputs(session) == [.headphones] }
            let events = RouteEvents(of: session)
            for _ in 1...5 {
                try await pactl.run("set-card-profile", "alsa_card.pci-0000_00_1f.3", "output:hdmi-stereo")
                // Nothing is plugged into that connector.
                try await waitUntil("the null sink") { events.all.last?.current == ["test_out"] }
                try await pactl.run("set-card-profile", "alsa_card.pci-0000_00_1f.3", "output:analog-stereo")
                try await waitUntil("the headphones again") {
                    events.all.last?.current.first?.hasSuffix("analog-output-headphones") == true
                }
            }
            // While the server is still asked about the card, headphones that come back may count as new.
            let told = events.all
            let away = told.filter { $0.current == ["test_out"] }.map(\.reason)
            let back = told.filter { $0.current != ["test_out"] }.map(\.reason)
            #expect(away == Array(repeating: .override, count: 5), "\(told)")
            #expect(Set(back).isSubset(of: [.override, .newDeviceAvailable]), "\(told)")
            #expect(player.isPlaying)
            try await isCardPulled ? card.unplug() : card.jack(in: false)
            try await waitUntil("the loss") { events.all.last?.reason == .oldDeviceUnavailable }
            try await waitUntil("the interruption") { !player.isPlaying }
        }
    }

    @Test("headphones that the app chose are not the speaker of their card: pulled, the output is the system's again")
    func chosenHeadphones() async throws {
        try await withServer(.pipeWire) { server in
            let card = try await card(.pci, on: server)
            try await Pactl(server).setDefault(sink: "test_out")
            try await card.jack(in: true)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            try await waitUntil("the headphones") {
                session.availableOutputs.contains { $0.portType == .headphones }
            }
            let chosen = try #require(session.availableOutputs.first { $0.portType == .headphones })
            try session.setPreferredOutput(chosen)
            let player = try player(in: session)
            try await waitUntil("the chosen ones") { outputs(session) == [.headphones] }
            let events = RouteEvents(of: session)
            try await card.jack(in: false)
            try await waitUntil("the default") { events.all.last?.current == ["test_out"] }
            #expect(events.all.first?.reason == .oldDeviceUnavailable)
            #expect(session.preferredOutput == nil && player.isPlaying)
            try await card.jack(in: true)
            try await waitUntil("the chosen ones again") { outputs(session) == [.headphones] }
            #expect(session.preferredOutput?.uid == chosen.uid && player.isPlaying)
            player.stop()
        }
    }

    @Test("S50, S51: a headset's microphone in a jack is new, and is lost, though it is a connector of the same source")
    func jackMicrophone() async throws {
        try await withServer(.pipeWire) { server in
            let card = try await card(.pci, on: server)
            let source = try await microphone(of: card, on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.record)
            try session.setActive(true)
            try await waitUntil("the built-in one") { session.currentRoute.inputs.map(\.portType) == [.builtInMic] }
            let events = RouteEvents(of: session)
            try await card.jack(in: true)
            try await waitUntil("the headset's") { events.all.last?.reason == .newDeviceAvailable }
            #expect(session.currentRoute.inputs.map(\.portType) == [.headsetMic])
            #expect(session.currentRoute.inputs.map(\.uid) == [source])
            try await card.jack(in: false)
            try await waitUntil("the loss") { events.all.contains { $0.reason == .oldDeviceUnavailable } }
            // The session manager may take the other source until the card has gone over to its own microphone.
            try await waitUntil("the built-in one") { session.currentRoute.inputs.map(\.portType) == [.builtInMic] }
            let chosen = events.all.filter { $0.reason == .override }
            #expect(chosen.allSatisfy { $0.previousInput == .virtual }, "\(events.all)")
            try session.setActive(false)
        }
    }

    @Test("a card that is pulled, and plugged in again")
    func unplugged() async throws {
        try await withServer(.pipeWire) { server in
            let card = try await card(.usb, on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let player = try player(in: session)
            try await waitUntil("the card") { outputs(session) == [.usbAudio] }
            let events = RouteEvents(of: session)
            try await card.unplug()
            try await waitUntil("the news") { events.all.last?.reason == .oldDeviceUnavailable }
            try await waitUntil("the interruption") { !player.isPlaying }
            #expect(outputs(session) == [.virtual])
        }
    }

    @Test("S59, S65: defaultToSpeaker, where the default output is an earpiece; data sources of a microphone")
    func phone() async throws {
        try await withServer(.pipeWire) { server in
            let card = try await card(.phone, on: server)
            let source = try await microphone(of: card, on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let player = try player(in: session)
            try await waitUntil("the earpiece") { outputs(session) == [.builtInReceiver] }
            try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
            try await waitUntil("the speaker") { outputs(session) == [.builtInSpeaker] }
            try session.setCategory(.playAndRecord)
            try await waitUntil("the earpiece again") { outputs(session) == [.builtInReceiver] }

            try await waitUntil("an input") { session.currentRoute.inputs.first?.uid == source }
            let input = try #require(session.currentRoute.inputs.first)
            let sources = try #require(input.dataSources)
            #expect(sources.map(\.orientation) == [.front, .back] && sources.map(\.dataSourceID) == [1, 2])
            #expect(input.selectedDataSource == sources[0] && input.preferredDataSource == nil)
            let events = RouteEvents(of: session)
            try session.setInputDataSource(sources[1])
            try await waitUntil("the rear one") { session.inputDataSource == sources[1] }
            try await waitUntil("the news") { events.all.last?.reason == .routeConfigurationChange }
            #expect(session.currentRoute.inputs.first?.preferredDataSource == sources[1])
            #expect(sources[1].supportedPolarPatterns == nil && sources[1].selectedPolarPattern == nil)
            #expect(throws: NSError.self) { try sources[1].setPreferredPolarPattern(.cardioid) }
            try session.setInputDataSource(nil)
            try await waitUntil("the front one") { session.inputDataSource == sources[0] }
            player.stop()
        }
    }

    @Test("S65: a data source keeps its number, and can be chosen by what was known of it, whatever is plugged in")
    func numbers() async throws {
        try await withServer(.pipeWire) { server in
            let card = try await card(.phone, on: server)
            _ = try await microphone(of: card, on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.record)
            try await waitUntil("two data sources") { session.inputDataSources?.map(\.dataSourceID) == [1, 2] }
            let rear = try #require(session.inputDataSources?.last)
            try await card.setAvailability(["[In] FrontMicOmni": .no, "[In] FrontMicCardioid": .no])
            // PipeWire takes the source away for some milliseconds when it goes over to another connector.
            try await waitUntil("one of them") { session.inputDataSources?.map(\.dataSourceID) == [2] }
            try await waitUntil("a choice") { (try? session.setInputDataSource(rear)) != nil }
            try await waitUntil("what was known of it") { session.inputDataSources == [rear] }
            try await waitUntil("the rear one") { session.inputDataSource == rear }
        }
    }

    @Test("S66: a microphone with polar patterns: what is chosen is used, at once or when its data source is")
    func patterns() async throws {
        try await withServer(.pipeWire) { server in
            let card = try await card(.phone, on: server)
            _ = try await microphone(of: card, on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.record)
            try session.setActive(true)
            try await waitUntil("an input") { session.inputDataSource != nil }
            let sources = try #require(session.inputDataSources)
            let front = sources[0]
            #expect(
                front.dataSourceName == "Front Microphone"
                    && front.supportedPolarPatterns == [.omnidirectional, .cardioid])
            #expect(front.selectedPolarPattern == .omnidirectional && front.preferredPolarPattern == nil)
            let events = RouteEvents(of: session)
            try front.setPreferredPolarPattern(.cardioid)
            try await waitUntil("cardioid") { session.inputDataSource?.selectedPolarPattern == .cardioid }
            try await waitUntil("the news") { events.all.last?.reason == .routeConfigurationChange }
            #expect(session.inputDataSource == front && front.preferredPolarPattern == .cardioid)
            #expect(throws: NSError.self) { try front.setPreferredPolarPattern(.stereo) }
            #expect(session.inputDataSource?.selectedPolarPattern == .cardioid)
            // Of one that is not in use it is kept for later.
            try session.setInputDataSource(sources[1])
            try await waitUntil("the rear one") { session.inputDataSource == sources[1] }
            try front.setPreferredPolarPattern(nil)
            try front.setPreferredPolarPattern(.cardioid)
            #expect(session.inputDataSource == sources[1])
            try session.setInputDataSource(front)
            try await waitUntil("cardioid again") { session.inputDataSource?.selectedPolarPattern == .cardioid }
            try front.setPreferredPolarPattern(nil)
            try await waitUntil("the system's") { session.inputDataSource?.selectedPolarPattern == .omnidirectional }
            try session.setActive(false)
        }
    }

    @Test(
        "S62: a Bluetooth headset stays as it is while music plays, and takes part in a call while that lasts",
        .enabled(if: switchesByRole, headsetSwitch))
    func bluetooth() async throws {
        try await withServer(.pipeWire) { server in
            let headset = try await card(.bt, on: server)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            #expect(recorder.record())
            try await waitUntil("some frames") { recorder.currentTime > 0.5 }
            #expect(try await profile(on: server) == "a2dp-sink")
            recorder.stop()
            try session.setActive(false)
            try session.setCategory(.playAndRecord, mode: .voiceChat, options: .allowBluetoothHFP)
            let call = try AVAudioRecorder(url: server.file("b.wav"), settings: stereoSettings, session: session)
            #expect(call.record())
            try await waitUntil("hands-free") { try await profile(on: server) == "headset-head-unit" }
            call.stop()
            try session.setActive(false)
            try await waitUntil("music again") { try await profile(on: server) == "a2dp-sink" }
            try await headset.quit()
        }
    }

    @Test(
        "a Bluetooth headset plays music again after a program in a call was killed",
        .enabled(if: switchesByRole, headsetSwitch))
    func bluetoothAfterKill() async throws {
        try await withServer(.pipeWire) { server in
            let headset = try await card(.bt, on: server)
            let file = server.file("call.wav").path
            let options = ["--category", "playAndRecord", "--mode", "voiceChat", "--option", "allowBluetoothHFP"]
            let recorder = try ChildProcess("recorder", ["--json"] + options + [file], on: server)
            try await waitUntil("hands-free") { try await profile(on: server) == "headset-head-unit" }
            recorder.send(SIGKILL)
            try await waitUntil("music again") { try await profile(on: server) == "a2dp-sink" }
            try await headset.quit()
        }
    }

    @Test("S61: the output follows to the hands-free set whose microphone the app prefers")
    func preferredHandsFree() async throws {
        try await withServer(.pipeWire) { server in
            let pactl = Pactl(server)
            let headset = try await card(.bt, on: server)
            try await headset.setProfile("headset-head-unit")
            try await waitUntil("the microphone") {
                try await pactl.sources().contains { $0.name.hasPrefix("bluez_input") }
            }
            try await pactl.setDefault(sink: "test_out")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord, options: .allowBluetoothHFP)
            let player = try player(in: session)
            try await waitUntil("the default") { outputs(session) == [.virtual] }
            let microphone = try #require(session.availableInputs?.first { $0.portType == .bluetoothHFP })
            try session.setPreferredInput(microphone)
            try await waitUntil("the headset") { outputs(session) == [.bluetoothHFP] }
            // S64: what is gone is not preferred any more, whether or not anybody asks.
            let events = RouteEvents(of: session)
            try await headset.unplug()
            try await waitUntil("the default again") { events.all.last?.current == ["test_out"] }
            try await waitUntil("no wish") { session.preferredInput == nil }
            player.stop()
        }
    }
}

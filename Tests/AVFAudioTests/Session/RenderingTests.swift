import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// In how many channels a session is heard, and what else it says of its route.
@Suite("Rendering", .serialized, .limited)
struct RenderingTests {
    /// The modes that are told, for as long as the token is observed.
    private func modes(of session: AVAudioSession) -> (
        log: Log<AVAudioSession.RenderingMode>, token: any NSObjectProtocol
    ) {
        let log = Log<AVAudioSession.RenderingMode>()
        let token = NotificationCenter.default.addObserver(
            forName: AVAudioSession.renderingModeChangeNotification, object: session, queue: nil
        ) { note in
            let mode = note.userInfo?[AVAudioSessionRenderingModeNewRenderingModeKey]
            if let mode = mode as? AVAudioSession.RenderingMode { log.note(mode) }
        }
        return (log, token)
    }

    @Test(
        "The mode is that of the output's channels while a player runs, and each change is told",
        arguments: zip(HeadlessServer.Kind.allCases, [2, 6]))
    func mode(kind: HeadlessServer.Kind, channels: Int) async throws {
        var sink = kind.sink
        sink.channels = channels
        try await withServer(kind, sinks: [sink]) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let (modes, token) = modes(of: session)
            defer { NotificationCenter.default.removeObserver(token) }
            #expect(session.renderingMode == .notApplicable)
            let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 20).wavData, session: session)
            #expect(player.play())
            let heard: AVAudioSession.RenderingMode = channels > 2 ? .surround : .monoStereo
            try await waitUntil("being heard") { modes.all == [heard] }
            #expect(session.renderingMode == heard)
            let layouts = session.supportedOutputChannelLayouts.map(\.layoutTag)
            #expect(layouts == (channels > 2 ? [kAudioChannelLayoutTag_MPEG_5_1_A] : []))
            player.stop()
            try await waitUntil("being silent") { modes.all == [heard, .notApplicable] }
            #expect(session.renderingMode == .notApplicable)
        }
    }

    @Test("Another output with more channels is told as other capabilities", arguments: HeadlessServer.Kind.allCases)
    func capabilities(kind: HeadlessServer.Kind) async throws {
        var wide = kind.sink
        (wide.name, wide.channels) = ("wide", 6)
        try await withServer(kind, sinks: [kind.sink, wide]) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let player = try AVAudioPlayer(data: TestSignal.sine(seconds: 20).wavData, session: session)
            #expect(player.play())
            try await waitUntil("the narrow one") { session.currentRoute.outputs.first?.channels?.count == 2 }
            let told = Log<Int>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.renderingCapabilitiesChangeNotification, object: session, queue: nil
            ) { _ in told.note(1) }
            let port = try #require(session.availableOutputs.first { $0.uid.hasPrefix("wide") })
            try session.setPreferredOutput(port)
            try await waitUntil("other capabilities") { told.all.count == 1 }
            #expect(session.supportedOutputChannelLayouts.count == 1)
            player.stop()
            NotificationCenter.default.removeObserver(token)
        }
    }

    @Test("Prompts are short while another app speaks, and none in a call", arguments: HeadlessServer.Kind.allCases)
    func prompts(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback, mode: .voicePrompt, options: .mixWithOthers)
            try session.setActive(true)
            #expect(session.promptStyle == .normal)
            let book = AVAudioSession(apartOn: server.address)
            try book.setCategory(.playback, mode: .spokenAudio)
            try book.setActive(true)
            try await waitUntil("short") { session.promptStyle == .short }
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await waitUntil("none") { session.promptStyle == .none }
            try await call.stop()
            try book.setActive(false)
            try await waitUntil("normal") { session.promptStyle == .normal }
        }
        #expect(AVAudioSession(server: "unix:/nonexistent/pulse").promptStyle == .normal)
    }

    @Test("What others do is asked of a server that hangs for two seconds at most", .judges(.time(seconds: 2.5)))
    func othersOnAHangingServer() async throws {
        try await withServer(.pulseAudio) { server in
            let session = AVAudioSession(server: server.address)
            #expect(session.promptStyle == .normal)
            server.suspendProcess()
            defer { server.resumeProcess() }
            let questions: [@Sendable () -> Bool] = [
                { session.promptStyle == .normal }, { !session.secondaryAudioShouldBeSilencedHint },
                { !session.isOtherAudioPlaying },
            ]
            let times = Log<Duration>()
            // All at once, and each on a thread of its own.
            for question in questions {
                Thread { times.note(ContinuousClock().measure { #expect(question()) }) }.start()
            }
            try await waitUntil("three answers") { times.all.count == questions.count }
            #expect(times.all.allSatisfy { $0 < .milliseconds(2500) }, "\(times.all)")
        }
    }

    @Test("Playback goes to the system's route, and nowhere without one", arguments: HeadlessServer.Kind.allCases)
    func routeSelection(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let answer = await AVAudioSession(server: server.address).prepareRouteSelectionForPlayback()
            #expect(answer.0 && answer.1 == .local)
        }
        let nowhere = await AVAudioSession(server: "unix:/nonexistent/pulse").prepareRouteSelectionForPlayback()
        #expect(!nowhere.0 && nowhere.1 == .none)
    }

    @Test("What Linux does not have is refused, and its absence is not")
    func refusals() throws {
        let session = AVAudioSession(server: "unix:/nonexistent/pulse")
        try session.setPreferredMicrophoneInjectionMode(.none)
        try session.setIntendedSpatialExperience(.bypassed)
        #expect(session.intendedSpatialExperience == .bypassed && !session.isMicrophoneInjectionAvailable)
        let refused = AVAudioSession.ErrorCode.resourceNotAvailable.rawValue
        let injection = #expect(throws: NSError.self) {
            try session.setPreferredMicrophoneInjectionMode(.spokenAudio)
        }
        #expect(injection?.code == refused)
        let spatial = #expect(throws: NSError.self) { try session.setIntendedSpatialExperience(.headTracked) }
        #expect(spatial?.code == refused)
        let port = AVAudioSessionPortDescription(portType: .bluetoothHFP, portName: "Headset", uid: "headset")
        let microphone = try #require(port.bluetoothMicrophoneExtension)
        #expect(!microphone.farFieldCapture.isSupported && !microphone.highQualityRecording.isEnabled)
        #expect(
            AVAudioSessionPortDescription(portType: .usbAudio, portName: "USB", uid: "usb")
                .bluetoothMicrophoneExtension == nil)
    }
}

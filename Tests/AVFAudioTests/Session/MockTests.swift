import AVFAudio
import Foundation
import TestSupport
import Testing

// What tests of apps put in the place of the library's objects; they see what is public.

// SAFETY: nothing changes.
private final class MockRoute: AVAudioSessionRouteDescription, @unchecked Sendable {
    private let mocks: [AVAudioSessionPortDescription]

    init(_ mocks: [AVAudioSessionPortDescription]) {
        self.mocks = mocks
        super.init()
    }

    override var outputs: [AVAudioSessionPortDescription] { mocks }
}

// SAFETY: nothing changes.
private final class MockPort: AVAudioSessionPortDescription, @unchecked Sendable {
    private let type: AVAudioSession.Port

    init(_ type: AVAudioSession.Port) {
        self.type = type
        super.init()
    }

    override var portType: AVAudioSession.Port { type }
    override var uid: String { "mock \(type.rawValue)" }
}

// SAFETY: of a test that uses one thread.
private final class MockPlayer: AVAudioPlayer, @unchecked Sendable {
    private var position = 0.0

    override var url: URL? { URL(fileURLWithPath: "/mock.wav") }
    override var data: Data? { Data([1]) }
    override var duration: TimeInterval { 9 }
    override var isPlaying: Bool { true }
    override var currentTime: TimeInterval {
        get { position }
        set { position = newValue }
    }

    override func play() -> Bool { true }
}

@Suite("Mocks", .limited)
struct MockTests {
    @Test("Routes and ports can be mocked")
    func routes() {
        let headphones = MockPort(.headphones)
        let route: AVAudioSessionRouteDescription = MockRoute([headphones])
        #expect(route.outputs.map(\.portType) == [.headphones] && route.inputs.isEmpty)
        #expect(route.outputs.first?.portName == "" && route.outputs.first?.channels == nil)
        // What the library's own members say follows.
        #expect(headphones == MockPort(.headphones) && headphones != MockPort(.usbAudio))
        #expect(route == MockRoute([MockPort(.headphones)]) && route != AVAudioSessionRouteDescription())
        #expect(AVAudioSessionPortDescription().uid.isEmpty && headphones.description.contains("mock Headphones"))
    }

    @Test("Players can be mocked")
    func players() {
        let player: AVAudioPlayer = MockPlayer()
        player.currentTime = 3
        #expect(player.play() && player.isPlaying && player.duration == 9 && player.currentTime == 3)
        #expect(player.url?.lastPathComponent == "mock.wav" && player.data?.count == 1)
    }
}

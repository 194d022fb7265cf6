import AudioSession
import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio

/// Players and recorders that stand in for one that comes later: `var audioPlayer = AVAudioPlayer()`.
@Suite("Placeholders", .limited)
struct PlaceholderTests {
    private final class Listener: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {}

    /// SAFETY: nothing is added.
    private final class Effect: AVAudioPlayer, @unchecked Sendable {}

    @Test("A player without a sound has none, does not play, and activates nothing")
    func player() {
        let activation = AVAudioSession.sharedInstance().core.activation
        let player = AVAudioPlayer()
        #expect(!player.prepareToPlay() && !player.play() && !player.play(atTime: 1) && !player.isPlaying)
        #expect(player.url == nil && player.data == nil && player.settings.isEmpty)
        #expect(player.numberOfChannels == 0 && player.duration == 0 && player.currentTime == 0)
        #expect(player.format.channelCount == 0 && player.format.sampleRate == 0)
        player.currentTime = 3
        #expect(player.currentTime == 0)
        player.pause()
        player.stop()
        player.updateMeters()
        #expect(player.averagePower(forChannel: 0) == -160 && player.peakPower(forChannel: 0) == -160)
        #expect(AVAudioSession.sharedInstance().core.activation == activation)
        #expect(!Effect().play())
    }

    @Test("A player without a sound keeps what it is told")
    func playerProperties() {
        let (player, listener) = (AVAudioPlayer(), Listener())
        player.delegate = listener
        (player.volume, player.pan, player.numberOfLoops) = (0.25, -0.5, -1)
        (player.enableRate, player.rate, player.isMeteringEnabled) = (true, 1.5, true)
        player.currentDevice = "none"
        #expect(player.delegate === listener)
        #expect(player.volume == 0.25 && player.pan == -0.5 && player.numberOfLoops == -1)
        #expect(player.enableRate && player.rate == 1.5 && player.isMeteringEnabled && player.currentDevice == "none")
        player.setVolume(0.75, fadeDuration: 1)
        #expect(player.volume == 0.75)
    }

    @Test("A recorder without a file does not record, and activates and deletes nothing")
    func recorder() {
        let activation = AVAudioSession.sharedInstance().core.activation
        let (recorder, listener) = (AVAudioRecorder(), Listener())
        (recorder.delegate, recorder.isMeteringEnabled) = (listener, true)
        #expect(recorder.delegate === listener && recorder.isMeteringEnabled)
        #expect(!recorder.prepareToRecord() && !recorder.record() && !recorder.record(forDuration: 1))
        #expect(!recorder.record(atTime: recorder.deviceCurrentTime + 1) && !recorder.isRecording)
        #expect(recorder.url.isFileURL && recorder.settings.isEmpty && recorder.currentTime == 0)
        #expect(recorder.format.channelCount == 0)
        recorder.pause()
        recorder.stop()
        recorder.updateMeters()
        #expect(recorder.averagePower(forChannel: 0) == -160)
        // Its URL names something of the system's, and the tests may run as root.
        #expect(!recorder.deleteRecording() && FileManager.default.fileExists(atPath: recorder.url.path))
        #expect(AVAudioSession.sharedInstance().core.activation == activation)
    }

    @Test("A server that is there is not asked for anything")
    func server() async throws {
        try await withServer(.pipeWire) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playAndRecord)
            let (player, recorder) = (PlayerCore(withoutSoundIn: session), RecorderCore(withoutFileIn: session))
            #expect(!player.play() && !player.prepare() && !recorder.record() && !recorder.prepare())
            #expect(session.core.activation == nil)
        }
    }
}

import AVFoundation

// Asks, records for a while, and plays the memo: one object is both delegates.
@MainActor
final class VoiceMemo: NSObject {
    enum Phase: Equatable { case idle, recording, recorded(Bool), playing, played(Bool) }

    private(set) var phase = Phase.idle
    private let url: URL
    private var recorder: AVAudioRecorder?
    private var player: AVAudioPlayer?

    init(url: URL) { self.url = url }

    func record(for seconds: TimeInterval) async throws {
        guard await AVAudioApplication.requestRecordPermission() else { return }
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playAndRecord, mode: .default, options: [.defaultToSpeaker, .allowBluetoothHFP])
        try session.setActive(true)
        let settings: [String: Any] = [
            AVFormatIDKey: Int(kAudioFormatLinearPCM),
            AVSampleRateKey: 44100,
            AVNumberOfChannelsKey: 1,
            AVEncoderAudioQualityKey: AVAudioQuality.high.rawValue,
        ]
        let recorder = try AVAudioRecorder(url: url, settings: settings)
        recorder.delegate = self
        if recorder.record(forDuration: seconds) { phase = .recording }
        self.recorder = recorder
    }

    func play() throws {
        player = try AVAudioPlayer(contentsOf: url)
        player?.delegate = self
        if player?.play() == true { phase = .playing }
    }
}

extension VoiceMemo: AVAudioRecorderDelegate, AVAudioPlayerDelegate {
    nonisolated func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
        MainActor.assumeIsolated { phase = .recorded(flag) }
    }

    nonisolated func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        MainActor.assumeIsolated { phase = .played(flag) }
    }
}

extension VoiceMemo: Story {
    static func run(_ stage: Stage) async throws {
        let app = VoiceMemo(url: stage.sound("memo.caf"))
        try await app.record(for: 0.5)
        stage.say("\(app.phase)")
        try await stage.until("the end of the take") { app.phase == .recorded(true) }
        try app.play()
        stage.say("\(app.phase) \((app.player?.duration ?? 0) == 0.5)")
        try await stage.until("the end of the memo") { app.phase == .played(true) }
    }
}

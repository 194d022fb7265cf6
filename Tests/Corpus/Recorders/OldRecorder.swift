import AVFoundation

// Swift 3: global constants, `with:`, permission as a method, `NSError`. The attribute only keeps strict builds quiet.
@available(*, deprecated, message: "Old spellings, on purpose.")
@MainActor
class OldRecorder: NSObject, @preconcurrency AVAudioRecorderDelegate {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var recordingSession: AVAudioSession!
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var audioRecorder: AVAudioRecorder!
    var allowed: Bool?
    var finished: Bool?

    func load() {
        recordingSession = AVAudioSession.sharedInstance()
        do {
            try recordingSession.setCategory(AVAudioSessionCategoryPlayAndRecord, with: .defaultToSpeaker)
            try recordingSession.setMode(AVAudioSessionModeDefault)
            try recordingSession.setActive(true, with: .notifyOthersOnDeactivation)
            recordingSession.requestRecordPermission { granted in DispatchQueue.main.async { self.allowed = granted } }
        } catch let error as NSError {
            print("could not: \(error), \(error.userInfo)")
        }
    }

    func startRecording(_ url: URL) {
        let settings = [
            AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 12000, AVNumberOfChannelsKey: 1,
            AVEncoderAudioQualityKey: AVAudioQuality.high.rawValue,
        ]
        do {
            audioRecorder = try AVAudioRecorder(url: url, settings: settings)
            audioRecorder.delegate = self
            audioRecorder.record()
        } catch { finished = false }
    }

    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) { finished = flag }
}

@available(*, deprecated, message: "Old spellings, on purpose.")
extension OldRecorder: Story {
    static func run(_ stage: Stage) async throws {
        let app = OldRecorder()
        app.load()
        try await stage.until("the answer") { app.allowed != nil }
        stage.say("allowed \(app.allowed == true) permission \(app.recordingSession.recordPermission() == .granted)")
        app.startRecording(stage.sound("old.wav"))
        try await stage.until("a while") { app.audioRecorder.currentTime > 0.2 }
        app.audioRecorder.stop()
        try await stage.until("the delegate") { app.finished != nil }
        stage.say("finished \(app.finished == true)")
    }
}

import AVFoundation

// Pauses and goes on in the same file, in the documents folder.
final class Dictaphone {
    private(set) var recorder: AVAudioRecorder?

    var documents: URL { FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0] }

    func start(_ name: String) throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.record, mode: .measurement)
        try session.setPreferredSampleRate(44_100)
        try session.setActive(true, options: .notifyOthersOnDeactivation)
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        let format = AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 1, interleaved: true)!
        recorder = try AVAudioRecorder(url: documents.appendingPathComponent(name), format: format)
        recorder?.record()
    }

    func toggle() {
        guard let recorder = recorder else { return }
        if recorder.isRecording { recorder.pause() } else { recorder.record() }
    }

    func stop() {
        recorder?.stop()
        try? AVAudioSession.sharedInstance().setActive(false)
    }
}

extension Dictaphone: Story {
    static func run(_ stage: Stage) async throws {
        let app = Dictaphone()
        try app.start("letter.wav")
        try await stage.until("a while") { (app.recorder?.currentTime ?? 0) > 0.2 }
        app.toggle()
        let paused = app.recorder?.currentTime ?? 0
        stage.say("recording \(app.recorder?.isRecording == true)")
        app.toggle()
        try await stage.until("another while") { (app.recorder?.currentTime ?? 0) > paused + 0.2 }
        app.stop()
        let url = app.documents.appendingPathComponent("letter.wav")
        let letter = try AVAudioPlayer(contentsOf: url)
        stage.say("long enough \(letter.duration > 0.4) channels \(letter.numberOfChannels)")
        let isDeleted = app.recorder?.deleteRecording() == true
        stage.say("deleted \(isDeleted) \(FileManager.default.fileExists(atPath: url.path))")
    }
}

import AVFoundation

// Swift 3 and 4: `NSNotification.Name`, top-level types, CMTime functions. The attribute only keeps strict builds
// quiet.
@available(*, deprecated, message: "Old spellings, on purpose.")
@MainActor
class OldPlayer: NSObject {
    let player: AVPlayer
    var states: [AVAudioSessionInterruptionType] = []
    var ended = false

    init(url: URL) {
        player = AVPlayer(url: url)
        super.init()
        let center = NotificationCenter.default
        _ = center.addObserver(forName: NSNotification.Name.AVAudioSessionInterruption, object: nil, queue: .main) {
            [unowned self] notification in
            let info = notification.userInfo!
            var type = AVAudioSessionInterruptionType.ended
            (info[AVAudioSessionInterruptionTypeKey] as! NSNumber).uintValue == 1 ? (type = .began) : ()
            MainActor.assumeIsolated { self.states.append(type) }
        }
        _ = center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: player.currentItem, queue: .main) {
            [unowned self] _ in
            MainActor.assumeIsolated { self.ended = true }
        }
    }

    func play() throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(AVAudioSessionCategoryPlayback, with: [.allowAirPlay, .mixWithOthers])
        try session.setActive(true)
        player.seek(to: kCMTimeZero)
        player.play()
    }

    func describeRoute() -> [String] {
        AVAudioSession.sharedInstance().currentRoute.outputs.map { output in
            switch output.portType {
            case AVAudioSessionPortHeadphones: return "headphones"
            case AVAudioSessionPortBuiltInSpeaker: return "speaker"
            default: return "another"
            }
        }
    }
}

@available(*, deprecated, message: "Old spellings, on purpose.")
extension OldPlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = OldPlayer(url: stage.sound("song.wav"))
        do { try app.play() } catch let error as NSError { stage.say("refused \(error.code)") }
        try AVAudioSession.sharedInstance().setCategory(AVAudioSessionCategoryPlayback, with: .mixWithOthers)
        app.player.play()
        try await stage.until("the end") { app.ended }
        stage.say("outputs \(app.describeRoute().count) interruptions \(app.states.count)")
    }
}

import AVFoundation

// A wrapper with its own errors, behind a protocol for the app's tests.
protocol AudioSessionProtocol {
    func setCategory(
        _ category: AVAudioSession.Category, mode: AVAudioSession.Mode, options: AVAudioSession.CategoryOptions) throws
    func setActive(_ active: Bool, options: AVAudioSession.SetActiveOptions) throws
}

extension AVAudioSession: AudioSessionProtocol {}

enum SessionError: Error, Equatable {
    case illegal(OSStatus)
    case busy
    case other(String, Int)
}

struct SessionManager {
    var session: AudioSessionProtocol = AVAudioSession.sharedInstance()

    func configure(_ category: AVAudioSession.Category, _ options: AVAudioSession.CategoryOptions = []) throws {
        try translating { try session.setCategory(category, mode: .default, options: options) }
    }

    func activate() throws { try translating { try session.setActive(true, options: []) } }
    func deactivate() throws { try translating { try session.setActive(false, options: .notifyOthersOnDeactivation) } }

    private func translating(_ body: () throws -> Void) throws {
        do { try body() } catch let error as NSError where error.code == AVAudioSession.ErrorCode.isBusy.rawValue {
            throw SessionError.busy
        } catch let error as NSError where error.domain == NSOSStatusErrorDomain {
            throw SessionError.illegal(OSStatus(error.code))
        } catch let error as NSError { throw SessionError.other(error.domain, error.code) }
    }
}

extension SessionManager: Story {
    static func run(_ stage: Stage) async throws {
        let manager = SessionManager()
        do { try manager.configure(.playback, .defaultToSpeaker) } catch { stage.say("\(error)") }
        try manager.configure(.playback, [.mixWithOthers])
        try manager.activate()
        let player = try AVAudioPlayer(contentsOf: stage.sound("second.wav"))
        player.play()
        do { try manager.deactivate() } catch { stage.say("\(error)") }
        stage.say("playing \(player.isPlaying)")
    }
}

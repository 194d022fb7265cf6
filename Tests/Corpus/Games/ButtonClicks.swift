import AudioToolbox
import Foundation

// Interface sounds through System Sound Services.
final class ButtonClicks {
    private var sound: SystemSoundID = 0

    init?(_ url: URL) {
        guard AudioServicesCreateSystemSoundID(url as CFURL, &sound) == kAudioServicesNoError else { return nil }
    }

    deinit { AudioServicesDisposeSystemSoundID(sound) }

    func click(_ completion: @escaping @Sendable () -> Void) {
        AudioServicesPlaySystemSoundWithCompletion(sound, completion)
    }
}

@MainActor
private final class Clicks { var count = 0 }

extension ButtonClicks: Story {
    static func run(_ stage: Stage) async throws {
        stage.say("missing \(ButtonClicks(stage.sound("missing.wav")) == nil)")
        guard let app = ButtonClicks(stage.sound("effect.wav")) else { return stage.say("no sound") }
        let clicks = Clicks()
        app.click { DispatchQueue.main.async { clicks.count += 1 } }
        try await stage.until("the click") { clicks.count == 1 }
        AudioServicesPlaySystemSound(kSystemSoundID_Vibrate)
        stage.say("clicks \(clicks.count)")
    }
}

import AVFoundation

// A rack of effects between a player and the speakers, whose switches are on the screen; it goes on after a change of
// the device, and pauses for an interruption.
@MainActor
final class EffectRack {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let reverb = AVAudioUnitReverb()
    private let delay = AVAudioUnitDelay()
    private let distortion = AVAudioUnitDistortion()
    private(set) var changes = 0

    private var observers: [NSObjectProtocol] = []

    init() {
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(forName: .AVAudioEngineConfigurationChange, object: engine, queue: .main) {
                [weak self] _ in
                MainActor.assumeIsolated { self?.engineChanged() }
            })
        observers.append(
            center.addObserver(forName: AVAudioSession.interruptionNotification, object: nil, queue: .main) {
                [weak self] note in
                guard let value = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
                    let type = AVAudioSession.InterruptionType(rawValue: value)
                else { return }
                MainActor.assumeIsolated { self?.interrupted(type) }
            })
    }

    func start(_ url: URL) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        try AVAudioSession.sharedInstance().setActive(true)
        let file = try AVAudioFile(forReading: url)
        reverb.loadFactoryPreset(.mediumHall)
        reverb.wetDryMix = 40
        delay.delayTime = 0.1
        delay.feedback = 30
        delay.wetDryMix = 25
        distortion.loadFactoryPreset(.multiEcho1)
        distortion.bypass = true
        var last: AVAudioNode = player
        engine.attach(player)
        for effect in [distortion, delay, reverb] as [AVAudioUnitEffect] {
            engine.attach(effect)
            engine.connect(last, to: effect, format: file.processingFormat)
            last = effect
        }
        engine.connect(last, to: engine.mainMixerNode, format: file.processingFormat)
        try engine.start()
        player.scheduleFile(file, at: nil, completionHandler: nil)
        player.play()
    }

    func toggle(_ index: Int) {
        let effects: [AVAudioUnitEffect] = [distortion, delay, reverb]
        effects[index].bypass.toggle()
    }

    var switches: [Bool] { [distortion.bypass, delay.bypass, reverb.bypass] }

    private func engineChanged() {
        changes += 1
        if !engine.isRunning { try? engine.start() }
    }

    private func interrupted(_ type: AVAudioSession.InterruptionType) {
        if type == .began { player.pause() } else { player.play() }
    }

    var seconds: Double { engine.outputNode.lastRenderTime.map { Double($0.sampleTime) / $0.sampleRate } ?? 0 }

    var isPlaying: Bool { player.isPlaying && engine.isRunning }

    func stop() { engine.stop() }
}

extension EffectRack: Story {
    static func run(_ stage: Stage) async throws {
        let rack = EffectRack()
        try rack.start(stage.sound("song.wav"))
        for index in 0..<3 { rack.toggle(index) }
        stage.say("bypassed \(rack.switches)")
        for index in 0..<3 { rack.toggle(index) }
        try await stage.until("half a second") { rack.seconds > 0.5 }
        stage.say("playing \(rack.isPlaying)")
        rack.stop()
    }
}

internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import SoundHost

// Volume, pan and levels.
extension PlayerCore {
    var volume: Float {
        get { lock.withLock { volumeValue } }
        set { setVolume(newValue, fade: 0) }
    }

    /// Live changes without a fade are spread over 5 ms, so that they do not click.
    func setVolume(_ volume: Float, fade: Double) {
        lock.withLock {
            let before = volumeValue
            volumeValue = volume.isNaN ? 0 : min(max(volume, 0), 1)
            // A fade of days is one that nobody hears the end of.
            let seconds = min(max(fade.isNaN ? 0 : fade, 0.005), 1e6)
            guard isPlaying else {
                fadeToCome = seconds > 0.005 ? (fadeToCome?.volume ?? before, seconds) : nil
                if fadeToCome == nil { setGain(rampSeconds: 0) }
                return
            }
            changeSound { setGain(rampSeconds: seconds) }
        }
    }

    /// Moves the voice, if there is one, to the player's volume.
    private func setGain(rampSeconds seconds: Double) {
        guard let binding else { return }
        let rate = Double(binding.feed.sampleRate)
        let start = seconds > 0.005 ? fadeStart.map { (gain: $0.volume, frames: Int($0.seconds * rate)) } : nil
        fadeStart = seconds > 0.005 ? nil : (volumeValue, seconds)
        binding.feed.voice.setGain(volumeValue, rampFrames: Int(seconds * rate), from: start)
    }

    /// Sets the fade that waits for the sound, in front of the first frame of it.
    func beginFadeToCome() {
        if let fade = fadeToCome { setGain(rampSeconds: fade.seconds) }
    }

    var pan: Float {
        get { lock.withLock { panValue } }
        set {
            lock.withLock {
                panValue = newValue.isNaN ? 0 : min(max(newValue, -1), 1)
                guard let binding else { return }
                changeSound { binding.feed.voice.setPan(panValue) }
            }
        }
    }

    /// Lets a change be heard at once, and not when the server's queue has been played: nothing is rendered between the
    /// two.
    private func changeSound(_ change: () -> Void) {
        guard let binding, isPlaying else { return change() }
        binding.host.withLock {
            change()
            binding.mix.soundChanged()
        }
    }

    var isMeteringEnabled: Bool {
        get { lock.withLock { metering } }
        set {
            lock.withLock {
                metering = newValue
                binding?.feed.voice.isMetering = newValue
                // What is queued was not measured.
                if newValue { changeSound {} }
                if !newValue { levels = PlayerLevels() }
            }
        }
    }

    /// Takes the levels of what is heard now.
    func updateMeters() {
        lock.withLock {
            guard metering, let binding,
                let frame = binding.host.withLock({ binding.mix.frameHeard(of: binding.voice) })
            else {
                levels = PlayerLevels()
                return
            }
            let window = Int(Double(binding.feed.sampleRate) * PlayerLevels.windowSeconds)
            levels = PlayerLevels(binding.feed.voice.levels(atFrame: frame, window: window))
        }
    }

    func averagePower(_ channel: Int) -> Float { lock.withLock { levels.average(channel) } }
    func peakPower(_ channel: Int) -> Float { lock.withLock { levels.peak(channel) } }
}

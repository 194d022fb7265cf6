import AVFAudio
import CommandLineSupport
import Foundation

/// How the player behaves towards everybody else on the machine.
extension Playback {
    /// Meets the server in the background; what is wrong with it, or with the options, is told by `activate`.
    func warmUp() {
        let session = AVAudioSession.sharedInstance()
        guard (try? options.session.choice.configure(session, default: .playback)) != nil else { return }
        session.warmUp()
    }

    /// Takes the speakers.
    func activate() throws { try program.activate(options.session.choice, default: .playback) }

    /// Stops, and tells those whom we interrupted that they may go on.
    func deactivate() {
        player?.stop()
        program.deactivate()
    }

    /// Everything arrives on the main queue, as on Apple's systems.
    func observeSession() {
        observe(AVAudioSession.interruptionNotification, InterruptionNotice.init) { [unowned self] notice in
            notice.emit(to: program.events)
            notice.began ? interruptionBegan() : interruptionEnded(shouldResume: notice.shouldResume)
        }
        observe(AVAudioSession.routeChangeNotification, RouteChangeNotice.init) { [unowned self] notice in
            notice.emit(to: program.events)
            // The headphones were pulled out: nobody wants the music on the speaker. AVAudioPlayer does not pause
            // by itself (AVPlayer does).
            if notice.reason == .oldDeviceUnavailable { pause(because: "oldDeviceUnavailable") }
            if notice.previous != notice.current { program.terminal?.print("now on \(notice.outputs)") }
        }
        observe(AVAudioSession.silenceSecondaryAudioHintNotification, SecondaryAudioHint.init) { [unowned self] hint in
            hint.emit(to: program.events)
        }
        observe(AVAudioSession.mediaServicesWereLostNotification) { [unowned self] in mediaServicesWereLost() }
        observe(AVAudioSession.mediaServicesWereResetNotification) { [unowned self] in mediaServicesWereReset() }
    }

    /// Pauses for a reason that only the person can undo.
    func pause(because reason: String) {
        guard state == .playing else { return }
        player?.pause()
        state = .paused
        program.events.emit("paused", ["reason": .string(reason)])
        tellRemote()
        draw()
    }

    /// Activates the session again (an interruption took that away) and goes on; stays paused where others forbid it.
    func resume() {
        do {
            try activate()
            guard player?.play() == true else { return program.report("cannot play now") }
            state = .playing
            program.events.emit("resumed")
            tellRemote()
        } catch {
            program.report(oneLine(error), error as NSError)
            program.terminal?.print(oneLine(error))
        }
        draw()
    }

    /// The library has silenced us already: what is left is to show it and to remember who did it.
    private func interruptionBegan() {
        guard state == .playing else { return }
        state = .interrupted
        program.events.emit("paused", ["reason": "interruption"])
        tellRemote()
        draw()
    }

    private func interruptionEnded(shouldResume: Bool) {
        guard state == .interrupted else { return }
        state = .paused
        shouldResume && !options.noResume ? resume() : draw()
    }

    /// The server is gone, and the player with it; 1.5 s is what a restart of the server takes, with room.
    private func mediaServicesWereLost() {
        program.events.emit("mediaServicesWereLost")
        // It keeps the position of what was heard last.
        lastPosition = player?.currentTime ?? lastPosition
        waitNoLonger(than: 1.5, "the sound server went away and did not come back; start it again and retry")
    }

    private func waitNoLonger(than seconds: Double, _ complaint: String) {
        patience?.cancel()
        patience = after(seconds) { [unowned self] in program.fail(.noServer, complaint) }
    }

    private func mediaServicesWereReset() {
        program.events.emit("mediaServicesWereReset")
        guard state == .playing else {
            // Whoever interrupted us may be back sooner, and is not to be interrupted for that.
            if state == .interrupted { state = .paused }
            patience?.cancel()
            patience = nil
            return load(at: lastPosition)
        }
        // A server that answers again may take a while to find its devices.
        waitNoLonger(than: 10, "the sound server came back, but has nothing to play on")
        rebuild()
    }

    /// Goes on with a new player where the old one was; tries again until `patience` ends.
    private func rebuild(isActive: Bool = false) {
        guard patience != nil else { return }
        load(at: lastPosition)
        let isActive = isActive || (try? activate()) != nil
        if isActive, begin() {
            patience?.cancel()
            patience = nil
        } else {
            retry = after(0.1) { [unowned self] in rebuild(isActive: isActive) }
        }
    }
}

extension Playback: ProgramDelegate {
    func programShouldStop() { quit() }

    func terminalDidResize() { draw() }

    func programWillSuspend() {
        guard state == .playing else { return }
        lastPosition = player?.currentTime ?? lastPosition
        player?.pause()
        program.deactivate()
        state = .suspended
        tellRemote()
    }

    func programDidContinue() {
        guard state == .suspended else { return draw() }
        state = .paused
        resume()
    }
}

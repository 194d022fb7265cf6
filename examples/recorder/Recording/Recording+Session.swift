import AVFAudio
import CommandLineSupport
import Foundation

/// Activation, interruptions and route changes of the session.
extension Recording {
    /// Activates the session.
    func activate() throws { try program.activate(options.session.choice, default: .playAndRecord) }

    /// Everything arrives on the main queue, as on Apple's systems.
    func observeSession() {
        observe(AVAudioSession.interruptionNotification, InterruptionNotice.init) { [unowned self] notice in
            notice.emit(to: program.events)
            notice.began ? interruptionBegan() : interruptionEnded(shouldResume: notice.shouldResume)
        }
        observe(AVAudioSession.routeChangeNotification, RouteChangeNotice.init) { [unowned self] notice in
            notice.emit(to: program.events)
        }
        observe(AVAudioSession.mediaServicesWereLostNotification) { [unowned self] in
            program.events.emit("mediaServicesWereLost")
            sourceWentAway()
        }
    }

    /// Resumes recording into the same file; stays paused where another session forbids it.
    ///
    /// Asynchronous: `record()` on a recorder that has just finished would begin the file anew, and its delegate is
    /// notified on the same queue, before this.
    func resume() {
        guard state != .stopping, state != .resuming else { return }
        // It ends in a moment, or was paused just short of it.
        guard !isComplete else { return stop() }
        let halted = state
        state = .resuming
        OperationQueue.main.addOperation { MainActor.assumeIsolated { self.goOn(from: halted) } }
    }

    private func goOn(from halted: State) {
        guard state == .resuming else { return }
        state = halted
        do {
            try activate()
            guard capture() else { return program.report("cannot record now") }
            state = .recording
            program.events.emit("resumed")
        } catch {
            program.report(oneLine(error), error as NSError)
            program.terminal?.print(oneLine(error))
        }
        draw()
    }

    /// Pauses capturing at the user's request; the file stays open.
    func pause() {
        if state == .resuming { state = .paused }
        guard state == .recording else { return }
        recorder?.pause()
        state = .paused
        program.events.emit("paused", ["reason": "user"])
        draw()
    }

    private func interruptionBegan() {
        guard state == .recording else { return }
        state = .interrupted
        program.events.emit("paused", ["reason": "interruption"])
        draw()
    }

    private func interruptionEnded(shouldResume: Bool) {
        guard state == .interrupted else { return }
        state = .paused
        shouldResume ? resume() : draw()
    }
}

extension Recording: ProgramDelegate {
    func programShouldStop() { stop() }

    func terminalDidResize() { draw() }

    func programWillSuspend() {
        guard state == .recording else { return }
        recorder?.pause()
        program.deactivate()
        state = .suspended
    }

    func programDidContinue() {
        guard state == .suspended else { return draw() }
        state = .paused
        resume()
    }
}

internal import AudioHost
internal import PulseClient

// What is captured is silence while the app may not listen, or has muted its input: recorders go on, and time passes
// for them.
extension PulseHost {
    /// Makes everything that is captured silence, or ends that.
    package func setInputMuted(_ muted: Bool) {
        mainloop.withLock {
            isInputMuted = muted
            applyHearing()
        }
    }

    /// The app begins to record: from now on its captures are silent whenever it may not listen.
    ///
    /// Waits for the desktop's first word on that, so that the first frames of who may listen are sound.
    func meetPermission() {
        guard let microphone else { return }
        microphone.recordingBegins()
        let isNew = mainloop.withLock { () -> Bool in
            defer { observesMicrophone = true }
            return !observesMicrophone
        }
        guard isNew else { return }
        microphone.observe { [weak self] in
            guard let self else { return }
            self.mainloop.withLock {
                self.applyHearing()
            }
        }
    }

    /// With the lock held, so that of two changes the later one stays.
    private func applyHearing() {
        let isDenied = microphone?.isSilencing == true
        for capture in captures.values { capture.setMuted(byApp: isInputMuted, byPermission: isDenied) }
    }
}

package import AudioHost
internal import PulseClient
package import SessionPolicy

// What sessions and players ask of the host, in the policy's words.
extension PulseHost: AudioHost {
    package func connect() throws(SessionError) { try open() }

    package func beginToConnect() { beginToOpen() }

    package func awaitConnection() -> Bool {
        awaitAttempt()
        return isOpen
    }

    package func activate(_ settings: SessionSettings, implicitly: Bool) throws(SessionError) {
        try activate(settings) { [self] in
            events(.activated(implicitly: implicitly))
        }
    }

    package func perform(_ command: HostCommand) {
        switch command {
        case .stopIO(let interrupting): stopIO(interrupting: interrupting)
        case .stopOutput: stopOutput()
        case .closeIO: closeIO()
        // The settings are taken over all the same: a stream that could not be made anew says so when it is used.
        case .setOutputRole(let role): try? changeOutput(role: role)
        case .setCaptureRole(let role): changeCaptures(role: role)
        case .muteOutput(let muted): setOutputMuted(muted)
        case .muteInput(let muted): setInputMuted(muted)
        case .claim(let step): take(step)
        case .foreignPlayers(let step): meetForeignPlayers(step)
        case .prefer(let preferences): prefer(preferences)
        case .updateRoute: routeMayHaveChanged(.category)
        case .endRouteSilence(let number): releaseOutput(silence: number)
        case .silenceCommand(let isSilent): silenceCommand(isSilent)
        case .releaseCommand: releaseCommand(within: .seconds(1))
        case .awaitEndOfCalls(let settings): awaitEndOfCalls(for: settings)
        }
    }

    // MARK: What holds

    package var facts: HostFacts {
        withLock {
            var facts = HostFacts()
            facts.isConnected = isOpen
            facts.deviceTime = deviceTime
            facts.isCapturing = isCapturing
            facts.routeSilence = silenceNumber
            facts.underruns = outputUnderruns
            facts.owner = owner
            return facts
        }
    }

    package var others: OtherAudio {
        var others = OtherAudio()
        others.silencesSecondaryAudio = isSecondaryAudioToBeSilenced
        (others.isInCall, others.isSpeaking) = speakers
        others.participants = participants
        return others
    }

    package func echoCancellation() throws(SessionError) -> EchoCancellationFacts {
        EchoCancellationFacts(isAvailable: try canCancelEcho(), isActive: try isEchoCancelled())
    }

    package func apply(_ change: DeviceChange, under settings: SessionSettings) throws(SessionError) {
        switch change {
        case .outputVolume(let fraction): try setOutputVolume(fraction, under: settings)
        case .dataSource(let port, let source): try setDataSource(port, of: source)
        }
    }

    // MARK: Sound

    package func openOutput(_ request: OutputRequest) throws(SessionError) -> OutputPlace {
        let mix = try beginOutput(role: request.role, on: request.sink, isAssigned: request.isAssigned)
        try awaitOutput(mix)
        return withLock {
            OutputPlace(
                id: mix.number, rate: mix.format.rate, channels: mix.format.channels, device: mix.deviceName,
                historySeconds: OutputMix.historySeconds)
        }
    }

    package func makeSound(of source: any SoundSource, in place: OutputPlace) throws(SessionError) -> any HostSound {
        guard let mix = withLock({ outputRouter.output(number: place.id) }) else {
            throw SessionError(.mediaServicesFailed, "The output is gone.")
        }
        return MixedSound(of: source, in: mix, on: self)
    }

    package func openCapture(
        _ request: CaptureRequest, receiver: any CaptureReceiver
    ) throws(SessionError) -> any HostCapture {
        let capture = try openCapture(request, handlers: Capture.Handlers(receiver))
        return OpenCapture(capture, for: receiver, on: self)
    }

    package var shortSoundPlayer: any ShortSounds { systemSounds }
}

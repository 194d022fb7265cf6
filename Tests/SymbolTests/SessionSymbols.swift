import AVFAudio
import Testing

extension SymbolLedger {
    mutating func session() {
        activation()
        routing()
        hardware()
        others()
    }

    private mutating func activation() {
        // MARK: AVAudioSession: category, mode, activation
        works(AVAudioSession.self)
        works(method: AVAudioSession.sharedInstance)
        works(\AVAudioSession.availableCategories)
        works(\AVAudioSession.category)
        works(\AVAudioSession.categoryOptions)
        works(\AVAudioSession.mode)
        works(\AVAudioSession.availableModes)
        works(\AVAudioSession.routeSharingPolicy)
        works(AVAudioSession.setCategory(_:))
        works(AVAudioSession.setCategory(_:options:))
        works(AVAudioSession.setCategory(_:mode:options:))
        works(AVAudioSession.setCategory(_:mode:policy:options:))
        works(AVAudioSession.setMode(_:))
        works({ try $0.setActive(true) } as (AVAudioSession) throws -> Void, named: "AVAudioSession.setActive(_:)")
        works(AVAudioSession.setActive(_:options:))
        works(AVAudioSession.activate(options:completionHandler:))
        works(
            AVAudioSession.activate(options:)
                as (AVAudioSession) -> (AVAudioSessionActivationOptions) async throws -> Bool)
        works(
            { try await $0.activate() } as (AVAudioSession) async throws -> Bool,
            named: "AVAudioSession.activate() async")
        works(AVAudioSession.deactivate(options:completionHandler:))
        works(
            AVAudioSession.deactivate(options:)
                as (AVAudioSession) -> (AVAudioSessionDeactivationOptions) async throws -> Bool)
        works(
            AVAudioSession.setAllowHapticsAndSystemSoundsDuringRecording(_:),
            note: "system sounds; there are no haptics")
        works(\AVAudioSession.allowHapticsAndSystemSoundsDuringRecording)
        works(AVAudioSession.setPrefersNoInterruptionsFromSystemAlerts(_:))
        works(\AVAudioSession.prefersNoInterruptionsFromSystemAlerts)
        works(AVAudioSession.setPrefersEchoCancelledInput(_:))
        works(\AVAudioSession.prefersEchoCancelledInput)
        works(\AVAudioSession.isEchoCancelledInputEnabled)
        works(\AVAudioSession.isEchoCancelledInputAvailable)
        works(AVAudioSession.setOutputMuted(_:))
        works(\AVAudioSession.isOutputMuted)
        works(\AVAudioSession.renderingMode, note: "never spatial or Dolby: nothing here renders those")
        works(\AVAudioSession.recordPermission)
        works(AVAudioSession.requestRecordPermission(_:))
    }

    private mutating func routing() {
        // MARK: AVAudioSession: routing
        works(\AVAudioSession.currentRoute)
        works(\AVAudioSession.availableInputs)
        works(\AVAudioSession.preferredInput)
        works(AVAudioSession.setPreferredInput(_:))
        works(AVAudioSession.overrideOutputAudioPort(_:))
        accepts(
            AVAudioSession.setAggregatedIOPreference(_:),
            because: "kept, after Apple's checks; servers keep input and output in step by themselves")
        accepts(
            AVAudioSession.setSupportsMultichannelContent(_:),
            because: "kept; players are mixed into all channels of the device in any case")
        works(\AVAudioSession.supportsMultichannelContent, note: "what was set")
        works(AVAudioSession.setPrefersInterruptionOnRouteDisconnect(_:))
        works(\AVAudioSession.prefersInterruptionOnRouteDisconnect)
        works(
            AVAudioSession.prepareRouteSelectionForPlayback(completionHandler:),
            note: "answers with the system's route: there is no picker")
        works(
            AVAudioSession.prepareRouteSelectionForPlayback
                as (AVAudioSession) -> () async -> (Bool, AVAudioSession.RouteSelection))
        fails(
            AVAudioSession.setPreferredMicrophoneInjectionMode(_:),
            because: "`resourceNotAvailable` but for `none`: nothing here mixes into the calls of other apps")
        works(\AVAudioSession.preferredMicrophoneInjectionMode, note: "always `none`")
        works(\AVAudioSession.isMicrophoneInjectionAvailable, note: "always false")
    }

    private mutating func hardware() {
        // MARK: AVAudioSession: hardware
        works(AVAudioSession.setPreferredSampleRate(_:))
        works(\AVAudioSession.preferredSampleRate)
        works(AVAudioSession.setPreferredIOBufferDuration(_:))
        works(\AVAudioSession.preferredIOBufferDuration)
        works(AVAudioSession.setPreferredInputNumberOfChannels(_:))
        works(\AVAudioSession.preferredInputNumberOfChannels)
        works(AVAudioSession.setPreferredOutputNumberOfChannels(_:))
        works(\AVAudioSession.preferredOutputNumberOfChannels)
        accepts(
            AVAudioSession.setPreferredInputOrientation(_:),
            because: "kept, after Apple's checks; microphones of Linux machines do not turn")
        works(\AVAudioSession.preferredInputOrientation, note: "what was set")
        works(\AVAudioSession.inputOrientation, note: "always `none`")
        works(\AVAudioSession.maximumInputNumberOfChannels)
        works(\AVAudioSession.maximumOutputNumberOfChannels)
        fails(
            AVAudioSession.setInputGain(_:),
            because: "`resourceNotAvailable`: the volume of an input is its user's to set, for all programs")
        works(\AVAudioSession.inputGain)
        works(\AVAudioSession.isInputGainSettable, note: "always false")
        works(\AVAudioSession.isInputAvailable)
        works(\AVAudioSession.inputDataSources)
        works(\AVAudioSession.inputDataSource)
        works(AVAudioSession.setInputDataSource(_:))
        works(\AVAudioSession.outputDataSources, note: "always nil: each connector is an output of its own")
        works(\AVAudioSession.outputDataSource, note: "always nil")
        fails(
            AVAudioSession.setOutputDataSource(_:),
            because: "`badParam` but for nil: no output has data sources, see `setPreferredOutput(_:)`")
        works(\AVAudioSession.sampleRate)
        works(\AVAudioSession.inputNumberOfChannels)
        works(\AVAudioSession.outputNumberOfChannels)
        works(\AVAudioSession.inputLatency)
        works(\AVAudioSession.outputLatency)
        works(\AVAudioSession.ioBufferDuration)
        works(\AVAudioSession.supportedOutputChannelLayouts)
    }

    private mutating func others() {
        // MARK: AVAudioSession: others
        works(\AVAudioSession.isOtherAudioPlaying)
        works(\AVAudioSession.secondaryAudioShouldBeSilencedHint)
        works(\AVAudioSession.outputVolume)
        works(\AVAudioSession.promptStyle)

        // MARK: AVAudioSession on visionOS
        fails(
            AVAudioSession.setIntendedSpatialExperience(_:),
            because: "`resourceNotAvailable` but for `bypassed`: nothing here places sound around a head")
        works(\AVAudioSession.intendedSpatialExperience, note: "always `bypassed`")
        works(\AVAudioSession.isNowPlayingCandidate)
        works(AVAudioSession.setIsNowPlayingCandidate(_:))
        works(AVAudioSession.SpatialExperience.self)
        fails(AVAudioSession.SpatialExperience.headTracked, raw: 0, because: "`resourceNotAvailable` when set")
        fails(AVAudioSession.SpatialExperience.fixed, raw: 1, because: "`resourceNotAvailable` when set")
        works(AVAudioSession.SpatialExperience.bypassed, raw: 2)
        works(AVAudioSession.SoundStageSize.self, note: "part of the spatial experiences that are refused")
        works(AVAudioSession.SoundStageSize.automatic, raw: 0)
        works(AVAudioSession.SoundStageSize.small, raw: 1)
        works(AVAudioSession.SoundStageSize.medium, raw: 2)
        works(AVAudioSession.SoundStageSize.large, raw: 3)
        works(AVAudioSession.AnchoringStrategy.self, note: "part of the spatial experiences that are refused")
        works(AVAudioSession.AnchoringStrategy.automatic, raw: 0)
        works(AVAudioSession.AnchoringStrategy.scene, raw: 1)
        works(AVAudioSession.AnchoringStrategy.front, raw: 2)
    }
}

import AVFAudio
import Testing

extension SymbolLedger {
    mutating func playing() {
        application()
        player()
        playerDelegate()
        recorder()
        recorderDelegate()
    }

    private mutating func application() {
        // MARK: AVAudioApplication
        works(AVAudioApplication.self)
        works(AVAudioApplication.shared)
        works(\AVAudioApplication.isInputMuted)
        works(AVAudioApplication.setInputMuted(_:))
        works(AVAudioApplication.setInputMuteStateChangeHandler(_:))
        works(
            { $0.recordPermission } as (AVAudioApplication) -> AVAudioApplication.recordPermission,
            named: "AVAudioApplication.recordPermission (property)")
        works(AVAudioApplication.recordPermission.self, named: "AVAudioApplication.recordPermission (type)")
        works(AVAudioApplication.recordPermission.undetermined, raw: 0x756E_6474)
        works(AVAudioApplication.recordPermission.denied, raw: 0x6465_6E79)
        works(AVAudioApplication.recordPermission.granted, raw: 0x6772_6E74)
        works(AVAudioApplication.requestRecordPermission(completionHandler:))
        works(AVAudioApplication.requestRecordPermission as () async -> Bool)
        works(\AVAudioApplication.microphoneInjectionPermission, note: "always `serviceDisabled`")
        works(AVAudioApplication.MicrophoneInjectionPermission.self)
        works(AVAudioApplication.MicrophoneInjectionPermission.serviceDisabled, raw: 0x7372_6473)
        works(AVAudioApplication.MicrophoneInjectionPermission.undetermined, raw: 0x756E_6474, note: "never told")
        works(AVAudioApplication.MicrophoneInjectionPermission.denied, raw: 0x6465_6E79, note: "never told")
        works(AVAudioApplication.MicrophoneInjectionPermission.granted, raw: 0x6772_6E74, note: "never told")
        works(
            AVAudioApplication.requestMicrophoneInjectionPermission(completionHandler:),
            note: "answers `serviceDisabled`")
        works(
            AVAudioApplication.requestMicrophoneInjectionPermission
                as () async -> AVAudioApplication.MicrophoneInjectionPermission, note: "answers `serviceDisabled`")
        works(
            AVAudioApplication.inputMuteStateChangeNotification,
            raw: "AVAudioApplicationInputMuteStateChangeNotification")
        works(AVAudioApplication.muteStateKey, is: "AVAudioApplicationMuteStateKey")
    }

    private mutating func player() {
        // MARK: AVAudioPlayer
        works(AVAudioPlayer.self)
        works(AVAudioPlayer.init as () -> AVAudioPlayer, note: "a placeholder: it has no sound, and does not play")
        works(AVAudioPlayer.init(contentsOf:))
        works(AVAudioPlayer.init(contentsOf:fileTypeHint:))
        works(AVAudioPlayer.init(data:))
        works(AVAudioPlayer.init(data:fileTypeHint:))
        works(method: AVAudioPlayer.prepareToPlay)
        works(AVAudioPlayer.play as (AVAudioPlayer) -> () -> Bool)
        works(AVAudioPlayer.play(atTime:))
        works(method: AVAudioPlayer.pause)
        works(method: AVAudioPlayer.stop)
        works(\AVAudioPlayer.isPlaying)
        works(\AVAudioPlayer.numberOfChannels)
        works(\AVAudioPlayer.duration)
        works(\AVAudioPlayer.delegate)
        works(\AVAudioPlayer.url)
        works(\AVAudioPlayer.data)
        works(\AVAudioPlayer.pan)
        works(\AVAudioPlayer.volume)
        works(AVAudioPlayer.setVolume(_:fadeDuration:))
        works(\AVAudioPlayer.enableRate)
        works(\AVAudioPlayer.rate)
        works(\AVAudioPlayer.currentTime)
        works(\AVAudioPlayer.deviceCurrentTime)
        works(\AVAudioPlayer.numberOfLoops)
        works(\AVAudioPlayer.settings)
        works(\AVAudioPlayer.format)
        works(\AVAudioPlayer.isMeteringEnabled)
        works(method: AVAudioPlayer.updateMeters)
        works(AVAudioPlayer.peakPower(forChannel:))
        works(AVAudioPlayer.averagePower(forChannel:))
        works(\AVAudioPlayer.channelAssignments)
        works(\AVAudioPlayer.currentDevice, note: "another device than the session's: `play()` is false")
    }

    private mutating func playerDelegate() {
        final class Adopter: NSObject, AVAudioPlayerDelegate {}
        // MARK: AVAudioPlayerDelegate
        works((any AVAudioPlayerDelegate).self)
        works(Adopter.audioPlayerDidFinishPlaying(_:successfully:))
        works(Adopter.audioPlayerDecodeErrorDidOccur(_:error:))
        works(Adopter.audioPlayerBeginInterruption(_:))
        works(Adopter.audioPlayerEndInterruption(_:withOptions:))
        works(Adopter.audioPlayerEndInterruption(_:withFlags:))
        works(Adopter.audioPlayerEndInterruption(_:))
    }

    private mutating func recorder() {
        // MARK: AVAudioRecorder
        works(AVAudioRecorder.self)
        works(AVAudioRecorder.init as () -> AVAudioRecorder, note: "a placeholder: it has no file, and does not record")
        works(AVAudioRecorder.init(url:settings:))
        works(AVAudioRecorder.init(url:format:))
        works(method: AVAudioRecorder.prepareToRecord)
        works(AVAudioRecorder.record as (AVAudioRecorder) -> () -> Bool)
        works(AVAudioRecorder.record(atTime:))
        works(AVAudioRecorder.record(forDuration:))
        works(AVAudioRecorder.record(atTime:forDuration:))
        works(method: AVAudioRecorder.pause)
        works(method: AVAudioRecorder.stop)
        works(method: AVAudioRecorder.deleteRecording)
        works(\AVAudioRecorder.isRecording)
        works(\AVAudioRecorder.url)
        works(\AVAudioRecorder.settings)
        works(\AVAudioRecorder.format)
        works(\AVAudioRecorder.delegate)
        works(\AVAudioRecorder.currentTime)
        works(\AVAudioRecorder.deviceCurrentTime)
        works(\AVAudioRecorder.isMeteringEnabled)
        works(method: AVAudioRecorder.updateMeters)
        works(AVAudioRecorder.peakPower(forChannel:))
        works(AVAudioRecorder.averagePower(forChannel:))
        works(\AVAudioRecorder.channelAssignments)
    }

    private mutating func recorderDelegate() {
        final class Adopter: NSObject, AVAudioRecorderDelegate {}
        // MARK: AVAudioRecorderDelegate
        works((any AVAudioRecorderDelegate).self)
        works(Adopter.audioRecorderDidFinishRecording(_:successfully:))
        works(Adopter.audioRecorderEncodeErrorDidOccur(_:error:))
        works(Adopter.audioRecorderBeginInterruption(_:))
        works(Adopter.audioRecorderEndInterruption(_:withOptions:))
        works(Adopter.audioRecorderEndInterruption(_:withFlags:))
        works(Adopter.audioRecorderEndInterruption(_:))
    }
}

import AudioToolbox
import Testing

extension SymbolLedger {
    mutating func systemSounds() {
        // MARK: System Sound Services
        works(SystemSoundID.self)
        works(AudioServicesCreateSystemSoundID(_:_:))
        works(AudioServicesDisposeSystemSoundID(_:))
        works(AudioServicesPlaySystemSound(_:))
        works(AudioServicesPlayAlertSound(_:), note: "as a system sound: there is no motor")
        works(AudioServicesPlaySystemSoundWithCompletion(_:_:))
        works(AudioServicesPlayAlertSoundWithCompletion(_:_:), note: "as a system sound: there is no motor")
        works(AudioServicesAddSystemSoundCompletion(_:_:_:_:_:))
        works(AudioServicesRemoveSystemSoundCompletion(_:))
        works(AudioServicesGetPropertyInfo(_:_:_:_:_:))
        works(AudioServicesGetProperty(_:_:_:_:_:))
        works(AudioServicesSetProperty(_:_:_:_:_:))
        works(kSystemSoundID_Vibrate, is: 0xFFF, note: "legal and silent, as on a device without a motor")
        works(kSystemSoundID_UserPreferredAlert, is: 0x1000, note: "legal and silent, as on iOS")
        accepts(kSystemSoundID_FlashScreen, is: 0xFFE, because: "legal and silent; no screen flashes")
        works(kAudioServicesPropertyIsUISound, is: 0x6973_7569)
        works(kAudioServicesPropertyCompletePlaybackIfAppDies, is: 0x6966_6469)
        works(kAudioServicesNoError, is: 0)
        works(noErr, is: 0)
        works(kAudioServicesUnsupportedPropertyError, is: 0x7074_793F)
        works(kAudioServicesBadPropertySizeError, is: 0x2173_697A)
        works(kAudioServicesBadSpecifierSizeError, is: 0x2173_7063)
        works(kAudioServicesSystemSoundUnspecifiedError, is: -1500)
        works(kAudioServicesSystemSoundClientTimedOutError, is: -1501)
        works(kAudioServicesSystemSoundExceededMaximumDurationError, is: -1502)
    }
}

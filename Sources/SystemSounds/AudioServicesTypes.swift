/// The identifier of a system sound: a short sound that is played unchanged.
///
/// Apple: `SystemSoundID`.
public typealias SystemSoundID = UInt32

/// A property of a system sound, as four characters.
///
/// Apple: `AudioServicesPropertyID`.
public typealias AudioServicesPropertyID = UInt32

/// A function to call when a system sound is over, with the sound's identifier and the client data.
///
/// Apple: `AudioServicesSystemSoundCompletionProc`.
public typealias AudioServicesSystemSoundCompletionProc =
    @convention(c) (_ ssID: SystemSoundID, _ clientData: UnsafeMutableRawPointer?) -> Void

// MARK: Sounds

/// The vibration of a phone; a legal sound that is silent on Linux and over after 0.4 s.
///
/// Apple: `kSystemSoundID_Vibrate`.
public let kSystemSoundID_Vibrate: SystemSoundID = 0x0000_0FFF

/// The alert that the user chose, on macOS; silent on Linux, as on iOS.
///
/// Apple: `kSystemSoundID_UserPreferredAlert`.
public let kSystemSoundID_UserPreferredAlert: SystemSoundID = 0x0000_1000

/// A flash of the screen, on macOS; no effect on Linux.
///
/// Apple: `kSystemSoundID_FlashScreen`.
public let kSystemSoundID_FlashScreen: SystemSoundID = 0x0000_0FFE

// MARK: Properties

/// Whether a sound obeys the user's setting for sounds of the user interface (`UInt32`): 1, the default, or 0.
///
/// The setting is `ui_sounds` in docs/settings.md.
///
/// Apple: `kAudioServicesPropertyIsUISound`, `isui`.
public let kAudioServicesPropertyIsUISound: AudioServicesPropertyID = 0x6973_7569

/// Whether a sound is heard to its end if the app exits before (`UInt32`): 1, or 0, the default.
///
/// Apple: `kAudioServicesPropertyCompletePlaybackIfAppDies`, `ifdi`.
public let kAudioServicesPropertyCompletePlaybackIfAppDies: AudioServicesPropertyID = 0x6966_6469

// MARK: Errors

/// No error.
///
/// Apple: `kAudioServicesNoError`.
public let kAudioServicesNoError: OSStatus = 0

/// There is no such property (`pty?`).
///
/// Apple: `kAudioServicesUnsupportedPropertyError`.
public let kAudioServicesUnsupportedPropertyError: OSStatus = 0x7074_793F

/// The value has the wrong size (`!siz`).
///
/// Apple: `kAudioServicesBadPropertySizeError`.
public let kAudioServicesBadPropertySizeError: OSStatus = 0x2173_697A

/// The specifier has the wrong size (`!spc`).
///
/// Apple: `kAudioServicesBadSpecifierSizeError`.
public let kAudioServicesBadSpecifierSizeError: OSStatus = 0x2173_7063

/// The file cannot be used as a system sound, or there is no such sound (−1500).
///
/// Apple: `kAudioServicesSystemSoundUnspecifiedError`.
public let kAudioServicesSystemSoundUnspecifiedError: OSStatus = -1500

/// The sound server did not answer in time (−1501); never returned on Linux, because no function waits for the server.
///
/// Apple: `kAudioServicesSystemSoundClientTimedOutError`.
public let kAudioServicesSystemSoundClientTimedOutError: OSStatus = -1501

/// The sound is longer than 30 seconds (−1502).
///
/// Apple: `kAudioServicesSystemSoundExceededMaximumDurationError`.
public let kAudioServicesSystemSoundExceededMaximumDurationError: OSStatus = -1502

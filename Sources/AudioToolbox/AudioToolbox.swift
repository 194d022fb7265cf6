// On Apple's systems `import AudioToolbox` brings the types of Core Audio along (`OSStatus`, `AudioFormatID`, …), which
// this package keeps in AVFAudio.
@_exported public import AVFAudio

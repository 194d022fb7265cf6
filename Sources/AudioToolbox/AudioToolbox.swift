// On Apple's systems `import AudioToolbox` provides the types of Core Audio (`OSStatus`, `AudioFormatID`, …), which
// this package declares in AVFAudio.
@_exported public import AVFAudio

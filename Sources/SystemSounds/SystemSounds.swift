// The modules that show this one show the types of Core Audio (`OSStatus`, `AudioFormatID`, …), too, which this package
// declares in AVFAudio.
@_exported public import AVFAudio

// The names of Swift 3 for media and file types. On Apple's systems the compiler rejects them with a hint; here they
// compile, with a warning that names the replacement.

/// The spelling of Swift 3 for `AVMediaType.audio`.
@available(*, deprecated, renamed: "AVMediaType.audio")
public let AVMediaTypeAudio = AVMediaType.audio

/// The spelling of Swift 3 for `AVMediaType.video`.
@available(*, deprecated, renamed: "AVMediaType.video")
public let AVMediaTypeVideo = AVMediaType.video

/// The spelling of Swift 3 for `AVFileType.wav`, which was a text.
@available(*, deprecated, renamed: "AVFileType.wav")
public let AVFileTypeWAVE = AVFileType.wav.rawValue

/// The spelling of Swift 3 for `AVFileType.mp3`, which was a text.
@available(*, deprecated, renamed: "AVFileType.mp3")
public let AVFileTypeMPEGLayer3 = AVFileType.mp3.rawValue

/// The spelling of Swift 3 for `AVFileType.m4a`, which was a text.
@available(*, deprecated, renamed: "AVFileType.m4a")
public let AVFileTypeAppleM4A = AVFileType.m4a.rawValue

/// The spelling of Swift 3 for `AVFileType.caf`, which was a text.
@available(*, deprecated, renamed: "AVFileType.caf")
public let AVFileTypeCoreAudioFormat = AVFileType.caf.rawValue

/// The spelling of Swift 3 for `AVFileType.aiff`, which was a text.
@available(*, deprecated, renamed: "AVFileType.aiff")
public let AVFileTypeAIFF = AVFileType.aiff.rawValue

extension AVCaptureDevice {
    /// The spelling of Swift 3 for `authorizationStatus(for:)`.
    @available(*, deprecated, renamed: "authorizationStatus(for:)")
    public class func authorizationStatus(forMediaType mediaType: AVMediaType) -> AVAuthorizationStatus {
        authorizationStatus(for: mediaType)
    }

    /// The spelling of Swift 3 for `requestAccess(for:completionHandler:)`.
    @available(*, deprecated, renamed: "requestAccess(for:completionHandler:)")
    @preconcurrency
    public class func requestAccess(
        forMediaType mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
    ) {
        requestAccess(for: mediaType, completionHandler: handler)
    }
}

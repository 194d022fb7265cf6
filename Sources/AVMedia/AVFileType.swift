/// A file type, by its uniform type identifier: a hint for `AVAudioPlayer(contentsOf:fileTypeHint:)`.
///
/// Apple: `AVFileType`.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
    /// The uniform type identifier.
    public let rawValue: String

    /// Creates a type from its identifier.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a type from its identifier.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }

    /// WAVE.
    public static let wav = AVFileType("com.microsoft.waveform-audio")
    /// MPEG layer 3.
    public static let mp3 = AVFileType("public.mp3")
    /// AAC or Apple Lossless in MPEG-4.
    public static let m4a = AVFileType("com.apple.m4a-audio")
    /// MPEG-4.
    public static let mp4 = AVFileType("public.mpeg-4")
    /// Apple's Core Audio Format.
    public static let caf = AVFileType("com.apple.coreaudio-format")
    /// AIFF.
    public static let aiff = AVFileType("public.aiff-audio")
    /// AIFF with compressed sound.
    public static let aifc = AVFileType("public.aifc-audio")
    /// Adaptive multi-rate speech.
    public static let amr = AVFileType("org.3gpp.adaptive-multi-rate-audio")
    /// AC-3.
    public static let ac3 = AVFileType("public.ac3-audio")
}

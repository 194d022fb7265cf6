internal import AudioFiles
internal import Foundation

extension PlayerCore {
    /// Makes a core for a file; throws the app's error.
    static func make(contentsOf url: URL, hint: String? = nil, session: AVAudioSession) throws -> PlayerCore {
        guard url.namesFile else {
            throw NSError.audioFile(AudioFileError(.notAFile, "Only files can be played: \(url.absoluteString)"))
        }
        let hint = hint.flatMap(AudioContainer.init(typeIdentifier:))
        return try make(session: session) { () throws(AudioFileError) in
            try AudioFileSource(path: url.filePath, hint: hint)
        }
    }

    /// Makes a core for the bytes of a file; throws the app's error.
    static func make(data: Data, hint: String? = nil, session: AVAudioSession) throws -> PlayerCore {
        let hint = hint.flatMap(AudioContainer.init(typeIdentifier:))
        return try make(session: session) { AudioFileSource(bytes: [UInt8](data), hint: hint) }
    }

    private static func make(
        session: AVAudioSession, open: () throws(AudioFileError) -> AudioFileSource
    ) throws -> PlayerCore {
        do throws(AudioFileError) { return try PlayerCore(session: session, source: open()) } catch {
            throw NSError.audioFile(error)
        }
    }
}

extension AudioContainer {
    /// The container of a uniform type identifier, as in `fileTypeHint`; nil for unknown ones.
    init?(typeIdentifier: String) {
        switch typeIdentifier {
        case "com.microsoft.waveform-audio": self = .wav
        case "public.aiff-audio": self = .aiff
        case "public.aifc-audio": self = .aifc
        case "com.apple.coreaudio-format": self = .caf
        case "org.xiph.flac": self = .flac
        case "org.xiph.ogg-audio", "org.xiph.opus": self = .ogg
        case "public.mp3", "public.mp2": self = .mpeg
        case "public.au-audio", "public.ulaw-audio": self = .au
        case "public.mpeg-4", "public.mpeg-4-audio", "com.apple.m4a-audio", "com.apple.m4v-video",
            "com.apple.quicktime-movie", "public.3gpp", "public.3gpp2":
            self = .mpeg4
        case "public.aac-audio": self = .adts
        case "public.ac3-audio", "public.enhanced-ac3-audio": self = .ac3
        case "org.3gpp.adaptive-multi-rate-audio": self = .amr
        case "com.microsoft.windows-media-wma", "com.microsoft.advanced-systems-format": self = .asf
        case "org.matroska.mka", "org.matroska.mkv", "org.webmproject.webm": self = .matroska
        default: return nil
        }
    }
}

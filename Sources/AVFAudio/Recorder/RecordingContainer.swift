internal import AudioFiles
internal import Foundation

/// The choice of a recording's container and format (S115, S130).
enum RecordingContainer {
    private static let types: [AudioFileTypeID: AudioContainer] = [
        kAudioFileWAVEType: .wav, kAudioFileRF64Type: .rf64, kAudioFileWave64Type: .w64, kAudioFileAIFFType: .aiff,
        kAudioFileAIFCType: .aifc, kAudioFileCAFType: .caf, kAudioFileNeXTType: .au, kAudioFileFLACType: .flac,
        kAudioFileM4AType: .mpeg4, kAudioFileM4BType: .mpeg4, kAudioFileMPEG4Type: .mpeg4,
        kAudioFileAAC_ADTSType: .adts, kAudioFileOggType: .ogg,
    ]

    /// The container and the usual format of each file extension.
    private static let extensions: [String: (AudioContainer, AudioFormatID)] = [
        "wav": (.wav, kAudioFormatLinearPCM), "wave": (.wav, kAudioFormatLinearPCM),
        "rf64": (.rf64, kAudioFormatLinearPCM), "w64": (.w64, kAudioFormatLinearPCM),
        "aif": (.aiff, kAudioFormatLinearPCM), "aiff": (.aiff, kAudioFormatLinearPCM),
        "aifc": (.aifc, kAudioFormatLinearPCM), "caf": (.caf, kAudioFormatLinearPCM),
        "au": (.au, kAudioFormatLinearPCM), "snd": (.au, kAudioFormatLinearPCM),
        "flac": (.flac, kAudioFormatFLAC), "m4a": (.mpeg4, kAudioFormatMPEG4AAC),
        "m4b": (.mpeg4, kAudioFormatMPEG4AAC), "mp4": (.mpeg4, kAudioFormatMPEG4AAC),
        "aac": (.adts, kAudioFormatMPEG4AAC), "adts": (.adts, kAudioFormatMPEG4AAC),
        "ogg": (.ogg, kAudioFormatVorbis), "oga": (.ogg, kAudioFormatVorbis), "opus": (.ogg, kAudioFormatOpus),
    ]

    /// The recordable formats, each with its containers.
    private static let holders: [AudioFormatID: Set<AudioContainer>] = [
        kAudioFormatLinearPCM: [.wav, .rf64, .w64, .aiff, .aifc, .caf, .au],
        kAudioFormatULaw: [.wav, .rf64, .w64, .aifc, .caf, .au],
        kAudioFormatALaw: [.wav, .rf64, .w64, .aifc, .caf, .au],
        kAudioFormatAppleIMA4: [.caf, .aifc], kAudioFormatAppleLossless: [.caf, .mpeg4],
        kAudioFormatMPEG4AAC: [.caf, .mpeg4, .adts], kAudioFormatFLAC: [.flac], kAudioFormatVorbis: [.ogg],
        kAudioFormatOpus: [.ogg],
    ]

    /// Returns the container and the format for a file type, an extension, or neither.
    ///
    /// Throws 'fmt?' for a format that cannot be recorded into any file, then 'typ?' for an unknown file type, then
    /// 'fmt?' if the container cannot hold the format.
    static func choose(type: Int?, format: Int?, url: URL) throws -> (AudioContainer, AudioFormatID) {
        var wanted: AudioFormatID?
        if let format {
            guard let id = AudioFormatID(exactly: format), holders[id] != nil else { throw refusal(of: format) }
            wanted = id
        }
        let (container, usual) = try container(type: type, wanted: wanted, url: url)
        let chosen = wanted ?? usual
        guard holders[chosen]?.contains(container) == true else {
            let name = fourCharacters(chosen).trimmingCharacters(in: .whitespaces)
            throw NSError.unsupportedFormat("'\(name)' cannot be recorded into a file of type \(container.rawValue).")
        }
        return (container, chosen)
    }

    private static func container(
        type: Int?, wanted: AudioFormatID?, url: URL
    ) throws -> (AudioContainer, AudioFormatID) {
        let name = (url.filePath as NSString).pathExtension.lowercased()
        if let type {
            guard let container = AudioFileTypeID(exactly: type).flatMap({ types[$0] }) else {
                throw NSError.unsupportedType("Recording into files of that type is not supported.", url)
            }
            let named = extensions[name].flatMap { $0.0 == container ? $0.1 : nil }
            return (container, named ?? usualFormat(container))
        }
        if let known = extensions[name] { return known }
        // For a name without an extension, such as /dev/null, the format decides.
        guard name.isEmpty else {
            throw NSError.unsupportedType("Recording into .\(name) files is not supported.", url)
        }
        return switch wanted {
        case kAudioFormatFLAC: (.flac, kAudioFormatFLAC)
        case kAudioFormatVorbis, kAudioFormatOpus: (.ogg, kAudioFormatVorbis)
        default: (.caf, kAudioFormatLinearPCM)
        }
    }

    private static func usualFormat(_ container: AudioContainer) -> AudioFormatID {
        switch container {
        case .flac: kAudioFormatFLAC
        case .mpeg4, .adts: kAudioFormatMPEG4AAC
        case .ogg: kAudioFormatVorbis
        default: kAudioFormatLinearPCM
        }
    }

    private static func refusal(of format: Int) -> NSError {
        switch AudioFormatID(exactly: format) {
        case kAudioFormatMPEGLayer3: .unsupportedFormat("MP3 cannot be recorded, here as on Apple's systems.")
        case kAudioFormatiLBC: .unsupportedFormat("iLBC cannot be recorded: there is no encoder for it here.")
        case kAudioFormatMPEG4AAC_HE, kAudioFormatMPEG4AAC_HE_V2, kAudioFormatMPEG4AAC_LD, kAudioFormatMPEG4AAC_ELD:
            .unsupportedFormat("Of the kinds of AAC only low complexity, kAudioFormatMPEG4AAC, can be recorded.")
        case let id?: .unsupportedFormat("The format '\(fourCharacters(id))' cannot be recorded.")
        case nil: .unsupportedFormat("There is no format \(format).")
        }
    }
}

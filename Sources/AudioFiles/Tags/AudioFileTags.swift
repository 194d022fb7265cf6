/// The tags of a sound file: names with texts, and pictures.
package struct AudioFileTags: Sendable, Equatable {
    /// The kind of tag, which decides how an entry is called in Apple's names.
    package enum Kind: Sendable {
        /// ID3, of MPEG audio and ADTS.
        case id3
        /// The list of an MPEG-4 file, as iTunes writes it.
        case iTunes
        /// Vorbis comments, of Ogg and FLAC.
        case vorbis
        /// The information chunks of WAV, AIFF, CAF and all other containers.
        case information
    }

    /// A name and its text.
    package struct Entry: Sendable, Equatable {
        /// The name that FFmpeg gives it, such as `title`, `album_artist` or `TBPM`.
        package let name: String
        /// The text; not empty.
        package let text: String

        /// Creates an entry.
        package init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
    }

    /// A picture, as the bytes of an image file.
    package struct Picture: Sendable, Equatable {
        /// The image formats that tags hold.
        package enum Format: Sendable { case jpeg, png, other }

        /// The format of the image file.
        package let format: Format
        /// The image file.
        package let bytes: [UInt8]
        /// Whether the tag calls it the front cover.
        package let isFrontCover: Bool
    }

    /// The kind of tag.
    package let kind: Kind
    /// The entries, in the order of the file.
    package let entries: [Entry]
    /// The pictures; the front cover first, if there is one.
    package let pictures: [Picture]

    /// Creates tags.
    package init(kind: Kind, entries: [Entry], pictures: [Picture]) {
        self.kind = kind
        self.entries = entries
        self.pictures = pictures
    }
}

extension AudioFileTags {
    /// No tags.
    package static let none = AudioFileTags(kind: .information, entries: [], pictures: [])

    /// The bytes of a file that are read for its tags at most; a picture has a few megabytes.
    private static let budget: Int64 = 64 << 20

    /// Reads the tags of a file with FFmpeg's parsers.
    ///
    /// A file without tags, or of a type that has none, has ``none``; so has a file whose tags are damaged. Blocks
    /// while at most 64 MB are read.
    ///
    /// Throws `.notFound`, `.permission`, `.isDirectory`, `.notAFile`, `.io`, and `.missingLibrary` without FFmpeg.
    package static func read(path: String) throws(AudioFileError) -> AudioFileTags {
        let source = try ByteSource(path: path)
        let lead = LeadingTags.length(source) ?? 0
        guard let type = FileSignature(source) ?? FileSignature(source.part(lead..<source.size)),
            let demuxer = type.tagDemuxer
        else { return .none }
        #if FFmpeg
            if type == .mpeg4, MP4IndexSizeCheck.refusal(of: source, path: path) != nil { return .none }
            // FFmpeg reads zeros as empty chunks, for minutes if there are gigabytes of them.
            if type == .caf, let hole = CAFChunks(source).hole { source.cut(to: hole) }
            // A tag in front of the sound is FFmpeg's first; one that FFmpeg does not understand is left out.
            for skipped in lead > 0 ? [0, lead] : [0] {
                source.replaceFront(skipped, with: [])
                source.allowance = budget
                do throws(AudioFileError) {
                    return try FFmpegTags.read(source, demuxer: demuxer, kind: type.tagKind, path: path)
                } catch {
                    guard error.kind == .malformed else { throw error }
                }
            }
            return .none
        #else
            throw .withoutFFmpeg(path: path)
        #endif
    }
}

extension FileSignature {
    /// FFmpeg's name for the parser of the type's tags; nil for types without tags.
    fileprivate var tagDemuxer: String? {
        switch self {
        case .otherRIFF: "wav"
        case .flac: "flac"
        case .mpeg: "mp3"
        case .ac3, .eac3, .amr, .rare: nil
        default: demuxer
        }
    }

    /// The kind of the type's tags.
    fileprivate var tagKind: AudioFileTags.Kind {
        switch self {
        case .mpeg, .adts: .id3
        case .mpeg4: .iTunes
        case .flac, .ogg: .vorbis
        default: .information
        }
    }
}

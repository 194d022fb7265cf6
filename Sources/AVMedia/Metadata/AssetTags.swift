internal import AVFAudio
internal import AudioFiles
internal import Foundation

/// The metadata of an asset.
struct AssetTags: Sendable {
    /// All items, in the order of the file, and then the pictures.
    let items: [AVMetadataItem]
    /// The kinds of metadata that the items are of.
    let formats: [AVMetadataFormat]

    /// The names of the properties that are read of tags, for `loadValuesAsynchronously(forKeys:)`.
    static let keys: Set<String> = ["availableMetadataFormats", "commonMetadata", "creationDate", "lyrics", "metadata"]

    /// The items whose keys are common to all kinds of tags.
    var common: [AVMetadataItem] { items.filter { $0.commonKey != nil } }
    /// The text of the first lyrics.
    var lyrics: String? { items.first { $0.isLyrics }?.stringValue }
    /// The date of creation.
    var creationDate: AVMetadataItem? { items.first { $0.commonKey == .commonKeyCreationDate } }

    /// Reads the tags of a file; those of a stream are read with its other properties.
    ///
    /// Throws for an asset that cannot be played, and without FFmpeg.
    init(of asset: AVAsset) throws(NSError) {
        let facts = try asset.facts()
        guard !asset.isStream else {
            self.init(facts.streamTags ?? .none)
            return
        }
        do throws(AudioFileError) {
            self.init(try AudioFileTags.read(path: asset.location.filePath))
        } catch {
            throw NSError(error.kind == .missingLibrary ? .decoderNotFound : .unknown, error.description)
        }
    }

    init(_ tags: AudioFileTags) {
        let texts = tags.entries.map { AVMetadataItem($0, in: tags.kind) }
        items = texts + tags.pictures.map { AVMetadataItem($0, in: tags.kind) }
        formats = items.isEmpty ? [] : [AVMetadataFormat(tags.kind)]
    }
}

extension AVMetadataItem {
    fileprivate convenience init(_ entry: AudioFileTags.Entry, in kind: AudioFileTags.Kind) {
        let name = MetadataName(entry.name, in: kind)
        self.init(
            AVMetadataIdentifier(rawValue: name.identifier), name.common, .text(entry.text), at: .zero,
            language: name.language)
    }

    fileprivate convenience init(_ picture: AudioFileTags.Picture, in kind: AudioFileTags.Kind) {
        let name = MetadataName("artwork", in: kind)
        let type =
            switch picture.format {
            case .jpeg: "com.apple.metadata.datatype.JPEG"
            case .png: "com.apple.metadata.datatype.PNG"
            case .other: "com.apple.metadata.datatype.raw-data"
            }
        self.init(
            AVMetadataIdentifier(rawValue: name.identifier), name.common, .bytes(Data(picture.bytes), type: type),
            at: .zero)
    }

    /// Whether the text is the lyrics.
    fileprivate var isLyrics: Bool {
        identifier.map { ["id3/USLT", "itsk/%A9lyr", "vorb/LYRICS", "caaf/info-lyrics"].contains($0.rawValue) } ?? false
    }
}

extension AVMetadataFormat {
    fileprivate init(_ kind: AudioFileTags.Kind) {
        self =
            switch kind {
            case .id3: .id3Metadata
            case .iTunes: .iTunesMetadata
            case .vorbis, .information: .unknown
            }
    }
}

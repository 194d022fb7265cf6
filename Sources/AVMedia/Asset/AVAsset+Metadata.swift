internal import Foundation

extension AVAsset {
    /// The metadata whose keys are common to all kinds of tags: title, artist, album, artwork.
    ///
    /// Empty for a file that cannot be played, and without FFmpeg, which reads them. Blocks while the file is opened;
    /// for a stream until the network has answered, for at most 30 seconds.
    ///
    /// Apple: `AVAsset.commonMetadata`.
    public var commonMetadata: [AVMetadataItem] { (try? tags().common) ?? [] }

    /// All metadata: texts in the order of the file, and then pictures.
    ///
    /// Empty for a file that cannot be played, and without FFmpeg. Blocks as ``commonMetadata`` does.
    ///
    /// Apple: `AVAsset.metadata`.
    public var metadata: [AVMetadataItem] { (try? tags().items) ?? [] }

    /// The kinds of metadata that the asset has.
    ///
    /// Blocks as ``commonMetadata`` does.
    ///
    /// Apple: `AVAsset.availableMetadataFormats`.
    public var availableMetadataFormats: [AVMetadataFormat] { (try? tags().formats) ?? [] }

    /// The metadata of one kind.
    ///
    /// Blocks as ``commonMetadata`` does.
    ///
    /// Apple: `AVAsset.metadata(forFormat:)`.
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
        guard let tags = try? tags() else { return [] }
        return tags.formats.contains(format) ? tags.items : []
    }

    /// Reads the metadata of one kind without blocking; throws an `NSError` for a file that cannot be played, and
    /// without FFmpeg.
    ///
    /// Apple: `AVAsset.loadMetadata(for:)`.
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        let tags = try await loadTags()
        return tags.formats.contains(format) ? tags.items : []
    }

    /// The lyrics; nil if there are none.
    ///
    /// Blocks as ``commonMetadata`` does.
    ///
    /// Apple: `AVAsset.lyrics`.
    public var lyrics: String? { try? tags().lyrics }

    /// The date of creation, as the metadata say it; nil if they do not.
    ///
    /// Blocks as ``commonMetadata`` does.
    ///
    /// Apple: `AVAsset.creationDate`.
    public var creationDate: AVMetadataItem? { try? tags().creationDate }
}

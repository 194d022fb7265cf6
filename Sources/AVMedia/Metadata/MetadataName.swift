internal import AudioFiles
internal import Foundation

/// How Apple's systems call an entry of a tag.
///
/// FFmpeg gives common entries one name in all kinds of tags (`title`), and the others the tag's own (`TBPM`).
struct MetadataName {
    /// The native identifier, such as `id3/TIT2`.
    let identifier: String
    /// The key common to all kinds of tags; nil if there is none.
    let common: AVMetadataKey?
    /// The language of lyrics (ISO 639-2); nil for all other entries.
    let language: String?

    /// The name of an entry that FFmpeg calls `name`.
    init(_ name: String, in kind: AudioFileTags.Kind) {
        let lower = name.lowercased()
        if let quickTime = Self.quickTimePart(of: lower) {
            identifier = "mdta/\(name)"
            common = Self.row(quickTime)?.common
            language = nil
            return
        }
        // Of ID3 FFmpeg calls them `lyrics-eng`, or `lyrics-description-eng`.
        let isLyrics = kind == .id3 && lower.hasPrefix("lyrics-")
        language = isLyrics ? lower.split(separator: "-").last.map(String.init) : nil
        let row = Self.row(isLyrics ? "lyrics" : lower)
        common = row?.common
        identifier =
            switch kind {
            case .id3: "id3/" + (row?.id3 ?? (Self.isFrame(name) ? name : "TXXX"))
            case .iTunes: row?.iTunes.map { "itsk/\($0)" } ?? "itlk/com.apple.iTunes.\(Self.encoded(name))"
            case .vorbis: "vorb/" + Self.encoded(row?.vorbis ?? name.uppercased())
            case .information: "caaf/info-" + Self.encoded(row?.information ?? lower)
            }
    }

    /// The part of a QuickTime key behind Apple's prefix.
    private static func quickTimePart(of name: String) -> String? {
        let prefix = "com.apple.quicktime."
        guard name.hasPrefix(prefix) else { return nil }
        let part = String(name.dropFirst(prefix.count))
        return ["creationdate": "date", "displayname": "title", "software": "encoder"][part] ?? part
    }

    /// Whether a name is that of a frame of ID3, such as `TBPM`.
    private static func isFrame(_ name: String) -> Bool {
        name.utf8.count == 4 && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
    }

    private static func encoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
    }

    private static let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_."))

    // MARK: The table

    private struct Row {
        let name: String
        let common: AVMetadataKey?
        let id3: String
        let iTunes: String?
        let vorbis: String
        /// The key in Core Audio's dictionary about a file.
        let information: String
    }

    private static func row(_ name: String) -> Row? { rows[name] }

    private static let rows: [String: Row] = Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0) })

    private static let list: [Row] = [
        row("title", .commonKeyTitle, "TIT2", "%A9nam", "TITLE", "title"),
        row("artist", .commonKeyArtist, "TPE1", "%A9ART", "ARTIST", "artist"),
        row("album", .commonKeyAlbumName, "TALB", "%A9alb", "ALBUM", "album"),
        row("artwork", .commonKeyArtwork, "APIC", "covr", "METADATA_BLOCK_PICTURE", "artwork"),
        row("album_artist", nil, "TPE2", "aART", "ALBUMARTIST", "album artist"),
        row("author", .commonKeyAuthor, "TEXT", "%A9aut", "AUTHOR", "author"),
        row("comment", .commonKeyDescription, "COMM", "%A9cmt", "COMMENT", "comments"),
        row("compilation", nil, "TCMP", "cpil", "COMPILATION", "compilation"),
        row("composer", .commonKeyCreator, "TCOM", "%A9wrt", "COMPOSER", "composer"),
        row("copyright", .commonKeyCopyrights, "TCOP", "cprt", "COPYRIGHT", "copyright"),
        row("date", .commonKeyCreationDate, "TDRC", "%A9day", "DATE", "year"),
        row("description", .commonKeyDescription, "COMM", "desc", "DESCRIPTION", "description"),
        row("disc", nil, "TPOS", "disk", "DISCNUMBER", "disc number"),
        row("encoded_by", nil, "TENC", "%A9enc", "ENCODED-BY", "encoded by"),
        row("encoder", .commonKeySoftware, "TSSE", "%A9too", "ENCODER", "encoding application"),
        row("genre", .commonKeyType, "TCON", "%A9gen", "GENRE", "genre"),
        row("grouping", nil, "TIT1", "%A9grp", "GROUPING", "grouping"),
        row("language", .commonKeyLanguage, "TLAN", nil, "LANGUAGE", "language"),
        row("lyrics", nil, "USLT", "%A9lyr", "LYRICS", "lyrics"),
        row("performer", .commonKeyContributor, "TPE3", "%A9prf", "PERFORMER", "performer"),
        row("publisher", .commonKeyPublisher, "TPUB", "%A9pub", "PUBLISHER", "publisher"),
        row("track", nil, "TRCK", "trkn", "TRACKNUMBER", "track number"),
    ]

    private static func row(
        _ name: String, _ common: AVMetadataKey?, _ id3: String, _ iTunes: String?, _ vorbis: String,
        _ information: String
    ) -> Row {
        Row(name: name, common: common, id3: id3, iTunes: iTunes, vorbis: vorbis, information: information)
    }
}

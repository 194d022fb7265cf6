internal import DesktopBus
internal import Foundation

/// The checked contents of `nowPlayingInfo`.
///
/// Apps put all kinds of values into the dictionary: numbers of any type, texts of any length, and wrong types.
struct NowPlayingItem: Sendable {
    /// The published track, without its number and its picture's URL.
    var track = OfferedPlayer.Track()
    var elapsed: Double?
    var rate: Double?
    var usualRate: Double?
    let artwork: MPMediaItemArtwork?
    /// The values that differ between two tracks.
    let identity: [String]

    init(_ info: [String: Any]) {
        func text(_ key: String) -> String? { (info[key] as? String).map(Self.sayable) }
        func number(_ key: String) -> Double? { Self.number(info[key]) }
        func whole(_ key: String) -> Int? { number(key).flatMap { Int(exactly: $0.rounded()) } }
        track.title = text(MPMediaItemPropertyTitle)
        track.artist = text(MPMediaItemPropertyArtist)
        track.album = text(MPMediaItemPropertyAlbumTitle)
        track.albumArtist = text(MPMediaItemPropertyAlbumArtist)
        track.genre = text(MPMediaItemPropertyGenre)
        track.composer = text(MPMediaItemPropertyComposer)
        track.trackNumber = whole(MPMediaItemPropertyAlbumTrackNumber)
        track.discNumber = whole(MPMediaItemPropertyDiscNumber)
        track.lyrics = (info[MPMediaItemPropertyLyrics] as? String).map { Self.sayable($0, letters: 16_384) }
        track.created = (info[MPMediaItemPropertyReleaseDate] as? Date).map { $0.formatted(.iso8601) }
        track.rating = number(MPMediaItemPropertyRating).flatMap { $0 > 0 ? min($0 / 5, 1) : nil }
        let source = (info[MPNowPlayingInfoPropertyAssetURL] ?? info[MPMediaItemPropertyAssetURL]) as? URL
        track.address = source.flatMap(Self.address)
        let isLive = (number(MPNowPlayingInfoPropertyIsLiveStream) ?? 0) != 0
        let duration = isLive ? nil : number(MPMediaItemPropertyPlaybackDuration).flatMap { $0 > 0 ? $0 : nil }
        track.duration = duration
        track.details = NowPlayingDetails.of(info)
        let progress = number(MPNowPlayingInfoPropertyPlaybackProgress).flatMap { progress in
            duration.map { $0 * min(max(progress, 0), 1) }
        }
        elapsed = number(MPNowPlayingInfoPropertyElapsedPlaybackTime).map { max(0, $0) } ?? progress
        rate = number(MPNowPlayingInfoPropertyPlaybackRate)
        usualRate = number(MPNowPlayingInfoPropertyDefaultPlaybackRate)
        artwork = info[MPMediaItemPropertyArtwork] as? MPMediaItemArtwork
        let marks: [String?] = [
            text(MPNowPlayingInfoCollectionIdentifier), text(MPNowPlayingInfoPropertyExternalContentIdentifier),
            text(MPNowPlayingInfoPropertyExternalUserProfileIdentifier),
            info[MPMediaItemPropertyPersistentID].map { "\($0)" }, track.title, track.artist, track.album,
            source?.absoluteString,
            whole(MPNowPlayingInfoPropertyPlaybackQueueIndex).map { "\($0)" }, track.trackNumber.map { "\($0)" },
        ]
        identity = marks.map { $0 ?? "" }
    }

    /// A number of any type; nil for other values, infinity and NaN.
    static func number(_ value: Any?) -> Double? {
        let number: Double? =
            switch value {
            // Half, single and double precision, and `CGFloat`, which is a type of its own.
            case let number as any BinaryFloatingPoint: Double(number)
            case let number as any BinaryInteger: Double(number)
            case let flag as Bool: flag ? 1 : 0
            case let number as NSNumber: number.doubleValue
            default: nil
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// A text fit for a message: without NUL, and at most 2048 characters.
    static func sayable(_ text: String) -> String { sayable(text, letters: 2048) }

    private static func sayable(_ text: String, letters: Int) -> String {
        String(text.prefix(letters).prefix { $0 != "\0" })
    }

    /// The URL without user name, password, query and fragment: every program of the user can read it, and URLs of
    /// streams carry secrets there.
    static func address(_ url: URL) -> String? {
        guard !url.isFileURL else { return url.absoluteString }
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string.map(sayable)
    }
}

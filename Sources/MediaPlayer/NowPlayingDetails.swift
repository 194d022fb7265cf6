internal import DesktopBus
internal import Foundation

/// The values that MPRIS has no keys for, as metadata under `avaudiosession:`, visible in `playerctl metadata` and
/// scripts.
enum NowPlayingDetails {
    /// The prefix of each key.
    static let namespace = "avaudiosession:"

    /// The details of an item.
    static func of(_ info: [String: Any]) -> [String: BusArgument] {
        var details: [String: BusArgument] = [:]
        for (name, key) in [
            ("albumTrackCount", MPMediaItemPropertyAlbumTrackCount), ("discCount", MPMediaItemPropertyDiscCount),
            ("queueIndex", MPNowPlayingInfoPropertyPlaybackQueueIndex),
            ("queueCount", MPNowPlayingInfoPropertyPlaybackQueueCount),
            ("chapterNumber", MPNowPlayingInfoPropertyChapterNumber),
            ("chapterCount", MPNowPlayingInfoPropertyChapterCount),
        ] {
            details[name] = NowPlayingItem.number(info[key]).flatMap { Int64(exactly: $0.rounded()) }.map { .long($0) }
        }
        for (name, key) in [
            ("service", MPNowPlayingInfoPropertyServiceIdentifier),
            ("collection", MPNowPlayingInfoCollectionIdentifier), ("podcastTitle", MPMediaItemPropertyPodcastTitle),
        ] {
            details[name] = (info[key] as? String).map { .text(NowPlayingItem.sayable($0)) }
        }
        details["mediaType"] = mediaType(info[MPNowPlayingInfoPropertyMediaType]).map { .text($0) }
        details["itemTypes"] = itemTypes(info[MPMediaItemPropertyMediaType])
        details["bookmarkTime"] = NowPlayingItem.number(info[MPMediaItemPropertyBookmarkTime]).map { .real($0) }
        details["isExplicit"] = NowPlayingItem.number(info[MPMediaItemPropertyIsExplicit]).map { .flag($0 != 0) }
        details["date"] = (info[MPNowPlayingInfoPropertyCurrentPlaybackDate] as? Date).map {
            .text($0.formatted(.iso8601))
        }
        let groups = info[MPNowPlayingInfoPropertyAvailableLanguageOptions] as? [MPNowPlayingInfoLanguageOptionGroup]
        details["languages"] = names(groups?.flatMap(\.languageOptions))
        details["currentLanguages"] = names(
            info[MPNowPlayingInfoPropertyCurrentLanguageOptions] as? [MPNowPlayingInfoLanguageOption])
        return inNamespace(details)
    }

    /// The values of offered commands that MPRIS lacks.
    static func of(_ center: MPRemoteCommandCenter) -> [String: BusArgument] {
        var details: [String: BusArgument] = [:]
        if center.ratingCommand.isUsable {
            details["minimumRating"] = .real(Double(center.ratingCommand.minimumRating))
            details["maximumRating"] = .real(Double(center.ratingCommand.maximumRating))
        }
        for (name, command) in [
            ("like", center.likeCommand), ("dislike", center.dislikeCommand), ("bookmark", center.bookmarkCommand),
        ] where command.isUsable {
            details[name] = .flag(command.isActive)
            details["\(name)Title"] = .text(NowPlayingItem.sayable(command.localizedTitle))
            details["\(name)ShortTitle"] = .text(NowPlayingItem.sayable(command.localizedShortTitle))
        }
        return inNamespace(details)
    }

    private static func mediaType(_ value: Any?) -> String? {
        let type =
            value as? MPNowPlayingInfoMediaType
            ?? NowPlayingItem.number(value).flatMap { UInt(exactly: $0) }.flatMap(MPNowPlayingInfoMediaType.init)
        return switch type {
        case .audio?: "audio"
        case .video?: "video"
        case MPNowPlayingInfoMediaType.none?, nil: nil
        }
    }

    private static func itemTypes(_ value: Any?) -> BusArgument? {
        let number = NowPlayingItem.number(value).flatMap { UInt(exactly: $0) }.map(MPMediaType.init)
        guard let types = value as? MPMediaType ?? number else { return nil }
        let known: [(MPMediaType, String)] = [
            (.music, "music"), (.podcast, "podcast"), (.audioBook, "audioBook"), (.audioITunesU, "audioITunesU"),
            (.movie, "movie"), (.tvShow, "tvShow"), (.videoPodcast, "videoPodcast"), (.musicVideo, "musicVideo"),
            (.videoITunesU, "videoITunesU"), (.homeVideo, "homeVideo"),
        ]
        return .texts(known.filter { types.contains($0.0) }.map(\.1))
    }

    private static func names(_ options: [MPNowPlayingInfoLanguageOption]?) -> BusArgument? {
        options.map { .texts($0.prefix(100).compactMap(\.displayName).map(NowPlayingItem.sayable)) }
    }

    private static func inNamespace(_ details: [String: BusArgument]) -> [String: BusArgument] {
        Dictionary(uniqueKeysWithValues: details.map { (namespace + $0, $1) })
    }
}

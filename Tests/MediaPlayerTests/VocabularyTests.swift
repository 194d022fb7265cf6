import DesktopBus
import Foundation
import TestSupport
import Testing

@testable import MediaPlayer

/// Names and raw values, which apps and their stored settings rely on.
@Suite(.limited) struct VocabularyTests {
    /// Whoever runs the tests has a bus of his own, where they have no business.
    init() { setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1) }

    @Test("Enumerations have Apple's raw values")
    func rawValues() {
        let states: [MPNowPlayingPlaybackState] = [.unknown, .playing, .paused, .stopped, .interrupted]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4])
        let types: [MPNowPlayingInfoMediaType] = [.none, .audio, .video]
        #expect(types.map(\.rawValue) == [0, 1, 2])
        let statuses: [MPRemoteCommandHandlerStatus] = [
            .success, .noSuchContent, .noActionableNowPlayingItem, .deviceNotFound, .commandFailed,
        ]
        #expect(statuses.map(\.rawValue) == [0, 100, 110, 120, 200])
        let repeats: [MPRepeatType] = [.off, .one, .all]
        #expect(repeats.map(\.rawValue) == [0, 1, 2])
        let shuffles: [MPShuffleType] = [.off, .items, .collections]
        #expect(shuffles.map(\.rawValue) == [0, 1, 2])
        let seeks: [MPSeekCommandEventType] = [.beginSeeking, .endSeeking]
        #expect(seeks.map(\.rawValue) == [0, 1])
        let settings: [MPChangeLanguageOptionSetting] = [.none, .nowPlayingItemOnly, .permanent]
        #expect(settings.map(\.rawValue) == [0, 1, 2])
    }

    @Test("A target that another one removes is not called any more")
    func removedByAnother() {
        // Not one of the shared center's: other tests empty those meanwhile.
        let command = MPRatingCommand()
        var (second, calls) = (nil as Any?, 0)
        let first = command.addTarget { _ in
            command.removeTarget(second)
            return .commandFailed
        }
        second = command.addTarget { _ in
            calls += 1
            return .success
        }
        #expect(command.send(MPRemoteCommandEvent(command)) == .commandFailed && calls == 0)
        command.removeTarget(first)
    }

    @Test("All keys of nowPlayingInfo are different, and have Apple's values")
    func keys() {
        let info = [
            MPNowPlayingInfoPropertyElapsedPlaybackTime, MPNowPlayingInfoPropertyPlaybackRate,
            MPNowPlayingInfoPropertyDefaultPlaybackRate, MPNowPlayingInfoPropertyPlaybackQueueIndex,
            MPNowPlayingInfoPropertyPlaybackQueueCount, MPNowPlayingInfoPropertyChapterNumber,
            MPNowPlayingInfoPropertyChapterCount, MPNowPlayingInfoPropertyIsLiveStream,
            MPNowPlayingInfoPropertyMediaType, MPNowPlayingInfoPropertyAssetURL,
            MPNowPlayingInfoPropertyCurrentPlaybackDate, MPNowPlayingInfoPropertyPlaybackProgress,
            MPNowPlayingInfoPropertyServiceIdentifier, MPNowPlayingInfoPropertyExternalContentIdentifier,
            MPNowPlayingInfoPropertyExternalUserProfileIdentifier, MPNowPlayingInfoPropertyAvailableLanguageOptions,
            MPNowPlayingInfoPropertyCurrentLanguageOptions, MPNowPlayingInfoPropertyAdTimeRanges,
            MPNowPlayingInfoCollectionIdentifier,
        ]
        #expect(Set(info).count == 19)
        #expect(info.allSatisfy { $0.hasPrefix("MPNowPlayingInfo") })
        let item = [
            MPMediaItemPropertyTitle, MPMediaItemPropertyArtist, MPMediaItemPropertyAlbumTitle,
            MPMediaItemPropertyAlbumArtist, MPMediaItemPropertyGenre, MPMediaItemPropertyComposer,
            MPMediaItemPropertyPlaybackDuration, MPMediaItemPropertyAlbumTrackNumber,
            MPMediaItemPropertyAlbumTrackCount, MPMediaItemPropertyDiscNumber, MPMediaItemPropertyDiscCount,
            MPMediaItemPropertyArtwork, MPMediaItemPropertyPersistentID, MPMediaItemPropertyPodcastTitle,
            MPMediaItemPropertyReleaseDate, MPMediaItemPropertyMediaType, MPMediaItemPropertyIsExplicit,
            MPMediaItemPropertyAssetURL, MPMediaItemPropertyLyrics, MPMediaItemPropertyRating,
        ]
        #expect(
            item == [
                "title", "artist", "albumTitle", "albumArtist", "genre", "composer", "playbackDuration",
                "albumTrackNumber", "albumTrackCount", "discNumber", "discCount", "artwork", "persistentID",
                "podcastTitle", "releaseDate", "mediaType", "isExplicit", "assetURL", "lyrics", "rating",
            ])
    }

    @Test("Commands keep what apps set, and start as on Apple's systems")
    func commands() {
        let center = MPRemoteCommandCenter.shared()
        #expect(center === MPRemoteCommandCenter.shared())
        let plain = [
            center.playCommand, center.pauseCommand, center.stopCommand, center.togglePlayPauseCommand,
            center.nextTrackCommand, center.previousTrackCommand, center.seekForwardCommand,
            center.seekBackwardCommand, center.enableLanguageOptionCommand, center.disableLanguageOptionCommand,
        ]
        let others: [MPRemoteCommand] = [
            center.skipForwardCommand, center.skipBackwardCommand, center.changePlaybackRateCommand,
            center.changePlaybackPositionCommand, center.changeRepeatModeCommand, center.changeShuffleModeCommand,
            center.ratingCommand, center.likeCommand, center.dislikeCommand, center.bookmarkCommand,
            center.changeVolumeCommand,
        ]
        #expect(Set((plain + others).map(ObjectIdentifier.init)).count == 21)
        for command in plain + others {
            #expect(command.isEnabled)
            command.isEnabled = false
            #expect(!command.isEnabled)
            command.isEnabled = true
            let target = command.addTarget { _ in .success }
            command.removeTarget(target)
            command.removeTarget(nil)
        }
        center.skipForwardCommand.preferredIntervals = [15]
        #expect(center.skipForwardCommand.preferredIntervals == [15])
        #expect(center.skipBackwardCommand.preferredIntervals.isEmpty)
        center.changePlaybackRateCommand.supportedPlaybackRates = [0.5, 1, 2]
        #expect(center.changePlaybackRateCommand.supportedPlaybackRates == [0.5, 1, 2])
        center.ratingCommand.maximumRating = 10
        #expect((center.ratingCommand.minimumRating, center.ratingCommand.maximumRating) == (0, 10))
        #expect(!center.likeCommand.isActive)
        center.likeCommand.isActive = true
        center.likeCommand.localizedTitle = "I like it"
        center.likeCommand.localizedShortTitle = "Like"
        #expect(center.likeCommand.isActive && !center.dislikeCommand.isActive)
        #expect(center.likeCommand.localizedTitle + center.likeCommand.localizedShortTitle == "I like itLike")
    }

    @Test("The center keeps what apps set, whatever it is")
    func center() {
        let center = MPNowPlayingInfoCenter.default()
        #expect(center === MPNowPlayingInfoCenter.default())
        #expect(center.nowPlayingInfo == nil && center.playbackState == .unknown)
        center.nowPlayingInfo = [
            MPMediaItemPropertyTitle: "One", MPMediaItemPropertyPlaybackDuration: Float(3), "mine": Date.distantPast,
            MPNowPlayingInfoPropertyElapsedPlaybackTime: Double.nan, MPMediaItemPropertyPersistentID: UInt64.max,
            MPNowPlayingInfoPropertyIsLiveStream: true, MPMediaItemPropertyAlbumTrackNumber: NSNumber(value: 3),
        ]
        center.nowPlayingInfo?[MPMediaItemPropertyArtist] = "Two"
        #expect(center.nowPlayingInfo?.count == 8)
        #expect(center.nowPlayingInfo?[MPMediaItemPropertyArtist] as? String == "Two")
        center.playbackState = .stopped
        #expect(center.playbackState == .stopped)
        center.nowPlayingInfo = nil
        #expect(center.nowPlayingInfo == nil)
    }

    @Test("A number counts, whatever type it has, and nothing else does")
    func numbers() {
        let values: [Any] = [
            77.0, Float(77), CGFloat(77), 77, UInt8(77), Int64(77), TimeInterval(77), NSNumber(value: 77),
            NSNumber(value: 77.0 as Float), 77.0 as any BinaryFloatingPoint,
        ]
        for value in values {
            let item = NowPlayingItem([
                MPNowPlayingInfoPropertyElapsedPlaybackTime: value, MPNowPlayingInfoPropertyPlaybackRate: value,
            ])
            #expect(item.elapsed == 77 && item.rate == 77, "\(type(of: value))")
        }
        for value in [CGFloat.nan, CGFloat.infinity, "77", Date.now] as [Any] {
            #expect(NowPlayingItem.number(value) == nil)
        }
        #expect(NowPlayingItem.number(true) == 1)
    }

    @Test("Kinds of items have Apple's bits")
    func mediaTypes() {
        let audio: [MPMediaType] = [.music, .podcast, .audioBook, .audioITunesU]
        #expect(audio.map(\.rawValue) == [1, 2, 4, 8] && audio.allSatisfy(MPMediaType.anyAudio.contains))
        let video: [MPMediaType] = [.movie, .tvShow, .videoPodcast, .musicVideo, .videoITunesU, .homeVideo]
        #expect(video.map(\.rawValue) == [0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000])
        #expect(video.allSatisfy(MPMediaType.anyVideo.contains) && MPMediaType.anyAudio.isDisjoint(with: .anyVideo))
        #expect(MPMediaType.any.contains([.anyAudio, .anyVideo]))
    }

    @Test("What an item is said to be is told")
    func item() {
        let item = NowPlayingItem([
            MPMediaItemPropertyPodcastTitle: "Talk", MPMediaItemPropertyReleaseDate: Date(timeIntervalSince1970: 0),
            MPMediaItemPropertyMediaType: MPMediaType.podcast, MPMediaItemPropertyIsExplicit: true,
            MPMediaItemPropertyAssetURL: URL(string: "https://me:secret@example.org/a.mp3") as Any,
            MPMediaItemPropertyLyrics: String(repeating: "la ", count: 2000), MPMediaItemPropertyRating: 4,
            MPMediaItemPropertyBookmarkTime: 12.5,
        ])
        #expect(item.track.created == "1970-01-01T00:00:00Z" && item.track.rating == 0.8)
        #expect(item.track.lyrics?.count == 6000 && item.track.address == "https://example.org/a.mp3")
        #expect(
            item.track.details == [
                "avaudiosession:podcastTitle": .text("Talk"), "avaudiosession:itemTypes": .texts(["podcast"]),
                "avaudiosession:isExplicit": .flag(true), "avaudiosession:bookmarkTime": .real(12.5),
            ])
        let other = NowPlayingItem([
            MPMediaItemPropertyRating: 0, MPMediaItemPropertyMediaType: MPMediaType([.music, .musicVideo]).rawValue,
            MPMediaItemPropertyAssetURL: URL(fileURLWithPath: "/a.mp3"), MPMediaItemPropertyReleaseDate: "yesterday",
            MPNowPlayingInfoPropertyAssetURL: URL(fileURLWithPath: "/b.mp3"),
        ])
        #expect(other.track.rating == nil && other.track.created == nil && other.track.address == "file:///b.mp3")
        #expect(other.track.details == ["avaudiosession:itemTypes": .texts(["music", "musicVideo"])])
    }

    @Test("Artwork has the size that it was given, and is made for the size that is asked for")
    func artwork() {
        let artwork = MPMediaItemArtwork(boundsSize: CGSize(width: 3, height: 4)) { Data([UInt8($0.width)]) }
        #expect(artwork.bounds == CGRect(x: 0, y: 0, width: 3, height: 4))
        #expect(artwork.image(at: CGSize(width: 9, height: 9)) == Data([9]))
        #expect(MPMediaItemArtwork(contentsOf: URL(fileURLWithPath: "/a.png")).image(at: .zero) == nil)
    }

    /// An image of an app, which says its data or does not.
    private struct Cover: MPMediaItemArtworkImage, Equatable { let artworkData: Data? }

    @Test("Artwork is an image of any type, and what says its data can be shown")
    func anyImage() {
        let cover = Cover(artworkData: Data([1, 2]))
        let artwork = MPMediaItemArtwork(boundsSize: .zero) { _ in cover }
        #expect(artwork.image(at: .zero) == Data([1, 2]))
        #expect(artwork.image(at: .zero) as Cover? == cover && artwork.image(at: .zero) as String? == nil)
        let plain = MPMediaItemArtwork(image: "a picture")
        #expect(plain.image(at: .zero) as Data? == nil && plain.image(at: .zero) as String? == "a picture")
        #expect(MPMediaItemArtwork(image: NSData(data: Data([3]))).image(at: .zero) as Data? == Data([3]))
        #expect(plain.bounds == .zero && MPMediaItemArtwork(image: Data([4])).image(at: .zero) as Data? == Data([4]))
    }
}

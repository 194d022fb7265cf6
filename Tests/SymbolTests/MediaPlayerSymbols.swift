import MediaPlayer
import Testing

extension SymbolLedger {
    mutating func mediaPlayer() {
        nowPlaying()
        nowPlayingKeys()
        commands()
        commandTypes()
        commandEvents()
    }

    private mutating func nowPlaying() {
        // MARK: MPNowPlayingInfoCenter
        works(MPNowPlayingInfoCenter.self)
        works(method: MPNowPlayingInfoCenter.default)
        works(\MPNowPlayingInfoCenter.nowPlayingInfo)
        works(\MPNowPlayingInfoCenter.playbackState)
        works(MPNowPlayingPlaybackState.self)
        works(MPNowPlayingPlaybackState.unknown, raw: 0)
        works(MPNowPlayingPlaybackState.playing, raw: 1)
        works(MPNowPlayingPlaybackState.paused, raw: 2)
        works(MPNowPlayingPlaybackState.stopped, raw: 3)
        works(MPNowPlayingPlaybackState.interrupted, raw: 4)
        works(MPNowPlayingInfoMediaType.self)
        works(MPNowPlayingInfoMediaType.none, raw: 0)
        works(MPNowPlayingInfoMediaType.audio, raw: 1)
        works(MPNowPlayingInfoMediaType.video, raw: 2)
    }

    private mutating func nowPlayingKeys() {
        // MARK: Keys of nowPlayingInfo
        works(MPNowPlayingInfoPropertyElapsedPlaybackTime, is: "MPNowPlayingInfoPropertyElapsedPlaybackTime")
        works(MPNowPlayingInfoPropertyPlaybackRate, is: "MPNowPlayingInfoPropertyPlaybackRate")
        works(MPNowPlayingInfoPropertyDefaultPlaybackRate, is: "MPNowPlayingInfoPropertyDefaultPlaybackRate")
        works(
            MPNowPlayingInfoPropertyPlaybackQueueIndex, is: "MPNowPlayingInfoPropertyPlaybackQueueIndex",
            note: "metadata in a namespace of ours")
        works(
            MPNowPlayingInfoPropertyPlaybackQueueCount, is: "MPNowPlayingInfoPropertyPlaybackQueueCount",
            note: "metadata in a namespace of ours")
        works(
            MPNowPlayingInfoPropertyChapterNumber, is: "MPNowPlayingInfoPropertyChapterNumber",
            note: "metadata in a namespace of ours")
        works(
            MPNowPlayingInfoPropertyChapterCount, is: "MPNowPlayingInfoPropertyChapterCount",
            note: "metadata in a namespace of ours")
        works(
            MPNowPlayingInfoPropertyIsLiveStream, is: "MPNowPlayingInfoPropertyIsLiveStream",
            note: "then no length is told")
        works(
            MPNowPlayingInfoPropertyMediaType, is: "MPNowPlayingInfoPropertyMediaType",
            note: "metadata in a namespace of ours")
        works(MPNowPlayingInfoPropertyAssetURL, is: "MPNowPlayingInfoPropertyAssetURL")
        works(
            MPNowPlayingInfoPropertyCurrentPlaybackDate, is: "MPNowPlayingInfoPropertyCurrentPlaybackDate",
            note: "metadata in a namespace of ours")
        works(
            MPNowPlayingInfoPropertyPlaybackProgress, is: "MPNowPlayingInfoPropertyPlaybackProgress",
            note: "counts where the elapsed time is not said")
        works(
            MPNowPlayingInfoPropertyServiceIdentifier, is: "MPNowPlayingInfoPropertyServiceIdentifier",
            note: "metadata in a namespace of ours")
        works(
            MPNowPlayingInfoPropertyExternalContentIdentifier, is: "MPNowPlayingInfoPropertyExternalContentIdentifier",
            note: "tells one item from another; told to nobody")
        works(
            MPNowPlayingInfoPropertyExternalUserProfileIdentifier,
            is: "MPNowPlayingInfoPropertyExternalUserProfileIdentifier",
            note: "tells one item from another; told to nobody")
        works(
            MPNowPlayingInfoPropertyAvailableLanguageOptions, is: "MPNowPlayingInfoPropertyAvailableLanguageOptions",
            note: "metadata in a namespace of ours")
        works(
            MPNowPlayingInfoPropertyCurrentLanguageOptions, is: "MPNowPlayingInfoPropertyCurrentLanguageOptions",
            note: "metadata in a namespace of ours")
        accepts(
            MPNowPlayingInfoPropertyAdTimeRanges, is: "MPNowPlayingInfoPropertyAdTimeRanges",
            because: "MPRIS has no words for them, and nothing shows them")
        works(
            MPNowPlayingInfoCollectionIdentifier, is: "MPNowPlayingInfoCollectionIdentifier",
            note: "metadata in a namespace of ours")
        works(MPMediaItemPropertyTitle, is: "title")
        works(MPMediaItemPropertyArtist, is: "artist")
        works(MPMediaItemPropertyAlbumTitle, is: "albumTitle")
        works(MPMediaItemPropertyAlbumArtist, is: "albumArtist")
        works(MPMediaItemPropertyGenre, is: "genre")
        works(MPMediaItemPropertyComposer, is: "composer")
        works(MPMediaItemPropertyPlaybackDuration, is: "playbackDuration")
        works(MPMediaItemPropertyAlbumTrackNumber, is: "albumTrackNumber")
        works(MPMediaItemPropertyAlbumTrackCount, is: "albumTrackCount", note: "metadata in a namespace of ours")
        works(MPMediaItemPropertyDiscNumber, is: "discNumber")
        works(MPMediaItemPropertyDiscCount, is: "discCount", note: "metadata in a namespace of ours")
        works(MPMediaItemPropertyArtwork, is: "artwork")
        works(MPMediaItemPropertyPersistentID, is: "persistentID", note: "tells one item from another; told to nobody")
        works(MPMediaItemPropertyPodcastTitle, is: "podcastTitle", note: "metadata in a namespace of ours")
        works(MPMediaItemPropertyReleaseDate, is: "releaseDate")
        works(MPMediaItemPropertyMediaType, is: "mediaType", note: "metadata in a namespace of ours")
        works(MPMediaItemPropertyIsExplicit, is: "isExplicit", note: "metadata in a namespace of ours")
        works(MPMediaItemPropertyAssetURL, is: "assetURL")
        works(MPMediaItemPropertyLyrics, is: "lyrics")
        works(MPMediaItemPropertyRating, is: "rating")
        works(MPMediaItemPropertyBookmarkTime, is: "bookmarkTime", note: "metadata in a namespace of ours")
        works(MPMediaType.self)
        works(MPMediaType.music, raw: 1)
        works(MPMediaType.podcast, raw: 2)
        works(MPMediaType.audioBook, raw: 4)
        works(MPMediaType.audioITunesU, raw: 8)
        works(MPMediaType.anyAudio, raw: 0xFF)
        works(MPMediaType.movie, raw: 0x100)
        works(MPMediaType.tvShow, raw: 0x200)
        works(MPMediaType.videoPodcast, raw: 0x400)
        works(MPMediaType.musicVideo, raw: 0x800)
        works(MPMediaType.videoITunesU, raw: 0x1000)
        works(MPMediaType.homeVideo, raw: 0x2000)
        works(MPMediaType.anyVideo, raw: 0xFF00)
        works(MPMediaType.any, raw: .max)
    }

    private mutating func commands() {
        // MARK: MPRemoteCommandCenter
        works(MPRemoteCommandCenter.self)
        works(method: MPRemoteCommandCenter.shared)
        works(\MPRemoteCommandCenter.playCommand)
        works(\MPRemoteCommandCenter.pauseCommand)
        works(\MPRemoteCommandCenter.stopCommand)
        works(\MPRemoteCommandCenter.togglePlayPauseCommand)
        works(\MPRemoteCommandCenter.nextTrackCommand)
        works(\MPRemoteCommandCenter.previousTrackCommand)
        accepts(\MPRemoteCommandCenter.seekForwardCommand, because: "never sent: MPRIS can jump, and not wind")
        accepts(\MPRemoteCommandCenter.seekBackwardCommand, because: "never sent: MPRIS can jump, and not wind")
        works(\MPRemoteCommandCenter.skipForwardCommand)
        works(\MPRemoteCommandCenter.skipBackwardCommand)
        works(\MPRemoteCommandCenter.changePlaybackRateCommand)
        works(\MPRemoteCommandCenter.changePlaybackPositionCommand)
        works(\MPRemoteCommandCenter.changeRepeatModeCommand)
        works(\MPRemoteCommandCenter.changeShuffleModeCommand)
        accepts(\MPRemoteCommandCenter.ratingCommand, because: "never sent: MPRIS has no ratings")
        accepts(\MPRemoteCommandCenter.likeCommand, because: "never sent: MPRIS has no likes")
        accepts(\MPRemoteCommandCenter.dislikeCommand, because: "never sent: MPRIS has no likes")
        accepts(\MPRemoteCommandCenter.bookmarkCommand, because: "never sent: MPRIS has no bookmarks")
        accepts(\MPRemoteCommandCenter.enableLanguageOptionCommand, because: "never sent: MPRIS has no languages")
        accepts(\MPRemoteCommandCenter.disableLanguageOptionCommand, because: "never sent: MPRIS has no languages")
    }

    private mutating func commandTypes() {
        // MARK: MPRemoteCommand
        works(MPRemoteCommand.self)
        works(\MPRemoteCommand.isEnabled)
        works(MPRemoteCommand.addTarget(handler:))
        cannotCompile(
            "MPRemoteCommand.addTarget(_:action:)", because: "Linux has no `Selector`: use `addTarget(handler:)`")
        works(MPRemoteCommand.removeTarget(_:))
        cannotCompile(
            "MPRemoteCommand.removeTarget(_:action:)", because: "Linux has no `Selector`: use `removeTarget(_:)`")
        works(MPRemoteCommandHandlerStatus.self)
        works(MPRemoteCommandHandlerStatus.success, raw: 0)
        works(MPRemoteCommandHandlerStatus.noSuchContent, raw: 100)
        works(MPRemoteCommandHandlerStatus.noActionableNowPlayingItem, raw: 110)
        works(MPRemoteCommandHandlerStatus.deviceNotFound, raw: 120)
        works(MPRemoteCommandHandlerStatus.commandFailed, raw: 200)
        works(MPSkipIntervalCommand.self)
        accepts(
            \MPSkipIntervalCommand.preferredIntervals,
            because: "remote controls bring their own intervals: go by the event")
        works(MPChangePlaybackRateCommand.self)
        works(\MPChangePlaybackRateCommand.supportedPlaybackRates)
        works(MPChangePlaybackPositionCommand.self)
        works(MPChangeRepeatModeCommand.self)
        works(\MPChangeRepeatModeCommand.currentRepeatType)
        works(MPChangeShuffleModeCommand.self)
        works(\MPChangeShuffleModeCommand.currentShuffleType)
        works(MPRatingCommand.self)
        works(\MPRatingCommand.minimumRating, note: "metadata in a namespace of ours")
        works(\MPRatingCommand.maximumRating, note: "metadata in a namespace of ours")
        works(MPFeedbackCommand.self)
        works(\MPFeedbackCommand.isActive, note: "metadata in a namespace of ours")
        works(\MPFeedbackCommand.localizedTitle, note: "metadata in a namespace of ours")
        works(\MPFeedbackCommand.localizedShortTitle, note: "metadata in a namespace of ours")
    }

    private mutating func commandEvents() {
        // MARK: Events of commands
        works(MPRemoteCommandEvent.self)
        works(MPRemoteCommandEvent.init as () -> MPRemoteCommandEvent, note: "for mocks; of its subclasses, too")
        works(\MPRemoteCommandEvent.command)
        works(\MPRemoteCommandEvent.timestamp)
        works(MPChangePlaybackRateCommandEvent.self)
        works(\MPChangePlaybackRateCommandEvent.playbackRate)
        works(MPRatingCommandEvent.self, note: "of a command that is never sent")
        works(\MPRatingCommandEvent.rating)
        works(MPSeekCommandEvent.self, note: "of a command that is never sent")
        works(\MPSeekCommandEvent.type)
        works(MPSkipIntervalCommandEvent.self)
        works(\MPSkipIntervalCommandEvent.interval)
        works(MPFeedbackCommandEvent.self, note: "of a command that is never sent")
        works(\MPFeedbackCommandEvent.isNegative)
        works(MPChangePlaybackPositionCommandEvent.self)
        works(\MPChangePlaybackPositionCommandEvent.positionTime)
        works(MPChangeRepeatModeCommandEvent.self)
        works(\MPChangeRepeatModeCommandEvent.repeatType)
        works(\MPChangeRepeatModeCommandEvent.preservesRepeatMode)
        works(MPChangeShuffleModeCommandEvent.self)
        works(\MPChangeShuffleModeCommandEvent.shuffleType)
        works(\MPChangeShuffleModeCommandEvent.preservesShuffleMode)
        works(MPChangeLanguageOptionCommandEvent.self, note: "of a command that is never sent")
        works(\MPChangeLanguageOptionCommandEvent.languageOption)
        works(\MPChangeLanguageOptionCommandEvent.setting)
        works(MPSeekCommandEventType.self)
        works(MPSeekCommandEventType.beginSeeking, raw: 0)
        works(MPSeekCommandEventType.endSeeking, raw: 1)
        works(MPRepeatType.self)
        works(MPRepeatType.off, raw: 0)
        works(MPRepeatType.one, raw: 1)
        works(MPRepeatType.all, raw: 2)
        works(MPShuffleType.self)
        works(MPShuffleType.off, raw: 0)
        works(MPShuffleType.items, raw: 1)
        works(MPShuffleType.collections, raw: 2)
        works(MPChangeLanguageOptionSetting.self)
        works(MPChangeLanguageOptionSetting.none, raw: 0)
        works(MPChangeLanguageOptionSetting.nowPlayingItemOnly, raw: 1)
        works(MPChangeLanguageOptionSetting.permanent, raw: 2)
    }
}

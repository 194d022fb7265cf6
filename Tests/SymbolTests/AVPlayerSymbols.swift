import AVFoundation
import Testing

extension SymbolLedger {
    mutating func avPlayer() {
        playerItself()
        playerTypes()
        items()
        queues()
        captures()
        metadata()
        errors()
        times()
    }

    private mutating func playerItself() {
        // MARK: AVPlayer
        works(AVPlayer.self)
        works(AVPlayer.init as () -> AVPlayer)
        works(AVPlayer.init(url:))
        works(AVPlayer.init(playerItem:))
        works(method: AVPlayer.play)
        works(method: AVPlayer.pause)
        works(AVPlayer.playImmediately(atRate:))
        works(\AVPlayer.rate)
        works(\AVPlayer.defaultRate)
        works(\AVPlayer.volume)
        works(\AVPlayer.isMuted)
        works(method: AVPlayer.currentTime)
        works(AVPlayer.seek(to:) as (AVPlayer) -> (CMTime) -> Void)
        works(AVPlayer.seek(to:) as (AVPlayer) -> (CMTime) async -> Bool)
        fails(AVPlayer.seek(to:) as (AVPlayer) -> (Date) -> Void, because: "nothing happens: no item here has dates")
        works(
            AVPlayer.seek(to:completionHandler:) as (AVPlayer) -> (CMTime, @escaping @Sendable (Bool) -> Void) -> Void)
        fails(
            AVPlayer.seek(to:completionHandler:) as (AVPlayer) -> (Date, @escaping @Sendable (Bool) -> Void) -> Void,
            because: "tells false: no item here has dates")
        works(AVPlayer.seek(to:toleranceBefore:toleranceAfter:) as (AVPlayer) -> (CMTime, CMTime, CMTime) -> Void)
        works(AVPlayer.seek(to:toleranceBefore:toleranceAfter:) as (AVPlayer) -> (CMTime, CMTime, CMTime) async -> Bool)
        works(AVPlayer.seek(to:toleranceBefore:toleranceAfter:completionHandler:))
        works(\AVPlayer.currentItem)
        works(AVPlayer.replaceCurrentItem(with:))
        works(\AVPlayer.status)
        works(\AVPlayer.error)
        works(\AVPlayer.timeControlStatus)
        works(\AVPlayer.reasonForWaitingToPlay)
        works(\AVPlayer.actionAtItemEnd)
        works(AVPlayer.addPeriodicTimeObserver(forInterval:queue:using:))
        works(AVPlayer.addBoundaryTimeObserver(forTimes:queue:using:))
        works(AVPlayer.removeTimeObserver(_:))
        works(\AVPlayer.automaticallyWaitsToMinimizeStalling)
        accepts(\AVPlayer.allowsExternalPlayback, because: "no picture is shown")
        accepts(\AVPlayer.usesExternalPlaybackWhileExternalScreenIsActive, because: "no picture is shown")
        works(
            \AVPlayer.audiovisualBackgroundPlaybackPolicy,
            note: "is about video: a player of sound goes on with each, as on Apple's systems")
        works(AVPlayerAudiovisualBackgroundPlaybackPolicy.automatic, raw: 1)
        works(AVPlayerAudiovisualBackgroundPlaybackPolicy.pauses, raw: 2)
        works(AVPlayerAudiovisualBackgroundPlaybackPolicy.continuesIfPossible, raw: 3)
        works(\AVPlayer.isExternalPlaybackActive, note: "always false: no picture is shown")
        accepts(
            \AVPlayer.preventsDisplaySleepDuringVideoPlayback, because: "no picture is shown; sound keeps no screen on")
        works(AVPlayer.rateDidChangeNotification, raw: "AVPlayerRateDidChangeNotification")
        works(AVPlayer.rateDidChangeReasonKey, is: "AVPlayerRateDidChangeReasonKey")
    }

    private mutating func playerTypes() {
        // MARK: Types of AVPlayer
        works(AVPlayer.Status.self)
        works(AVPlayer.Status.unknown, raw: 0)
        works(AVPlayer.Status.readyToPlay, raw: 1)
        works(AVPlayer.Status.failed, raw: 2)
        works(AVPlayer.TimeControlStatus.self)
        works(AVPlayer.TimeControlStatus.paused, raw: 0)
        works(AVPlayer.TimeControlStatus.waitingToPlayAtSpecifiedRate, raw: 1)
        works(AVPlayer.TimeControlStatus.playing, raw: 2)
        works(AVPlayer.ActionAtItemEnd.self)
        works(AVPlayer.ActionAtItemEnd.advance, raw: 0)
        works(AVPlayer.ActionAtItemEnd.pause, raw: 1)
        works(AVPlayer.ActionAtItemEnd.none, raw: 2)
        works(AVPlayer.WaitingReason.self)
        works(AVPlayer.RateDidChangeReason.self)
        works(AVPlayer.RateDidChangeReason.setRateCalled, raw: "AVPlayerRateDidChangeReasonSetRateCalled")
        works(AVPlayer.RateDidChangeReason.setRateFailed, raw: "AVPlayerRateDidChangeReasonSetRateFailed")
        works(
            AVPlayer.RateDidChangeReason.audioSessionInterrupted,
            raw: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        works(
            AVPlayer.RateDidChangeReason.appBackgrounded, raw: "AVPlayerRateDidChangeReasonAppBackgrounded",
            note: "never told: apps on Linux have no background")
    }

    private mutating func items() {
        // MARK: AVPlayerItem
        works(AVPlayerItem.self)
        works(AVPlayerItem.init(url:))
        works(AVPlayerItem.init(asset:))
        works(
            AVPlayerItem.init(asset:automaticallyLoadedAssetKeys:)
                as (AVAsset, [AVPartialAsyncProperty<AVAsset>]) -> AVPlayerItem,
            named: "AVPlayerItem.init(asset:automaticallyLoadedAssetKeys:)", note: "all are loaded in any case")
        works(\AVPlayerItem.asset)
        works(\AVPlayerItem.duration)
        works(method: AVPlayerItem.currentTime)
        works(method: AVPlayerItem.currentDate, note: "always nil: no item here has dates")
        works(AVPlayerItem.Status.self)
        works(AVPlayerItem.Status.unknown, raw: 0)
        works(AVPlayerItem.Status.readyToPlay, raw: 1)
        works(AVPlayerItem.Status.failed, raw: 2)
        works(\AVPlayerItem.status)
        works(\AVPlayerItem.error)
        works(AVPlayerItem.seek(to:) as (AVPlayerItem) -> (CMTime) -> Void)
        works(AVPlayerItem.seek(to:) as (AVPlayerItem) -> (CMTime) async -> Bool)
        works(
            AVPlayerItem.seek(to:completionHandler:) as (AVPlayerItem) -> (CMTime, (@Sendable (Bool) -> Void)?) -> Void)
        fails(
            AVPlayerItem.seek(to:completionHandler:) as (AVPlayerItem) -> (Date, (@Sendable (Bool) -> Void)?) -> Bool,
            because: "returns false: no item here has dates")
        works(AVPlayerItem.seek(to:toleranceBefore:toleranceAfter:completionHandler:))
        works(method: AVPlayerItem.cancelPendingSeeks)
        works(\AVPlayerItem.loadedTimeRanges)
        works(\AVPlayerItem.seekableTimeRanges)
        works(\AVPlayerItem.isPlaybackBufferEmpty)
        works(\AVPlayerItem.isPlaybackBufferFull)
        works(\AVPlayerItem.isPlaybackLikelyToKeepUp)
        works(\AVPlayerItem.forwardPlaybackEndTime)
        fails(
            \AVPlayerItem.reversePlaybackEndTime,
            because: "stays invalid: playing backwards fails, with `setRateFailed`")
        works(\AVPlayerItem.audioTimePitchAlgorithm, note: "but for `varispeed`, which it does not take")
        works(\AVPlayerItem.preferredForwardBufferDuration, note: "of streams; 1 s at least, 32 MB of sound at most")
        works(\AVPlayerItem.preferredPeakBitRate, note: "chooses an HLS variant when the stream is opened")
        accepts(
            \AVPlayerItem.canUseNetworkResourcesForLiveStreamingWhilePaused,
            because: "a paused stream is loaded until its buffer is full")
        works(AVPlayerItem.didPlayToEndTimeNotification, raw: "AVPlayerItemDidPlayToEndTimeNotification")
        works(NSNotification.Name.AVPlayerItemDidPlayToEndTime, raw: "AVPlayerItemDidPlayToEndTimeNotification")
        works(AVPlayerItem.failedToPlayToEndTimeNotification, raw: "AVPlayerItemFailedToPlayToEndTimeNotification")
        works(AVPlayerItem.playbackStalledNotification, raw: "AVPlayerItemPlaybackStalledNotification")
        works(AVPlayerItem.timeJumpedNotification, raw: "AVPlayerItemTimeJumpedNotification")

        // MARK: AVAudioTimePitchAlgorithm
        works(AVAudioTimePitchAlgorithm.self)
        works(AVAudioTimePitchAlgorithm.timeDomain, raw: "TimeDomain")
        works(AVAudioTimePitchAlgorithm.spectral, raw: "Spectral", note: "as `timeDomain`")
        works(AVAudioTimePitchAlgorithm.lowQualityZeroLatency, raw: "LowQualityZeroLatency", note: "as `timeDomain`")
        fails(AVAudioTimePitchAlgorithm.varispeed, raw: "Varispeed", because: "not taken: the property stays as it was")
    }

    private mutating func queues() {
        // MARK: AVQueuePlayer
        works(AVQueuePlayer.self)
        works(AVQueuePlayer.init(items:))
        works(method: AVQueuePlayer.items)
        works(method: AVQueuePlayer.advanceToNextItem)
        works(AVQueuePlayer.canInsert(_:after:))
        works(AVQueuePlayer.insert(_:after:))
        works(AVQueuePlayer.remove(_:))
        works(method: AVQueuePlayer.removeAllItems)
    }

    private mutating func captures() {
        // MARK: AVCaptureDevice
        works(AVCaptureDevice.self, note: "for asking whether the app may listen; video is restricted")
        works(AVCaptureDevice.authorizationStatus(for:))
        works(AVCaptureDevice.requestAccess(for:completionHandler:))
        // MARK: AVCaptureSession
        works(AVCaptureSession.self, note: "with its two switches only")
        accepts(
            \AVCaptureSession.usesApplicationAudioSession,
            because: "nothing is captured by it: use `AVAudioRecorder`")
        accepts(
            \AVCaptureSession.automaticallyConfiguresApplicationAudioSession,
            because: "nothing is captured by it: use `AVAudioRecorder`")
    }

    private mutating func metadata() {
        // MARK: Metadata
        works(\AVAsset.commonMetadata, note: "read by FFmpeg; without it there are none")
        works(\AVAsset.metadata, note: "read by FFmpeg; without it there are none")
        works(\AVAsset.availableMetadataFormats)
        works(AVAsset.metadata(forFormat:))
        works(AVAsset.loadMetadata(for:))
        works(\AVAsset.lyrics)
        works(\AVAsset.creationDate)
        works(AVMetadataItem.self)
        works(\AVMetadataItem.identifier)
        works(\AVMetadataItem.commonKey)
        works(\AVMetadataItem.key, note: "always a text")
        works(\AVMetadataItem.keySpace)
        works(\AVMetadataItem.value)
        works(\AVMetadataItem.stringValue)
        works(\AVMetadataItem.numberValue)
        works(\AVMetadataItem.dateValue)
        works(\AVMetadataItem.dataValue)
        works(\AVMetadataItem.dataType)
        works(\AVMetadataItem.time)
        works(\AVMetadataItem.extendedLanguageTag, note: "of lyrics, in ISO 639-2")
        works(AVMetadataItem.metadataItems(from:filteredByIdentifier:))
        works(AVMetadataItem.metadataItems(from:withKey:keySpace:))
        works(
            AVMetadataItem.load(_:)
                as (AVMetadataItem) -> (AVAsyncProperty<AVMetadataItem, String?>) async throws -> String?,
            named: "AVMetadataItem.load(_:)")
        works(
            AVMetadataItem.status(of:)
                as (AVMetadataItem) -> (AVAsyncProperty<AVMetadataItem, String?>) ->
                AVAsyncProperty<
                    AVMetadataItem, String?
                >.Status,
            named: "AVMetadataItem.status(of:)")
        metadataNames()
    }

    private mutating func metadataNames() {
        // MARK: Names of metadata
        works(AVMetadataIdentifier.self)
        works(AVMetadataIdentifier.icyMetadataStreamTitle, raw: "icy/StreamTitle")
        works(AVMetadataIdentifier.icyMetadataStreamURL, raw: "icy/StreamUrl")
        works(AVMetadataIdentifier.commonIdentifierTitle, raw: "common/title")
        works(AVMetadataIdentifier.commonIdentifierArtist, raw: "common/artist")
        works(AVMetadataIdentifier.commonIdentifierAlbumName, raw: "common/albumName")
        works(AVMetadataIdentifier.commonIdentifierArtwork, raw: "common/artwork")
        works(AVMetadataIdentifier.commonIdentifierAuthor, raw: "common/author")
        works(AVMetadataIdentifier.commonIdentifierContributor, raw: "common/contributor")
        works(AVMetadataIdentifier.commonIdentifierCopyrights, raw: "common/copyrights")
        works(AVMetadataIdentifier.commonIdentifierCreationDate, raw: "common/creationDate")
        works(AVMetadataIdentifier.commonIdentifierCreator, raw: "common/creator")
        works(AVMetadataIdentifier.commonIdentifierDescription, raw: "common/description")
        works(AVMetadataIdentifier.commonIdentifierLanguage, raw: "common/language")
        works(AVMetadataIdentifier.commonIdentifierPublisher, raw: "common/publisher")
        works(AVMetadataIdentifier.commonIdentifierSoftware, raw: "common/software")
        works(AVMetadataIdentifier.commonIdentifierType, raw: "common/type")
        works(AVMetadataIdentifier.id3MetadataTitleDescription, raw: "id3/TIT2")
        works(AVMetadataIdentifier.id3MetadataLeadPerformer, raw: "id3/TPE1")
        works(AVMetadataIdentifier.id3MetadataBand, raw: "id3/TPE2")
        works(AVMetadataIdentifier.id3MetadataAlbumTitle, raw: "id3/TALB")
        works(AVMetadataIdentifier.id3MetadataAttachedPicture, raw: "id3/APIC")
        works(AVMetadataIdentifier.id3MetadataTrackNumber, raw: "id3/TRCK")
        works(AVMetadataIdentifier.id3MetadataPartOfASet, raw: "id3/TPOS")
        works(AVMetadataIdentifier.id3MetadataComposer, raw: "id3/TCOM")
        works(AVMetadataIdentifier.id3MetadataContentType, raw: "id3/TCON")
        works(AVMetadataIdentifier.id3MetadataRecordingTime, raw: "id3/TDRC")
        works(AVMetadataIdentifier.id3MetadataComments, raw: "id3/COMM")
        works(AVMetadataIdentifier.id3MetadataUnsynchronizedLyric, raw: "id3/USLT")
        works(AVMetadataIdentifier.id3MetadataBeatsPerMinute, raw: "id3/TBPM")
        works(AVMetadataIdentifier.iTunesMetadataSongName, raw: "itsk/%A9nam")
        works(AVMetadataIdentifier.iTunesMetadataArtist, raw: "itsk/%A9ART")
        works(AVMetadataIdentifier.iTunesMetadataAlbumArtist, raw: "itsk/aART")
        works(AVMetadataIdentifier.iTunesMetadataAlbum, raw: "itsk/%A9alb")
        works(AVMetadataIdentifier.iTunesMetadataCoverArt, raw: "itsk/covr")
        works(AVMetadataIdentifier.iTunesMetadataTrackNumber, raw: "itsk/trkn")
        works(AVMetadataIdentifier.iTunesMetadataDiscNumber, raw: "itsk/disk")
        works(AVMetadataIdentifier.iTunesMetadataComposer, raw: "itsk/%A9wrt")
        works(AVMetadataIdentifier.iTunesMetadataUserGenre, raw: "itsk/%A9gen")
        works(AVMetadataIdentifier.iTunesMetadataReleaseDate, raw: "itsk/%A9day")
        works(AVMetadataIdentifier.iTunesMetadataUserComment, raw: "itsk/%A9cmt")
        works(AVMetadataIdentifier.iTunesMetadataLyrics, raw: "itsk/%A9lyr")
        works(AVMetadataKey.self)
        works(AVMetadataKey.commonKeyTitle, raw: "title")
        works(AVMetadataKey.commonKeyArtist, raw: "artist")
        works(AVMetadataKey.commonKeyAlbumName, raw: "albumName")
        works(AVMetadataKey.commonKeyArtwork, raw: "artwork")
        works(AVMetadataKey.commonKeyAuthor, raw: "author")
        works(AVMetadataKey.commonKeyContributor, raw: "contributor")
        works(AVMetadataKey.commonKeyCopyrights, raw: "copyrights")
        works(AVMetadataKey.commonKeyCreationDate, raw: "creationDate")
        works(AVMetadataKey.commonKeyCreator, raw: "creator")
        works(AVMetadataKey.commonKeyDescription, raw: "description")
        works(AVMetadataKey.commonKeyLanguage, raw: "language")
        works(AVMetadataKey.commonKeyPublisher, raw: "publisher")
        works(AVMetadataKey.commonKeySoftware, raw: "software")
        works(AVMetadataKey.commonKeyType, raw: "type")
        works(AVMetadataKeySpace.self)
        works(AVMetadataKeySpace.common, raw: "comn")
        works(AVMetadataKeySpace.id3, raw: "org.id3")
        works(AVMetadataKeySpace.iTunes, raw: "itsk")
        works(AVMetadataKeySpace.quickTimeMetadata, raw: "mdta")
        works(AVMetadataKeySpace.icy, raw: "icy")
        works(AVMetadataKeySpace.audioFile, raw: "caaf")
        works(AVMetadataFormat.self)
        works(AVMetadataFormat.id3Metadata, raw: "org.id3")
        works(AVMetadataFormat.iTunesMetadata, raw: "com.apple.itunes")
        works(AVMetadataFormat.quickTimeMetadata, raw: "com.apple.quicktime.mdta")
        works(AVMetadataFormat.unknown, raw: "public.unknown")
    }

    private mutating func errors() {
        // MARK: AVError
        works(AVError.self, note: "thrown `NSError` objects of its domain can be cast to it, and caught by their codes")
        works(AVFoundationErrorDomain, is: "AVFoundationErrorDomain")
        works(AVError.errorDomain, is: "AVFoundationErrorDomain")
        works(AVError.Code.self)
        works(AVError.unknown, raw: -11800)
        works(AVError.mediaServicesWereReset, raw: -11819)
        works(AVError.decodeFailed, raw: -11821)
        works(AVError.fileFormatNotRecognized, raw: -11828)
        works(AVError.fileFailedToParse, raw: -11829)
        works(AVError.decoderNotFound, raw: -11833)
        works(AVError.contentIsNotAuthorized, raw: -11835, note: "never told")
        works(AVError.failedToLoadMediaData, raw: -11849, note: "never told")
        works(AVError.serverIncorrectlyConfigured, raw: -11850, note: "never told")
        works(AVError.operationNotAllowed, raw: -11862, note: "never told")
        works(AVError.contentIsUnavailable, raw: -11863, note: "never told")
        works(AVError.noLongerPlayable, raw: -11867, note: "never told")
    }

    private mutating func times() {
        // MARK: AVAsset
        works(AVAsset.self)
        works(AVAsset.init(url:))
        works(\AVAsset.duration)
        works(method: AVAsset.cancelLoading)
        works(AVAsset.loadValuesAsynchronously(forKeys:completionHandler:))
        works(AVAsset.statusOfValue(forKey:error:), note: "metadata come with their first property, and the rest too")
        works(AVKeyValueStatus.self)
        works(AVKeyValueStatus.unknown, raw: 0)
        works(AVKeyValueStatus.loading, raw: 1)
        works(AVKeyValueStatus.loaded, raw: 2)
        works(AVKeyValueStatus.failed, raw: 3)
        works(AVKeyValueStatus.cancelled, raw: 4)
        works(
            AVAsset.status(of:)
                as (AVAsset) -> (AVAsyncProperty<AVAsset, CMTime>) -> AVAsyncProperty<AVAsset, CMTime>.Status,
            named: "AVAsset.status(of:)")
        works(AVAsyncProperty<AVAsset, CMTime>.Status.self, named: "AVAsyncProperty.Status")
        works(AVPartialAsyncProperty<AVAsset>.self, named: "AVPartialAsyncProperty")
        works(
            AVAsset.load(_:) as (AVAsset) -> (AVAsyncProperty<AVAsset, CMTime>) async throws -> CMTime,
            named: "AVAsset.load(_:)")
        works(AVURLAsset.self)
        works(AVURLAsset.init(url:))

        // MARK: CMTime
        works(CMTime.self)
        works(CMTimeGetSeconds(_:))
        works(CMTime.zero)
        works(\CMTime.seconds)
        works(CMTime.init(seconds:preferredTimescale:))
        works(CMTime.init(value:timescale:))
        works(CMTimeMultiplyByRatio(_:multiplier:divisor:))
        works(CMTIME_IS_POSITIVEINFINITY(_:))
        works(CMTIME_IS_NEGATIVEINFINITY(_:))
        works(CMTIME_HAS_BEEN_ROUNDED(_:))
        works(CMTimeShow(_:))
        works(NSEC_PER_SEC, is: 1_000_000_000)

        // MARK: CMTimeRange
        works(CMTimeRange.self)
        works(CMTimeRangeMake(start:duration:))
        works(CMTimeRangeFromTimeToTime(start:end:))
        works(CMTimeRangeGetEnd(_:))
        works(CMTimeRangeGetUnion(_:otherRange:))
        works(CMTimeRangeGetIntersection(_:otherRange:))
        works(CMTimeRangeContainsTimeRange(_:otherRange:))
        works(CMTimeRangeContainsTime(_:time:))
        works(CMTimeRangeEqual(_:_:))
        works(CMTimeRangeShow(_:))
        works(CMTimeClampToRange(_:range:))
        works(CMTIMERANGE_IS_VALID(_:))
        works(CMTIMERANGE_IS_INVALID(_:))
        works(CMTIMERANGE_IS_EMPTY(_:))
        works(CMTIMERANGE_IS_INDEFINITE(_:))

        // MARK: Times as objects
        works(NSValue.init(time:), note: "also `time as NSValue`, `object as? CMTime`")
        works(\NSValue.timeValue)
        works(NSValue.init(timeRange:), note: "also `range as NSValue`, `object as? CMTimeRange`")
        works(\NSValue.timeRangeValue)
    }

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    mutating func olderTimes() {
        // MARK: Older times
        works(kCMTimeZero)
        works(kCMTimeRangeZero)
        works(kCMTimeRangeInvalid)
    }
}

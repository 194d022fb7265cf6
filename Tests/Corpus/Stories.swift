/// What becomes of an app of the corpus when its user does this and that.
protocol Story {
    /// Lives through it, and says what comes of it.
    @MainActor
    static func run(_ stage: Stage) async throws
}

/// All apps, by the names of their types.
enum Stories {
    /// Whoever asks by way of this is not told that some of them use old spellings.
    private static var table: any Table.Type { Self.self }

    /// The apps.
    static var all: [any Story.Type] { table.apps }
}

/// See ``Stories``.
private protocol Table {
    static var apps: [any Story.Type] { get }
}

extension Stories: Table {
    @available(*, deprecated, message: "Some of them use old spellings.")
    fileprivate static var apps: [any Story.Type] {
        [
            SimplePlayer.self, DelegatePlayer.self, PlaylistPlayer.self, MusicPlayer.self, AsyncPlayer.self,
            PodcastPlayer.self, Crossfader.self, DataPlayer.self, SleepTimer.self, LevelDisplay.self, Balance.self,
            MultiTrack.self, TaggedPlayer.self, ItemPlayer.self, ItemObserver.self, OldPlayer.self, Subclasses.self,
            VoiceMemo.self, Dictaphone.self, BlowDetector.self, TakeReview.self, CaptureAuthorization.self,
            OldRecorder.self,
            VoiceCall.self, CallController.self,
            TurnByTurn.self, WorkoutCoach.self, Metronome.self, TimerMetronome.self, DoneSound.self,
            CasualGame.self, SoundManager.self, ButtonClicks.self, SoundBoard.self,
            SessionManager.self, VolumeObserver.self, RouteWatcher.self, ServicesReset.self, NowPlaying.self,
            LockScreen.self,
            NotificationCasts.self, FormatInspector.self,
            Bounce.self, OwnStream.self, TapRecorder.self, InputMeter.self, SpeechTap.self, KeywordListener.self,
            SinkListener.self, WaveformView.self, GameAudio.self, PracticePlayer.self, BufferStreamer.self,
            ToneGenerator.self, MixRecorder.self, ClickTrack.self, BeatScheduler.self, EffectRack.self,
            ObservablePlayer.self, AudioBook.self, ClosureObserver.self, OptionalDelegate.self, StateStream.self,
            AppLifecycle.self,
        ]
    }
}

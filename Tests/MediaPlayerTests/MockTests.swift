import Foundation
import MediaPlayer
import TestSupport
import Testing

// What tests of apps hand to their handlers of commands; they see what is public.

private final class MockSeek: MPChangePlaybackPositionCommandEvent {
    override var positionTime: TimeInterval { 42 }
    override var timestamp: TimeInterval { 7 }
}

private final class MockSkip: MPSkipIntervalCommandEvent {
    private let seconds: TimeInterval

    init(seconds: TimeInterval) {
        self.seconds = seconds
        super.init()
    }

    override var interval: TimeInterval { seconds }
}

@Suite("Mocks of events", .limited)
struct MockTests {
    @Test("Events can be mocked")
    func mocks() {
        let events: [MPRemoteCommandEvent] = [MockSeek(), MockSkip(seconds: 15)]
        #expect((events[0] as? MPChangePlaybackPositionCommandEvent)?.positionTime == 42 && events[0].timestamp == 7)
        #expect((events[1] as? MPSkipIntervalCommandEvent)?.interval == 15)
        #expect(events[1].timestamp > 0 && events[0].command !== events[1].command)
    }

    @Test("Events that an app makes say nothing")
    func empty() {
        #expect(MPChangePlaybackPositionCommandEvent().positionTime == 0 && MPSkipIntervalCommandEvent().interval == 0)
        #expect(MPChangePlaybackRateCommandEvent().playbackRate == 0 && MPRatingCommandEvent().rating == 0)
        let (repeats, shuffles) = (MPChangeRepeatModeCommandEvent(), MPChangeShuffleModeCommandEvent())
        #expect(repeats.repeatType == .off && repeats.preservesRepeatMode)
        #expect(shuffles.shuffleType == .off && shuffles.preservesShuffleMode)
        #expect(MPChangeVolumeCommandEvent().volume == 0 && MPSeekCommandEvent().type == .beginSeeking)
        #expect(!MPFeedbackCommandEvent().isNegative)
        let language = MPChangeLanguageOptionCommandEvent()
        #expect(language.setting == .none && language.languageOption.languageTag == "")
    }
}

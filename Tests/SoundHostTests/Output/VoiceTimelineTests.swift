import TestSupport
import Testing

@testable import SoundHost

@Suite("Where a voice's frames went", .limited)
struct VoiceTimelineTests {
    @Test("An empty one knows nothing")
    func empty() {
        var timeline = VoiceTimeline()
        timeline.append(stream: 10, voice: 0, count: 0)
        #expect(timeline.end == nil && timeline.voiceFrame(at: 10) == nil)
        timeline.cut(at: 5)
        #expect(timeline == VoiceTimeline())
    }

    @Test("Frames that follow each other are found, and those before and after are bounded")
    func contiguous() {
        var timeline = VoiceTimeline()
        timeline.append(stream: 100, voice: 20, count: 5)
        timeline.append(stream: 105, voice: 25, count: 5)
        #expect(timeline.end == 110)
        #expect([0, 100, 107, 110, 500].map { timeline.voiceFrame(at: $0) } == [20, 20, 27, 30, 30])
        var other = VoiceTimeline()
        other.append(stream: 100, voice: 20, count: 10)
        #expect(timeline == other, "one stretch")
    }

    @Test("A hole stands still")
    func hole() {
        var timeline = VoiceTimeline()
        timeline.append(stream: 0, voice: 0, count: 10)
        timeline.append(stream: 20, voice: 10, count: 10)
        #expect([9, 10, 15, 20, 25].map { timeline.voiceFrame(at: $0) } == [9, 10, 10, 10, 15])
    }

    @Test("What is cut off is forgotten", arguments: [(25, 25, 15), (20, 10, 10), (15, 10, 10), (5, 5, 5)])
    func cut(at frame: Int, end: Int, last: Int) {
        var timeline = VoiceTimeline()
        timeline.append(stream: 0, voice: 0, count: 10)
        timeline.append(stream: 20, voice: 10, count: 10)
        timeline.cut(at: frame)
        #expect(timeline.end == end && timeline.voiceFrame(at: 1000) == last)
        timeline.append(stream: 40, voice: last, count: 1)
        #expect(timeline.voiceFrame(at: 41) == last + 1)
    }

    @Test("A voice that starves all the time does not fill the memory")
    func bounded() {
        var timeline = VoiceTimeline()
        for index in 0..<1000 { timeline.append(stream: 10 * index, voice: 5 * index, count: 5) }
        #expect(timeline.voiceFrame(at: 9992) == 4997)
        #expect(timeline.voiceFrame(at: 9902) == 4952)
    }
}

import AudioHost
import PulseClient
import TestSupport
import Testing

@testable import SoundHost

@Suite("The frames of a capture that are replaced by silence", .limited)
struct CaptureMuteScheduleTests {
    @Test("What was heard before a change keeps what became of it then, however late it comes")
    func changes() {
        var schedule = CaptureMuteSchedule()
        #expect(schedule.reason(at: 0) == (nil, .max))
        let changed = [schedule.set(.app, from: 100), schedule.set(.app, from: 150), schedule.set(nil, from: 200)]
        #expect(changed == [true, false, true])
        #expect(schedule.reason(at: 40) == (nil, 100))
        #expect(schedule.reason(at: 100) == (.app, 200))
        #expect(schedule.reason(at: 250) == (nil, .max))
    }

    @Test("A change that is placed before the last one comes after it all the same")
    func order() {
        var schedule = CaptureMuteSchedule()
        _ = schedule.set(.permission, from: 100)
        _ = schedule.set(nil, from: 90)
        #expect(schedule.reason(at: 99) == (nil, 100))
        #expect(schedule.reason(at: 100) == (nil, .max))
    }

    @Test("A change before the first frame counts from its time on, not for what was heard before")
    func unplaced() {
        var schedule = CaptureMuteSchedule()
        schedule.set(.app)
        schedule.set(nil, at: 3)
        schedule.set(.permission, at: 4)
        schedule.place { Int($0) * 100 }
        #expect(schedule.reason(at: 0) == (.app, 300))
        #expect(schedule.reason(at: 300) == (nil, 400))
        #expect(schedule.reason(at: 450) == (.permission, .max))
    }

    @Test("When frames are counted anew what was to change has changed, and a word for all frames counts at once")
    func restart() {
        var schedule = CaptureMuteSchedule()
        _ = schedule.set(.app, from: 1_000)
        schedule.restart()
        #expect(schedule.reason(at: 0) == (.app, .max))
        schedule.set(.permission)
        #expect(schedule.reason(at: 0) == (.permission, .max))
    }

    @Test("Frames that were lost while nothing may be heard stay lost frames, and no zeros are made of them")
    func lostFrames() throws {
        let connection = try PulseConnection(name: "nowhere")
        let spec = SampleSpec(format: .int16, rate: 48_000, channels: 1)
        let stream = RecordStream(connection: connection, name: "nowhere", spec: spec)
        let handed = HandedOver()
        let capture = Capture(
            stream, isPipeWire: false, pace: .usual,
            handlers: .init(data: { handed.append($0, $1) }, interrupted: { _ in }, ended: {}))
        stream.mainloop.withLock {
            for (isMuted, isDenied) in [(true, false), (false, true)] {
                capture.setMuted(byApp: isMuted, byPermission: isDenied)
                capture.handOver(nil, 1_000_000, from: 0)
                [Int16](repeating: 1, count: 2).withUnsafeBytes { capture.handOver($0, 2, from: 1_000_000) }
            }
        }
        #expect(handed.sizes == [2_000_000, 4, 2_000_000, 4])
        let silence: [UInt8] = [0, 0, 0, 0]
        let expected: [[UInt8]?] = [nil, silence, nil, silence]
        #expect(handed.bytes == expected)
    }
}

/// What a capture has handed over.
// SAFETY: only touched with the main loop's lock held, or after it.
private final class HandedOver: @unchecked Sendable {
    private(set) var sizes: [Int] = []
    private(set) var bytes: [[UInt8]?] = []

    func append(_ data: UnsafeRawBufferPointer?, _ size: Int) {
        sizes.append(size)
        bytes.append(data.map { Array($0) })
    }
}

import PulseClient
import Testing

@testable import SoundHost

@Suite("From which frames on a capture hands over silence")
struct CaptureSecrecyTests {
    @Test("What was heard before a change keeps what became of it then, however late it comes")
    func changes() {
        var secrecy = CaptureSecrecy()
        #expect(secrecy.hearing(at: 0) == (.heard, .max))
        let changed = [secrecy.set(.muted, from: 100), secrecy.set(.muted, from: 150), secrecy.set(.heard, from: 200)]
        #expect(changed == [true, false, true])
        #expect(secrecy.hearing(at: 40) == (.heard, 100))
        #expect(secrecy.hearing(at: 100) == (.muted, 200))
        #expect(secrecy.hearing(at: 250) == (.heard, .max))
    }

    @Test("A change that is placed before the last one comes after it all the same")
    func order() {
        var secrecy = CaptureSecrecy()
        _ = secrecy.set(.denied, from: 100)
        _ = secrecy.set(.heard, from: 90)
        #expect(secrecy.hearing(at: 99) == (.heard, 100))
        #expect(secrecy.hearing(at: 100) == (.heard, .max))
    }

    @Test("A change before the first frame counts from its time on, not for what was heard before")
    func unplaced() {
        var secrecy = CaptureSecrecy()
        secrecy.set(.muted)
        secrecy.set(.heard, at: 3)
        secrecy.set(.denied, at: 4)
        secrecy.place { Int($0) * 100 }
        #expect(secrecy.hearing(at: 0) == (.muted, 300))
        #expect(secrecy.hearing(at: 300) == (.heard, 400))
        #expect(secrecy.hearing(at: 450) == (.denied, .max))
    }

    @Test("When frames are counted anew what was to change has changed, and a word for all frames counts at once")
    func restart() {
        var secrecy = CaptureSecrecy()
        _ = secrecy.set(.muted, from: 1_000)
        secrecy.restart()
        #expect(secrecy.hearing(at: 0) == (.muted, .max))
        secrecy.set(.denied)
        #expect(secrecy.hearing(at: 0) == (.denied, .max))
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
                capture.setHearing(muted: isMuted, denied: isDenied)
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

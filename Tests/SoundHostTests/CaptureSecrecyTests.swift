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
}

import AudioHost
import Locks
import PulseClient
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

@Suite("When streams of other libraries count", .limited)
struct UnmanagedStreamWatchTests {
    @Test("An end is reported half a second later, so that it comes after the loss of its device")
    func pause() async throws {
        let mainloop = try Mainloop()
        let reports = Guarded<[(event: HostEvent, time: Double)]>([])
        let watch = UnmanagedStreamWatch(mainloop: mainloop) { event in
            reports.withLock { $0.append((event, MonotonicClock.seconds)) }
        }
        let began = MonotonicClock.seconds
        mainloop.withLock {
            for isRunning in [true, false, true, false] { watch.observe(isRunning) }
            // With the loop's lock held: its timer must not come first on a busy machine.
            #expect(reports.withLock { $0.map(\.event) } == [.unmanagedStreams(areRunning: true)])
        }
        try await waitUntil("the end") { reports.withLock { $0.count } == 2 }
        #expect(reports.withLock { $0[1].event } == .unmanagedStreams(areRunning: false))
        #expect(reports.withLock { $0[1].time } > began + 0.49)
        mainloop.withLock { for isRunning in [true, nil] { watch.observe(isRunning) } }
        #expect(reports.withLock { $0.count } == 4, "at once, as the session is not active any more")
    }
}

import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

@Suite("A loss that is still settling", .limited)
struct RouteWatchTests {
    /// A watch over an output that can be pulled as `audiosession simulate unplug` does it.
    // SAFETY: the watch is only touched with the main loop's lock held.
    private final class LiveWatch: @unchecked Sendable {
        let events = HostEvents()
        /// The losses of the connector in use, and the ends of losses that came to nothing.
        let losses = Journal<Bool>()
        private let directory: LiveDirectory
        private let watch: RouteWatch

        init(_ directory: LiveDirectory) {
            self.directory = directory
            watch = directory.read { table in RouteWatch(directory: table, uses: { (nil, []) }) }
            // The first look.
            act { [weak self] watch in
                watch.onNews = { self?.received($0) }
                watch.isUnplugged = false
            }
        }

        /// Moves no streams.
        private func received(_ news: RouteNews) {
            switch news {
            case .connectorsLost: losses.add(true)
            case .managerReturned: break
            case .settled(let facts):
                let outcome = watch.observe(facts, under: .default)
                if outcome.isRestored { losses.add(false) }
                for event in outcome.events { events.add(event) }
            }
        }

        /// Does something before anything that happens can settle.
        func act(_ body: (RouteWatch) -> Void) { directory.read { _ in body(watch) } }

        var reasons: [RouteChangeReason] {
            var reasons: [RouteChangeReason] = []
            for case .routeChanged(let change) in events.all { reasons.append(change.reason) }
            return reasons
        }
    }

    @Test("A connector that was gone for a moment only is silent for that moment only, and nobody is told")
    func flicker() async throws {
        try await withDirectory(.pulseAudio) { _, directory in
            let watch = LiveWatch(directory)
            watch.act { watch in
                watch.isUnplugged = true
                watch.isUnplugged = false
            }
            try await waitUntil("the end of the silence") { watch.losses.all == [true, false] }
            #expect(watch.events.all == [])
        }
    }

    @Test("S51: an app that comes back in the moment after its output was pulled is told of that")
    func activation() async throws {
        try await withDirectory(.pulseAudio) { _, directory in
            let watch = LiveWatch(directory)
            watch.act { watch in
                watch.isUnplugged = true
                watch.settingsBegan()
            }
            #expect(watch.reasons == [.oldDeviceUnavailable])
            #expect(watch.losses.all == [true], "it is silent until the app knows")
        }
    }

    @Test("S51, S53: an app that changes its category in that moment is told of the loss first, and once of each")
    func category() async throws {
        try await withDirectory(.pulseAudio) { _, directory in
            let watch = LiveWatch(directory)
            watch.act { watch in
                watch.isUnplugged = true
                watch.happened(.category)
                watch.happened(.devices)
            }
            try await waitUntil("both") { watch.reasons.count > 1 }
            #expect(watch.reasons == [.oldDeviceUnavailable, .categoryChange])
            #expect(watch.losses.all == [true])
        }
    }
}

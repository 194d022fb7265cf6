import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AVFAudio

@Suite("Those who observe an object", .limited)
struct PropertyObserversTests {
    /// A property that counts the looks at it.
    private final class Counted: Sendable {
        private let looks = Atomic<Int>(0)
        private let number = Atomic<Int>(0)
        var value: Int {
            looks.add(1, ordering: .relaxed)
            return number.load(ordering: .relaxed)
        }
        var count: Int { looks.load(ordering: .relaxed) }
        func set(_ value: Int) { number.store(value, ordering: .relaxed) }
    }

    @Test("What changes often while nobody has time to look is looked at once, and its last value is told")
    func manyChangesAtOnce() async throws {
        let queue = DispatchQueue(label: "looks")
        let observers = PropertyObservers(readingOn: queue)
        let object = Counted()
        let told = Journal<Int>()
        let token = observers.observe(\.value, of: object, .new) { _, change in told.add(change.newValue ?? -1) }
        for round in 1...2 {
            let before = object.count
            queue.suspend()
            for number in 1...100 {
                object.set(100 * round + number)
                observers.changed()
            }
            queue.resume()
            try await waitUntil("the last value") { told.all.count == round }
            // Whatever was still to come.
            await withCheckedContinuation { done in queue.async { done.resume() } }
            #expect(object.count == before + 1)
        }
        #expect(told.all == [200, 300])
        token.invalidate()
    }
}

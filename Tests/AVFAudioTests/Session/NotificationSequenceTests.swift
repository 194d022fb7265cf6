import AVFAudio
import TestSupport
import Testing

/// Notifications as an asynchronous sequence, which Foundation on Linux does not have.
@Suite("Sequences of notifications", .limited)
struct NotificationSequenceTests {
    private static let name = Notification.Name("NotificationSequenceTests")

    @Test("Notifications come in order and none is missed, however slow the loop is")
    func order() async throws {
        let center = NotificationCenter()
        var iterator = center.notifications(named: Self.name).makeAsyncIterator()
        for number in 0..<100 { center.post(name: Self.name, object: nil, userInfo: ["number": number]) }
        center.post(name: Notification.Name("another"), object: nil)
        center.post(name: Self.name, object: nil, userInfo: ["number": 100])
        var numbers: [Int?] = []
        while numbers.count < 101 { numbers.append(await iterator.next()?.userInfo?["number"] as? Int) }
        #expect(numbers == Array(0...100))
    }

    @Test("Only those of the object are taken, if there is one")
    func object() async throws {
        let center = NotificationCenter()
        let (mine, other) = (NSObject(), NSObject())
        var iterator = center.notifications(named: Self.name, object: mine).makeAsyncIterator()
        center.post(name: Self.name, object: other)
        center.post(name: Self.name, object: mine)
        #expect(await iterator.next()?.object as? NSObject === mine)
    }

    @MainActor
    private final class Model {
        var numbers: [Int] = []
        var isOver = false

        func follow(_ center: NotificationCenter) async {
            for await notification in center.notifications(named: NotificationSequenceTests.name) {
                MainActor.assertIsolated()
                numbers.append(notification.userInfo?["number"] as? Int ?? -1)
            }
            isOver = true
        }
    }

    @Test("A loop on the main actor stays there, and ends when its task is cancelled")
    func mainActor() async throws {
        let center = NotificationCenter()
        let model = Model()
        let task = Task { await model.follow(center) }
        // The loop has begun once it hears something.
        try await waitUntil("the loop", timeout: hangLimit) {
            center.post(name: Self.name, object: nil, userInfo: ["number": 1])
            return await !model.numbers.isEmpty
        }
        #expect(await model.numbers.allSatisfy { $0 == 1 })
        #expect(await !model.isOver)
        task.cancel()
        await task.value
        #expect(await model.isOver)
    }

    @Test("Nobody listens any more when the iterator is gone")
    func end() async throws {
        /// Tells when nobody holds it any more.
        final class Witness: Sendable {}
        let center = NotificationCenter()
        weak var witness: Witness?
        do {
            var iterator = center.notifications(named: Self.name).makeAsyncIterator()
            let kept = Witness()
            witness = kept
            center.post(name: Self.name, object: nil, userInfo: ["kept": kept])
            center.post(name: Self.name, object: nil)
            _ = await iterator.next()
            _ = await iterator.next()
        }
        #expect(witness == nil)
        center.post(name: Self.name, object: nil)
    }
}

import AVFAudio
import HeadlessServer
import TestSupport
import Testing

/// Key-value observing of a session, which the server's own events drive.
@Suite("Observed properties of a session", .limited)
struct SessionObservingTests {
    /// What was told, in order.
    // SAFETY: guarded by `lock`.
    private final class Changes<Value: Equatable & Sendable>: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [(old: Value?, new: Value?)] = []
        private var isAlwaysOnMain = true

        func add(_ change: NSKeyValueObservedChange<Value>) {
            let isMain = OperationQueue.current == OperationQueue.main
            lock.withLock {
                list.append((change.oldValue, change.newValue))
                isAlwaysOnMain = isAlwaysOnMain && isMain
            }
        }

        var all: [(old: Value?, new: Value?)] { lock.withLock { list } }
        var onMain: Bool { lock.withLock { isAlwaysOnMain } }
    }

    /// A property that changes behind whoever looks at it first, and nobody says so; it counts the looks.
    // SAFETY: guarded by `lock`.
    final class Restless: Hashable, @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0

        var looks: Int { lock.withLock { count } }

        var value: Int {
            lock.withLock {
                count += 1
                return min(count, 2)
            }
        }

        static func == (first: Restless, second: Restless) -> Bool { first === second }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private func isAbout(_ percent: Int, _ volume: Float?) -> Bool {
        volume.map { abs($0 - Float(percent) / 100) < 0.01 } ?? false
    }

    @Test(
        "S79: who observes outputVolume is told on the main queue of what the user sets, until the token goes",
        arguments: HeadlessServer.Kind.allCases)
    func volume(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "first"), HeadlessServer.NullSink(name: "second")]
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "first")
            try await pactl.setVolume(0.8, sink: "first")
            try await pactl.setVolume(0.6, sink: "second")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            try await waitUntil("the volume") { isAbout(80, session.outputVolume) }
            let (changes, quiet) = (Changes<Float>(), Changes<Float>())
            var token: NSKeyValueObservation? = session.observe(\.outputVolume, options: [.old, .new]) {
                observed, change in
                #expect(observed === session)
                changes.add(change)
            }
            let other = session.observe(\.outputVolume) { _, change in quiet.add(change) }
            try await pactl.setVolume(0.3, sink: "first")
            try await waitUntil("30 %", timeout: hangLimit) { isAbout(30, changes.all.last?.new) }
            #expect(isAbout(80, changes.all.first?.old) && changes.onMain)
            try await waitUntil("the other observer", timeout: hangLimit) { !quiet.all.isEmpty }
            #expect(quiet.all.allSatisfy { $0.old == nil && $0.new == nil }, "it asked for no values")
            // Another default output has a volume of its own.
            try await pactl.setDefault(sink: "second")
            try await waitUntil("60 %", timeout: hangLimit) { isAbout(60, changes.all.last?.new) }
            other.invalidate()
            token = nil
            let (before, quietBefore) = (changes.all.count, quiet.all.count)
            let last = Changes<Float>()
            let third = session.observe(\.outputVolume, options: .new) { _, change in last.add(change) }
            try await pactl.setVolume(0.2, sink: "second")
            try await waitUntil("20 %", timeout: hangLimit) { isAbout(20, last.all.last?.new) }
            #expect(changes.all.count == before && quiet.all.count == quietBefore)
            withExtendedLifetime((token, third)) {}
        }
    }

    @Test(
        "Inputs are observed too: the channels that a category has, and the gain that the user sets",
        arguments: HeadlessServer.Kind.allCases)
    func inputs(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession(.playback)
            let (channels, gains) = (Changes<Int>(), Changes<Float>())
            let tokens = [
                session.observe(\.inputNumberOfChannels, options: [.initial, .new]) { _, change in channels.add(change)
                },
                session.observe(\.inputGain, options: .new) { _, change in gains.add(change) },
            ]
            #expect(channels.all.map(\.new) == [0], "initially, before the call returns")
            try session.setCategory(.playAndRecord)
            try await waitUntil("two channels", timeout: hangLimit) { channels.all.last?.new == 2 }
            try await Pactl(server).run("set-source-volume", "test_out.monitor", "40%")
            try await waitUntil("40 %", timeout: hangLimit) { isAbout(40, gains.all.last?.new) }
            withExtendedLifetime(tokens) {}
        }
    }

    @Test(
        "What changes while a second observer begins is not missed", arguments: HeadlessServer.Kind.allCases)
    func secondObserver(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            let (volumes, values) = (Changes<Float>(), Changes<Int>())
            let first = session.observe(\.outputVolume, options: .new) { _, change in volumes.add(change) }
            try await Pactl(server).setVolume(0.3, sink: "test_out")
            try await waitUntil("30 %", timeout: hangLimit) { isAbout(30, volumes.all.last?.new) }
            let property = Restless()
            let second = session.observe(\.[property], options: [.initial, .new]) { _, change in values.add(change) }
            try await waitUntil("the change", timeout: hangLimit) { values.all.map(\.new) == [1, 2] }
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test(
        "The second connection lasts as long as somebody observes, and no longer",
        arguments: HeadlessServer.Kind.allCases)
    func connection(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let pactl = Pactl(server)
            func connections() async throws -> Int { try await pactl.clients().count { $0.processID == getpid() } }
            let session = AVAudioSession(server: server.address)
            try session.setActive(true)
            let own = try await connections()
            let first = session.observe(\.outputVolume) { _, _ in }
            var second: NSKeyValueObservation? = session.observe(\.sampleRate) { _, _ in }
            try await waitUntil("the connection", timeout: hangLimit) { try await connections() == own + 1 }
            first.invalidate()
            #expect(try await connections() == own + 1, "one of them still observes")
            second = nil
            try await waitUntil("its end", timeout: hangLimit) { try await connections() == own }
            let third = session.observe(\.outputVolume) { _, _ in }
            try await waitUntil("another one", timeout: hangLimit) { try await connections() == own + 1 }
            third.invalidate()
            third.invalidate()
            try await waitUntil("the end of that", timeout: hangLimit) { try await connections() == own }
            withExtendedLifetime((first, second, third)) {}
        }
    }

    @Test(
        "A server that was not there when observing began is observed once the session is active",
        arguments: HeadlessServer.Kind.allCases)
    func lateServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            try await offPool { server.kill() }
            let session = AVAudioSession(server: server.address)
            let property = Restless()
            let first = session.observe(\.[property]) { _, _ in }
            // At the beginning there is one, and one behind it: the next one is the end of a connection without a
            // server.
            try await waitUntil("the third look", timeout: hangLimit) { property.looks >= 3 }
            let changes = Changes<Float>()
            let second = session.observe(\.outputVolume, options: .new) { _, change in changes.add(change) }
            try await offPool { try server.restart() }
            try session.setActive(true)
            for percent in [50, 30] {
                try await Pactl(server).setVolume(Double(percent) / 100, sink: "test_out")
                try await waitUntil("\(percent) %", timeout: hangLimit) { isAbout(percent, changes.all.last?.new) }
            }
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("A server that came back is observed again", arguments: HeadlessServer.Kind.allCases)
    func reset(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = AVAudioSession(server: server.address)
            try session.setActive(true)
            let changes = Changes<Float>()
            let token = session.observe(\.outputVolume, options: .new) { _, change in changes.add(change) }
            try await offPool { try server.restart() }
            try await waitUntil("the server's return", timeout: hangLimit) {
                (try? await Pactl(server).setVolume(0.5, sink: "test_out")) != nil && session.outputVolume > 0
            }
            try await waitUntil("50 %", timeout: hangLimit) { isAbout(50, changes.all.last?.new) }
            withExtendedLifetime(token) {}
        }
    }
}

extension AVAudioSession {
    fileprivate subscript(property: SessionObservingTests.Restless) -> Int { property.value }
}

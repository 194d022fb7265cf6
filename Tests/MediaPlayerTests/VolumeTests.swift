import AVFAudio
import Foundation
import HeadlessServer
import MediaPlayer
import TestSupport
import Testing

/// The volume and the route, as a control that an app draws itself shows them.
@Suite(.limited)
struct VolumeTests {
    // SAFETY: guarded by `lock`.
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        private var isAlwaysOnMain = true
        var token: (any NSObjectProtocol)?

        init(_ controller: MPVolumeController? = nil) {
            guard let controller else { return }
            token = NotificationCenter.default.addObserver(
                forName: MPVolumeController.didChangeNotification, object: controller, queue: nil
            ) { [weak self] _ in self?.tell() }
        }

        func tell() {
            let isMain = OperationQueue.current == OperationQueue.main
            lock.withLock {
                count += 1
                isAlwaysOnMain = isAlwaysOnMain && isMain
            }
        }

        deinit { token.map { NotificationCenter.default.removeObserver($0) } }

        var value: (count: Int, isAlwaysOnMain: Bool) { lock.withLock { (count, isAlwaysOnMain) } }
    }

    @Test("It follows what others change, and changes it for all", arguments: HeadlessServer.Kind.allCases)
    func volumeAndRoutes(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "first"), HeadlessServer.NullSink(name: "second")]
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            // PipeWire takes a while to know of defaults.
            try await waitUntil("a default sink", timeout: hangLimit) {
                (try? await pactl.run("set-default-sink", "first")) != nil
            }
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let controller = MPVolumeController(session: session, server: server.address)
            let counter = Counter(controller)
            try await waitUntil("both sinks") { controller.routes.count == 2 && controller.currentRoute != nil }
            #expect(controller.currentRoute?.uid == "first")
            for percent in [30, 70] {
                let before = counter.value.count
                try await pactl.run("set-sink-volume", "first", "\(percent)%")
                try await waitUntil("\(percent) %") { abs(controller.volume - Float(percent) / 100) < 0.01 }
                try await waitUntil("being told") { counter.value.count > before }
            }
            try controller.setVolume(0.5)
            #expect(abs((try await pactl.sink("first")?.volume ?? 0) - 0.5) < 0.01)
            try await waitUntil { abs(controller.volume - 0.5) < 0.01 }
            try controller.setVolume(7)
            try await waitUntil { controller.volume == 1 }

            let second = controller.routes.first { $0.uid == "second" }
            try #require(second != nil)
            try controller.select(second)
            try await waitUntil("the other route") { controller.currentRoute?.uid == "second" }
            try controller.select(nil)
            try await waitUntil("the default") { controller.currentRoute?.uid == "first" }
            #expect(counter.value.isAlwaysOnMain)
        }
    }

    @Test("A server that comes back is followed again", arguments: HeadlessServer.Kind.allCases)
    func serverThatComesBack(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [HeadlessServer.NullSink(name: "only")]) { server in
            let session = AVAudioSession(server: server.address)
            let controller = MPVolumeController(session: session, server: server.address)
            try await waitUntil("the sink") { controller.routes.count == 1 }
            try await offPool { server.kill() }
            try await waitUntil("no sink") { controller.routes.isEmpty }
            try await offPool { try server.restart() }
            // The session was not active, and so hears of the new server only now.
            try await waitUntil("an active session", timeout: hangLimit) {
                (try? await session.activate(options: [])) == true
            }
            let pactl = Pactl(server)
            for percent in [30, 70] {
                try await pactl.run("set-sink-volume", "only", "\(percent)%")
                try await waitUntil("\(percent) %") { abs(controller.volume - Float(percent) / 100) < 0.01 }
            }
            try session.setActive(false)
        }
    }

    @Test("A server that is started later is found")
    func serverThatComesLater() async throws {
        try await withServer(.pulseAudio, sinks: [HeadlessServer.NullSink(name: "only")]) { server in
            let link = server.directory.appendingPathComponent("later").path
            let session = AVAudioSession(server: "unix:\(link)")
            let controller = MPVolumeController(session: session, server: "unix:\(link)")
            let seen = Log<Float>()
            let token = session.observe(\.outputVolume, options: .new) { _, change in seen.note(change.newValue ?? -1) }
            // What the controller listens with.
            let counter = Counter()
            let devices = SessionDevices(of: session, server: "unix:\(link)") { counter.tell() }
            try await waitUntil("an attempt in vain") { counter.value.count == 1 }
            let socket = String(server.address.dropFirst("unix:".count))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: socket)
            try await waitUntil("another attempt") { counter.value.count > 1 }
            try await waitUntil("the sink") { controller.routes.count == 1 }
            try await Pactl(server).run("set-sink-volume", "only", "30%")
            try await waitUntil("30 %") { abs(controller.volume - 0.3) < 0.01 }
            try await waitUntil("30 % for who observes") { seen.all.last.map { abs($0 - 0.3) < 0.01 } ?? false }
            token.invalidate()
            withExtendedLifetime(devices) {}
        }
    }

    @Test("Without a sound server there is no volume and no route, and setting one is an error")
    func withoutServer() throws {
        let nowhere = "unix:/nonexistent/pulse"
        let controller = MPVolumeController(session: AVAudioSession(server: nowhere), server: nowhere)
        #expect(controller.volume == 0 && controller.routes.isEmpty && controller.currentRoute == nil)
        #expect(throws: NSError.self) { try controller.setVolume(1) }
        try controller.select(nil)
    }
}

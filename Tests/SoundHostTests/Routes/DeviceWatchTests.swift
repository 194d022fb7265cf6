import HeadlessServer
import PulseClient
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@Suite("Devices that are taken away, or muted", .limited)
struct DeviceWatchTests {
    /// A watch, and what it is told about our streams.
    // SAFETY: the watch is only touched with the main loop's lock held.
    private final class LiveWatch: @unchecked Sendable {
        let events = HostEvents()
        private let directory: LiveDirectory
        private let watch: DeviceWatch
        private let uses: Told<[Device: Bool]>

        init(_ directory: LiveDirectory, uses: [Device: Bool], muteInterrupts: Bool = true) {
            let told = Told(uses)
            self.directory = directory
            self.uses = told
            watch = directory.read { [events] table in
                DeviceWatch(
                    directory: table, uses: { told.value }, muteInterrupts: { muteInterrupts },
                    report: { events.add($0) })
            }
        }

        deinit { directory.read { _ in watch.stop() } }

        func set(uses: [Device: Bool]) {
            directory.read { _ in
                self.uses.value = uses
                watch.sessionChanged()
            }
        }
    }

    private func sink(_ directory: LiveDirectory) throws -> Device {
        Device(.playback, try #require(directory.read { $0.sinks.values.first?.index }))
    }

    @Test("A sink that is suspended while our sound runs: began, and ended when it works again")
    func suspendedSink() async throws {
        try await withDirectory(.pulseAudio) { server, directory in
            let stream = try await directory.playback(role: "music")
            let sink = try sink(directory)
            let watch = LiveWatch(directory, uses: [sink: true])
            let pactl = Pactl(server)
            for round in 1...2 {
                try await pactl.suspend(true, sink: "test_out")
                try await waitUntil("began") { watch.events.all.count == 2 * round - 1 }
                #expect(watch.events.all.last == .interruptionBegan(.deviceSuspended))
                watch.set(uses: [sink: false])
                try await pactl.suspend(false, sink: "test_out")
                try await waitUntil("ended") { watch.events.all.count == 2 * round }
                #expect(watch.events.all.last == .interruptionEnded(.deviceSuspended, shouldResume: true))
                watch.set(uses: [sink: true])
            }
            await stream.close()
        }
    }

    @Test("A source that is suspended while we record: began, and ended when it works again")
    func suspendedSource() async throws {
        try await withDirectory(.pulseAudio) { server, directory in
            let pactl = Pactl(server)
            let microphone = Device(.capture, try await pactl.addMicrophone(on: .pulseAudio))
            let stream = try await directory.capture(from: "mic")
            let watch = LiveWatch(directory, uses: [microphone: true])
            try await pactl.run("suspend-source", "mic", "1")
            try await watch.events.wait(for: [.interruptionBegan(.deviceSuspended)])
            watch.set(uses: [microphone: false])
            try await pactl.run("suspend-source", "mic", "0")
            try await waitUntil("ended") {
                watch.events.all.last == .interruptionEnded(.deviceSuspended, shouldResume: true)
            }
            await stream.close()
        }
    }

    @Test("A sink that falls asleep because nobody plays, and wakes up when we do: nothing")
    func idleSink() async throws {
        try await withDirectory(.pulseAudio, modules: ["module-suspend-on-idle timeout=0"]) { _, directory in
            let stream = try await directory.playback(role: "music")
            let sink = try sink(directory)
            let watch = LiveWatch(directory, uses: [sink: true])
            for _ in 0..<3 {
                watch.set(uses: [sink: false])
                try await stream.cork(true)
                try await waitUntil("sleep") { directory.read { $0.sinks[sink.index]?.state } == .suspended }
                watch.set(uses: [sink: true])
                try await stream.cork(false)
                try await waitUntil("work") { directory.read { $0.sinks[sink.index]?.state } == .running }
            }
            #expect(watch.events.all.isEmpty)
            await stream.close()
        }
    }

    @Test("PipeWire wakes a sink in use up again by itself: no interruption")
    func suspendedByPipeWire() async throws {
        try await withDirectory(.pipeWire) { server, directory in
            let stream = try await directory.playback(role: "music")
            let sink = try sink(directory)
            let watch = LiveWatch(directory, uses: [sink: true])
            for _ in 0..<5 {
                try await Pactl(server).suspend(true, sink: "test_out")
                try await Pactl(server).suspend(false, sink: "test_out")
            }
            try await waitUntil("work") { directory.read { $0.sinks[sink.index]?.state } == .running }
            #expect(watch.events.all.isEmpty)
            await stream.close()
        }
    }

    @Test(
        "S34: the microphone is muted while a record session records: began, and ended when it is unmuted",
        arguments: HeadlessServer.Kind.allCases)
    func mutedSource(kind: HeadlessServer.Kind) async throws {
        try await withDirectory(kind) { server, directory in
            let pactl = Pactl(server)
            let microphone = Device(.capture, try await pactl.addMicrophone(on: kind))
            let stream = try await directory.capture(from: "mic")
            let watch = LiveWatch(directory, uses: [microphone: true])
            let other = LiveWatch(directory, uses: [microphone: true], muteInterrupts: false)
            try await waitUntil("it is known") { directory.read { $0.sources[microphone.index] } != nil }
            try await pactl.run("set-source-mute", "mic", "1")
            try await watch.events.wait(for: [.interruptionBegan(.inputMuted)])
            watch.set(uses: [microphone: false])
            try await pactl.run("set-source-mute", "mic", "0")
            try await watch.events.wait(
                for: [.interruptionBegan(.inputMuted), .interruptionEnded(.inputMuted, shouldResume: true)])
            #expect(other.events.all.isEmpty)
            await stream.close()
        }
    }
}

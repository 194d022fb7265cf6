import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import SoundHost
import TestSupport
import Testing

/// What lowers streams, by itself: the same promises on both servers.
@Suite(.limited) struct ForeignDuckVolumeTests {
    /// A program's stream, what lowers it, and what that says.
    // SAFETY: `volume` and `notes` are only touched with the main loop's lock held.
    private final class Bench: @unchecked Sendable {
        let desk: DuckDesk
        let music: ForeignStream
        let ear: MonitorRecording
        let file: DuckLedgerFile?
        private var volume: (any ForeignVolume)?
        private var notes: [String] = []

        /// Hertz: 10 ms hold whole periods.
        static let tone = 1_000.0
        static let level = -12.0
        static let lowered = -32.0

        init(_ server: HeadlessServer, hasFile: Bool) async throws {
            let observer = try PulseConnection(name: "observer")
            try await observer.connect(to: server.address, timeout: .seconds(5))
            desk = DuckDesk(server: server, observer: observer)
            music = try await ForeignStream.start(
                on: server, playing: .tone(frequency: Self.tone, level: Self.level))
            ear = try await MonitorRecording.start(on: server)
            let info = try await observer.serverInfo()
            file = hasFile ? DuckLedgerFile(server: info.cookie, directory: server.directory.path) : nil
            observer.mainloop.withLock {
                volume = ForeignDucking.volume(on: info, connection: observer, file: file)
                volume?.onIntent = { [weak self] in self?.note("intent", $0) }
                volume?.onLedger = { [weak self] in self?.note("ledger", $0) }
            }
        }

        private func note(_ what: String, _ ledger: DuckLedger) {
            notes.append("\(what) \(ledger.records.count), file \(file?.load()?.records.count ?? 0)")
        }

        /// What was said, with the numbers of streams in the ledger and in the file at that moment.
        var said: [String] { desk.observer.mainloop.withLock { notes } }

        func lower(_ isLowered: Bool) { withVolume { apply(isLowered, to: $0) } }

        /// Leaves everything to others, and is elected again at once.
        func comeBack(lowering isLowered: Bool) {
            withVolume { volume in
                volume.forget()
                volume.adopt([])
                apply(isLowered, to: volume)
            }
        }

        private func apply(_ isLowered: Bool, to volume: any ForeignVolume) {
            volume.apply(isLowered ? [UInt32(music.index): .lowered] : [:], newborn: [], gain: 0.1, ramps: DuckRamps())
        }

        private func withVolume(_ body: (any ForeignVolume) -> Void) {
            desk.observer.mainloop.withLock {
                if let volume { body(volume) }
            }
        }
    }

    private func withBench(
        _ kind: HeadlessServer.Kind, hasFile: Bool = true, _ body: (Bench) async throws -> Void
    ) async throws {
        let modules = kind == .pulseAudio ? ["module-stream-restore restore_device=false"] : []
        try await withServer(kind, modules: modules) { server in
            let bench = try await Bench(server, hasFile: hasFile)
            try #require((bench.file != nil) == hasFile)
            try await bench.ear.wait(for: Bench.tone, at: Bench.level)
            try await body(bench)
            try await bench.ear.wait(for: Bench.tone, at: Bench.level)
            try await bench.desk.wait(for: DuckDesk.full, of: bench.music)
            try await waitUntil("an empty ledger") { bench.file?.load()?.isEmpty ?? true }
        }
    }

    /// Nobody has taken over meanwhile: the file is still its own.
    @Test("One that forgets and is back knows what it had lowered", arguments: HeadlessServer.Kind.allCases)
    func givesBackWhatItForgot(kind: HeadlessServer.Kind) async throws {
        try await withBench(kind) { bench in
            bench.lower(true)
            try await bench.ear.wait(for: Bench.tone, at: Bench.lowered)
            bench.comeBack(lowering: false)
        }
    }

    @Test("One that forgets and is back goes on from where streams are", arguments: HeadlessServer.Kind.allCases)
    func lowersOnWhatItForgot(kind: HeadlessServer.Kind) async throws {
        try await withBench(kind) { bench in
            bench.lower(true)
            try await bench.ear.wait(for: Bench.tone, at: Bench.lowered)
            let revision = try #require(bench.file?.load()?.revision)
            let first = bench.ear.frames
            bench.comeBack(lowering: true)
            try await waitUntil("the next ledger") { bench.file?.load()?.revision ?? 0 > revision }
            try await bench.ear.wait(seconds: 0.4)
            let heard = bench.ear.soFar(from: first)
            let window = heard.sampleRate / 100
            let levels = (0..<heard.frames / window).map {
                heard.level(ofFrequency: Bench.tone, $0 * window..<($0 + 1) * window)
            }
            #expect(levels.allSatisfy { $0 < Bench.lowered + 3 }, "\(levels)")
            bench.lower(false)
        }
    }

    /// Whoever dies between the two has a guard, and others leave what the file says is his.
    @Test(
        "The guard knows before the file does, and where there is none",
        arguments: HeadlessServer.Kind.allCases, [true, false])
    func intent(kind: HeadlessServer.Kind, hasFile: Bool) async throws {
        try await withBench(kind, hasFile: hasFile) { bench in
            bench.lower(true)
            try await bench.ear.wait(for: Bench.tone, at: Bench.lowered)
            bench.lower(false)
            try await bench.ear.wait(for: Bench.tone, at: Bench.level)
            try await waitUntil("three notes") { bench.said.count == 3 }
            let written = hasFile ? 1 : 0
            #expect(bench.said == ["intent 1, file 0", "ledger 1, file \(written)", "ledger 0, file 0"])
        }
    }
}

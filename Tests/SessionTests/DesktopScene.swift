import AudioFiles
import Foundation
import HeadlessServer
import SoundAnalysis
import TestSupport
import Testing

/// A scene with a desktop of its own.
struct DesktopScene {
    let scene: Scene
    private let mock: MockDesktop

    var bus: ChildProcess { mock.bus }
    var desktop: ChildProcess { mock.desktop }
    /// For programs that are to see this desktop.
    var environment: [String: String] { mock.environment }

    /// A desktop with these services.
    init(_ scene: Scene, owning services: [String]) async throws {
        self.scene = scene
        mock = try await MockDesktop(in: scene.server.directory, owning: services)
    }

    /// Has the desktop do something, and returns when it is done.
    func order(_ order: String) async throws { try await mock.order(order) }

    func kill() { mock.kill() }

    /// An app of this desktop.
    func peer(_ name: String, _ category: String? = nil, environment: [String: String] = [:]) async throws -> Peer {
        let peer = try await Peer.start(
            on: scene.server, name: name, environment: self.environment.merging(environment) { $1 })
        if let category { try await peer.send("category \(category)") }
        return peer
    }

    /// A media player on the desktop's bus, which says that it plays.
    func player() async throws -> ChildProcess {
        let orders = scene.file("orders").path
        guard mkfifo(orders, 0o600) == 0 else { throw SupportError("no pipe at \(orders)") }
        let player = try ChildProcess("mock-bus", ["player", "mock", orders], environment: environment)
        try await player.line(timeout: hangLimit) { $0.hasPrefix("ready ") }
        return player
    }

    /// Runs `audiosession` on this desktop to its end, and returns what it printed.
    func audiosession(_ arguments: String...) async throws -> String {
        let process = try ChildProcess("audiosession", arguments, on: scene.server, environment: environment)
        let exit = try await process.wait()
        guard exit.status == 0 else { throw SupportError("audiosession \(arguments): \(process.errorText)") }
        return String(decoding: process.output(), as: UTF8.self)
    }

    /// Waits for a word of the desktop's, that something was asked of it.
    func told(_ line: String, times: Int = 1) async throws {
        try await waitUntil("\(line), not \(desktop.outputLines)", timeout: hangLimit) { count(of: line) >= times }
    }

    func count(of line: String) -> Int { desktop.outputLines.count { $0.hasPrefix(line) } }

    // MARK: Recordings

    /// Has an app play a tone and record it, and returns when the tone is heard.
    func record(_ name: String, by peer: Peer) async throws {
        // WirePlumber finds the sink's monitor a moment after the sink, and refuses streams until then.
        try await scene.pactl.waitForDefaultSource { $0.contains(".monitor") }
        try await peer.send("category playAndRecord")
        try await peer.send("play 440")
        try await scene.wait(for: 440, at: -12)
        let answer = try await peer.send("record \(scene.file(name).path)")
        #expect(answer.bool("value") == true)
    }

    /// Waits until a recorder hears sound, or nothing but zeros; returns the seconds recorded by then.
    @discardableResult
    func wait(until peer: Peer, hears sound: Bool) async throws -> Double {
        try await waitUntil("\(sound ? "sound" : "silence") in the recording", timeout: hangLimit) {
            let level = try #require(try await peer.send("level").number("value"))
            return sound ? level > -20 : level <= -120
        }
        return try await recorded(by: peer)
    }

    func recorded(by peer: Peer) async throws -> Double { try #require(try await peer.state().number("recorded")) }

    /// Lets so many seconds more be recorded.
    func letRecord(_ seconds: Double, by peer: Peer) async throws {
        let end = try await recorded(by: peer) + seconds
        try await waitUntil("\(end) s recorded", timeout: hangLimit) { try await recorded(by: peer) >= end }
    }

    /// The sound of a file.
    func contents(_ name: String) throws -> Recording {
        let reader = try AudioFileReader(path: scene.file(name).path)
        let (frames, channels) = (Int(reader.format.frames), reader.format.channels)
        var samples = [Float](repeating: 0, count: frames * channels)
        var done = 0
        while done < frames {
            let count = try samples.withUnsafeMutableBufferPointer { buffer in
                try reader.read(into: try #require(buffer.baseAddress) + done * channels, frames: frames - done)
            }
            if count == 0 { break }
            done += count
        }
        return Recording(float: samples, sampleRate: Int(reader.format.sampleRate), channels: channels)
    }
}

/// Runs a test on a private server and a private bus.
func withDesktop(
    _ kind: HeadlessServer.Kind, owning services: String..., body: (DesktopScene) async throws -> Void
) async throws {
    try await withScene(kind) { scene in
        let desktop = try await DesktopScene(scene, owning: services)
        try await body(desktop)
        desktop.kill()
    }
}

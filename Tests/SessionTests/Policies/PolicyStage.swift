import Foundation
import HeadlessServer
import SoundAnalysis
import TestSupport
import Testing

/// A private server with a policy, an app whose sound and notifications are judged, and another app beside it.
final class PolicyStage {
    private static let tones = (outside: 1000.0, app: 2000.0, other: 3000.0)
    private static let level = -12.0

    private let policy: ServerPolicy
    private let server: HeadlessServer
    private let monitor: MonitorRecording
    private let app: Peer
    private let other: Peer
    private var outside: ForeignStream?
    private var isOtherPlaying = false
    private var toldBefore = 0
    private var isRefused = false
    private var pactl: Pactl { Pactl(server) }

    init(_ policy: ServerPolicy, on server: HeadlessServer) async throws {
        self.policy = policy
        self.server = server
        if policy == .roleBased { try await RoleBasedPolicy.waitUntilReady(Pactl(server)) }
        monitor = try await MonitorRecording.start(on: server)
        let ramps = ["AVAUDIOSESSION_DUCK_TIMES": "0.05,0.05"]
        app = try await Peer.start(on: server, name: "app", environment: ramps)
        other = try await Peer.start(on: server, name: "other", environment: ramps)
        try await app.send("watch-routes")
    }

    // MARK: The scenes

    /// Plays all scenes in their order, and compares each with its cell.
    func playAll() async throws {
        try await playOverMusic()
        try await playCalls()
        try await playOtherApps()
        try await playOutside()
        try await playStart()
    }

    private func playOverMusic() async throws {
        try await app.send("category playback")
        try await app.send("play \(Self.tones.app)")
        try await check(.musicAlone)
        for (role, scene) in [("event", PolicyScene.notification), ("a11y", .screenReader)] {
            let stranger = try await ForeignStream.start(on: server, role: role)
            try await check(scene)
            try await stranger.stop()
        }
        let alarm = try await ForeignStream.start(on: server, role: "alarm")
        try await check(.alarm)
        try await alarm.stop()
        try await resume()
        try await check(.alarmEnds)
    }

    private func playCalls() async throws {
        let call = try await ForeignStream.start(on: server, role: "phone")
        try await check(.callOutside)
        try await call.stop()
        try await resume()
        try await check(.callOutsideEnds)
        try await app.send("pause")
        let second = try await ForeignStream.start(on: server, role: "phone")
        try await app.waitForInterruption()
        // Of the calls that ended at once, some left music silent with WirePlumber 0.5.8.
        try await monitor.wait(seconds: 0.5)
        try await second.stop()
        try await app.waitForEnd()
        try await check(.pausedBeforeCall)
        try await app.send("resume")
    }

    private func playOtherApps() async throws {
        try await playOther("playback voicePrompt duckOthers")
        try await check(.prompt)
        try await endOther()
        try await check(.promptEnds)
        for (category, scene, end) in [
            ("playback", PolicyScene.secondPlayer, PolicyScene.secondPlayerEnds),
            ("playAndRecord voiceChat", .call, .callEnds),
        ] {
            try await playOther(category)
            try await check(scene)
            try await endOther()
            try await resume()
            try await check(end)
        }
        try await app.send("stop")
        try await app.send("deactivate")
    }

    private func playOutside() async throws {
        let music = try await ForeignStream.start(
            on: server, playing: .tone(frequency: Self.tones.outside, level: Self.level), role: "music")
        outside = music
        try await app.send("category ambient")
        try await app.send("play \(Self.tones.app)")
        try await check(.gameOverMusic)
        try await app.send("stop")
        try await app.send("deactivate")
        for (category, scene, end) in [
            ("playback voicePrompt duckOthers", PolicyScene.promptOverOutside, PolicyScene.promptOverOutsideEnds),
            ("playAndRecord voiceChat", .callOverOutside, .callOverOutsideEnds),
        ] {
            try await playOther(category)
            try await check(scene)
            try await endOther()
            try await check(end)
        }
        try await music.stop()
        outside = nil
    }

    /// An app may play during a call.
    private func playStart() async throws {
        try await app.send("category playback")
        try await app.send("play \(Self.tones.app)")
        let call = try await ForeignStream.start(on: server, role: "phone")
        try await app.waitForInterruption()
        try await app.send("resume")
        try await check(.resumedDuringCall)
        try await call.stop()
        if !PolicyTable.cell(.resumedDuringCallEnds, under: policy).told.isEmpty { try await resume() }
        try await check(.resumedDuringCallEnds)
        try await app.send("stop")
        try await app.send("deactivate")
        let next = try await ForeignStream.start(on: server, role: "phone")
        isRefused = try await app.send("play \(Self.tones.app)").bool("value") == false
        try await check(.startDuringCall)
        try await next.stop()
    }

    // MARK: What the apps do

    /// Waits until the app is told that it may go on, and lets it.
    private func resume() async throws {
        try await app.waitForEnd()
        try await app.send("resume")
    }

    private func playOther(_ category: String) async throws {
        isOtherPlaying = true
        try await other.send("category \(category)")
        try await other.send("play \(Self.tones.other)")
    }

    private func endOther() async throws {
        try await other.send("stop")
        try await other.send("deactivate notify")
        isOtherPlaying = false
    }

    // MARK: What is heard and told

    /// Waits until what is heard and told is twice what the table says, with a while between.
    private func check(_ scene: PolicyScene) async throws {
        let expected = PolicyTable.cell(scene, under: policy)
        var last = PolicyCell()
        do {
            try await waitUntil(timeout: hangLimit) {
                last = try await self.observe(like: expected)
                guard last == expected else { return false }
                try await self.monitor.wait(seconds: 0.1)
                last = try await self.observe(like: expected)
                return last == expected
            }
        } catch is SupportError {}
        #expect(last == expected, "\(scene.rawValue), under \(policy.rawValue)")
        toldBefore += last.told.count { $0 != "refused" }
        isRefused = false
    }

    private var told: [String] {
        app.events("interruption", "route").map { line in
            if let reason = line.number("reason"), line.string("event") == "route" {
                return "route \(Int(reason)) to \(line.string("output") ?? "nothing")"
            }
            let option = line.number("option").map { " \(Int($0))" } ?? ""
            return (line.string("type") ?? "?") + option
        }
    }

    private func observe(like expected: PolicyCell) async throws -> PolicyCell {
        let first = monitor.frames
        try await monitor.wait(seconds: 0.05)
        let sound = monitor.soFar(from: first)
        var cell = PolicyCell()
        cell.outside = outside.map { _ in heard(Self.tones.outside, in: sound) }
        cell.app = expected.app.map { _ in heard(Self.tones.app, in: sound) }
        cell.told = Array(told.dropFirst(toldBefore)) + (isRefused ? ["refused"] : [])
        cell.hands = try await hands(in: cell)
        return cell
    }

    /// Two hands would be heard as another level.
    private func heard(_ tone: Double, in sound: Recording) -> PolicyCell.Heard {
        let level = sound.level(ofFrequency: tone, 0..<sound.frames)
        if abs(level - Self.level) < 1.5 { return .full }
        if abs(level - Self.level + 20) < 1.5 { return .lowered }
        return level < -55 ? .silent : .other
    }

    private func hands(in cell: PolicyCell) async throws -> Set<PolicyCell.Hand> {
        var hands: Set<PolicyCell.Hand> = []
        if let outside = cell.outside, outside != .full {
            hands.insert(try await isAnythingInLedger ? .library : .server)
        }
        if cell.app == .lowered { hands.insert(isOtherPlaying ? .library : .server) }
        guard cell.app == .silent, let last = cell.told.last, last != "ended 1" else { return hands }
        hands.insert(last == "refused" ? .server : .library)
        // Whether another app's call finds the stream paused already is chance.
        guard !isOtherPlaying else { return hands }
        let stream = try await pactl.sinkInputs(of: app.processID).first
        if stream.map({ $0.isMuted || policy == .roleBased && $0.device == Int(UInt32.max) }) == true {
            hands.insert(.server)
        }
        return hands
    }

    /// Whether a session has written down that it lowers a stream.
    private var isAnythingInLedger: Bool {
        get async throws {
            try await pactl.clients().contains { client in
                let fields = client.properties["avaudiosession.ducked"]?.split(separator: ";") ?? []
                return fields.contains { $0.contains("=") && $0.first?.isNumber == true }
            }
        }
    }
}

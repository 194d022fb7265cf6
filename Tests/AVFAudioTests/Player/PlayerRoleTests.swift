import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What the server is told about the sound: its role, and whose it is.
@Suite("A player's stream", .serialized, .limited)
struct PlayerRoleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let category: AVAudioSession.Category
        let mode: AVAudioSession.Mode
        let options: AVAudioSession.CategoryOptions
        let role: String

        init(
            _ category: AVAudioSession.Category, _ mode: AVAudioSession.Mode, _ role: String,
            _ options: AVAudioSession.CategoryOptions = []
        ) {
            (self.category, self.mode, self.options, self.role) = (category, mode, options, role)
        }

        var testDescription: String { "\(category.rawValue) \(mode.rawValue) \(options.rawValue) → \(role)" }
    }

    static let rows: [Row] = [
        Row(.ambient, .default, "game"), Row(.soloAmbient, .default, "game"), Row(.playback, .default, "music"),
        Row(.playback, .spokenAudio, "music"), Row(.playback, .moviePlayback, "video"),
        Row(.playback, .shortFormVideo, "video"), Row(.playback, .voicePrompt, "a11y"),
        Row(.playback, .measurement, "production"), Row(.playAndRecord, .voiceChat, "phone"),
        Row(.playAndRecord, .videoChat, "phone"), Row(.playAndRecord, .voiceChat, "game", .mixWithOthers),
        Row(.playAndRecord, .gameChat, "game"), Row(.playAndRecord, .default, "game", .mixWithOthers),
        Row(.playAndRecord, .default, "production"), Row(.multiRoute, .default, "production"),
    ]

    /// Each row changes the category of a session that plays: the stream is made anew, and not a frame is lost.
    @Test(
        "has the role of category and mode, also when they change while it plays",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func roles(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 8))
            #expect(player.play())
            try await lab.monitor.waitForSound(threshold: -120)
            for row in Self.rows {
                try lab.session.setCategory(row.category, mode: row.mode, options: row.options)
                #expect(player.isPlaying, "\(row.testDescription)")
                try await waitUntil("one stream: \(row.testDescription)") { try await lab.streams().count == 1 }
                #expect(try await lab.streams().first?.role == row.role, "\(row.testDescription)")
                try await lab.monitor.wait(seconds: 0.1)
            }
            #expect(player.isPlaying && player.currentTime > 1.5)
            player.stop()
            let frames = Int((player.currentTime * Double(lab.rate)).rounded())
            expectWhole(try await lab.heard().counted, count: frames)
        }
    }

    @Test("says whose it is, and has a volume memory of its own", arguments: HeadlessServer.Kind.allCases)
    func properties(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(500, seconds: 1))
            #expect(player.play())
            let stream = try #require(try await lab.streams().first)
            let properties = stream.properties
            let name = try #require(properties["application.id"])
            #expect(!name.isEmpty)
            #expect(properties["application.name"]?.isEmpty == false)
            #expect(properties["application.icon_name"]?.isEmpty == false)
            #expect(properties["media.name"]?.isEmpty == false)
            // pipewire-pulse overwrites what it is given here.
            if kind == .pulseAudio {
                #expect(properties["module-stream-restore.id"] == "avaudiosession:\(name):music")
            }
            #expect(stream.sampleSpecification.hasPrefix("float32le 2ch \(lab.rate)Hz"), "the sink's rate")
            #expect(!stream.isCorked && stream.volume == 1 && !stream.isMuted)
            player.pause()
            try await waitUntil("a corked stream") { try await lab.streams().allSatisfyCorked }
        }
    }

    @Test(
        "S93: is not made where the category has no output, and play returns false",
        arguments: [AVAudioSession.Category.record, .audioProcessing])
    func noOutput(category: AVAudioSession.Category) async throws {
        try await withPlayerLab(.pulseAudio, category: category) { lab in
            let player = try lab.player(lab.sine(500, seconds: 1))
            #expect(!player.prepareToPlay())
            #expect(!player.play())
            #expect(!player.isPlaying)
            #expect(try await lab.streams().isEmpty)
        }
    }
}

import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Devices that come and go, and streams that are moved, while somebody ducks.
@Suite(.serialized, .limited) struct DuckingDeviceTests {
    /// PulseAudio's own module for ducking aborts the server here; `withStage` looks whether it still runs.
    @Test("the server survives sinks that come and go, and moves", arguments: HeadlessServer.Kind.allCases)
    func storm(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let player = try await stage.player()
            let music = try await stage.foreign()
            let native = try await stage.native()
            let tones = [Tone.player, Tone.music] + (native == nil ? [] : [Tone.native])
            for tone in tones { try await stage.wait(tone, at: Tone.level) }
            let before = try await stage.currentVolumes()
            for _ in 0..<DuckStage.rounds(usual: 6) {
                let ducker = try await stage.session("Prompt", DuckStage.ducking)
                let sink = try await stage.pactl.loadModule("module-null-sink", ["sink_name=headset"])
                try await waitUntil("the headset") { try await stage.pactl.sink("headset") != nil }
                if Bool.random() { try await stage.pactl.setDefault(sink: "headset") }
                for stream in try await stage.pactl.sinkInputs() where Bool.random() {
                    // It may be gone: PipeWire takes a moment to move.
                    try? await stage.pactl.move(sinkInput: stream.index, to: "headset")
                }
                if Bool.random() { try await stage.end(ducker) }
                if Bool.random() {
                    for stream in try await stage.pactl.sinkInputs() where Bool.random() {
                        try? await stage.pactl.move(sinkInput: stream.index, to: "test_out")
                    }
                }
                try await stage.pactl.unloadModule(sink)
                try await stage.end(ducker)
            }
            try await stage.pactl.setDefault(sink: "test_out")
            try await waitUntil("all streams on one sink") {
                let sink = try await stage.pactl.sink("test_out")?.index
                let others = try await stage.pactl.sinkInputs().filter { $0.device != sink }
                // A stream may be gone by now.
                for stream in others { try? await stage.pactl.move(sinkInput: stream.index, to: "test_out") }
                return others.isEmpty
            }
            // The player has paused where its sink went away: an old device that is unavailable pauses.
            // PipeWire's own client is silent after some storms, at full volume and on the right sink, whether somebody
            // ducks (1 of 12) or nobody does (1 of 12): that is the server's.
            for tone in tones where ![Tone.player, Tone.native].contains(tone) {
                try await stage.wait(tone, at: Tone.level, "after the storm")
            }
            try await stage.waitForVolumes(like: before)
            try await stage.waitUntilNothingIsLeft()
            try await stage.waitForSessions(of: [player])
            try await stage.end(player, music, native)
        }
    }
}

import AudioRealtime
import HeadlessServer
import TestSupport

@testable import SoundHost

/// A host on a private server of its own, and its output.
func withOutput(
    _ kind: HeadlessServer.Kind, _ body: (PulseHost, OutputMix) async throws -> Void
) async throws {
    try await withServer(kind) { server in
        let host = try PulseHost(server: server.address) { _ in }
        try host.open()
        try await body(host, try host.openOutput(role: nil))
    }
}

/// A voice of a mix that holds so many seconds of one level, and nothing to come or an end behind them.
func steadyVoice(in mix: OutputMix, seconds: Double, ends: Bool = false) -> OutputVoice {
    let channels = mix.format.channels
    let frames = Int(seconds * Double(mix.format.rate))
    let voice = Voice(
        channels: channels.count, matrix: ChannelMatrix(from: channels, to: channels), capacity: max(frames, 1),
        history: 2 * mix.format.rate)
    _ = voice.write([Float](repeating: 0.1, count: frames * channels.count), frames: frames)
    voice.setEnded(ends)
    return OutputVoice(voice: voice, refillThreshold: .max, onRefillNeeded: {}, onFinished: {}, onInterrupted: {})
}

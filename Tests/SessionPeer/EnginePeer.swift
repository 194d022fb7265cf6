import AVFAudio
import CommandLineSupport
import Foundation
import SoundAnalysis

/// The engine of an app, with a player node.
// SAFETY: engine and player protect themselves; commands come from one thread.
final class EnginePeer: @unchecked Sendable {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()

    /// `engine play FREQUENCY|counter [SECONDS] [LEVEL] [RATE]`, `engine start`, `pause`, `stop`, `running`.
    func perform(_ arguments: [String]) throws -> EventValue? {
        switch arguments.first {
        case "play": try play(arguments.dropFirst().map(\.self))
        case "start": try engine.start()
        case "pause": engine.pause()
        case "stop": engine.stop()
        case "running": return .boolean(engine.isRunning)
        default: throw PeerError("engine play|start|pause|stop|running")
        }
        return nil
    }

    private func play(_ arguments: [String]) throws {
        guard let what = arguments.first else {
            throw PeerError("engine play FREQUENCY|counter [SECONDS] [LEVEL] [RATE]")
        }
        let numbers = arguments.dropFirst().map { Double($0) ?? 0 }
        let (seconds, level) = (numbers.first ?? 30, numbers.dropFirst().first ?? -12)
        let rate = Int(numbers.dropFirst(2).first ?? 44_100)
        let signal: TestSignal =
            if let frequency = Double(what) {
                .sine(frequency: frequency, level: level, seconds: seconds, sampleRate: rate)
            } else {
                .counter(seconds: seconds, sampleRate: rate)
            }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("engine-\(getpid()).wav")
        try signal.wavData.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try AVAudioFile(forReading: url)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: UInt32(file.length)) else {
            throw PeerError("no buffer")
        }
        try file.read(into: buffer)
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: buffer.format)
        try engine.start()
        player.scheduleBuffer(buffer, completionHandler: nil)
        player.play()
    }
}

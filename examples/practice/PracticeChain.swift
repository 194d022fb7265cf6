import AVFAudio
import Foundation

/// What is changed of the sound.
struct PracticeSound {
    var rate: Float
    var pitch: Float
    var bass: Float
    var treble: Float
}

/// A player that leads through a change of time and an equalizer to the main mixer of an engine.
final class PracticeChain {
    let engine = AVAudioEngine()
    let player = AVAudioPlayerNode()
    private let timePitch = AVAudioUnitTimePitch()
    private let equalizer = AVAudioUnitEQ(numberOfBands: 2)
    private let format: AVAudioFormat

    /// A chain for sound of a format.
    init(_ format: AVAudioFormat) {
        self.format = format
        let bands = equalizer.bands
        (bands[0].filterType, bands[0].frequency, bands[0].bypass) = (.lowShelf, 200, false)
        (bands[1].filterType, bands[1].frequency, bands[1].bypass) = (.highShelf, 4000, false)
        let nodes: [AVAudioNode] = [player, timePitch, equalizer]
        for node in nodes { engine.attach(node) }
        for (node, next) in zip(nodes, nodes.dropFirst() + [engine.mainMixerNode]) {
            engine.connect(node, to: next, format: format)
        }
    }

    /// What is changed now.
    var sound = PracticeSound(rate: 1, pitch: 0, bass: 0, treble: 0) {
        didSet {
            (timePitch.rate, timePitch.pitch) = (sound.rate, sound.pitch)
            (equalizer.bands[0].gain, equalizer.bands[1].gain) = (sound.bass, sound.treble)
        }
    }

    /// Writes a file to another one through the chain, as fast as it can; throws what the files or the engine throw.
    ///
    /// The result has as many frames as the file divided by the rate.
    func bounce(_ file: AVAudioFile, to url: URL) throws -> AVAudioFramePosition {
        try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 4096)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4096) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: format.sampleRate,
            AVNumberOfChannelsKey: Int(format.channelCount), AVLinearPCMBitDepthKey: 16,
        ]
        let output = try AVAudioFile(
            forWriting: url, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
        try engine.start()
        player.scheduleFile(file, at: nil)
        player.play()
        // The unit is late by frames of its input.
        let late = Double(file.processingFormat.sampleRate) * timePitch.latency
        var skipped = AVAudioFramePosition((late / Double(sound.rate)).rounded())
        let frames = AVAudioFramePosition((Double(file.length) / Double(sound.rate)).rounded())
        while skipped > 0 || output.length < frames {
            let wanted = skipped > 0 ? skipped : frames - output.length
            let count = AVAudioFrameCount(min(wanted, 4096))
            guard try engine.renderOffline(count, to: buffer) == .success else {
                throw CocoaError(.fileWriteUnknown)
            }
            if skipped > 0 { skipped -= AVAudioFramePosition(count) } else { try output.write(from: buffer) }
        }
        engine.stop()
        return output.length
    }
}

import AVFoundation

// A file, softer and in its place between left and right, written to another file.
struct Bounce {
    var volume: Float = 1
    var pan: Float = 0

    func write(_ source: URL, to target: URL) throws {
        let file = try AVAudioFile(forReading: source)
        let (engine, player) = (AVAudioEngine(), AVAudioPlayerNode())
        try engine.enableManualRenderingMode(.offline, format: file.processingFormat, maximumFrameCount: 4096)
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        (player.volume, player.pan) = (volume, pan)
        try engine.start()
        player.scheduleFile(file, at: nil, completionHandler: nil)
        player.play()

        let output = try AVAudioFile(forWriting: target, settings: file.fileFormat.settings)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: 4096) else {
            throw CocoaError(.fileReadUnknown)
        }
        while engine.manualRenderingSampleTime < file.length {
            let left = file.length - engine.manualRenderingSampleTime
            switch try engine.renderOffline(AVAudioFrameCount(min(left, 4096)), to: buffer) {
            case .success: try output.write(from: buffer)
            case .error: throw CocoaError(.fileWriteUnknown)
            case .insufficientDataFromInputNode, .cannotDoInCurrentContext: break
            @unknown default: break
            }
        }
        engine.stop()
    }
}

extension Bounce: Story {
    static func run(_ stage: Stage) async throws {
        let (source, target) = (stage.sound("song.wav"), stage.sound("bounced.wav"))
        try Bounce(volume: 0.5, pan: 1).write(source, to: target)
        let (song, bounced) = (try peaks(source), try peaks(target))
        stage.say("frames \(song.frames == bounced.frames) left \(bounced.left)")
        stage.say("right \(abs(bounced.right - song.right / 2) < 0.001)")
    }

    private static func peaks(_ url: URL) throws -> (frames: AVAudioFramePosition, left: Float, right: Float) {
        let file = try AVAudioFile(forReading: url)
        guard
            let buffer = AVAudioPCMBuffer(
                pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length))
        else { throw CocoaError(.fileReadUnknown) }
        try file.read(into: buffer)
        guard let channels = buffer.floatChannelData else { throw CocoaError(.fileReadUnknown) }
        let peaks = (0..<2).map { channel in
            (0..<Int(buffer.frameLength)).reduce(Float(0)) { max($0, abs(channels[channel][$1])) }
        }
        return (file.length, peaks[0], peaks[1])
    }
}

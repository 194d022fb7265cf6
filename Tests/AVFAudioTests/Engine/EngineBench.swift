import AVFAudio
import TestSupport
import Testing

/// An engine that renders offline, with what its tests share.
///
/// Rendered samples come as one array for each channel.
struct EngineBench {
    let engine = AVAudioEngine()

    init(
        rate: Double = 44_100, channels: UInt32 = 2, maximum: AVAudioFrameCount = 4096,
        _ common: AVAudioCommonFormat = .pcmFormatFloat32, interleaved: Bool = false
    ) throws {
        let format = try #require(
            AVAudioFormat(commonFormat: common, sampleRate: rate, channels: channels, interleaved: interleaved))
        try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: maximum)
    }

    static func format(_ rate: Double = 44_100, _ channels: UInt32 = 2) throws -> AVAudioFormat {
        try #require(AVAudioFormat(standardFormatWithSampleRate: rate, channels: channels))
    }

    /// The next frames, rendered in blocks of `block` frames.
    func rendered(_ frames: Int, block: Int = 512) throws -> [[Float]] {
        let format = engine.manualRenderingFormat
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: format, frameCapacity: engine.manualRenderingMaximumFrameCount))
        let channels = Int(format.channelCount)
        var result = [[Float]](repeating: [], count: channels)
        var done = 0
        while done < frames {
            let count = min(block, frames - done)
            #expect(try engine.renderOffline(UInt32(count), to: buffer) == .success)
            let samples = buffer.frames(Float.self)
            for channel in 0..<channels {
                result[channel] += stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
            }
            done += count
        }
        return result
    }

    /// The first channel of the next frames.
    func left(_ frames: Int, block: Int = 512) throws -> [Float] { try rendered(frames, block: block)[0] }

    /// A source of samples that are a function of channel and frame, connected to the main mixer.
    @discardableResult
    func source(
        _ format: AVAudioFormat, _ sample: @escaping @Sendable (_ channel: Int, _ frame: Int) -> Float
    ) -> AVAudioSourceNode {
        let node = Self.node(sample)
        engine.attach(node)
        engine.connect(node, to: engine.mainMixerNode, format: format)
        return node
    }

    /// A source of deinterleaved Float32 in the format of its output.
    static func node(_ sample: @escaping @Sendable (_ channel: Int, _ frame: Int) -> Float) -> AVAudioSourceNode {
        AVAudioSourceNode { _, stamp, frames, data in
            let start = Int(stamp.pointee.mSampleTime)
            for (channel, buffer) in UnsafeMutableAudioBufferListPointer(data).enumerated() {
                for (frame, place) in UnsafeMutableBufferPointer<Float>(buffer).indices.enumerated() {
                    UnsafeMutableBufferPointer<Float>(buffer)[place] = sample(channel, start + frame)
                }
                #expect(buffer.mDataByteSize == frames * 4)
            }
            return noErr
        }
    }

    /// The code of the error that a call throws, if it is of the engine's domain.
    static func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch let error as NSError {
            return error.domain == "com.apple.coreaudio.avfaudio" && !error.localizedDescription.isEmpty
                ? error.code : nil
        }
        return 0
    }
}

/// A tone's sample.
func tone(_ frequency: Double, _ frame: Int, amplitude: Double = 1, rate: Double = 44_100) -> Float {
    Float(amplitude * sin(2 * .pi * frequency * Double(frame) / rate))
}

extension [Float] {
    /// The greatest magnitude.
    var peak: Float { map(abs).max() ?? 0 }
}

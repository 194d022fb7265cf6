import AVFAudio
import TestSupport
import Testing

/// What tests of converters share: formats, buffers, and a run through a converter.
enum ConverterBench {
    static func format(
        _ rate: Double, _ channels: UInt32 = 1, _ common: AVAudioCommonFormat = .pcmFormatFloat32,
        interleaved: Bool = false
    ) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(commonFormat: common, sampleRate: rate, channels: channels, interleaved: interleaved))
    }

    static func converter(_ from: AVAudioFormat, _ to: AVAudioFormat) throws -> AVAudioConverter {
        try #require(AVAudioConverter(from: from, to: to))
    }

    static func buffer<Sample>(_ format: AVAudioFormat, _ samples: [Sample]) throws -> AVAudioPCMBuffer {
        let frames = UInt32(samples.count) / format.channelCount
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: max(frames, 1)))
        buffer.fill(samples)
        return buffer
    }

    static func tone(_ frames: Int, _ rate: Double, frequency: Double = 1000) -> [Float] {
        (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / rate)) }
    }

    /// Converts all samples, given in pieces and taken in buffers of these sizes.
    static func run(
        _ converter: AVAudioConverter, _ samples: [Float], pieces: Int = 1000, room: UInt32 = 777
    ) throws -> [Float] {
        var given = 0
        var result: [Float] = []
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: room))
        while true {
            let status = converter.convert(to: output, error: nil) { _, status in
                let count = min(pieces, samples.count - given)
                guard count > 0, let piece = try? buffer(converter.inputFormat, Array(samples[given..<given + count]))
                else {
                    status.pointee = .endOfStream
                    return nil
                }
                given += count
                status.pointee = .haveData
                return piece
            }
            result += output.frames(Float.self)
            guard status == .haveData else {
                #expect(status == .endOfStream && output.frameLength == 0)
                return result
            }
        }
    }
}

import AVFAudio
import AudioFiles
import Foundation
import TestSupport

/// A folder for the files of a test, which goes away with its owner.
final class FileFolder {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// A file of interleaved integers, written without `AVAudioFile`; full-scale 32 bits, of which it keeps the upper.
    func integers(
        _ name: String, _ samples: [Int32], channels: Int, encoding: AudioEncoding, container: AudioContainer = .wav
    ) throws -> URL {
        let url = url(name)
        let writer = try AudioFileWriter(
            path: url.path, container: container, encoding: encoding, sampleRate: 48000, channels: channels)
        try writer.write(int32: samples, frames: samples.count / channels)
        try writer.close()
        return url
    }
}

/// Full-scale 32-bit noise of which the upper bits are kept; the extremes are among it.
func integerNoise(_ count: Int, bits: Int, seed: UInt64 = 5) -> [Int32] {
    var noise = SeededGenerator(seed: seed)
    let random = (0..<count).map { _ in Int32.random(in: .min ... .max, using: &noise) }
    let all = [Int32.min, .max, 0, -1] + random
    return all.prefix(count).map { ($0 >> (32 - bits)) << (32 - bits) }
}

extension AVAudioPCMBuffer {
    /// The filled samples of all channels, frame by frame; the buffer's samples are of this type.
    func frames<Sample>(_ type: Sample.Type) -> [Sample] {
        let list = UnsafeMutableAudioBufferListPointer(mutableAudioBufferList)
        let blocks = list.compactMap { $0.mData?.assumingMemoryBound(to: Sample.self) }
        let channels = Int(format.channelCount)
        return (0..<Int(frameLength)).flatMap { frame in
            (0..<channels).map { blocks.count > 1 ? blocks[$0][frame] : blocks[0][frame * channels + $0] }
        }
    }

    /// Fills the buffer with frames of interleaved samples of this type.
    func fill<Sample>(_ samples: [Sample]) {
        let list = UnsafeMutableAudioBufferListPointer(mutableAudioBufferList)
        let blocks = list.compactMap { $0.mData?.assumingMemoryBound(to: Sample.self) }
        let channels = Int(format.channelCount)
        frameLength = UInt32(samples.count / channels)
        for index in 0..<Int(frameLength) * channels {
            if blocks.count > 1 {
                blocks[index % channels][index / channels] = samples[index]
            } else {
                blocks[0][index] = samples[index]
            }
        }
    }
}

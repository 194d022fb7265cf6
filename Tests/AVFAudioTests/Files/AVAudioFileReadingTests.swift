import AVFAudio
import AudioFiles
import Foundation
import TestSupport
import Testing

/// Files that are read in buffers.
@Suite("AVAudioFile, reading", .limited)
struct AVAudioFileReadingTests {
    private let folder: FileFolder

    init() throws { folder = try FileFolder() }

    private func buffer(_ file: AVAudioFile, _ capacity: UInt32) throws -> AVAudioPCMBuffer {
        try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: capacity))
    }

    private func status(_ call: () throws -> Void) -> NSError? {
        do { try call() } catch { return error as NSError }
        return nil
    }

    @Test("E156: buffers are deinterleaved Float32, and the file's format is that on the disk")
    func formats() throws {
        let samples = integerNoise(2 * 1000, bits: 24)
        let file = try AVAudioFile(
            forReading: folder.integers("a.aiff", samples, channels: 2, encoding: .pcm24, container: .aiff))
        #expect(file.processingFormat == AVAudioFormat(standardFormatWithSampleRate: 48000, channels: 2))
        #expect(file.fileFormat.isInterleaved)
        let onDisk = file.fileFormat.streamDescription.pointee
        #expect(onDisk.mBitsPerChannel == 24 && onDisk.mBytesPerFrame == 6)
        #expect(onDisk.mFormatFlags & kAudioFormatFlagIsBigEndian != 0)
        let buffer = try buffer(file, 1000)
        try file.read(into: buffer)
        #expect(buffer.frames(Float.self).elementsEqual(samples.map { Float($0) * 0x1p-31 }))
    }

    @Test(
        "E156: the processing format is the one that was asked for",
        arguments: [
            AVAudioCommonFormat.pcmFormatFloat32, .pcmFormatFloat64, .pcmFormatInt16, .pcmFormatInt32,
        ], [true, false])
    func asked(common: AVAudioCommonFormat, interleaved: Bool) throws {
        let samples = integerNoise(2 * 300, bits: 16)
        let url = try folder.integers("a.wav", samples, channels: 2, encoding: .pcm16)
        let file = try AVAudioFile(forReading: url, commonFormat: common, interleaved: interleaved)
        #expect(file.processingFormat.commonFormat == common)
        #expect(file.processingFormat.isInterleaved == interleaved)
        let buffer = try buffer(file, 300)
        try file.read(into: buffer)
        switch common {
        case .pcmFormatInt16: #expect(buffer.frames(Int16.self).elementsEqual(samples.map { Int16($0 >> 16) }))
        case .pcmFormatInt32: #expect(buffer.frames(Int32.self).elementsEqual(samples))
        case .pcmFormatFloat64: #expect(buffer.frames(Double.self).elementsEqual(samples.map { Double($0) * 0x1p-31 }))
        default: #expect(buffer.frames(Float.self).elementsEqual(samples.map { Float($0) * 0x1p-31 }))
        }
    }

    @Test("E156: otherFormat is no processing format")
    func otherFormat() throws {
        let url = try folder.integers("a.wav", [1, 2], channels: 1, encoding: .pcm16)
        let error = status { _ = try AVAudioFile(forReading: url, commonFormat: .otherFormat, interleaved: true) }
        #expect(error?.code == -50)
    }

    @Test("E157: positions are in frames, a read goes on where the last ended, and setting one seeks")
    func positions() throws {
        let samples = integerNoise(10_000, bits: 16)
        let file = try AVAudioFile(
            forReading: folder.integers("a.flac", samples, channels: 1, encoding: .pcm16, container: .flac))
        #expect(file.length == 10_000 && file.framePosition == 0)
        let buffer = try buffer(file, 3000)
        try file.read(into: buffer, frameCount: 700)
        try file.read(into: buffer, frameCount: 300)
        #expect(file.framePosition == 1000 && buffer.frameLength == 300)
        #expect(buffer.frames(Float.self).elementsEqual(samples[700..<1000].map { Float($0) * 0x1p-31 }))
        file.framePosition = 9000
        try file.read(into: buffer)
        #expect(buffer.frameLength == 1000 && file.framePosition == 10_000)
        #expect(buffer.frames(Float.self).elementsEqual(samples[9000...].map { Float($0) * 0x1p-31 }))
        file.framePosition = -5
        #expect(file.framePosition == 0)
        file.framePosition = .max
        #expect(file.framePosition == 10_000)
    }

    @Test("E158: one read gives all that there is, also of a file longer than any piece")
    func whole() throws {
        let samples = integerNoise(44_100, bits: 16)
        let file = try AVAudioFile(forReading: folder.integers("a.wav", samples, channels: 1, encoding: .pcm16))
        let buffer = try buffer(file, 50_000)
        try file.read(into: buffer)
        #expect(buffer.frameLength == 44_100)
        #expect(buffer.frames(Float.self).elementsEqual(samples.map { Float($0) * 0x1p-31 }))
    }

    @Test("E158: a read at the end throws −39 and leaves the buffer empty, so that both loops of apps end")
    func end() throws {
        let url = try folder.integers("a.wav", integerNoise(1000, bits: 16), channels: 1, encoding: .pcm16)
        let counting = try AVAudioFile(forReading: url)
        let part = try buffer(counting, 300)
        var total = 0
        while counting.framePosition < counting.length {
            try counting.read(into: part)
            total += Int(part.frameLength)
        }
        #expect(total == 1000)
        let error = try #require(status { try counting.read(into: part) })
        #expect(error.domain == "com.apple.coreaudio.avfaudio" && error.code == Int(kAudioFileEndOfFileError))
        #expect(part.frameLength == 0)
        // No frame wanted is no end.
        try counting.read(into: part, frameCount: 0)
        #expect(part.frameLength == 0)
        // Another position, and there is sound again.
        counting.framePosition = 999
        try counting.read(into: part)
        #expect(part.frameLength == 1)
    }

    @Test("E158: a file that was cut off gives what it has, then an error, and then its end")
    func cut() throws {
        let samples = integerNoise(50_000, bits: 16)
        let url = try folder.integers("a.flac", samples, channels: 1, encoding: .pcm16, container: .flac)
        let bytes = try Data(contentsOf: url)
        try bytes.prefix(bytes.count / 2).write(to: url)
        let file = try AVAudioFile(forReading: url)
        let part = try buffer(file, 1000)
        var errors: [Int] = []
        var frames = 0
        while file.framePosition < file.length {
            if let error = status({ try file.read(into: part) }) { errors.append(error.code) }
            frames += Int(part.frameLength)
        }
        #expect(frames > 10_000 && frames < 40_000)
        #expect(errors == [Int(kAudioFileInvalidFileError)])
    }

    @Test("E159: a buffer of another format, or without room, is refused with −50")
    func otherBuffer() throws {
        let file = try AVAudioFile(forReading: folder.integers("a.wav", [1, 2, 3, 4], channels: 2, encoding: .pcm16))
        for format in [
            AVAudioFormat(standardFormatWithSampleRate: 44100, channels: 2),
            AVAudioFormat(standardFormatWithSampleRate: 48000, channels: 1),
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 48000, channels: 2, interleaved: false),
            AVAudioFormat(commonFormat: .pcmFormatFloat32, sampleRate: 48000, channels: 2, interleaved: true),
        ] {
            let format = try #require(format)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 10))
            let error = try #require(status { try file.read(into: buffer) }, "\(buffer.format)")
            #expect(error.domain == "com.apple.coreaudio.avfaudio" && error.code == -50)
        }
        #expect(status { try file.read(into: buffer(file, 0)) }?.code == -50)
        #expect(file.framePosition == 0)
    }

    @Test("E165: a file that is missing, none, a folder or damaged is refused with the codes that players have")
    func refused() throws {
        let text = folder.url("a.wav")
        try Data("no sound".utf8).write(to: text)
        let web = try #require(URL(string: "https://example.org/a.wav"))
        for (url, code) in [
            (folder.url("missing.wav"), kAudioFileFileNotFoundError), (text, kAudioFileUnsupportedFileTypeError),
            (text.deletingLastPathComponent(), kAudioFileUnsupportedFileTypeError),
            (web, kAudioFileUnsupportedFileTypeError),
        ] {
            let error = try #require(status { _ = try AVAudioFile(forReading: url) })
            #expect(error.domain == NSOSStatusErrorDomain && error.code == Int(code), "\(url)")
        }
    }

    @Test("E167: two files of one URL are read independently")
    func independent() throws {
        let url = try folder.integers("a.wav", integerNoise(2000, bits: 16), channels: 1, encoding: .pcm16)
        let (one, other) = (try AVAudioFile(forReading: url), try AVAudioFile(forReading: url))
        let (first, second) = (try buffer(one, 1000), try buffer(other, 1000))
        try one.read(into: first)
        try other.read(into: second)
        #expect(one.framePosition == 1000 && other.framePosition == 1000)
        #expect(first.frames(Float.self).elementsEqual(second.frames(Float.self)))
        one.framePosition = 0
        try other.read(into: second)
        #expect(other.framePosition == 2000 && one.framePosition == 0)
    }

    @Test(
        "E168: integers are the file's own samples, of any width",
        arguments: [AudioEncoding.pcm16, .pcm24, .pcm32], [AudioContainer.wav, .caf, .aiff])
    func integers(encoding: AudioEncoding, container: AudioContainer) throws {
        let samples = integerNoise(2 * 5000, bits: encoding.bitDepth)
        let url = try folder.integers("a", samples, channels: 2, encoding: encoding, container: container)
        let file = try AVAudioFile(forReading: url, commonFormat: .pcmFormatInt32, interleaved: false)
        let wide = try buffer(file, 5000)
        try file.read(into: wide)
        #expect(wide.frames(Int32.self).elementsEqual(samples))
        let doubles = try AVAudioFile(forReading: url, commonFormat: .pcmFormatFloat64, interleaved: true)
        let exact = try buffer(doubles, 5000)
        try doubles.read(into: exact)
        #expect(exact.frames(Double.self).elementsEqual(samples.map { Double($0) * 0x1p-31 }))
    }

    @Test("E168: floating point becomes the nearest 32-bit integer, at full scale at most")
    func floats() throws {
        let url = folder.url("a.wav")
        let writer = try AudioFileWriter(
            path: url.path, container: .wav, encoding: .float32, sampleRate: 48000, channels: 1)
        try writer.write(float: [0.5, -1, 1, 2, -3, 0x1p-31], frames: 6)
        try writer.close()
        let file = try AVAudioFile(forReading: url, commonFormat: .pcmFormatInt32, interleaved: true)
        let samples = try buffer(file, 6)
        try file.read(into: samples)
        #expect(samples.frames(Int32.self).elementsEqual([0x4000_0000, .min, .max, .max, .min, 1]))
    }

    @Test("1.13: a file is read into new buffers, no longer than what is left of it")
    func readOnly() throws {
        let file = try AVAudioFile(
            forReading: folder.integers("a.wav", integerNoise(1000, bits: 16), channels: 1, encoding: .pcm16))
        #expect(try file.read(frameCount: 600).frameLength == 600)
        let rest = try file.read(frameCount: .max)
        #expect(rest.frameLength == 400 && rest.frameCapacity == 400)
        #expect(status { _ = try file.read(frameCount: 1) }?.code == Int(kAudioFileEndOfFileError))
    }
}

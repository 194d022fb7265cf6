import AVFAudio
import AudioFiles
import Foundation
import TestSupport
import Testing

/// Files that are written from buffers.
@Suite("AVAudioFile, writing", .limited)
struct AVAudioFileWritingTests {
    private let folder: FileFolder

    init() throws { folder = try FileFolder() }

    private func buffer(_ file: AVAudioFile, _ capacity: UInt32) throws -> AVAudioPCMBuffer {
        try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: capacity))
    }

    private func status(_ call: () throws -> Void) -> NSError? {
        do { try call() } catch { return error as NSError }
        return nil
    }

    private func settings(_ changes: [String: Any] = [:]) -> [String: Any] {
        let all: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48000.0, AVNumberOfChannelsKey: 2,
        ]
        return all.merging(changes) { $1 }
    }

    /// All samples of a file, without `AVAudioFile`.
    private func samples(_ url: URL) throws -> (format: AudioFileFormat, samples: [Float]) {
        let reader = try AudioFileReader(path: url.path)
        var samples = [Float](repeating: 0, count: Int(reader.format.frames) * reader.format.channels)
        let read = try reader.read(into: &samples, frames: Int(reader.format.frames))
        #expect(read == Int(reader.format.frames))
        return (reader.format, samples)
    }

    /// Float32 noise that 16 bits hold exactly.
    private func noise(_ count: Int) -> [Float] { integerNoise(count, bits: 16).map { Float($0) * 0x1p-31 } }

    @Test("E160: the type of file is the key's, else the extension's, and an existing file is overwritten")
    func types() throws {
        for (name, type, container) in [
            ("a.wav", nil, AudioContainer.wav), ("a.caf", nil, .caf), ("a.aiff", nil, .aiff), ("a.flac", nil, .flac),
            ("b.wav", kAudioFileCAFType, .caf),
        ] as [(String, AudioFileTypeID?, AudioContainer)] {
            let url = folder.url(name)
            try Data(repeating: 7, count: 10_000).write(to: url)
            var settings = settings()
            if let type { settings[AVAudioFileTypeKey] = type }
            let file = try AVAudioFile(forWriting: url, settings: settings)
            #expect(file.processingFormat == AVAudioFormat(standardFormatWithSampleRate: 48000, channels: 2))
            let piece = try buffer(file, 100)
            piece.fill(noise(200))
            try file.write(from: piece)
            file.close()
            let written = try samples(url)
            #expect(written.format.container == container && written.format.frames == 100, "\(name)")
            #expect(written.samples.elementsEqual(noise(200)))
        }
    }

    @Test("E160: the processing format is that of the settings, in the common format that was asked for")
    func processing() throws {
        let file = try AVAudioFile(
            forWriting: folder.url("a.wav"), settings: settings([AVSampleRateKey: 22050, AVNumberOfChannelsKey: 1]),
            commonFormat: .pcmFormatInt16, interleaved: true)
        #expect(
            file.processingFormat
                == AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 22050, channels: 1, interleaved: true))
        #expect(file.fileFormat.commonFormat == .pcmFormatInt16 && file.fileFormat.sampleRate == 22050)
    }

    @Test("E160: settings without a rate or channels, and impossible ones, are refused before a file is touched")
    func refused() throws {
        let url = folder.url("a.wav")
        var without: [[String: Any]] = [settings(), settings()]
        without[0][AVSampleRateKey] = nil
        without[1][AVNumberOfChannelsKey] = nil
        let impossible: [[String: Any]] = [
            [AVSampleRateKey: 0], [AVSampleRateKey: Double.nan], [AVNumberOfChannelsKey: 0],
            [AVFormatIDKey: kAudioFormatMPEG4AAC], [AVLinearPCMBitDepthKey: 12], [AVFormatIDKey: "lpcm"],
        ]
        for settings in without + impossible.map({ settings($0) }) {
            let error = try #require(status { _ = try AVAudioFile(forWriting: url, settings: settings) }, "\(settings)")
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(error.code == Int(kAudioFileUnsupportedDataFormatError), "\(settings)")
        }
        for (name, code) in [
            ("a.txt", kAudioFileUnsupportedFileTypeError), ("no/a.wav", kAudioFileFileNotFoundError),
        ] {
            let error = status { _ = try AVAudioFile(forWriting: folder.url(name), settings: settings()) }
            #expect(error?.code == Int(code), "\(name)")
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test(
        "E161: frames of every common format arrive exactly",
        arguments: [
            AVAudioCommonFormat.pcmFormatFloat32, .pcmFormatFloat64, .pcmFormatInt16, .pcmFormatInt32,
        ], [true, false])
    func exact(common: AVAudioCommonFormat, interleaved: Bool) throws {
        let url = folder.url("a.wav")
        let depth = common == .pcmFormatInt16 ? 16 : common == .pcmFormatFloat32 ? 24 : 32
        let values = integerNoise(2 * 9000, bits: depth)
        let file = try AVAudioFile(
            forWriting: url, settings: settings([AVLinearPCMBitDepthKey: depth]), commonFormat: common,
            interleaved: interleaved)
        let piece = try buffer(file, 9000)
        switch common {
        case .pcmFormatInt16: piece.fill(values.map { Int16($0 >> 16) })
        case .pcmFormatInt32: piece.fill(values)
        case .pcmFormatFloat64: piece.fill(values.map { Double($0) * 0x1p-31 })
        default: piece.fill(values.map { Float($0) * 0x1p-31 })
        }
        try file.write(from: piece)
        #expect(file.length == 9000 && file.framePosition == 9000)
        file.close()
        let reader = try AudioFileReader(path: url.path)
        var read = [Int32](repeating: 0, count: values.count)
        #expect(try reader.read(int32: &read, frames: 9000) == 9000)
        #expect(read.elementsEqual(values))
    }

    @Test("E161: buffers of another format are refused with −50, and an empty one is no error")
    func otherBuffer() throws {
        let file = try AVAudioFile(forWriting: folder.url("a.wav"), settings: settings())
        for format in [
            AVAudioFormat(standardFormatWithSampleRate: 44100, channels: 2),
            AVAudioFormat(standardFormatWithSampleRate: 48000, channels: 1),
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 48000, channels: 2, interleaved: true),
        ] {
            let format = try #require(format)
            let piece = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 10))
            piece.frameLength = 10
            let error = try #require(status { try file.write(from: piece) })
            #expect(error.domain == "com.apple.coreaudio.avfaudio" && error.code == -50)
        }
        try file.write(from: buffer(file, 10))
        #expect(file.length == 0)
    }

    @Test(
        "E161: the settings of a tap's format make a WAV, CAF, FLAC or MPEG-4 file",
        arguments: ["a.wav", "a.caf", "a.flac", "a.m4a"])
    func tap(name: String) throws {
        let tap = try #require(AVAudioFormat(standardFormatWithSampleRate: 48000, channels: 2))
        let url = folder.url(name)
        let file = try AVAudioFile(forWriting: url, settings: tap.settings)
        #expect(file.processingFormat == tap)
        let piece = try #require(AVAudioPCMBuffer(pcmFormat: tap, frameCapacity: 4800))
        piece.fill(noise(9600))
        for _ in 0..<10 { try file.write(from: piece) }
        file.close()
        let written = try samples(url)
        #expect(written.format.frames == 48000 && file.length == 48000)
        #expect(written.format.encoding == (name == "a.m4a" ? .alac24 : name == "a.flac" ? .pcm24 : .float32))
        #expect(written.samples.suffix(9600).elementsEqual(noise(9600)))
    }

    @Test("E162: length counts the frames so far; a file that is written is not moved in")
    func length() throws {
        let file = try AVAudioFile(forWriting: folder.url("a.wav"), settings: settings())
        let piece = try buffer(file, 500)
        piece.fill(noise(1000))
        #expect(file.length == 0 && file.framePosition == 0)
        try file.write(from: piece)
        file.framePosition = 0
        #expect(file.length == 500 && file.framePosition == 500)
        try file.write(from: piece)
        #expect(file.length == 1000)
    }

    @Test("E163: a closed file is finished, says so, and refuses reads and writes with −43")
    func closed() throws {
        let url = folder.url("a.wav")
        let file = try AVAudioFile(forWriting: url, settings: settings())
        let piece = try buffer(file, 500)
        piece.fill(noise(1000))
        try file.write(from: piece)
        #expect(file.isOpen)
        file.close()
        file.close()
        #expect(!file.isOpen && file.length == 500)
        let reading = try AVAudioFile(forReading: url)
        reading.close()
        #expect(!reading.isOpen && reading.length == 500)
        for error in [status { try file.write(from: piece) }, status { try reading.read(into: piece) }] {
            #expect(error?.domain == "com.apple.coreaudio.avfaudio")
            #expect(error?.code == Int(kAudioFileFileNotFoundError))
        }
    }

    @Test("E163: the release of a file finishes it")
    func released() throws {
        let url = folder.url("a.flac")
        try {
            let file = try AVAudioFile(forWriting: url, settings: settings())
            let piece = try buffer(file, 500)
            piece.fill(noise(1000))
            try file.write(from: piece)
        }()
        #expect(try samples(url).samples.elementsEqual(noise(1000)))
    }

    @Test("E163: a file that is read is not written, and the other way round")
    func wrongWay() throws {
        let url = folder.url("a.wav")
        let writing = try AVAudioFile(forWriting: url, settings: settings())
        let piece = try buffer(writing, 10)
        piece.frameLength = 10
        #expect(status { try writing.read(into: piece) }?.code == Int(kAudioFilePermissionsError))
        let reading = try AVAudioFile(forReading: url)
        piece.frameLength = 10
        #expect(status { try reading.write(from: piece) }?.code == Int(kAudioFilePermissionsError))
    }

    @Test(
        "E164: while a file is written, and after its program's death, others read all but its last quarter of a second",
        arguments: ["a.wav", "a.caf", "a.aiff", "a.m4a", "a.flac"])
    func whileWritten(name: String) throws {
        let url = folder.url(name)
        let file = try AVAudioFile(forWriting: url, settings: settings())
        let piece = try buffer(file, 4800)
        piece.fill(noise(9600))
        let isPCM = !["a.m4a", "a.flac"].contains(name)
        for count in 1...20 {
            try file.write(from: piece)
            guard isPCM || count.isMultiple(of: 10) else { continue }
            // What is on the disk now is what is left if the program is killed here.
            let seen = try AVAudioFile(forReading: url)
            let missing = Int64(count) * 4800 - seen.length
            #expect(isPCM ? missing == 0 : missing <= 12_000, "after \(count) writes")
            let last = try buffer(seen, 4800)
            seen.framePosition = seen.length - 4800
            try seen.read(into: last)
            if isPCM { #expect(last.frames(Float.self).elementsEqual(noise(9600))) }
        }
    }

    @Test("E161: a full disk is told, and what fitted stays", .enabled(if: SmallDisk.isPossible, "mounting needs root"))
    func fullDisk() throws {
        let disk = try SmallDisk(at: folder.url("disk"), kilobytes: 160)
        defer { disk.unmount() }
        let url = disk.folder.appendingPathComponent("a.wav")
        let file = try AVAudioFile(forWriting: url, settings: settings())
        let piece = try buffer(file, 4800)
        piece.fill(noise(9600))
        var written: Int64 = 0
        let error = try #require(
            status {
                while written < 480_000 {
                    try file.write(from: piece)
                    written += 4800
                }
            })
        #expect(error.domain == "com.apple.coreaudio.avfaudio" && error.code == Int(kAudioFileUnspecifiedError))
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ENOSPC))
        file.close()
        #expect(written > 0)
        let left = try AVAudioFile(forReading: url)
        #expect(left.length >= written)
    }

    @Test("1.13: read-only buffers are written too")
    func readOnly() throws {
        let url = folder.url("a.wav")
        let file = try AVAudioFile(forWriting: url, settings: settings())
        let piece = try buffer(file, 500)
        piece.fill(noise(1000))
        try file.write(from: AVReadOnlyAudioPCMBuffer(copying: piece))
        #expect(try samples(url).samples.elementsEqual(noise(1000)))
    }
}

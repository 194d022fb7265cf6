import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// A file that the `ffmpeg` program makes, and how near our decoding must come to that program's own.
struct ReferenceFile: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    var rate = 44100
    var channels = 2
    /// The largest difference, in dB below full scale; nil for none at all.
    var tolerance: Double?
    /// Frames by which the format itself makes the sound longer; nil if it keeps the length.
    var granularity: Int?
    /// Frames in front that the program does not cut off, though the file says so.
    var referenceLead = 0
    /// The largest difference after seeking, in dB below full scale; nil for none at all.
    var seekTolerance: Double?

    var testDescription: String { "\(name) \(arguments.joined(separator: " ")) \(rate) Hz, \(channels) channels" }

    init(
        _ name: String, _ arguments: String, rate: Int = 44100, channels: Int = 2, tolerance: Double? = nil,
        granularity: Int? = nil, referenceLead: Int = 0, seekTolerance: Double? = nil
    ) {
        self.name = name
        self.arguments = arguments.split(separator: " ").map(String.init)
        self.rate = rate
        self.channels = channels
        self.tolerance = tolerance
        self.granularity = granularity
        self.referenceLead = referenceLead
        self.seekTolerance = seekTolerance
    }

    static let lossless: [ReferenceFile] = [
        .init("a.wav", "-c:a pcm_s16le", rate: 8000, channels: 1), .init("a.wav", "-c:a pcm_u8", rate: 11025),
        .init("a.wav", "-c:a pcm_s24le", rate: 96000), .init("a.wav", "-c:a pcm_s32le", rate: 192_000),
        .init("a.wav", "-c:a pcm_f32le", rate: 48000, channels: 6), .init("a.wav", "-c:a pcm_f64le"),
        .init("a.wav", "-c:a pcm_mulaw", rate: 8000), .init("a.wav", "-c:a pcm_alaw", rate: 16000),
        .init("a.w64", "-c:a pcm_s16le", granularity: 2), .init("a.wav", "-rf64 always -c:a pcm_s24le", channels: 8),
        .init("a.aiff", "-c:a pcm_s16be"), .init("a.aiff", "-c:a pcm_s24be", rate: 88200),
        .init("a.aiff", "-c:a pcm_s32be", channels: 1), .init("a.aifc", "-f aiff -c:a pcm_f32be", rate: 22050),
        .init("a.au", "-c:a pcm_s16be", rate: 32000), .init("a.caf", "-c:a pcm_s24le", rate: 48000),
        .init("a.caf", "-c:a pcm_f32be", channels: 4), .init("a.caf", "-c:a pcm_s16be", rate: 8000, channels: 1),
        .init("a.flac", "-sample_fmt s16", rate: 8000, channels: 1), .init("a.flac", "-sample_fmt s16", rate: 96000),
        .init("a.flac", "-sample_fmt s32", rate: 192_000), .init("a.flac", "-sample_fmt s16", channels: 8),
        .init("a.m4a", "-c:a alac -sample_fmt s16p"), .init("a.m4a", "-c:a alac -sample_fmt s32p", rate: 48000),
        .init("a.m4a", "-c:a alac -sample_fmt s16p", rate: 8000, channels: 1),
        .init("a.m4a", "-c:a alac -sample_fmt s32p", rate: 192_000),
        .init("a.m4a", "-c:a alac -sample_fmt s16p", channels: 6),
        .init("a.caf", "-c:a alac -sample_fmt s16p"), .init("a.caf", "-c:a alac -sample_fmt s32p", rate: 96000),
        .init("a.mov", "-c:a pcm_s16be"), .init("a.mov", "-c:a pcm_s24le", rate: 96000, channels: 6),
        .init("a.mka", "-c:a flac"), .init("a.mka", "-c:a pcm_s16le", rate: 22050),
        .init("a.mka", "-c:a alac", rate: 48000), .init("a.m4a", "-movflags +frag_keyframe -c:a alac -sample_fmt s16p"),
        .init("a.mp4", "-strict -2 -c:a flac", rate: 96000), .init("a.ogg", "-c:a flac"),
        .init("a.oga", "-c:a flac -sample_fmt s32", rate: 96000, channels: 3),
        .init("a.flac", "-sample_fmt s16", channels: 5), .init("a.flac", "-sample_fmt s16", rate: 48000, channels: 7),
        .init("a.wav", "-c:a pcm_s24le", channels: 3), .init("a.wav", "-c:a pcm_s16le", rate: 48000, channels: 7),
    ]

    static let lossy: [ReferenceFile] = [
        .init("a.m4a", "-c:a aac -aac_pns 0", tolerance: 90),
        .init("a.m4a", "-c:a aac -aac_pns 0", rate: 8000, channels: 1, tolerance: 90),
        .init("a.m4a", "-c:a aac -aac_pns 0 -b:a 320k", rate: 96000, tolerance: 90),
        .init("a.m4a", "-c:a aac -aac_pns 0", rate: 48000, channels: 6, tolerance: 90),
        .init("a.m4a", "-c:a aac -aac_pns 0", rate: 22050, channels: 8, tolerance: 90),
        .init("a.m4a", "-movflags +faststart -c:a aac -aac_pns 0", rate: 32000, tolerance: 90),
        .init(
            "a.m4a", "-movflags +frag_keyframe+delay_moov -frag_duration 200000 -c:a aac -aac_pns 0", tolerance: 90,
            referenceLead: 1024),
        .init("a.mov", "-c:a aac -aac_pns 0", rate: 16000, tolerance: 90),
        .init("a.aac", "-c:a aac -aac_pns 0", tolerance: 90, granularity: 1024),
        .init("a.aac", "-c:a aac -aac_pns 0", rate: 12000, channels: 1, tolerance: 90, granularity: 1024),
        .init("a.mka", "-c:a aac -aac_pns 0", tolerance: 90, granularity: 1024),
        .init("a.caf", "-c:a adpcm_ima_qt", tolerance: 90, granularity: 64),
        .init("a.caf", "-c:a adpcm_ima_qt", rate: 22050, channels: 1, tolerance: 90, granularity: 64),
        // libsndfile starts every packet with the rounded predictor in its head, FFmpeg with the exact one that it has.
        .init("a.aifc", "-f aiff -c:a adpcm_ima_qt", tolerance: 40, granularity: 64),
        .init("a.mov", "-c:a adpcm_ima_qt", tolerance: 90, granularity: 64),
        .init("a.ac3", "-c:a ac3", rate: 48000, tolerance: 90, granularity: 1536, seekTolerance: 40),
        .init("a.ac3", "-c:a ac3", rate: 44100, channels: 6, tolerance: 90, granularity: 1536, seekTolerance: 40),
        .init("a.eac3", "-c:a eac3", rate: 48000, tolerance: 90, granularity: 1536, seekTolerance: 40),
        .init("a.mp4", "-c:a ac3", rate: 48000, tolerance: 90, granularity: 1536, seekTolerance: 40),
        .init("a.wma", "-c:a wmav2", tolerance: 90, granularity: 4096),
        .init("a.wma", "-c:a wmav1", rate: 22050, channels: 1, tolerance: 90, granularity: 4096),
        .init("a.wav", "-c:a wmav2", tolerance: 90, granularity: 4096),
        .init("a.wav", "-c:a ac3", rate: 48000, tolerance: 90, granularity: 1536, seekTolerance: 40),
        .init("a.wav", "-c:a mp2", rate: 48000, tolerance: 90, granularity: 2304, seekTolerance: 90),
        .init("a.webm", "-c:a libopus", rate: 48000, tolerance: 90, seekTolerance: 80),
        .init("a.mka", "-c:a libopus", rate: 48000, channels: 1, tolerance: 90, seekTolerance: 80),
        .init("a.mp4", "-c:a libopus", rate: 48000, tolerance: 90, seekTolerance: 80),
        .init("a.webm", "-c:a libvorbis", tolerance: 90, granularity: 2048),
        .init("a.mka", "-c:a libmp3lame", tolerance: 90, granularity: 3456, seekTolerance: 120),
        .init("a.ogg", "-c:a libvorbis", tolerance: 90),
        .init("a.opus", "-c:a libopus", rate: 48000, tolerance: 90, seekTolerance: 80),
        .init("a.ogg", "-c:a libspeex", rate: 16000, channels: 1, tolerance: 90, granularity: 640, seekTolerance: 60),
        .init("a.mp3", "-c:a libmp3lame", tolerance: 90),
        .init("a.mp3", "-c:a libmp3lame -q:a 2", rate: 48000, tolerance: 90),
        .init("a.mp3", "-c:a libmp3lame", rate: 22050, channels: 1, tolerance: 90),
        .init("a.mp2", "-c:a mp2", rate: 48000, tolerance: 85, granularity: 2304),
        .init("a.wav", "-c:a libmp3lame", tolerance: 90, granularity: 3456),
    ]
}

/// A file of AMR: any bits make a frame.
func amr(_ magic: String, mode: UInt8, size: Int, blocks: Int) -> [UInt8] {
    var noise = SeededGenerator(seed: 11)
    var file = Array(magic.utf8)
    for _ in 0..<blocks {
        file.append(mode << 3 | 4)
        for _ in 0..<size { file.append(UInt8.random(in: 0...255, using: &noise)) }
    }
    return file
}

/// Our decoding beside the `ffmpeg` program's, where that is installed.
@Suite(.enabled(if: FFmpegProgram.isInstalled, "needs ffmpeg"), .limited) struct ReferenceTests {
    private let folder = TemporaryFolder()
    private let frames = 20_011

    private func make(_ file: ReferenceFile) throws -> (path: String, reference: [Float]) {
        let path = folder.file(file.name)
        try FFmpegProgram.encode(
            sweep(frames: frames, channels: file.channels, rate: Double(file.rate)), channels: file.channels,
            rate: file.rate, file.arguments, to: path)
        return (path, try FFmpegProgram.decode(path))
    }

    @Test(arguments: ReferenceFile.lossless + ReferenceFile.lossy) func decodesAsTheReference(file: ReferenceFile)
        throws
    {
        let (path, whole) = try make(file)
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.channels == file.channels && reader.format.sampleRate == Double(file.rate))
        // What we cut off in front because the file says so, and the program leaves in.
        let reference = whole.dropFirst(file.referenceLead * file.channels)
        let read = try reader.readAll()
        let length = read.count / file.channels
        #expect(reader.format.frames == Int64(length))
        if let granularity = file.granularity {
            #expect(length == reference.count / file.channels && length > frames - granularity)
        } else {
            // The program leaves the padding of an MPEG-4 file's last packet in, and at times loses an Ogg file's last
            // one.
            #expect(length == frames && reference.count > read.count - 1024 * file.channels)
        }
        let common = min(read.count, reference.count)
        #expect(decibels(difference(read.prefix(common), reference.prefix(common))) <= -(file.tolerance ?? .infinity))
        // The same bytes from memory.
        let inMemory = try AudioFileReader(bytes: bytes(path))
        #expect(try inMemory.format == reader.format && difference(inMemory.readAll(), read) == 0)

        for place in [0, 1, 1000, 9_000, length - 2000, length - 1] {
            try reader.seek(toFrame: Int64(place))
            let piece = try reader.readAll(limit: 1000).prefix(1000 * file.channels)
            let expected = read[(place * file.channels)...].prefix(1000 * file.channels)
            #expect(decibels(difference(piece, expected)) <= -(file.seekTolerance ?? .infinity), "frame \(place)")
        }
        // Going round: the first frames are what they were, to the last bit.
        try reader.seek(toFrame: 0)
        let again = try reader.readAll(limit: 3000).prefix(3000 * file.channels)
        #expect(difference(again, read.prefix(again.count)) == 0)
    }

    /// What else libsndfile reads, by SoX's names, and with how many channels.
    static let rare = [
        ("voc", 2), ("sph", 2), ("ircam", 2), ("8svx", 1), ("avr", 2), ("paf", 2), ("pvf", 2), ("wve", 1),
    ]

    @Test(.enabled(if: SoXProgram.isInstalled, "needs sox"), arguments: rare)
    func rareFilesDecodeAsTheReference(type: String, channels: Int) throws {
        let path = folder.file("sound")
        let samples = noise16(8000 * channels)
        guard try SoXProgram.encode(samples, channels: channels, rate: 8000, type: type, to: path) else { return }
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.container == .rare && reader.format.channels == channels)
        #expect(reader.format.sampleRate == 8000 && reader.format.frames == 8000)
        let ours = try reader.readAll().map { Int(($0 * 32768).rounded()) }
        let theirs = try SoXProgram.decode(path, type: type).map(Int.init)
        // SoX does not read the last two frames of its own VOC files.
        #expect(ours.count == 8000 * channels && theirs.count >= 7998 * channels && ours.starts(with: theirs))
        #expect(reader.loss == nil)
        try reader.seek(toFrame: 4001)
        #expect(try reader.readAll().count == 3999 * channels)
    }

    /// No encoder for AMR is free; noise must sound the same to both decoders.
    @Test(arguments: [("#!AMR\n", 7, 31, 8000.0, 160), ("#!AMR-WB\n", 8, 60, 16000, 320)])
    func amrDecodesAsTheReference(
        magic: String, mode: UInt8, size: Int, rate: Double, block: Int
    ) throws {
        let file = amr(magic, mode: mode, size: size, blocks: 200)
        let path = folder.file("a.amr")
        try Data(file).write(to: URL(fileURLWithPath: path))
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.container == .amr && reader.format.sampleRate == rate && reader.format.channels == 1)
        #expect(reader.format.frames == Int64(200 * block))
        let read = try reader.readAll()
        #expect(try decibels(difference(read, FFmpegProgram.decode(path))) <= -90)
        try reader.seek(toFrame: 0)
        #expect(try difference(reader.readAll(), read) == 0)
    }

    private func decibels(_ level: Float) -> Double { level > 0 ? 20 * log10(Double(level)) : -.infinity }
}

import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite("A file that is read more than once", .limited) struct SourceTests {
    @Test("A file that was replaced, or deleted, is the one that was opened")
    func gone() throws {
        let folder = TemporaryFolder()
        let (path, other) = (folder.file("one"), folder.file("other"))
        let sound = sweep(frames: 5000, channels: 2)
        let kind = Kind(container: .wav, encoding: .float32)
        try kind.write(sound, channels: 2, to: path)
        try kind.write([0, 0, 0], channels: 1, to: other)
        let source = try AudioFileSource(path: path)
        #expect(rename(other, path) == 0)
        #expect(try source.reader().readAll() == sound)
        #expect(unlink(path) == 0)
        let (first, second) = (try source.reader(), try source.reader())
        try first.seek(toFrame: 4000)
        #expect(try second.readAll() == sound)
        #expect(try first.readAll() == Array(sound[8000...]))
    }

    /// In a process of its own: the limit holds for all threads.
    @Test("Where descriptors are short, a file that nobody reads has none")
    func short() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("sound")
            try Kind(container: .wav, encoding: .pcm16).write([0, 0.5], channels: 1, to: path)
            func next() -> Int32 {
                let next = dup(0)
                close(next)
                return next
            }
            let free = next()
            var limits = rlimit(rlim_cur: rlim_t(free) * 2, rlim_max: rlim_t(free) * 2)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            let sources = try (0...free).map { _ in try AudioFileSource(path: path) }
            #expect(next() == free)
            #expect(try sources[0].reader().readAll() == [0, 0.5])
            unlink(path)
            #expect(failure { _ = try sources[0].reader() } == .notFound)
        }
    }

    /// Files that have to be passed over to know their length.
    static let counted = [
        ("a.mp3", "libmp3lame -write_xing 0"), ("a.aac", "aac"), ("a.mka", "libvorbis"), ("a.wma", "wmav2"),
    ]

    @Test(
        "What was counted for one reader is not counted for the next",
        .enabled(if: FFmpegProgram.isInstalled && Kind.hasFFmpeg, "needs ffmpeg"), arguments: counted)
    func countedOnce(name: String, codec: String) throws {
        let folder = TemporaryFolder()
        let path = folder.file(name)
        try FFmpegProgram.encode(
            sweep(frames: 441_000, channels: 2), channels: 2, rate: 44100,
            ["-c:a"] + codec.split(separator: " ").map(String.init), to: path)
        let source = try AudioFileSource(path: path)
        let frames = try source.reader().format.frames
        #expect(frames > 400_000)
        // Who counts again finds half of it.
        #expect(truncate(path, off_t(bytes(path).count / 2)) == 0)
        #expect(try source.reader().format.frames == frames)
        #expect(try AudioFileReader(path: path).format.frames < 300_000)
    }

    @Test("A FLAC that was never finished is counted once")
    func unfinishedCountedOnce() throws {
        let folder = TemporaryFolder()
        let path = folder.file("a.flac")
        try Kind(container: .flac, encoding: .pcm16).write(sweep(frames: 30_000, channels: 2), channels: 2, to: path)
        var file = bytes(path)
        // The number of frames in STREAMINFO: 36 bits.
        file[21] &= 0xF0
        for index in 22...25 { file[index] = 0 }
        try Data(file).write(to: URL(fileURLWithPath: path))
        let source = try AudioFileSource(path: path)
        #expect(try source.reader().format.frames == 30_000)
        #expect(truncate(path, off_t(file.count / 2)) == 0)
        #expect(try source.reader().format.frames == 30_000)
        #expect(try AudioFileReader(path: path).format.frames < 20_000)
    }
}

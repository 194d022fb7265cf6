import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite("A file that is read more than once") struct SourceTests {
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
}

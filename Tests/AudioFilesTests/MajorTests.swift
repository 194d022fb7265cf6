import Foundation
import TestSupport
import Testing

@testable import AudioFiles

#if FFmpeg
    /// The libraries of a release of Debian, in which a program runs with all of them, its C library among them.
    private struct Userland {
        let name: String
        /// The words in front of a program.
        let launcher: [String]
        /// The major version of its libavcodec.
        let major: Int32

        /// What scripts/ffmpeg has unpacked; nil where it has not.
        static func unpacked(_ name: String) -> Userland? {
            let root = FileManager.default.currentDirectoryPath + "/.build/ffmpeg/\(name)/usr/lib"
            let folders = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
            guard let folder = folders.first(where: { $0.contains("-linux-gnu") }).map({ "\(root)/\($0)" }),
                let files = try? FileManager.default.contentsOfDirectory(atPath: folder),
                let loader = files.first(where: { $0.hasPrefix("ld-linux") }),
                let major = files.compactMap({ $0.wholeMatch(of: /libavcodec\.so\.(\d+)/)?.1 }).first
            else { return nil }
            return Userland(
                name: name, launcher: ["\(folder)/\(loader)", "--library-path", folder], major: Int32(major) ?? 0)
        }

        /// Whether the build has a module for a userland's FFmpeg.
        static func isUsable(_ name: String) -> Bool {
            unpacked(name).map { FFmpegLibrary.majors.contains($0.major) } ?? false
        }

        /// What `codec-peer` prints there.
        func codecPeer(_ arguments: [String]) async throws -> String {
            let words = launcher + [try ChildProcess.executable("codec-peer").path] + arguments
            let process = try ChildProcess(URL(fileURLWithPath: words[0]), Array(words.dropFirst()))
            let exit = try await process.wait()
            guard exit.status == 0 else {
                throw SupportError("codec-peer \(arguments) on \(name): \(process.errorText)")
            }
            return String(decoding: process.output(), as: UTF8.self)
        }
    }

    /// The files that each major version writes and reads.
    private let takes = [("take.m4a", "aac"), ("take.m4a", "alac24"), ("take.caf", "alac24"), ("take.aac", "aac")]
    /// What major version 63 refuses to open, see decision 0130.
    private let takesOfOlderOnes = [("take.caf", "imaADPCM")]

    /// Each in a process of its own, since a process has one FFmpeg.
    @Suite("One build, and FFmpeg of each major version that it has a module for", .limited) struct MajorTests {
        @Test(
            "With FFmpeg of Debian 13, sound is encoded and decoded as with the system's FFmpeg",
            .enabled(if: Userland.isUsable("debian-13"), "needs `make check-ffmpeg`"),
            arguments: takes + takesOfOlderOnes)
        func debian13(name: String, encoding: String) async throws {
            try await check("debian-13", name, encoding)
        }

        @Test(
            "With FFmpeg of Debian's testing, sound is encoded and decoded as with the system's FFmpeg",
            .enabled(if: Userland.isUsable("debian-testing"), "needs `make check-ffmpeg`"), arguments: takes)
        func debianTesting(name: String, encoding: String) async throws {
            try await check("debian-testing", name, encoding)
        }

        private func check(_ release: String, _ name: String, _ encoding: String) async throws {
            let userland = try #require(Userland.unpacked(release))
            let folder = TemporaryFolder()
            let (theirs, ours) = (folder.file("theirs-" + name), folder.file("ours-" + name))
            let written = try await userland.codecPeer(["encode", theirs, encoding])
            #expect(written.hasPrefix("libavcodec.so.\(userland.major) wrote 44100"), "\(written)")
            try writeTone(to: ours, encoding)
            for file in [theirs, ours] {
                let facts = try await userland.codecPeer(["decode", file])
                #expect(facts.hasPrefix("libavcodec.so.\(userland.major) read "), "\(facts)")
                let reader = try AudioFileReader(path: file)
                #expect(facts.contains(" read \(reader.format.frames) of \(reader.format.encoding) in"), "\(facts)")
                #expect(facts.contains(" \(reader.format.channels) channels"), "\(facts)")
                let samples = try reader.readAll()
                #expect(samples.count / 2 == Int(reader.format.frames))
                // What it decodes is what this process decodes of the same bytes.
                let power = powerOfLeft(samples)
                let said = try #require(facts.firstMatch(of: /power ([0-9.]+)/).flatMap { Double($0.1) })
                #expect(abs(said - power) < 0.001, "\(facts) here \(power)")
                #expect(abs(power - 0.125) < 0.01, "\(power)")
            }
        }

        private func writeTone(to path: String, _ encoding: String) throws {
            let encodings: [String: AudioEncoding] = ["aac": .aac, "alac24": .alac24, "imaADPCM": .imaADPCM]
            let container: AudioContainer = path.hasSuffix("aac") ? .adts : path.hasSuffix("caf") ? .caf : .mpeg4
            let writer = try AudioFileWriter(
                path: path, container: container, encoding: try #require(encodings[encoding]), sampleRate: 44_100,
                channels: 2)
            let tone = (0..<44_100).flatMap { frame in
                let sample = Float(0.5 * sin(2 * .pi * 440 * Double(frame) / 44_100))
                return [sample, sample]
            }
            try writer.write(float: tone, frames: 44_100)
            try writer.finish()
        }

        /// As `codec-peer` counts it.
        private func powerOfLeft(_ samples: [Float]) -> Double {
            let left = stride(from: 4096 * 2, to: samples.count, by: 2).map { Double(samples[$0]) }
            return left.reduce(0) { $0 + $1 * $1 } / Double(max(left.count, 1))
        }
    }
#endif

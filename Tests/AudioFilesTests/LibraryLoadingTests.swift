import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// Each in a process of its own: what another test has loaded stays loaded.
@Suite("Libraries that could not be loaded for want of descriptors") struct LibraryLoadingTests {
    @Test("libsoxr is loaded by the next converter")
    func soxr() async {
        await #expect(processExitsWith: .success) {
            func failure() -> AudioFileError.Kind? {
                do throws(AudioFileError) { _ = try RateConverter(from: 44_100, to: 48_000, channels: 1) } catch {
                    return error.kind
                }
                return nil
            }
            let early = withoutDescriptors(failure)
            #expect(early == .missingLibrary)
            #expect(failure() == nil)
        }
    }

    #if FFmpeg
        @Test("FFmpeg is loaded by the next file")
        func ffmpeg() async {
            await #expect(processExitsWith: .success) {
                func failure() -> AudioFileError.Kind? {
                    do throws(AudioFileError) { _ = try AudioFileReader(bytes: aSecondOfAMR) } catch {
                        return error.kind
                    }
                    return nil
                }
                let early = withoutDescriptors(failure)
                #expect(early == .missingLibrary)
                #expect(failure() == nil)
            }
        }
    #endif
}

#if FFmpeg
    /// Any bits make a frame.
    private var aSecondOfAMR: [UInt8] {
        let frame = [0x3C] + [UInt8](repeating: 0, count: 31)
        return Array("#!AMR\n".utf8) + Array(repeating: frame, count: 50).flatMap { $0 }
    }

    /// In a process of its own, for another test may have loaded it.
    @Suite("The libraries that FFmpeg needs") struct LibraryMemoryTests {
        @Test("Little of what is only read in their loading stays in memory")
        func resident() async {
            await #expect(processExitsWith: .success) {
                let before = try residentText()
                _ = try AudioFileReader(bytes: aSecondOfAMR)
                let after = try residentText().filter { before[$0.key] == nil }
                // A distribution's FFmpeg needs far more than its own three.
                try #require(after.count > 20)
                // Loaded at once it is 170 kB of each.
                #expect(after.values.reduce(0, +) < 100 * after.count)
            }
        }
    }

    /// How much of each library's file is in memory, in kB, without what was written there.
    private func residentText() throws -> [String: Int] {
        var resident: [String: Int] = [:]
        var library: String?
        // The kernel gives it piece by piece.
        let text = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps")).readToEnd()
        for line in String(decoding: text ?? Data(), as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words[0].contains("-") {
                library = words.count > 5 && words[5].contains(".so") ? String(words[5]) : nil
            } else if let library, let size = words.count == 3 ? Int(words[1]) : nil {
                if words[0] == "Rss:" { resident[library, default: 0] += size }
                if words[0] == "Anonymous:" { resident[library, default: 0] -= size }
            }
        }
        return resident
    }
#endif

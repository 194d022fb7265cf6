import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// Each in a process of its own: what another test has loaded stays loaded.
@Suite("Libraries that could not be loaded for want of descriptors", .limited) struct LibraryLoadingTests {
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
#endif

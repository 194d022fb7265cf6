import AVFoundation
import TestSupport
import Testing

@Suite("AVError", .limited)
struct AVErrorTests {
    private let object = NSError(
        domain: AVFoundationErrorDomain, code: AVError.Code.fileFormatNotRecognized.rawValue,
        userInfo: [NSLocalizedDescriptionKey: "no sound"])

    @Test("An object of the domain can be cast to it, whether thrown or kept, and one of another domain cannot")
    func casts() throws {
        let error: any Error = object
        let kept: (any Error)? = error
        let cast = try #require(kept as? AVError)
        #expect(cast.code == .fileFormatNotRecognized && cast.errorCode == -11828)
        #expect(cast.localizedDescription == "no sound" && cast.userInfo[NSLocalizedDescriptionKey] != nil)
        #expect(AVError.errorDomain == "AVFoundationErrorDomain")
        let other: any Error = NSError(domain: NSURLErrorDomain, code: -11828)
        #expect(!(other is AVError) && other as? AVError == nil)
        let strange: any Error = NSError(domain: AVFoundationErrorDomain, code: -1)
        #expect((strange as? AVError)?.code.rawValue == -1, "a code that is not listed")
    }

    @Test("catch knows it by its type and by its code, and still as an NSError")
    func catching() {
        func caught(_ error: any Error) -> String {
            do { throw error } catch AVError.decodeFailed {
                return "decodeFailed"
            } catch let error as AVError where error.code == .fileFormatNotRecognized {
                return "fileFormatNotRecognized"
            } catch let error as AVError {
                return "AVError \(error.code.rawValue)"
            } catch { return (error as NSError).domain }
        }
        #expect(caught(object) == "fileFormatNotRecognized")
        #expect(caught(AVError(.decodeFailed)) == "decodeFailed")
        #expect(caught(NSError(domain: AVFoundationErrorDomain, code: -11821)) == "decodeFailed")
        #expect(caught(AVError(.unknown)) == "AVError -11800")
        #expect(caught(NSError(domain: NSURLErrorDomain, code: -11821)) == NSURLErrorDomain)
        let error: any Error = AVError(.noLongerPlayable, userInfo: [NSLocalizedDescriptionKey: "gone"])
        #expect((error as NSError).domain == AVFoundationErrorDomain && (error as NSError).code == -11867)
        #expect((error as NSError).localizedDescription == "gone")
    }

    @Test("The error of a file that is no sound is one")
    func ofAsset() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).wav")
        try Data("hello".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        do {
            _ = try await AVURLAsset(url: url).load(.duration)
            Issue.record("it was loaded")
        } catch AVError.fileFormatNotRecognized {} catch { Issue.record(error) }
    }
}

import AVFAudio
import AudioFiles
import Foundation
import Testing

@testable import AVFAudio

@Suite("A take on a disk that is too slow")
struct RecorderTakeTests {
    @Test("Frames that find no room are silence, the rest stays in time, and closing tells")
    func overrun() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("take-\(UUID().uuidString).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        let settings: [String: Any] = [AVSampleRateKey: 8_000, AVNumberOfChannelsKey: 1]
        let take = try Take(
            format: RecordingFormat(settings: settings, url: url), path: url.path, onFailure: { _, _ in },
            onLimit: { _ in })
        // More at once than the six seconds that fit, as if the disk had taken nothing in that time.
        let loud = [Int16](repeating: 1_000, count: 100_000)
        loud.withUnsafeBytes { take.receive($0, count: $0.count) }
        // And 100 frames that the server lost.
        take.receive(nil, count: 200)
        #expect(take.frames == 100_100)
        let error = #expect(throws: AudioFileError.self) { try take.close() }
        #expect(error?.kind == .io(ETIMEDOUT))
        let file = try DecodedFile(url)
        #expect(file.frames == 100_100)
        let room = try #require(file.samples.firstIndex(of: 0))
        #expect(room >= 48_000 && room < 100_000)
        #expect(file.samples[room...].allSatisfy { $0 == 0 })
    }

    @Test("Frames that the server lost are silence, and no error")
    func lostByServer() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("take-\(UUID().uuidString).caf")
        defer { try? FileManager.default.removeItem(at: url) }
        let settings: [String: Any] = [AVSampleRateKey: 8_000, AVNumberOfChannelsKey: 1]
        let take = try Take(
            format: RecordingFormat(settings: settings, url: url), path: url.path, onFailure: { _, _ in },
            onLimit: { _ in })
        let loud = [Int16](repeating: 16_384, count: 5_000)
        loud.withUnsafeBytes { take.receive($0, count: $0.count) }
        take.receive(nil, count: 10_000)
        loud.withUnsafeBytes { take.receive($0, count: $0.count) }
        try take.close()
        let all = try DecodedFile(url).samples
        let expected = [Float](repeating: 0.5, count: 5_000)
        #expect(all == expected + [Float](repeating: 0, count: 5_000) + expected)
    }
}

import AudioFiles
import Foundation
import TestSupport
import Testing

@testable import AVFAudio

@Suite("Files whose names are not UTF-8", .limited) struct FileNameTests {
    // `%E9` is a letter of Latin-1, and alone no UTF-8.
    @Test("are played, and recorded into, by a URL that is an absolute path alone")
    func paths() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).wav")
        defer { try? FileManager.default.removeItem(at: file) }
        let path = try #require(URL(string: file.path))
        #expect(path.scheme == nil)
        let format = try RecordingFormat(settings: [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2], url: path)
        let writer = try format.makeWriter(path: path.filePath)
        try writer.write(float: [Float](repeating: 0, count: 44_100), frames: 22_050)
        try writer.close()
        #expect(try AVAudioPlayer(contentsOf: path).duration == 0.5)
        _ = try RecorderCore(url: path, settings: [:], session: AVAudioSession.sharedInstance())
        for other in ["a.wav", "//host/a.wav", "ftp://host/a.wav", ""] {
            guard let url = URL(string: other) else { continue }
            #expect(throws: NSError.self) { try AVAudioPlayer(contentsOf: url) }
        }
    }

    @Test(
        "are played, and recorded into, by a URL that has their bytes", arguments: ["caf%E9.wav", "caf%E9/a%20b.wav"])
    func urls(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("names-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try #require(URL(string: folder.absoluteString + "/" + name))
        mkdir((url.filePath as NSString).deletingLastPathComponent.pathForC, 0o700)
        #expect(throws: NSError.self) { try AVAudioPlayer(contentsOf: url) }
        let format = try RecordingFormat(settings: [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2], url: url)
        #expect(format.container == .wav)
        let writer = try format.makeWriter(path: url.filePath)
        try writer.write(float: [Float](repeating: 0, count: 44_100), frames: 22_050)
        try writer.close()
        #expect(access(url.filePath.pathForC, R_OK) == 0)
        #expect(try AVAudioPlayer(contentsOf: url).duration == 0.5)
        #expect(URL(fileAt: url.filePath).absoluteString.lowercased() == url.absoluteString.lowercased())
        // A take that was broken off is put aside under a name of its own.
        let takes = UnfinishedTakes()
        takes.end(takes.begin(in: url) { _ in }, isUnfinished: true)
        try takes.keep(url)
        #expect(throws: NSError.self) { try AVAudioPlayer(contentsOf: url) }
        let aside = url.absoluteString.replacingOccurrences(of: ".wav", with: "%20(unfinished).wav")
        let recorder = try RecorderCore(
            url: try #require(URL(string: aside)), settings: [:], session: AVAudioSession.sharedInstance())
        #expect(recorder.deleteRecording() && !recorder.deleteRecording())
    }
}

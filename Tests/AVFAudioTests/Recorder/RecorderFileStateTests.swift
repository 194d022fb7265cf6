import AudioFiles
import AudioHost
import Foundation
import ScriptedHost
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

/// Files that cannot be recorded into, that others record into, that go away, and takes that are broken off: none of it
/// needs a server.
@Suite("A recorder and its file", .limited)
struct RecorderFileStateTests {
    @Test("More channels than a server carries: false, the delegate learns why, and the file stays as it was")
    func tooManyChannels() async throws {
        try await ScriptedLab.with(.record) { lab in
            let file = lab.file("a.wav")
            try Data("kept".utf8).write(to: file)
            for channels in [33, 64] {
                let events = RecorderEvents()
                let recorder = try lab.recorder("a.wav", [AVNumberOfChannelsKey: channels], events: events)
                #expect(!recorder.record())
                try await waitUntil("the reason") { !events.errors.isEmpty }
                #expect(events.errors.first?.localizedDescription.contains("\(channels) channels") == true)
            }
            #expect(try Data(contentsOf: file) == Data("kept".utf8))
            #expect(!lab.host.log.contains { $0.hasPrefix("openCapture") })
        }
    }

    @Test(
        "A file that is removed while it is recorded into: an error, DidFinish(false); one that is renamed is no error",
        arguments: ["a.wav", "a.flac", "a.ogg", "a.caf"])
    func removed(name: String) async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            let recorder = try await started(name, in: lab, events)
            try FileManager.default.removeItem(at: recorder.url)
            // Nobody stops it: what goes nowhere is not gone on with.
            try await lab.pass(until: "the end") { !events.finished.isEmpty }
            #expect(events.finished == [false] && events.errors.count == 1)
            #expect(events.errors.first?.localizedDescription.contains("was removed") == true, "\(events.errors)")
            #expect(!recorder.isRecording)
            for isRemoved in [true, false] {
                let others = RecorderEvents()
                let other = try await started("other-\(name)", in: lab, others)
                if isRemoved {
                    try FileManager.default.removeItem(at: other.url)
                } else {
                    try FileManager.default.moveItem(at: other.url, to: lab.file("moved-\(name)"))
                }
                other.stop()
                try await others.waitForFinish()
                #expect(others.finished == [!isRemoved] && others.errors.count == (isRemoved ? 1 : 0))
            }
            #expect(try DecodedFile(lab.file("moved-\(name)")).frames == 44_100)
        }
    }

    /// A recorder that has recorded for a second.
    private func started(
        _ name: String, in lab: ScriptedLab, _ events: RecorderEvents
    ) async throws -> AVAudioRecorder {
        let recorder = try lab.recorder(name, events: events)
        try #require(recorder.record())
        try await lab.pass(seconds: 1)
        return recorder
    }

    @Test("A second recorder in a file that is being recorded into: false, the delegate learns why, the first goes on")
    func rivals() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            let first = try await started("a.wav", in: lab, events)
            let link = lab.file("link.wav")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: first.url)
            for name in ["a.wav", "link.wav"] {
                let refusals = RecorderEvents()
                let second = try lab.recorder(name, events: refusals)
                #expect(!second.prepareToRecord() && !second.record() && !second.isRecording)
                try await waitUntil("the reasons") { refusals.errors.count == 2 }
                let reason = try #require(refusals.errors.first?.localizedDescription)
                #expect(reason.contains("is being recorded into by another recorder"), "\(reason)")
                #expect(refusals.finished == [])
            }
            first.pause()
            let second = try lab.recorder("a.wav")
            #expect(!second.record(), "a take that is paused has not ended")
            #expect(first.record())
            try await lab.pass(seconds: 0.5)
            first.stop()
            try await events.waitForFinish()
            #expect(events.finished == [true] && events.errors.isEmpty)
            #expect(try DecodedFile(first.url).frames == 66_150)
            #expect(second.record(), "the take has ended")
            second.stop()
            // What keeps nothing can be shared.
            let nothing = URL(fileURLWithPath: "/dev/null")
            let shared = try (0..<2).map { _ in try AVAudioRecorder(url: nothing, settings: [:], session: lab.session) }
            #expect(shared.allSatisfy { $0.record() })
            for recorder in shared { recorder.stop() }
        }
    }

    @Test("A recorder that is only prepared lets another one have its file, and records into it when that has stopped")
    func prepared() async throws {
        try await ScriptedLab.with(.record) { lab in
            let (events, others) = (RecorderEvents(), RecorderEvents())
            let first = try lab.recorder("a.wav", events: events)
            #expect(first.prepareToRecord())
            let second = try await started("a.wav", in: lab, others)
            #expect(!first.prepareToRecord() && !first.record(), "the second one records")
            try await waitUntil("the reasons") { events.errors.count == 2 }
            second.stop()
            try await others.waitForFinish()
            #expect(others.finished == [true] && others.errors.isEmpty)
            #expect(try DecodedFile(first.url).frames == 44_100)
            // To and fro; and whoever let go tells nothing of it, not even when it is stopped.
            #expect(first.prepareToRecord() && second.prepareToRecord() && first.record())
            second.stop()
            try await lab.pass(seconds: 0.3)
            first.stop()
            try await events.waitForFinish()
            await mainQueueIsEmpty()
            #expect(events.finished == [true] && events.errors.count == 2)
            #expect(others.finished == [true] && others.errors.isEmpty)
            #expect(try DecodedFile(first.url).frames == 13_230)
        }
    }

    // MARK: Takes that are broken off

    @Test("The stream ends by itself: an error, DidFinish(false), a whole file; and a new take works")
    func streamKilled() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            let recorder = try lab.recorder("a.flac", events: events)
            try await breakOff(recorder, in: lab, events)
            #expect(events.errors.map(\.code) == [AVAudioSession.ErrorCode.mediaServicesFailed.rawValue])
            #expect(!recorder.isRecording)
            #expect(try DecodedFile(recorder.url).frames == 44_100)
            #expect(recorder.record(forDuration: 0.2))
            try await lab.pass(until: "the second end") { events.finished.count == 2 }
            #expect(events.finished == [false, true])
            #expect(try DecodedFile(recorder.url).frames == 8_820)
        }
    }

    /// Records for a second, and has the stream killed.
    private func breakOff(_ recorder: AVAudioRecorder, in lab: ScriptedLab, _ events: RecorderEvents) async throws {
        let ends = events.finished.count
        #expect(recorder.record())
        try await lab.pass(seconds: 1)
        lab.host.endCaptures()
        try await waitUntil("the end") { events.finished.count == ends + 1 }
        #expect(events.finished.last == false)
    }

    @Test("D10: a new take after one that was broken off leaves that one under another name")
    func unfinished() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            let recorder = try lab.recorder("a.wav", events: events)
            for name in ["a (unfinished).wav", "a (unfinished 2).wav"] {
                try await breakOff(recorder, in: lab, events)
                #expect(!FileManager.default.fileExists(atPath: lab.file(name).path))
                #expect(recorder.prepareToRecord())
                #expect(try DecodedFile(lab.file(name)).frames == 44_100)
            }
            recorder.stop()
            #expect(try DecodedFile(recorder.url).frames == 0)
            #expect(recorder.record(forDuration: 0.1))
            try await lab.pass(until: "the end") { events.finished.count == 4 }
            let takes = try FileManager.default.contentsOfDirectory(atPath: lab.folder.path).sorted()
            #expect(takes == ["a (unfinished 2).wav", "a (unfinished).wav", "a.wav"])
        }
    }

    @Test("D10: a take that was broken off is put aside by another recorder of the same file, too")
    func unfinishedOfAnother() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            let first = try lab.recorder("a.wav", events: events)
            try await breakOff(first, in: lab, events)
            let second = try lab.recorder("a.wav")
            #expect(second.record(forDuration: 0.1))
            try await lab.pass(until: "the end") { !second.isRecording }
            second.stop()
            #expect(try DecodedFile(lab.file("a (unfinished).wav")).frames == 44_100)
            #expect(try DecodedFile(second.url).frames == 4_410)
            // What was stopped is overwritten, as always.
            #expect(first.prepareToRecord())
            first.stop()
            #expect(!FileManager.default.fileExists(atPath: lab.file("a (unfinished 2).wav").path))
        }
    }

    @Test("D10: a take that was broken off behind a symbolic link is put aside where it is")
    func unfinishedBehindLink() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            try FileManager.default.createDirectory(at: lab.file("store"), withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: lab.file("a.wav").path, withDestinationPath: lab.file("store/b.wav").path)
            let recorder = try lab.recorder("a.wav", events: events)
            try await breakOff(recorder, in: lab, events)
            // Under its own name as well.
            let other = try lab.recorder("store/b.wav")
            #expect(other.prepareToRecord())
            other.stop()
            #expect(try DecodedFile(lab.file("store/b (unfinished).wav")).frames == 44_100)
            try await breakOff(recorder, in: lab, events)
            #expect(recorder.prepareToRecord())
            recorder.stop()
            #expect(try DecodedFile(lab.file("store/b (unfinished 2).wav")).frames == 44_100)
            #expect(try DecodedFile(recorder.url).frames == 0)
        }
    }

    @Test("D10: one that was broken off and can be given no other name is kept, and the new take does not begin")
    func unfinishedWithoutName() async throws {
        try await ScriptedLab.with(.record) { lab in
            let events = RecorderEvents()
            // Longer by a word, no file system takes it.
            let recorder = try lab.recorder(String(repeating: "a", count: 250) + ".wav", events: events)
            try await breakOff(recorder, in: lab, events)
            let errors = events.errors.count
            for _ in 1...2 { #expect(!recorder.record()) }
            try await waitUntil("the reason") { events.errors.count == errors + 2 }
            #expect(try DecodedFile(recorder.url).frames == 44_100)
        }
    }

    // MARK: Formats

    @Test("S126, S127, S128: plain numbers and NSNumbers work, and what is missing is the input's after preparation")
    func completion() async throws {
        try await ScriptedLab.with(.record) { lab in
            lab.host.answer {
                $0.inputs = [
                    InputDevice(
                        name: "mic", description: "Microphone", kind: .virtual, isDefault: true, isMonitor: false,
                        rate: 48_000, channels: 2)
                ]
            }
            let bare = try lab.recorder("a.caf", [:])
            #expect(bare.settings[AVSampleRateKey] == nil)
            #expect(bare.prepareToRecord())
            for _ in 0..<2 {
                // Complete for as long as the recorder lives.
                #expect(bare.settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
                #expect(bare.settings[AVSampleRateKey] as? Double == 48_000)
                #expect(bare.settings[AVNumberOfChannelsKey] as? Int == 2)
                #expect(bare.settings[AVLinearPCMBitDepthKey] as? Int == 16)
                #expect(bare.format.sampleRate == 48_000 && bare.format.channelCount == 2)
                bare.stop()
            }
            let numbers: [[String: Any]] = [
                [AVSampleRateKey: 8_000, AVNumberOfChannelsKey: UInt8(1), AVLinearPCMBitDepthKey: Int64(24)],
                [
                    AVSampleRateKey: Float(8_000), AVNumberOfChannelsKey: NSNumber(value: 1),
                    AVLinearPCMBitDepthKey: 24.0,
                ],
                [
                    AVSampleRateKey: NSNumber(value: 8_000.0), AVNumberOfChannelsKey: 1 as Int,
                    AVLinearPCMBitDepthKey: UInt(24), AVLinearPCMIsFloatKey: false,
                    AVLinearPCMIsBigEndianKey: NSNumber(value: false),
                ],
            ]
            for settings in numbers {
                let recorder = try lab.recorder("b.wav", settings)
                #expect(recorder.record(forDuration: 0.1))
                try await lab.pass(until: "the end") { !recorder.isRecording }
                recorder.stop()
                let format = try DecodedFile(recorder.url).format
                #expect(format.encoding == .pcm24 && format.channels == 1)
                #expect(format.sampleRate == 8_000 && format.frames == 800)
            }
        }
    }
}

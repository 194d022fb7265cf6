import AVFAudio
import AudioFiles
import Foundation
import TestSupport
import Testing

@testable import SystemSounds

/// Which files become system sounds, and which codes the others get.
///
/// No server is asked.
@Suite("Files of system sounds", .limited)
final class SystemSoundFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sounds-" + UUID().uuidString)
    /// Nobody listens there.
    private let service = SystemSoundService(session: AVAudioSession(server: "unix:/nonexistent"))

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(
        _ container: AudioContainer, _ encoding: AudioEncoding, seconds: Double = 0.1, rate: Double = 8_000
    ) throws -> URL {
        let url = folder.appendingPathComponent("\(container)-\(encoding)-\(seconds).sound")
        let writer = try AudioFileWriter(
            path: url.path, container: container, encoding: encoding, sampleRate: rate, channels: 1)
        let samples = [Float](repeating: 0.25, count: Int((seconds * rate).rounded()))
        try samples.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            try writer.write(float: start, frames: samples.count)
        }
        try writer.close()
        return url
    }

    private func status(_ url: URL) -> OSStatus { service.create(url, accepting: .systemSounds).status }

    @Test("S133: Linear PCM and IMA4 in CAF, AIFF and WAV files are accepted")
    func accepted() throws {
        let good: [(AudioContainer, [AudioEncoding])] = [
            (.wav, [.pcmU8, .pcm16, .pcm24, .pcm32, .float32, .float64]),
            (.aiff, [.pcmS8, .pcm16, .pcm24, .pcm32]), (.aifc, [.float32]),
            (.caf, [.pcmS8, .pcm16, .pcm24, .pcm32, .float32]),
        ]
        for (container, encodings) in good {
            for encoding in encodings {
                #expect(status(try write(container, encoding)) == kAudioServicesNoError, "\(encoding) in \(container)")
            }
        }
    }

    @Test("S133: IMA4 in a CAF file is accepted")
    func ima4() throws {
        do {
            #expect(status(try write(.caf, .imaADPCM, rate: 44_100)) == kAudioServicesNoError)
        } catch let error as AudioFileError where error.kind == .missingLibrary {
            // Without FFmpeg there is nothing to write, or to read, such a file with.
        }
    }

    @Test("S133: Other files are refused with −1500, and leave no identifier")
    func refused() throws {
        let bad: [(AudioContainer, AudioEncoding)] = [
            (.wav, .ulaw), (.caf, .alaw), (.flac, .pcm16), (.ogg, .vorbis), (.w64, .pcm16),
        ]
        for (container, encoding) in bad {
            let answer = service.create(try write(container, encoding), accepting: .systemSounds)
            #expect(answer == (kAudioServicesSystemSoundUnspecifiedError, 0), "\(encoding) in \(container)")
        }
        let text = folder.appendingPathComponent("text.wav")
        try Data("no sound".utf8).write(to: text)
        let pipe = folder.appendingPathComponent("pipe.wav")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let web = try #require(URL(string: "http://example.org/a.wav"))
        for url in [text, pipe, folder, folder.appendingPathComponent("none.wav"), web] {
            #expect(service.create(url, accepting: .systemSounds) == (kAudioServicesSystemSoundUnspecifiedError, 0))
        }
    }

    @Test("S133: Sounds are 30 seconds long at most, longer ones are refused with −1502")
    func duration() throws {
        #expect(status(try write(.wav, .pcm16, seconds: 30)) == kAudioServicesNoError)
        #expect(
            service.create(try write(.wav, .pcm16, seconds: 30.001), accepting: .systemSounds)
                == (kAudioServicesSystemSoundExceededMaximumDurationError, 0))
        #expect(status(try write(.wav, .pcm16, seconds: 0)) == kAudioServicesNoError)
    }

    @Test("Samples that are no numbers, or beyond full scale, become samples")
    func integers() {
        let samples: [Float] = [.nan, 0.5, 1, -1, 2, -2, .infinity, -.infinity]
        let expected: [Int16] = [0, 16_384, 32_767, -32_768, 32_767, -32_768, 32_767, -32_768]
        #expect(samples.map(SystemSoundFile.integer) == expected)
    }

    @Test("A sound without a server is silent, and its end is told")
    func withoutServer() async throws {
        let notes = Notes()
        let (status, id) = service.create(try write(.wav, .pcm16), accepting: .systemSounds)
        #expect(status == kAudioServicesNoError)
        service.play(id) { notes.add("over") }
        try await notes.wait(for: 1)
        #expect(service.dispose(id) == kAudioServicesNoError)
    }

    @Test("A program without a server prints nothing, and goes on")
    func silentProgram() async throws {
        let file = try write(.wav, .pcm16)
        let peer = try await SoundPeer(
            on: nil, environment: ["PULSE_SERVER": "unix:/nonexistent", "XDG_RUNTIME_DIR": folder.path])
        let id = try await peer.create(file)
        try await peer.send("complete \(id)")
        try await peer.process.event("completed", timeout: hangLimit)
        #expect(try await peer.send("dispose \(id)") == 0)
        #expect(try await peer.send("dispose \(id)") == Int(kAudioServicesSystemSoundUnspecifiedError))
        try peer.process.write(line: "exit")
        #expect(try await peer.process.wait().status == 0)
        #expect(peer.process.errorText == "")
    }

    @Test("S141: Properties have Apple's numbers, sizes and errors")
    func properties() throws {
        var id = service.create(try write(.wav, .pcm16), accepting: .systemSounds).id
        #expect(kAudioServicesPropertyIsUISound == 0x6973_7569)
        #expect(kAudioServicesPropertyCompletePlaybackIfAppDies == 0x6966_6469)
        let known = SoundSpecifier(&id, size: 4)
        #expect(service.property(kAudioServicesPropertyIsUISound, of: known) == (0, 1))
        #expect(service.property(kAudioServicesPropertyCompletePlaybackIfAppDies, of: known) == (0, 0))
        #expect(service.setProperty(kAudioServicesPropertyCompletePlaybackIfAppDies, of: known, to: true) == 0)
        #expect(service.property(kAudioServicesPropertyCompletePlaybackIfAppDies, of: known) == (0, 1))

        // Through the functions; this process has no such sound, and asks no server.
        var (size, writable, value) = (UInt32(0), DarwinBoolean(false), UInt32(7))
        let property = kAudioServicesPropertyIsUISound
        #expect(AudioServicesGetPropertyInfo(property, 0, nil, &size, &writable) == kAudioServicesNoError)
        #expect(size == 4 && writable.boolValue)
        #expect(AudioServicesGetPropertyInfo(1, 0, nil, nil, nil) == kAudioServicesUnsupportedPropertyError)
        #expect(AudioServicesGetPropertyInfo(property, 3, &id, nil, nil) == kAudioServicesBadSpecifierSizeError)
        #expect(AudioServicesGetProperty(property, 0, nil, &size, &value) == kAudioServicesBadSpecifierSizeError)
        #expect(AudioServicesGetProperty(1, 4, &id, &size, &value) == kAudioServicesUnsupportedPropertyError)
        #expect(AudioServicesGetProperty(property, 4, &id, &size, &value) == kAudioServicesSystemSoundUnspecifiedError)
        var made: SystemSoundID = 0
        #expect(AudioServicesCreateSystemSoundID(try write(.wav, .pcm16) as CFURL, &made) == kAudioServicesNoError)
        size = 3
        #expect(AudioServicesGetProperty(property, 4, &made, &size, &value) == kAudioServicesBadPropertySizeError)
        #expect(value == 7)
        size = 8
        #expect(AudioServicesGetProperty(property, 4, &made, &size, &value) == kAudioServicesNoError)
        #expect(size == 4 && value == 1)
        #expect(AudioServicesSetProperty(property, 4, &made, 2, &value) == kAudioServicesBadPropertySizeError)
        value = 0
        #expect(AudioServicesSetProperty(property, 4, &made, 4, &value) == kAudioServicesNoError)
        value = 7
        #expect(AudioServicesGetProperty(property, 4, &made, &size, &value) == kAudioServicesNoError)
        #expect(value == 0)
        #expect(AudioServicesDisposeSystemSoundID(made) == kAudioServicesNoError)
        #expect(kAudioServicesUnsupportedPropertyError == 1_886_681_407)
        #expect(kAudioServicesBadPropertySizeError == 561_211_770)
        #expect(kAudioServicesBadSpecifierSizeError == 561_213_539)
        #expect(kAudioServicesSystemSoundClientTimedOutError == -1501)
    }
}

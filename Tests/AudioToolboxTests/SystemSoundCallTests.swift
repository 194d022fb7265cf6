import AudioToolbox
import Foundation
import TestSupport
import Testing

/// System Sound Services as apps call them: a warning here is one in each of these apps.
@Suite("Calls of System Sound Services", .serialized, .limited)
struct SystemSoundCallTests {
    private let missing = URL(fileURLWithPath: "/nonexistent/a.wav")

    @Test("Nobody has to look at a status")
    func statuses() {
        var id: SystemSoundID = 7
        AudioServicesCreateSystemSoundID(missing as CFURL, &id)
        #expect(id == 0)
        var (size, value, property): (UInt32, UInt32, UInt32) = (4, 1, kAudioServicesPropertyIsUISound)
        AudioServicesGetPropertyInfo(property, 0, nil, &size, nil)
        AudioServicesGetProperty(property, 4, &id, &size, &value)
        AudioServicesSetProperty(property, 4, &id, size, &value)
        AudioServicesDisposeSystemSoundID(id)
        LinuxSoundTheme.createSystemSoundID(named: "../no name", &id)
        property = 1
        #expect(AudioServicesSetProperty(property, 4, &id, 4, &value) != noErr)
    }

    @Test("A file may be named by a URL, a CFURL or an NSURL")
    func addresses() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        try TestSignal.sine(seconds: 0.01).writeWAV(to: url)
        var ids: [SystemSoundID] = [0, 0, 0]
        #expect(AudioServicesCreateSystemSoundID(url, &ids[0]) == noErr)
        #expect(AudioServicesCreateSystemSoundID(url as CFURL, &ids[1]) == noErr)
        #expect(AudioServicesCreateSystemSoundID(NSURL(fileURLWithPath: url.path), &ids[2]) == noErr)
        #expect(Set(ids).count == 3 && !ids.contains(0))
        for id in ids { AudioServicesDisposeSystemSoundID(id) }
        #expect(AudioServicesCreateSystemSoundID(NSURL(fileURLWithPath: missing.path), &ids[0]) != noErr && ids[0] == 0)
    }

    @Test("noErr is what a call that worked returns")
    func success() {
        #expect(noErr == kAudioServicesNoError)
        var size: UInt32 = 0
        #expect(AudioServicesGetPropertyInfo(kAudioServicesPropertyIsUISound, 0, nil, &size, nil) == noErr)
        #expect(size == 4)
    }
}

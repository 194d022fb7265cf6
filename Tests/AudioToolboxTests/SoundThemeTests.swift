import AudioToolbox
import Foundation
import TestSupport
import Testing

/// A Linux addition: sounds by their freedesktop names.
@Suite("Sound themes", .limited)
final class SoundThemeTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("themes-" + UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func put(_ path: String, _ data: Data = TestSignal.sine(seconds: 0.05).wavData) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    private func find(_ name: String, theme: String = "freedesktop") -> String? {
        let places = [
            "XDG_DATA_HOME": folder.path + "/home", "XDG_DATA_DIRS": folder.path + "/a:" + folder.path + "/b",
        ]
        let url = LinuxSoundTheme.url(ofSoundNamed: name, theme: theme, environment: places)
        return url.map { String($0.path.dropFirst(folder.path.count + 1)) }
    }

    @Test("A sound is found by its name, shorter names included, the user's folder first")
    func names() throws {
        try put("b/sounds/freedesktop/stereo/bell.oga")
        try put("b/sounds/freedesktop/stereo/message.oga")
        try put("a/sounds/freedesktop/stereo/message-new-instant.wav")
        #expect(find("bell") == "b/sounds/freedesktop/stereo/bell.oga")
        #expect(find("message-new-instant") == "a/sounds/freedesktop/stereo/message-new-instant.wav")
        #expect(find("message-new-email") == "b/sounds/freedesktop/stereo/message.oga")
        #expect(find("trash") == nil)
        try put("home/sounds/freedesktop/stereo/bell.wav")
        #expect(find("bell") == "home/sounds/freedesktop/stereo/bell.wav")
    }

    @Test("A theme inherits, in circles too, and may disable a sound")
    func inheritance() throws {
        try put("a/sounds/ocean/index.theme", Data("[Sound Theme]\nInherits=sea,ocean\nDirectories=5.1\n".utf8))
        try put("a/sounds/sea/index.theme", Data("[Sound Theme]\nInherits = ocean\n".utf8))
        try put("a/sounds/ocean/5.1/bell.ogg")
        try put("a/sounds/sea/stereo/message.oga")
        try put("b/sounds/freedesktop/stereo/message.oga")
        try put("b/sounds/freedesktop/stereo/phone.oga")
        try put("a/sounds/sea/stereo/phone.disabled", Data())
        #expect(find("bell", theme: "ocean") == "a/sounds/ocean/5.1/bell.ogg")
        #expect(find("message", theme: "ocean") == "a/sounds/sea/stereo/message.oga")
        #expect(find("phone", theme: "ocean") == nil)
        #expect(find("phone") == "b/sounds/freedesktop/stereo/phone.oga")
        #expect(find("message", theme: "none") == "b/sounds/freedesktop/stereo/message.oga")
    }

    @Test("A name never leads out of the folders")
    func hostileNames() throws {
        try put("a/secret.wav")
        try put("a/sounds/evil/index.theme", Data("[Sound Theme]\nDirectories=../..,/\n".utf8))
        for name in ["../../secret", "", ".", "..", "a/b", "bell\u{0}"] {
            #expect(find(name) == nil, "\(name)")
            #expect(find("secret", theme: name) == nil, "\(name)")
        }
        #expect(find("secret", theme: "evil") == nil)
        var id: SystemSoundID = 7
        let status = LinuxSoundTheme.createSystemSoundID(named: "no-such-sound-anywhere", &id)
        #expect(status == kAudioServicesSystemSoundUnspecifiedError && id == 0)
    }
}

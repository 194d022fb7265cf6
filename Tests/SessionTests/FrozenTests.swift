import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A paused container, or an app that its desktop has put to sleep: nobody may stay interrupted by one that stands still.
@Suite("An interrupter that is frozen", .limited)
struct FrozenTests {
    @Test(
        "counts as inactive after a second; when it goes on it finds itself interrupted",
        .enabled(if: !FreezerGroup.available.isEmpty, "only where this user may make control groups that freeze"),
        arguments: HeadlessServer.Kind.allCases, FreezerGroup.available)
    func frozen(kind: HeadlessServer.Kind, version: FreezerGroup.Version) async throws {
        try await withScene(kind) { scene in
            let group = try FreezerGroup(version)
            defer { group.remove() }
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("play 440")
            try await second.send("activate")
            try await first.waitForInterruption()
            try group.freeze(second.processID)
            #expect(try await first.waitForEnd().number("option") == 1)
            try await first.send("resume")
            try await scene.wait(for: 440, at: -12)
            try group.thaw()
            try await second.waitForInterruption()
            #expect(first.interruptions == ["began", "ended 1"])
        }
    }
}

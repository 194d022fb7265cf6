import Dispatch
import Foundation
import SoundHost
import TestSupport
import Testing

@Suite("The user's silent switch", .limited)
struct SilentSwitchTests {
    @Test("A folder that was removed and made again before anybody looked is watched all the same")
    func remadeFolder() async throws {
        let state = URL(fileURLWithPath: "/tmp/avfaudio-switch-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: state) }
        let folder = state.appendingPathComponent("avaudiosession")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let silent = SilentSwitch { $0 == "XDG_STATE_HOME" ? state.path : nil }
        let told = Words()
        let watch = SilentSwitchWatch(silent) { told.add($0) }
        // The watch waits in its handler meanwhile, and has not looked when the folder is another one.
        try await waitUntil("the first look") { told.all == [false] }
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        told.goOn()
        try await waitUntil("the second look") { told.all.count > 1 }
        try silent.turn(on: true)
        try await waitUntil("the switch") { told.all.last == true }
        try silent.turn(on: false)
        try await waitUntil("the switch, off again") { told.all.last == false }
        withExtendedLifetime(watch) {}
    }
}

/// What a watch tells, which is kept waiting with the first word.
// SAFETY: `values` is guarded by `lock`.
private final class Words: @unchecked Sendable {
    private let lock = NSLock()
    private let gate = DispatchSemaphore(value: 0)
    private var values: [Bool] = []

    var all: [Bool] { lock.withLock { values } }

    func add(_ value: Bool) {
        let isFirst = lock.withLock {
            values.append(value)
            return values.count == 1
        }
        if isFirst { gate.wait() }
    }

    func goOn() { gate.signal() }
}

import AVFoundation
import Foundation
import TestSupport
import Testing

/// Apps that block in Dispatch's shared queues, which have few threads and share them with Swift's tasks.
///
/// Each test is in a process of its own: others of this one need these threads too.
@Suite("An app that keeps Dispatch's threads busy", .limited) struct BusyThreadsTests {
    /// Keeps all threads of a shared queue, and the next ones that Dispatch adds, until the gate is opened.
    private static func block(_ quality: DispatchQoS.QoSClass) -> Gate {
        let gate = Gate()
        for _ in 0..<64 { DispatchQueue.global(qos: quality).async { gate.pass() } }
        return gate
    }

    @Test("An item is opened, and its asset is loaded")
    func opening() async {
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).wav")
            defer { try? FileManager.default.removeItem(at: file) }
            try TestSignal.sine(seconds: 0.1).writeWAV(to: file)
            let gates = [BusyThreadsTests.block(.userInitiated), BusyThreadsTests.block(.default)]
            defer { gates.forEach { $0.open() } }
            BusyThreadsTests.open(file)
        }
    }

    /// Tasks have no threads left: it waits as old code does.
    private static func open(_ file: URL) {
        let loaded = DispatchSemaphore(value: 0)
        AVAsset(url: file).loadValuesAsynchronously(forKeys: ["duration"]) { loaded.signal() }
        precondition(loaded.wait(timeout: .now() + 30) == .success, "not loaded")
        let player = AVPlayer(url: file)
        let ready = DispatchSemaphore(value: 0)
        player.currentItem?.seek(to: .zero) { _ in ready.signal() }
        precondition(ready.wait(timeout: .now() + 30) == .success, "not opened")
    }
}

import Foundation

/// What stands around an app: its sounds, a screen to say things on, and a finger that taps.
@MainActor
struct Stage {
    private let folder: URL
    private let finger = Finger()

    init(sounds folder: URL) { self.folder = folder }

    /// A sound that the test made, or a file that it looks at afterwards.
    func sound(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// Prints a line at once, after what the app itself has printed.
    func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    /// Waits until somebody writes a word to the standard input.
    func tap(_ word: String) async throws {
        say("\(word)?")
        try await until("a tap on \(word)") { finger.take(word) }
    }

    /// Waits until something is so.
    func until(_ what: String = "it", _ condition: () -> Bool) async throws {
        let deadline = Date() + 20
        while !condition() {
            guard Date() < deadline else { throw Missed(what: what) }
            // Between two looks at the condition, which is what ends the wait.
            try await Task.sleep(nanoseconds: 2_000_000)
        }
    }

    struct Missed: Error { let what: String }
}

/// Reads words from the standard input.
// SAFETY: `words` is guarded by `lock`.
private final class Finger: @unchecked Sendable {
    private let lock = NSLock()
    private var words: [String] = []

    init() {
        Thread.detachNewThread {
            // Not by way of stdio, whose lock on the input would be held all the time.
            while case let bytes = FileHandle.standardInput.availableData, !bytes.isEmpty {
                let new = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
                self.lock.withLock { self.words += new }
            }
        }
    }

    func take(_ word: String) -> Bool {
        lock.withLock {
            guard let index = words.firstIndex(of: word) else { return false }
            words.remove(at: index)
            return true
        }
    }
}

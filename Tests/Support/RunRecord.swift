import Foundation

/// What `scripts/test-report` reads at the end of a run: each test's time, and each excuse, one a line.
///
/// All test processes of a run append to the same file, `tests.tsv` in the folder of `AVFAUDIO_TEST_RECORD`; without
/// that variable nothing is written.
enum RunRecord {
    private static let descriptor: Int32? = {
        guard let folder = ProcessInfo.processInfo.environment["AVFAUDIO_TEST_RECORD"] else { return nil }
        let file = open(folder + "/tests.tsv", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        return file < 0 ? nil : file
    }()

    /// Adds a line of these words.
    static func add(_ words: String...) {
        guard let descriptor else { return }
        let line = words.map { $0.map { $0.isNewline || $0 == "\t" ? " " : $0 } }.map { String($0) }
        let bytes = Array((line.joined(separator: "\t") + "\n").utf8)
        // In one piece, so that lines of two processes do not mix.
        _ = write(descriptor, bytes, bytes.count)
    }
}

import Foundation
package import HeadlessServer

/// A program that is not ours, and that a test only makes use of, ended by itself.
///
/// A young PipeWire drops a recorder now and then, and refuses a stream: that is no word about the code under test, and
/// excuses the test that it fails (``LimitedTrait``).
package struct OtherProgramEnded: Error, CustomStringConvertible, Sendable {
    /// The program, how it ended, and what it said.
    package let description: String

    /// Nil unless the program has ended with an error of its own, seen in its exit.
    package init?(_ process: ChildProcess) {
        guard let exit = process.exit, let end = ProgramEnd(status: exit.status, signal: exit.signal) else {
            return nil
        }
        description = "\(process.name) ended with \(end.description): \(process.errorText)"
    }
}

/// The end of a program that nobody asked for: a status other than 0, or a signal that a program brings on itself.
struct ProgramEnd: Equatable, CustomStringConvertible {
    let description: String

    /// The signals of a program that fails; tests end programs with others.
    private static let ofFailures = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP]

    /// Nil if the program ended well, or was ended.
    init?(status: Int32?, signal: Int32?) {
        if let status, status != 0 {
            description = "status \(status)"
        } else if let signal, Self.ofFailures.contains(signal) {
            description = "signal \(signal)"
        } else {
            return nil
        }
    }

    /// The end in a process's `/proc/PID/stat`, as long as its parent has not asked for it; nil if it runs.
    init?(stat: String) {
        // What follows the name, which may have spaces: the state is the third field, the exit code the 52nd.
        let words = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count >= 50, words[0] == "Z", let code = Int32(words[49].trimmingPrefix("\n").prefix { $0 != "\n" })
        else { return nil }
        let signal = code & 0x7f
        self.init(status: signal == 0 ? (code >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal)
    }
}

extension HeadlessServer {
    /// Whether one of its programs is gone, though nobody ended it.
    package var hasDied: Bool {
        processIDs.contains { process in
            let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            return status?.contains(") Z ") ?? true
        }
    }

    /// How one of its programs ended by itself, in words; nil if none did.
    var death: String? {
        // Not by what the kernel calls them: a program may have been started by another loader than the system's.
        let names = kind == .pulseAudio ? ["pulseaudio"] : ["pipewire", "wireplumber", "pipewire-pulse"]
        for (process, name) in zip(processIDs, names) {
            guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let end = ProgramEnd(stat: stat)
            else { continue }
            return "the server's \(name) ended with \(end.description)"
        }
        return nil
    }
}

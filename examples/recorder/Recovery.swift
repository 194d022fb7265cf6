import AudioFiles
import CommandLineSupport
import Foundation

/// Repairs a file that an interrupted recording left, and leaves the process.
///
/// One line says how long the sound is, and one for each thing that was wrong; with `--json` an event. Where they cannot
/// be written that is an error, though the file is repaired.
func recover(_ path: String, json: Bool) -> Never {
    if let reason = whyUnreadable(path) { leave(.inputUnreadable, "cannot read \(path): \(reason)") }
    do throws(AudioFileError) {
        let recovery = try AudioFileRecovery(repairing: path)
        EventPrinter(isOn: json, onFailure: { leaveUnread("recorder", $0) }).emit(
            "recovered",
            ["file": .string(path), "duration": .number(recovery.duration), "repairs": .list(recovery.repairs)])
        if !json {
            let seconds = (recovery.duration * 1000).rounded() / 1000
            let state = recovery.repairs.isEmpty ? "nothing to repair" : "repaired"
            let code = tell(["\(path): \(seconds) s of sound, \(state)"] + recovery.repairs.map { "  \($0)" })
            if code != 0 { leaveUnread("recorder", code) }
        }
        exit(ExitStatus.done.rawValue)
    } catch {
        switch error.kind {
        case .notFound, .permission, .isDirectory, .notAFile, .unknownType:
            leave(.inputUnreadable, "cannot repair \(error)")
        default: leave(.failed, "cannot repair \(error)")
        }
    }
}

private func leave(_ status: ExitStatus, _ message: String) -> Never {
    complain("recorder", message)
    exit(status.rawValue)
}

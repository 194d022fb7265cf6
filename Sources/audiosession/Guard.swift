import ArgumentParser
import Glibc
import SoundHost

/// `audiosession guard`: started by the library while it lowers other programs, to restore them if its process is killed.
///
/// It is not for users. It reads the ledger from its standard input, and waits for the end of that.
struct GuardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guard", abstract: "Gives lowered programs back if whoever lowered them is killed.",
        shouldDisplay: false)

    func run() { Glibc.exit(DuckRestorer.run()) }
}

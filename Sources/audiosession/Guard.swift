import ArgumentParser
import Glibc
import SoundHost

/// `audiosession guard`: started by the library while it lowers other programs, to give them back if it is killed.
///
/// Not for people: it reads what is lowered from its standard input, and does nothing but wait for the end of it.
struct GuardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guard", abstract: "Gives lowered programs back if whoever lowered them is killed.",
        shouldDisplay: false)

    func run() { Glibc.exit(DuckRestorer.run()) }
}

import Foundation

// duck-peer [--guard PROGRAM] [--down SECONDS] [--up SECONDS] [alone] [ducks]: a process that takes part, without sound
// of its own. duck-peer guard: what `audiosession guard` does.
//
// SIGUSR1: ducks from now on; SIGUSR2: does not any more; SIGTERM: leaves. It prints `ready`, and then `ledger …` after
// each change of what it has lowered.

if CommandLine.arguments.dropFirst().first == "guard" { exit(guardMain()) }

var signals = sigset_t()
sigemptyset(&signals)
for signal in [SIGUSR1, SIGUSR2, SIGTERM] { sigaddset(&signals, signal) }
// Before there is any other thread, so that none of them takes the signal.
pthread_sigmask(SIG_BLOCK, &signals, nil)

func seconds(_ option: String, default fallback: Double) -> Duration {
    .seconds(argument(after: option).flatMap(Double.init) ?? fallback)
}

func argument(after option: String) -> String? {
    let arguments = CommandLine.arguments
    return arguments.firstIndex(of: option).flatMap { arguments.dropFirst($0 + 1).first }
}

// As careless apps do: a guard that inherits this would keep a pipe open, or a device busy.
let stray = open("/etc/passwd", O_RDONLY)

let peer = try DuckPeer(
    guardProgram: argument(after: "--guard"), down: seconds("--down", default: 0.2), up: seconds("--up", default: 0.5),
    isAlone: CommandLine.arguments.contains("alone"))
if CommandLine.arguments.contains("ducks") { peer.setDucking(true) }
while true {
    var signal: Int32 = 0
    sigwait(&signals, &signal)
    switch signal {
    case SIGUSR1: peer.setDucking(true)
    case SIGUSR2: peer.setDucking(false)
    default: exit(0)
    }
}

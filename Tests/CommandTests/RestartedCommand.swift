import Foundation
import HeadlessServer
import TestSupport

/// `audiosession run` with a player in it that has a session of its own, after a restart of the server to which the player
/// came back first; and what is heard since.
func commandBackFirst(on server: HeadlessServer) async throws -> (run: ChildProcess, heard: MonitorRecording) {
    let file = server.directory.appendingPathComponent("tone.wav")
    try TestSignal.sine(frequency: 500, level: -12, seconds: 1).writeWAV(to: file)
    let player = try ChildProcess.executable("player").path
    let run = try await session(named: "Outer", on: server, playing: [player, "--loops", "-1", file.path])
    let before = try await MonitorRecording.start(on: server)
    try await before.waitForSound()
    run.send(SIGSTOP)
    server.kill()
    try await offPool { try server.restart() }
    let after = try await MonitorRecording.start(on: server)
    try await after.waitForSound(timeout: hangLimit)
    run.send(SIGCONT)
    return (run, after)
}

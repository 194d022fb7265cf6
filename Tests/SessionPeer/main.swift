import AVFAudio
import Foundation
import SoundHost

// session-peer [as|duck|guard|server|soft-volume|sounds] …: the other processes that tests need, in one program.
//
// Without a subcommand it is an app with a session, driven by a test: a command a line on standard input, and a JSON
// object a line on standard output (docs/session-tests.md lists the commands). It ends with its input, so that it does
// not outlive a test that crashes.
let arguments = Array(CommandLine.arguments.dropFirst(2))
switch CommandLine.arguments.dropFirst().first {
case "duck": try DuckPeer.main(arguments)
// What `audiosession guard` does; tests name this program as the guard of `duck`.
case "guard": exit(DuckRestorer.run())
case "server": try ServerOwner.main(arguments)
case "soft-volume": VolumeHolder.main(arguments)
case "sounds": SoundPeer.main()
// An app that names itself: `as IDENTIFIER [NAME [ICON]]`.
case "as":
    try AVAudioSession.setApplicationIdentity(
        arguments.first ?? "", name: arguments.dropFirst().first, iconName: arguments.dropFirst(2).first)
default: break
}

let peer = SessionPeer()
Thread.detachNewThread {
    while let line = readLine() { peer.perform(line) }
    exit(0)
}
// Not dispatchMain(), which gives the main thread up: notifications come on it, and say so.
RunLoop.main.run()

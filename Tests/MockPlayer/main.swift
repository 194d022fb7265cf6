import Glibc

// mock-player NAME ORDERS [QUIRK…] [-- COMMAND…]
//
// A media player on the session bus that plays nothing: it owns org.mpris.MediaPlayer2.NAME, starts out playing, and
// does what it reads, line by line, from the pipe ORDERS (see MockPlayer.obey), which is to be there. COMMAND runs as
// its child, as a browser's sound does. It prints `ready NAME`, one line for each call, and `status …` for each change.
let words = Array(CommandLine.arguments.dropFirst())
let own = words.prefix { $0 != "--" }
guard own.count >= 2, let player = MockPlayer(name: own[0], orders: own[1], quirks: Set(own.dropFirst(2))) else {
    print("no bus, or no name and pipe")
    exit(1)
}
let child = MockPlayer.start(Array(words.dropFirst(own.count + 1)))
player.run()
if let child { kill(child, SIGKILL) }

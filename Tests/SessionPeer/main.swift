import Foundation

// An app with a session, driven by a test: a command a line on standard input, and a JSON object a line on standard
// output. docs/session-tests.md lists the commands. It ends with its input, so that a test that dies leaves nobody
// behind.
let peer = SessionPeer()
Thread.detachNewThread {
    while let line = readLine() { peer.perform(line) }
    exit(0)
}
// Not dispatchMain(), which gives the main thread up: notifications come on it, and say so.
RunLoop.main.run()

import CommandLineSupport
import Foundation

// Commands are carried out on the main queue, where apps use the library; `block` closes it. It ends with its input, so
// that a test that dies leaves nobody behind.
let peer = RemotePeer()
let gate = Gate()
Thread.detachNewThread {
    while let line = readLine() {
        if line.contains(" playHeld ") { gate.close() }
        switch line.split(separator: " ").last {
        case "unblock": gate.open()
        case "block":
            gate.close()
            OperationQueue.main.addOperation { gate.pass() }
            let id = line.split(separator: " ").first.flatMap { Int($0) } ?? 0
            EventPrinter(isOn: true).emit("answer", ["id": .integer(id), "ok": true])
            continue
        default: break
        }
        OperationQueue.main.addOperation { MainActor.assumeIsolated { peer.perform(line) } }
    }
    exit(0)
}
RunLoop.main.run()

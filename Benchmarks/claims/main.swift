// Measures claims: the time of setActive, and the delays until a claim interrupts another process and until that is
// heard.
//
//     claims-bench [ROUNDS]       the table, on both servers
//     claims-bench silence [ROUNDS]   only how soon it is heard
//     claims-bench app | fresh | host     one session, driven by standard input; what the first form starts
//     claims-bench onlooker               a program without a session; likewise
//
// Each session is a process of its own. In every round the next one activates and interrupts the one before.
import AVFAudio
import Foundation
import HeadlessServer

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "app": try AppSession().run(isConnected: true)
case "fresh": try AppSession().run(isConnected: false)
case "host": try HostSession().run()
case "onlooker": try lookOn()
case "silence":
    print(Row.heading)
    for kind in HeadlessServer.Kind.allCases { try Silence(on: kind, count: Int(words.last ?? "") ?? 30).run() }
default:
    do {
        print(Row.heading)
        let rounds = words.first.flatMap { Int($0) } ?? 300
        for kind in HeadlessServer.Kind.allCases {
            for (sessions, active) in [(5, 5), (50, 5), (50, 50)] {
                try Rounds(kind: kind, sessions: sessions, active: active, count: rounds).run()
            }
            for clients in [1, 50] { try Floor(kind: kind, clients: clients, count: rounds).run() }
            try First(kind: kind, sessions: 50, count: max(1, rounds / 10)).run()
            try Silence(on: kind, count: max(1, rounds / 10)).run()
            try Flood(on: kind).run()
        }
    } catch {
        FileHandle.standardError.write(Data("claims-bench: \(error)\n".utf8))
        exit(1)
    }
}

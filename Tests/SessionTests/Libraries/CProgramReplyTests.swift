import Foundation
import HeadlessServer
import TestSupport
import Testing

/// The twins of the calls that wait, in C; see ``CProgram``.
@Suite("Replies in C", .limited)
struct CProgramReplyTests {
    /// Asks one of `AVAS_ASK_`; returns the reply.
    private func reply(to question: Int, of app: Peer, cookie: Int) async throws -> JSONLine {
        try await app.send("question \(question) \(cookie)")
        let reply = try await app.wait(for: "reply") { $0.number("cookie") == Double(cookie) }
        #expect(reply.number("error") == 0, "\(question): \(reply)")
        return reply
    }

    @Test(
        "A question's reply has the answer of the function that waits for it", arguments: HeadlessServer.Kind.allCases)
    func questions(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [.init(name: "first", rate: 44_100)]) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("type playback")
            _ = try await reply(to: 6, of: app, cookie: 1)
            for (question, command) in [(1, "other"), (2, "hint")] {
                #expect(try await reply(to: question, of: app, cookie: 10 + question).number("flag") == 0, "\(command)")
            }
            let music = try await Peer.start(on: server, name: "music")
            try await music.send("category playback")
            try await music.send("play 440")
            for (question, command) in [(1, "other"), (2, "hint")] {
                try await waitUntil(command) { try await app.attempt(command).number("value") == 1 }
                #expect(try await reply(to: question, of: app, cookie: 20 + question).number("flag") == 1, "\(command)")
            }
            let permission = try await app.attempt("permission").number("value")
            #expect(try await reply(to: 3, of: app, cookie: 30).number("value") == permission)
            for (question, command) in [(4, "route"), (5, "available")] {
                try await app.send(command)
                let current = try await app.wait(for: "current")
                let reply = try await reply(to: question, of: app, cookie: 40 + question)
                #expect(reply.strings("outputs") == ["first"], "\(command)")
                #expect(reply.strings("outputs") == current.strings("outputs"), "\(command)")
                #expect(reply.strings("inputs") == current.strings("inputs"), "\(command)")
            }
            for number in 1...8 {
                try await app.send("number \(number)")
                let value = try #require(try await app.wait(for: "number").number("number"))
                let told = try await reply(to: 100 + number, of: app, cookie: 100 + number).number("value")
                let answer = try #require(told)
                // A latency is another one each time.
                #expect([2, 4].contains(number) ? answer >= 0 && answer < 5 : answer == value, "\(number)")
            }
        }
    }

    @Test("Settings that are set later are in force at the reply, and what a call forbids is its error")
    func settings() async throws {
        try await withServer(.pulseAudio) { server in
            let app = try await CProgram.peer("App", on: server)
            func set(_ command: String, cookie: Int) async throws -> (error: Double?, category: String?) {
                try await app.send("\(command) \(cookie)")
                let reply = try await app.wait(for: "reply") { $0.number("cookie") == Double(cookie) }
                try await app.send("settings")
                return (reply.number("error"), try await app.wait(for: "settings").string("category"))
            }
            #expect(try await set("type-async transient", cookie: 1) == (0, "playback"))
            #expect(try await set("category-async ambient", cookie: 2) == (0, "ambient"))
            // One that runs already does not interrupt, but refuses the microphone.
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await app.send("activate")
            try await waitUntil("the refusal") {
                try await app.attempt("category record default").number("code") == -5
            }
            let refused = try await set("category-async record", cookie: 3)
            #expect(refused == (-5, "ambient"))
            try await call.stop()
        }
    }

    @Test("Without a server a question is answered with an error")
    func noServer() async throws {
        let app = try await CProgram.peer("App", environment: ["PULSE_SERVER": "unix:/nonexistent"])
        for (index, question) in [1, 2, 4, 5, 6, 101].enumerated() {
            try await app.send("question \(question) \(index + 1)")
            let reply = try await app.wait(for: "reply") { $0.number("cookie") == Double(index + 1) }
            #expect(reply.number("error") == -4 && reply.string("message") != nil, "\(question): \(reply)")
        }
    }
}

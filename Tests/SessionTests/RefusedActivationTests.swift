import Foundation
import HeadlessServer
import TestSupport
import Testing

/// S38: since iOS 27 an app whose activation was refused may be recommended to try again.
@Suite("An activation that a call refused", .limited)
struct RefusedActivationTests {
    @Test(
        "S38: when the call of a session is over, whom it refused is told once that it may go on",
        arguments: HeadlessServer.Kind.allCases)
    func session(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let call = try await scene.peer("call", "playAndRecord voiceChat")
            let (recorder, quitter) = try await (scene.peer("recorder", "record"), scene.peer("quitter", "record"))
            let bystander = try await scene.peer("bystander", "record")
            for _ in 0..<2 {
                try await call.send("activate")
                #expect(try await recorder.send("record \(scene.file("a.wav").path)").bool("value") == false)
                #expect(try await recorder.attempt("activate").string("fourCC") == "!pri")
                #expect(try await quitter.attempt("activate").string("fourCC") == "!pri")
                // It does not want to any more.
                try await quitter.send("deactivate")
                try await scene.letPass(0.2)
                #expect(recorder.events("resumptionRecommendation").count == recorder.events("didBecomeActive").count)
                try await call.send("deactivate")
                #expect(try await recorder.wait(for: "resumptionRecommendation").number("recommendation") == 1)
                #expect(try await recorder.attempt("activate").bool("ok") == true)
                try await recorder.wait(for: "didBecomeActive")
                try await recorder.send("deactivate")
            }
            // A call that nobody was refused by is no news.
            try await call.send("activate")
            try await call.send("deactivate")
            try await scene.letPass(1)
            #expect(recorder.events("resumptionRecommendation").count == 2)
            for peer in [quitter, bystander, call] { #expect(peer.events("resumptionRecommendation").isEmpty) }
            for peer in [recorder, quitter, bystander] { #expect(peer.interruptions == []) }
        }
    }

    @Test(
        "S38: likewise after a call of a program outside, once no call is left that would refuse it",
        arguments: HeadlessServer.Kind.allCases)
    func foreign(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let recorder = try await scene.peer("recorder", "record")
            let other = try await ForeignStream.start(on: scene.server, role: "phone")
            _ = try await scene.pactl.waitForSinkInput(of: other.process.processID) { !$0.isCorked }
            #expect(try await recorder.attempt("activate").string("fourCC") == "!pri")
            let call = try await scene.peer("call", "playAndRecord voiceChat")
            // Refused by the program's call, too, until that is over.
            try await other.stop()
            try await waitUntil("the end of the program's call", timeout: hangLimit) {
                try await call.attempt("activate").bool("ok") == true
            }
            try await scene.letPass(1)
            let early = recorder.events("resumptionRecommendation").count
            #expect(try await recorder.attempt("activate").string("fourCC") == "!pri")
            try await call.send("deactivate")
            try await waitUntil("the recommendation", timeout: hangLimit) {
                recorder.events("resumptionRecommendation").count == early + 1
            }
            #expect(recorder.interruptions == [])
        }
    }
}

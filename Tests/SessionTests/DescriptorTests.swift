import Foundation
import HeadlessServer
import TestSupport
import Testing

/// An app that has as many files open as it may, and closes some of them later.
@Suite("Out of descriptors", .limited)
struct DescriptorTests {
    @Test("The session says that there is no sound server, and works when there are descriptors again")
    func session() async throws {
        try await withScene(.pulseAudio) { scene in
            let app = try await scene.peer("app", "playback")
            try await app.send("descriptors none")
            for _ in 0..<2 { #expect(try await app.attempt("activate").string("fourCC") == "msrv") }
            try await app.send("descriptors some")
            try await app.send("play 440")
            try await scene.wait(for: 440, at: -12)
        }
    }

    @Test("What nobody could be asked then is asked later")
    func desktop() async throws {
        try await withDesktop(.pulseAudio, owning: "store", "dialog") { desktop in
            try await desktop.order("store session-peer no")
            let app = try await desktop.peer("app")
            try await app.send("descriptors none")
            try await app.send("permission")
            #expect(desktop.count(of: "Lookup") == 0)
            try await app.send("descriptors some")
            try await waitUntil("what the store says", timeout: hangLimit) {
                try await app.send("permission").string("value") == "denied denied"
            }
        }
    }
}

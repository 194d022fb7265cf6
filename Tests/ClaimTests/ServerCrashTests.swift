import AudioFiles
import Foundation
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

/// The server dies, comes back, freezes or is replaced under several apps.
///
/// Set AVFAUDIO_CRASHES to kill it more often, such as 20; `make soak` does.
@Suite("The server's death under several sessions", .limited)
struct ServerCrashTests {
    static let crashes = ProcessInfo.processInfo.environment["AVFAUDIO_CRASHES"].flatMap { Int($0) } ?? 3

    @Test(
        "Every app is told lost and reset, the recording is playable to the last second, and all claims are idle",
        arguments: HeadlessServer.Kind.allCases)
    func crashes(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let apps = try await Self.apps(5, on: server)
            for round in 0..<Self.crashes {
                let take = server.directory.appendingPathComponent("take-\(round).wav")
                let recorded = try await Self.occupy(apps, recordingTo: take)
                server.kill()
                for app in apps { try await app.wait(for: "servicesLost") }
                let kept = try Self.seconds(of: take)
                #expect(kept > recorded - 1, "\(kept) s of \(recorded) s in crash \(round)")
                try await offPool { try server.restart() }
                for app in apps { try await app.wait(for: "servicesReset") }
                try await Self.expectRest(of: apps, on: server)
            }
            for app in apps { #expect(app.events("servicesLost", "servicesReset").count == 2 * Self.crashes) }
        }
    }

    @Test("Another server at the same address takes over, in both directions", arguments: HeadlessServer.Kind.allCases)
    func otherServer(kind: HeadlessServer.Kind) async throws {
        let other: HeadlessServer.Kind = kind == .pulseAudio ? .pipeWire : .pulseAudio
        try await withServer(kind) { first in
            let socket = first.directory.appendingPathComponent("taken-over")
            let manager = FileManager.default
            func point(to server: HeadlessServer) throws {
                try? manager.removeItem(at: socket)
                let path = String(server.address.dropFirst("unix:".count))
                try manager.createSymbolicLink(atPath: socket.path, withDestinationPath: path)
            }
            try point(to: first)
            let apps = try await Self.apps(3, on: first, at: "unix:" + socket.path)
            let take = first.directory.appendingPathComponent("take.wav")
            _ = try await Self.occupy(apps, recordingTo: take)
            try await withServer(other) { second in
                try point(to: second)
                first.kill()
                for app in apps { try await app.wait(for: "servicesLost") }
                for app in apps { try await app.wait(for: "servicesReset") }
                try await Self.expectRest(of: apps, on: second)
                // They know each other there, too.
                try await apps[0].send("category playback")
                try await apps[0].send("activate")
                try await apps[1].send("category playback")
                try await apps[1].send("activate")
                try await apps[0].waitForInterruption()
            }
        }
    }

    @Test(
        "A server that does not answer for seconds leaves everybody as it was", arguments: HeadlessServer.Kind.allCases)
    func frozenServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let apps = try await Self.apps(3, on: server)
            try await apps[0].send("category playback default mixWithOthers")
            try await apps[0].send("activate")
            try await apps[1].send("category playback")
            // Connected, and idle again.
            try await apps[1].send("activate")
            try await apps[1].send("deactivate")
            server.suspendProcess()
            // Each attempt takes two seconds.
            async let change = apps[0].attempt("category playback")
            async let activation = apps[1].attempt("activate")
            let answers = try await [change, activation]
            #expect(answers.map { $0.string("fourCC") } == ["msrv", "msrv"])
            let again = try await apps[1].attempt("activate")
            #expect(again.bool("ok") == false)
            server.resumeProcess()
            try await waitUntil("the claims from before", timeout: hangLimit) {
                let claims = try await participants(on: server).map(\.claim)
                return claims.filter { $0.state == .active }.map(\.pid) == [apps[0].processID]
                    && claims.filter { $0.state == .active }.allSatisfy(\.isMixable)
            }
            #expect(try await apps[0].state().bool("active") == true)
            try await apps[1].send("activate")
            try await apps[0].send("category playback")
            try await apps[1].waitForInterruption()
            #expect(apps.allSatisfy { $0.events("servicesLost").isEmpty })
        }
    }

    @Test(
        "The 65th connection is refused with a word about the limit, and taken when there is room",
        arguments: HeadlessServer.Kind.allCases)
    func fullServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            var crowd: [HostilePeer] = []
            let app = try await Peer.start(on: server)
            for _ in 0..<64 {
                guard let one = try? await HostilePeer(on: server, timeout: .seconds(1)) else { break }
                crowd.append(one)
            }
            // WirePlumber and the like may have connections of their own.
            #expect(crowd.count > 55)
            let refusal = try await app.attempt("activate")
            #expect(refusal.string("fourCC") == "msrv")
            #expect(refusal.string("message")?.contains("64 connections") == true, "\(refusal)")
            await crowd.removeLast().leave()
            try await waitUntil("room", timeout: hangLimit) { try await app.attempt("activate").bool("ok") == true }
        }
    }

    // MARK: The apps

    private static func apps(_ count: Int, on server: HeadlessServer, at address: String? = nil) async throws -> [Peer]
    {
        var apps: [Peer] = []
        for number in 0..<count {
            let environment = address.map { ["PULSE_SERVER": $0] } ?? [:]
            apps.append(try await Peer.start(on: server, name: "app \(number)", environment: environment))
        }
        return apps
    }

    /// One records, the others play and mix, but for the last, which is active and silent; returns how much is
    /// recorded.
    private static func occupy(_ apps: [Peer], recordingTo take: URL) async throws -> Double {
        try await apps[0].send("category playAndRecord default mixWithOthers")
        try await apps[0].send("record \(take.path)")
        for app in apps.dropFirst() {
            try await app.send("category playback default mixWithOthers")
            try await app.send("activate")
        }
        for app in apps.dropFirst().dropLast() { try await app.send("play 440") }
        var recorded = 0.0
        try await waitUntil("two seconds of recording", timeout: hangLimit) {
            recorded = try await apps[0].state().number("recorded") ?? 0
            return recorded > 2
        }
        return recorded
    }

    /// Nobody is active, by its own word and by its claim.
    private static func expectRest(of apps: [Peer], on server: HeadlessServer) async throws {
        for app in apps { #expect(try await app.state().bool("active") == false) }
        let claims = try await participants(on: server).map(\.claim)
        #expect(Set(claims.map(\.pid)) == Set(apps.map(\.processID)))
        #expect(claims.allSatisfy { $0.state == .idle })
    }

    private static func seconds(of file: URL) throws -> Double {
        let format = try AudioFileReader(path: file.path).format
        return Double(format.frames) / Double(format.sampleRate)
    }
}

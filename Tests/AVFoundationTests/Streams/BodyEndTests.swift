import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

/// Where the body of an answer of HTTP is complete, and where its connection was lost.
@Suite("The end of a stream's body", .serialized, .limited)
struct BodyEndTests {
    private static let tone = TestSignal.sine(seconds: 2, sampleRate: 48_000)

    /// The frames that are read up to the end.
    private func frames(_ url: URL) throws -> Int {
        let reader = try StreamReader(
            url: url.absoluteString, limits: AVPlayerLab.limits, cancellation: StreamCancellation())
        var (result, samples): (Int, [Float]) = (0, [])
        while case let count = try reader.read(into: &samples), count > 0 { result += count }
        return result
    }

    private func expectLoss(_ url: URL, _ comment: Comment? = nil) {
        let error = #expect(throws: StreamError.self, comment) { try frames(url) }
        #expect(error?.kind == .connectionLost, comment)
    }

    private func head(_ version: String, _ fields: [String], type: String = "audio/aac") -> Data {
        Data((["\(version) 200 OK", "Content-Type: \(type)"] + fields + ["", ""]).joined(separator: "\r\n").utf8)
    }

    /// A body in chunks of 4000 bytes, without the last one, which is empty.
    private func chunks(_ data: Data) -> Data {
        stride(from: 0, to: data.count, by: 4000).reduce(into: Data()) { result, start in
            let piece = data[start..<min(start + 4000, data.count)]
            result += Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
        }
    }

    @Test(
        "A body that its head tells no length of ends with its connection",
        arguments: ["HTTP/1.0", "HTTP/1.1"], ["wav", "aac", "short"])
    func withoutLength(version: String, kind: String) async throws {
        try await withWebServer { web in
            // What is short has ended before the stream is open.
            let tone = kind == "short" ? TestSignal.sine(seconds: 0.3, sampleRate: 48_000) : Self.tone
            let data = kind == "wav" ? tone.wavData : try encoded(tone)
            let answer = head(version, [], type: kind == "wav" ? "audio/wav" : "audio/aac") + data
            web.on("/a") { $1.send(answer) }
            let count = try frames(web.url("/a"))
            #expect(abs(count - tone.frames) < 4096, "\(count) of \(tone.frames)")
            // The head of another answer is looked at where the first one may have been in chunks, and only there.
            #expect(web.requests.count <= (version == "HTTP/1.0" ? 1 : 2))
        }
    }

    @Test(
        "A body in chunks is complete with its last chunk, and a loss without it",
        arguments: [[], ["Connection: close"]])
    func inChunks(fields: [String]) async throws {
        try await withWebServer { web in
            let data = try encoded(Self.tone)
            let start = head("HTTP/1.1", fields + ["Transfer-Encoding: chunked"])
            let body = chunks(data)
            web.on("/whole") { $1.send(start + body + Data("0\r\n\r\n".utf8)) }
            // In a chunk, and between two.
            web.on("/in") { $1.send(start + body.dropLast(1000)) }
            web.on("/between") { $1.send(start + body) }
            let count = try frames(web.url("/whole"))
            #expect(abs(count - Self.tone.frames) < 4096 && web.requests.count == 1, "\(count)")
            expectLoss(web.url("/in"))
            expectLoss(web.url("/between"))
        }
    }

    @Test(
        "A body that is shorter than its head says is a loss, and so is the end of a radio",
        arguments: ["HTTP/1.0", "HTTP/1.1"])
    func lost(version: String) async throws {
        try await withWebServer { web in
            let data = try encoded(Self.tone)
            let short = head(version, ["Content-Length: \(data.count + 9000)"]) + data
            let radio = head(version, ["icy-name: Test"]) + data
            web.on("/short") { $1.send(short) }
            web.on("/radio") { $1.send(radio) }
            expectLoss(web.url("/short"))
            expectLoss(web.url("/radio"))
            #expect(web.requests.count == 2)
        }
    }

    @Test("A body that may have been in chunks is a loss where the server does not say what it would send now")
    func noSecondAnswer() async throws {
        try await withWebServer { web in
            let answer = head("HTTP/1.1", []) + (try encoded(Self.tone))
            for second in ["HTTP/1.1 404 Not Found\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Type: audio/aac\r\n", ""] {
                let before = web.requests.count
                web.on("/a") { [weak web] _, connection in
                    connection.send(web?.requests.count == before + 1 ? answer : Data(second.utf8))
                }
                expectLoss(web.url("/a"), "\(second)")
                let asked = web.requests.suffix(2)
                #expect(web.requests.count == before + 2)
                #expect(asked.first?.headers["host"] == asked.last?.headers["host"])
                #expect(asked.last?.headers["user-agent"] == "swift-avfaudio-linux")
            }
        }
    }

    @Test("An item whose body ends with its connection is played to its end, and the next one follows")
    func queue() async throws {
        try await withStreamLab(.pulseAudio) { lab, web in
            let first = head("HTTP/1.0", []) + (try lab.tone(1000, seconds: 0.5))
            let second = head("HTTP/1.1", []) + (try lab.tone(2000, seconds: 0.5))
            web.on("/1") { $1.send(first) }
            web.on("/2") { $1.send(second) }
            let items = [lab.stream(web.url("/1")), lab.stream(web.url("/2"))]
            let player = lab.queue(items)
            let ends = EndNews(of: items)
            player.play()
            try await waitUntil("both ends", timeout: hangLimit) { ends.all.count == 2 }
            #expect(ends.all == [1, 2] && items.allSatisfy { $0.error == nil })
            try await waitUntil("both sounds on the monitor") { lab.heard(1000) > 30 && lab.heard(2000) > 30 }
            withExtendedLifetime(player) {}
        }
    }
}

import AudioFiles
import Foundation
import TestSupport
import Testing

@testable import AVMedia

/// What no server may make of a stream, whatever it sends: these need no sound.
@Suite("The limits of streams", .serialized, .limited)
struct StreamBoundsTests {
    private func reader(_ url: URL, limits: StreamLimits = AVPlayerLab.limits) throws -> StreamReader {
        try StreamReader(url: url.absoluteString, limits: limits, cancellation: StreamCancellation())
    }

    /// The frames that each read gives, up to the end.
    private func reads(_ reader: StreamReader) throws -> [Int] {
        var (result, samples): ([Int], [Float]) = ([], [])
        while case let count = try reader.read(into: &samples), count > 0 { result.append(count) }
        return result
    }

    @Test(
        "A stream whose rate falls in its middle comes in pieces, and of absurd rates nothing comes",
        arguments: [(1000, 4096 * 48), (50, 0)])
    func rateChange(rate: Int, framesOfABlock: Int) async throws {
        try await withWebServer { web in
            let flac = Flac(sampleRate: 48_000)
            let data =
                flac.header + flac.frames(0..<20, of: 4096) + flac.frames(20..<24, of: 4096, sampleRate: rate)
                + flac.frames(24..<40, of: 4096, sampleRate: 48_000)
            let file = WebFile(data: data, type: "audio/flac")
            web.on("/a.flac") { file.answer($0, $1) }
            let counts = try reads(reader(web.url("/a.flac")))
            let wanted = 36 * 4096 + 4 * framesOfABlock
            // The converter's filter keeps some of it.
            #expect((wanted * 9 / 10...wanted).contains(counts.reduce(0, +)), "\(counts.reduce(0, +))")
            #expect(counts.max() ?? 0 < 100_000)
        }
    }

    @Test("A sample rate that no sound has is refused", arguments: [1, 5_000_000])
    func absurdRate(rate: Int) async throws {
        try await withWebServer { web in
            let file = WebFile(data: wave(sampleRate: rate, channels: 2, frames: 100_000))
            web.on("/a.wav") { file.answer($0, $1) }
            let error = #expect(throws: StreamError.self) { try reader(web.url("/a.wav")) }
            #expect(error?.kind == .malformed && error?.message.contains("\(rate) Hz") == true, "\(error as Any)")
        }
    }

    @Test("What is loaded ahead has a limit in bytes too")
    func bytesAhead() async throws {
        try await withWebServer { web in
            let file = WebFile(data: wave(sampleRate: 192_000, channels: 16, frames: 800_000))
            web.on("/a.wav") { file.answer($0, $1) }
            let loader = StreamLoader(url: web.url("/a.wav").absoluteString, limits: AVPlayerLab.limits)
            defer { loader.close() }
            loader.start()
            try await waitUntil("a full buffer", timeout: hangLimit) {
                loader.current.isFull || loader.current.isComplete
            }
            #expect(loader.current.frames.upperBound * 16 * 4 < 34 << 20, "\(loader.current.frames)")
        }
    }

    @Test("A stream that changes its channels loses none of them")
    func channelChange() async throws {
        try await withWebServer { web in
            let tone = TestSignal.sine(seconds: 0.5, sampleRate: 48_000)
            // On the right alone.
            let right = TestSignal(
                samples: tone.samples.enumerated().map { $0 % 2 == 1 ? $1 : 0 }, sampleRate: 48_000, channels: 2)
            let mono = TestSignal.silence(seconds: 0.5, sampleRate: 48_000, channels: 1)
            let file = WebFile(data: try encoded(mono) + encoded(right), type: "audio/aac")
            web.on("/a.aac") { file.answer($0, $1) }
            let reader = try reader(web.url("/a.aac"))
            #expect(reader.format.channels == 1)
            var (loudest, samples): (Float, [Float]) = (0, [])
            while try reader.read(into: &samples) > 0 { loudest = max(loudest, samples.max() ?? 0) }
            #expect(loudest > 0.1)
        }
    }

    @Test("A live playlist that does not say how often it changes is not asked for all the time")
    func listOfNoTime() async throws {
        try await withWebServer { web in
            let segment = WebFile(data: try encoded(.sine(seconds: 2, sampleRate: 48_000)), type: "audio/aac")
            let text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:0.1,\na.aac\n"
            let list = WebFile(data: Data(text.utf8), type: "application/vnd.apple.mpegurl")
            web.on("/a.aac") { segment.answer($0, $1) }
            web.on("/live.m3u8") { list.answer($0, $1) }
            var limits = AVPlayerLab.limits
            limits.reading = 1.2
            let reader = try reader(web.url("/live.m3u8"), limits: limits)
            let error = #expect(throws: StreamError.self) { try reads(reader) }
            #expect(error?.kind == .timedOut)
            #expect((2...5).contains(web.requests.count { $0.path == "/live.m3u8" }), "\(web.requests.count)")
        }
    }

    @Test("MPEG-4 that claims more packets than it can have is refused, and what does not is played")
    func claims() async throws {
        try await withWebServer { web in
            let good = try encoded(.sine(seconds: 0.5, sampleRate: 48_000), .mpeg4)
            func serve(_ path: String, packets: UInt32? = nil, claimedLength: Int? = nil) throws {
                var data = good
                if let packets {
                    // All are alike, and of ten bytes. What comes first is left of what it was while it was written.
                    let name = try #require(data.range(of: Data("stsz".utf8), options: .backwards))
                    let sizes = name.upperBound + 4
                    let claim = [10, packets].flatMap { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } }
                    data.replaceSubrange(sizes..<sizes + 8, with: claim)
                }
                let file = WebFile(data: data, type: "audio/mp4", claimedLength: claimedLength)
                web.on(path) { file.answer($0, $1) }
            }
            try serve("/good.m4a")
            try serve("/bad.m4a", packets: 1 << 20)
            // A server may lie about the length.
            try serve("/lie.m4a", packets: 1 << 23, claimedLength: 1 << 40)
            let frames = try reads(reader(web.url("/good.m4a"))).reduce(0, +)
            #expect((24_000...25_500).contains(frames), "\(frames)")
            for path in ["/bad.m4a", "/lie.m4a"] {
                let error = #expect(throws: StreamError.self) { try reader(web.url(path)) }
                #expect(error?.kind == .malformed, "\(path): \(error as Any)")
            }
        }
    }

    /// A file of 8-bit silence.
    private func wave(sampleRate: Int, channels: Int, frames: Int) -> Data {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        let size = frames * channels
        let format = bytes(1, 2) + bytes(channels, 2) + bytes(sampleRate, 4) + bytes(sampleRate * channels, 4)
        let header =
            Array("RIFF".utf8) + bytes(size + 36, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4) + format
            + bytes(channels, 2) + bytes(8, 2) + Array("data".utf8) + bytes(size, 4)
        return Data(header) + Data(repeating: 128, count: size)
    }
}

/// A FLAC stream of a constant, 16 bits and one channel, whose frames have whatever rate is wanted.
private struct Flac {
    let sampleRate: Int

    var header: Data {
        let facts = UInt64(sampleRate) << 44 | 15 << 36
        let zeros = [UInt8](repeating: 0, count: 16)
        return Data(Array("fLaC".utf8) + [0x80, 0, 0, 34, 0, 16, 0xFF, 0xFF] + zeros.prefix(6) + big(facts, 8) + zeros)
    }

    func frames(_ numbers: Range<Int>, of count: Int, sampleRate: Int? = nil) -> Data {
        numbers.reduce(into: Data()) { $0 += frame($1, count, sampleRate) }
    }

    private func frame(_ number: Int, _ count: Int, _ sampleRate: Int?) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xF8, sampleRate == nil ? 0x70 : 0x7D, 0x08, UInt8(number)]
        bytes += big(UInt64(count - 1), 2)
        if let sampleRate { bytes += big(UInt64(sampleRate), 2) }
        bytes.append(UInt8(checksum(bytes, polynomial: 7, bits: 8)))
        bytes += [0, 0, 100]
        return bytes + big(UInt64(checksum(bytes, polynomial: 0x8005, bits: 16)), 2)
    }

    private func big(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }

    private func checksum(_ bytes: [UInt8], polynomial: Int, bits: Int) -> Int {
        var sum = 0
        for byte in bytes {
            sum ^= Int(byte) << (bits - 8)
            for _ in 0..<8 { sum = (sum << 1 ^ (sum >> (bits - 1) & 1 == 1 ? polynomial : 0)) & ((1 << bits) - 1) }
        }
        return sum
    }
}

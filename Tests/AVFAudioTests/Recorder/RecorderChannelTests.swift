import AVFAudio
import AudioFiles
import AudioRealtime
import HeadlessServer
import TestSupport
import Testing

@Suite("Recordings of many channels", .limited)
struct RecorderChannelTests {
    /// A tone for each place of a loudspeaker; a subwoofer's codecs keep low ones only.
    private static let tones: [Channel: Double] = [
        .left: 400, .right: 600, .center: 900, .lfe: 80, .rearLeft: 1_350, .rearRight: 2_000,
    ]

    /// Plays each place's tone there for as long as `body` lasts.
    private func playing(
        _ places: [Channel], on server: HeadlessServer, _ session: AVAudioSession, _ body: () async throws -> Void
    ) async throws {
        let parts = places.map { TestSignal.sine(frequency: Self.tones[$0] ?? 0, seconds: 20, sampleRate: 48_000) }
        let samples = (0..<parts[0].frames).flatMap { frame in parts.map { $0.samples[2 * frame] } }
        let file = server.file("tones.wav")
        let writer = try AudioFileWriter(
            path: file.path, container: .wav, encoding: .pcm16, sampleRate: 48_000, channels: places.count)
        try writer.write(int16: samples, frames: parts[0].frames)
        try writer.close()
        let player = try AVAudioPlayer(contentsOf: file, session: session)
        #expect(player.play())
        try await body()
        #expect(player.isPlaying)
        player.stop()
    }

    @Test(
        "Each channel of a file has the sound of the place that the file says it has, whatever the codec's order",
        arguments: HeadlessServer.Kind.allCases)
    func places(kind: HeadlessServer.Kind) async throws {
        let files = [
            4: ["a.wav", "a.caf", "a.flac", "a.opus"], 6: ["a.wav", "a.aiff", "a.flac", "a.ogg", "a.opus", "a.m4a"],
        ]
        for (channels, names) in files {
            try await withServer(kind, sinks: [.init(rate: 48_000, channels: channels)]) { server in
                let session = try await server.recordingSession()
                let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: channels]
                let recorders = try names.map {
                    try AVAudioRecorder(url: server.file($0), settings: settings, session: session)
                }
                try await playing(ChannelMatrix.standard(channels), on: server, session) {
                    for recorder in recorders { #expect(recorder.record()) }
                    for recorder in recorders { try await recorder.wait(untilTime: 1.5) }
                }
                for recorder in recorders {
                    recorder.stop()
                    try check(recorder.url, channels: channels)
                }
            }
        }
    }

    private func check(_ url: URL, channels: Int) throws {
        let file = try DecodedFile(url)
        let said = file.format.channelLayout?.map { Channel(rawValue: $0) ?? .aux }
        let sound = file.recording
        for (index, place) in (said ?? ChannelMatrix.standard(channels)).enumerated() {
            let heard = sound.frequency(24_000..<60_000, channel: index) ?? 0
            let tone = try #require(Self.tones[place])
            #expect(abs(heard - tone) < 2, "\(url.lastPathComponent): \(heard) Hz in channel \(index), the \(place)")
        }
    }
}

import AVFAudio
import Foundation
import HeadlessServer
import MallocCounter

// engine-bench [SECONDS [RUNS]]: how fast an engine renders offline, beside OpenAL Soft's mixer in the same run, as a
// multiple of real time on one core; its allocations; and the processor time of an engine on a device beside a player's.
// SECONDS (20) of sound for each figure, medians of RUNS (5).
//
// engine-bench live [SECONDS [RUNS]]: an engine on a device at a buffer of 5 ms beside a bare client: its latency, that
// of its input, and underruns in RUNS (5) times SECONDS (60) beside two busy loops.

if CommandLine.arguments.dropFirst().first == "live" {
    let numbers = CommandLine.arguments.dropFirst(2).compactMap { Double($0) }
    for kind in HeadlessServer.Kind.allCases {
        try await measureLive(
            kind, seconds: numbers.first ?? 60, runs: Int(numbers.dropFirst().first ?? 5))
    }
    exit(0)
}
let arguments = CommandLine.arguments.dropFirst().compactMap { Double($0) }
let seconds = arguments.first ?? 20
let runs = Int(arguments.dropFirst().first ?? 5)
let block = 1024

/// The processor time of this thread, in seconds.
func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The processor time of this process, in seconds.
func processTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func noise(_ frames: Int) -> [Float] { (0..<frames).map { Float(($0 &* 7919) % 2003) / 4006 - 0.25 } }

/// An engine that renders players offline, in stereo.
struct Offline {
    let engine = AVAudioEngine()
    let buffer: AVAudioPCMBuffer

    init(players: Int, idle: Int = 0, soundRate: Double = 44_100, rate: Double = 44_100) throws {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: rate, channels: 2),
            let mono = AVAudioFormat(standardFormatWithSampleRate: soundRate, channels: 1),
            let sound = AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 44_100),
            let target = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(block))
        else { throw CocoaError(.featureUnsupported) }
        buffer = target
        sound.frameLength = 44_100
        for (frame, sample) in noise(44_100).enumerated() { sound.floatChannelData?[0][frame] = sample }
        try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: AVAudioFrameCount(block))
        let nodes = (0..<players + idle).map { _ in AVAudioPlayerNode() }
        for (index, node) in nodes.enumerated() {
            engine.attach(node)
            engine.connect(node, to: engine.mainMixerNode, format: mono)
            node.pan = Float(index) / Float(nodes.count) * 2 - 1
        }
        try engine.start()
        for node in nodes.prefix(players) {
            node.scheduleBuffer(sound, at: nil, options: .loops)
            node.play()
        }
    }

    func render(blocks: Int) throws {
        for _ in 0..<blocks { _ = try engine.renderOffline(AVAudioFrameCount(block), to: buffer) }
    }

    /// How many times as fast as real time it renders.
    func speed() throws -> Double {
        let blocks = Int(seconds * engine.manualRenderingFormat.sampleRate) / block
        try render(blocks: 50)
        let start = threadTime()
        try render(blocks: blocks)
        return Double(blocks * block) / engine.manualRenderingFormat.sampleRate / (threadTime() - start)
    }
}

/// How many times as fast as real time OpenAL renders as many sources; nil without the library or the resampler.
func openAL(sources: Int, rate: Int, resampler: String?) -> Double? {
    guard let mixer = OpenAL(rate: rate),
        mixer.play(noise(44_100), rate: 44_100, sources: sources, resampler: resampler)
    else { return nil }
    let samples = UnsafeMutableRawPointer.allocate(byteCount: block * 8, alignment: 16)
    defer { samples.deallocate() }
    for _ in 0..<50 { mixer.render(block, into: samples) }
    let blocks = Int(seconds * Double(rate)) / block
    let start = threadTime()
    for _ in 0..<blocks { mixer.render(block, into: samples) }
    return Double(blocks * block) / Double(rate) / (threadTime() - start)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func line(_ name: String, _ ours: [Double], _ theirs: [Double?] = []) {
    let other = theirs.compactMap(\.self)
    var text = name.padding(toLength: 44, withPad: " ", startingAt: 0) + String(format: "%8.0f", median(ours))
    if !other.isEmpty {
        text += String(format: " %8.0f   %.2f", median(other), median(ours) / median(other))
    } else if !theirs.isEmpty {
        text += "   no OpenAL Soft with that"
    }
    print(text)
}

print("times real time on one core               engine   OpenAL   ratio")
let mixes: [(String, Int, String?)] = [
    ("64 mono players, 44.1 kHz", 44_100, nil), ("64 mono players, 44.1 to 48 kHz", 48_000, "bsinc24"),
]
for (name, rate, resampler) in mixes {
    var (ours, theirs): ([Double], [Double?]) = ([], [])
    for _ in 0..<runs {
        ours.append(try Offline(players: 64, rate: Double(rate)).speed())
        theirs.append(openAL(sources: 64, rate: rate, resampler: resampler))
    }
    line(name, ours, theirs)
}
// E153.
line("one player and the main mixer", try (0..<runs).map { _ in try Offline(players: 1).speed() })
line("the same with 200 idle players", try (0..<runs).map { _ in try Offline(players: 1, idle: 200).speed() })

let offline = try Offline(players: 64, rate: 48_000)
try offline.render(blocks: 100)
let before = malloc_counter_of_thread()
try offline.render(blocks: 1000)
print("allocations in 1000 calls of renderOffline: \(malloc_counter_of_thread() - before)")

// MARK: On a device

/// The processor time of `seconds` of playback, as a part of one core.
func load(_ start: () throws -> Void) throws -> Double {
    try start()
    Thread.sleep(forTimeInterval: 1)
    let (cpu, wall) = (processTime(), Date())
    Thread.sleep(forTimeInterval: min(seconds, 10))
    return (processTime() - cpu) / Date().timeIntervalSince(wall)
}

for kind in HeadlessServer.Kind.allCases {
    let server = try HeadlessServer.start(kind)
    defer { server.stop() }
    let session = AVAudioSession(server: server.address)
    try session.setCategory(.playback)
    try session.setPreferredIOBufferDuration(0.02)
    let file = server.directory.appendingPathComponent("sound.wav")
    guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2),
        let sound = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 44_100 * 60)
    else { continue }
    sound.frameLength = 44_100 * 60
    do {
        let writing = try AVAudioFile(forWriting: file, settings: format.settings)
        try writing.write(from: sound)
        writing.close()
    }
    var (engines, players): ([Double], [Double]) = ([], [])
    for _ in 0..<min(runs, 3) {
        let player = try AVAudioPlayer(contentsOf: file, session: session)
        players.append(try load { player.play() })
        player.stop()
        let (engine, node) = (AVAudioEngine(session: session), AVAudioPlayerNode())
        engine.attach(node)
        engine.connect(node, to: engine.mainMixerNode, format: format)
        engines.append(
            try load {
                try engine.start()
                node.scheduleFile(try AVAudioFile(forReading: file), at: nil)
                node.play()
            })
        engine.stop()
    }
    print(
        String(
            format: "\(kind): an engine takes %.2f %% of a core, a player %.2f %%: %.2f times as much",
            median(engines) * 100, median(players) * 100, median(engines) / median(players)))
}

// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The dependencies of the targets below are the layers that docs/architecture.md draws: a target depends on lower
// floors only. Warnings become errors in `make check`, not here, since packages that depend on this one read this
// manifest as well.

// MARK: Settings

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// For C that runs on the audio thread: clang refuses calls that may lock or allocate.
let realtime: [CSetting] = [
    .enableWarning("function-effects"),
    .treatWarning("function-effects", as: .error),
]

/// The modules that the programs of Tests/Corpus import.
let corpus: [Target.Dependency] = ["AVFoundation", "AVFAudio", "AVKit", "AudioToolbox", "MediaPlayer"]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// Whether libpipewire's headers are at the usual place of most distributions.
///
/// Elsewhere pkg-config finds them, but SwiftPM then warns in each build about flags that it ignores.
let pipeWireIsInUsr = FileManager.default.fileExists(atPath: "/usr/include/pipewire-0.3")

// MARK: C

let ffmpegTrait: CSetting = .define("AVFAUDIO_FFMPEG", .when(traits: ["FFmpeg"]))

/// A module of one major version of FFmpeg (docs/decisions/0130), empty where its headers are neither the system's nor
/// those that scripts/ffmpeg has brought.
func ffmpegModule(_ name: String, _ folder: String, headers: String? = nil) -> Target {
    .target(
        name: name, path: "CShims/CFFmpeg/\(folder)",
        cSettings: [ffmpegTrait, .headerSearchPath(".."), .headerSearchPath("../loader/include")]
            + (headers.map { [.headerSearchPath("../../../.build/ffmpeg/headers/\($0)")] } ?? []),
        linkerSettings: [.linkedLibrary("dl")])
}

let ffmpegModules: [Target] = [
    ffmpegModule("CFFmpeg59", "major59", headers: "59"),
    ffmpegModule("CFFmpeg61", "major61", headers: "61"),
    ffmpegModule("CFFmpeg63", "major63", headers: "63"),
    ffmpegModule("CFFmpegSystem", "system"),
]

let cTargets: [Target] = [
    // Linked.
    .systemLibrary(name: "CPulse", path: "CShims/CPulse"),
    .systemLibrary(name: "CPulseSimple", path: "CShims/CPulseSimple"),
    .systemLibrary(name: "CSndFile", path: "CShims/CSndFile"),
    .systemLibrary(name: "CVorbis", path: "CShims/CVorbis"),
    .systemLibrary(name: "CMPG123", path: "CShims/CMPG123"),
    .systemLibrary(name: "CTerminal", path: "CShims/CTerminal"),
    // Loaded at run time, when needed. Only CPipeWire builds without the library's headers, as it declares what it
    // uses.
    .target(name: "CPipeWire", path: "CShims/CPipeWire"),
    .target(name: "CSystemdBus", path: "CShims/CSystemdBus", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CSoxr", path: "CShims/CSoxr", linkerSettings: [.linkedLibrary("dl")]),
    // Empty if the trait is disabled. The loader chooses among modules, one for each major version of FFmpeg: of those
    // in Debian's suites, and of the system's own headers where these are of another one.
    .target(
        name: "CFFmpeg", dependencies: ffmpegModules.map { .target(name: $0.name) }, path: "CShims/CFFmpeg/loader",
        cSettings: [ffmpegTrait]),
    // Ring buffers and atomics of the audio thread.
    .target(name: "RealtimeShims", path: "CShims/RealtimeShims", cSettings: realtime),
    // The interface of the C library, avaudiosession.h.
    .target(name: "CAVAudioSession", path: "CShims/CAVAudioSession"),
]

// MARK: Floor 0: used on every floor

let floor0: [Target] = [
    // A lock around a value.
    .target(name: "Locks", swiftSettings: swift)
]

// MARK: Floor 1: sound, files, servers and rules, each on its own

let floor1: [Target] = [
    // The mixer's arithmetic, on the audio thread.
    .target(name: "AudioRealtime", dependencies: ["RealtimeShims"], swiftSettings: swift),
    // The graph of an engine as a program of operations over planar samples.
    .target(name: "AudioGraph", dependencies: ["AudioRealtime", "RealtimeShims"], swiftSettings: swift),
    // Decoders, encoders, containers, sample rates.
    .target(
        name: "AudioFiles",
        dependencies: [
            "Locks", "CSndFile", "CMPG123", "CSoxr", "CVorbis",
            .target(name: "CFFmpeg", condition: .when(traits: ["FFmpeg"])),
        ], swiftSettings: swift),
    // Changes of the rate at the same pitch.
    .target(name: "TimeStretch", swiftSettings: swift),
    // The rules of sessions as values: categories, claims, arbitration, routes.
    .target(name: "SessionPolicy", exclude: ["Arbitration/README.md"], swiftSettings: swift),
    // Clients of libpulse, libpipewire and D-Bus.
    .target(name: "PulseClient", dependencies: ["CPulse", "Locks"], swiftSettings: swift),
    // Blocking streams, for programs without a session: a target of its own, since it links libpulse-simple.
    .target(
        name: "PulseSimple", dependencies: ["CPulse", "CPulseSimple", "Locks", "PulseClient"], swiftSettings: swift),
    .target(name: "PipeWireClient", dependencies: ["CPipeWire", "Locks"], swiftSettings: swift),
    .target(name: "DesktopBus", dependencies: ["CSystemdBus", "Locks"], swiftSettings: swift),
    // Private sound servers, for tests and `--headless`.
    .target(name: "HeadlessServer", dependencies: ["Locks"], swiftSettings: swift),
    // Names of Dispatch. A separate target, so that a program importing both AVFAudio and CoreMedia sees one
    // declaration of each.
    .target(name: "DispatchNames", swiftSettings: swift),
]

// MARK: Floor 2: the sound system on a server

let floor2: [Target] = [
    // The interface between sessions and the sound system: one protocol and its value types.
    .target(name: "AudioHost", dependencies: ["SessionPolicy", "AudioRealtime", "Locks"], swiftSettings: swift),
    .target(
        name: "SoundHost",
        dependencies: [
            "AudioHost", "PulseClient", "PipeWireClient", "SessionPolicy", "AudioRealtime", "DesktopBus", "Locks",
        ],
        swiftSettings: swift),
]

// MARK: Floor 3: the session, without Foundation, and over it Apple's AVFAudio and the C library

let floor3: [Target] = [
    .target(
        name: "AudioSession",
        dependencies: ["AudioHost", "SoundHost", "SessionPolicy", "DesktopBus", "Locks"], swiftSettings: swift),
    // The functions of avaudiosession.h; scripts/build-library makes libavaudiosession.so of them.
    .target(
        name: "AudioSessionC",
        dependencies: ["AudioHost", "AudioSession", "CAVAudioSession", "Locks", "SessionPolicy"],
        swiftSettings: swift),
    .target(
        name: "AVFAudio",
        dependencies: [
            "AudioGraph", "AudioHost", "AudioSession", "SessionPolicy", "AudioRealtime", "AudioFiles", "TimeStretch",
            "DispatchNames", "Locks",
        ],
        swiftSettings: swift),
]

// MARK: Floor 4: what apps import beside AVFAudio

let floor4: [Target] = [
    .target(name: "CoreMedia", dependencies: ["DispatchNames"], swiftSettings: swift),
    // Assets, players and items.
    .target(
        name: "AVMedia",
        dependencies: [
            "AVFAudio", "AudioFiles", "AudioHost", "AudioRealtime", "AudioSession", "CoreMedia", "Locks",
            "SessionPolicy", "TimeStretch",
        ], swiftSettings: swift),
    // System Sound Services.
    .target(
        name: "SystemSounds",
        dependencies: ["AVFAudio", "AudioFiles", "AudioHost", "AudioSession", "SessionPolicy", "Locks"],
        swiftSettings: swift),
    .target(
        name: "MediaPlayer",
        dependencies: ["AVFAudio", "AVMedia", "AudioHost", "DesktopBus", "Locks", "SystemSounds"],
        swiftSettings: swift),
    // Apple's names for what the targets above declare, a line or two each. None depends on another one, so that an
    // app has the modules that it asks for, and can rename them (docs/decisions/0090).
    .target(name: "AVFoundation", dependencies: ["AVMedia", "SystemSounds"], swiftSettings: swift),
    .target(name: "AVKit", dependencies: ["AVMedia", "SystemSounds"], swiftSettings: swift),
    .target(name: "AudioToolbox", dependencies: ["SystemSounds"], swiftSettings: swift),
]

// MARK: Programs

let programs: [Target] = [
    .target(
        name: "CommandLineSupport",
        dependencies: [
            "AVFAudio", "AudioFiles", "HeadlessServer", "Locks", "SessionPolicy", "CTerminal", argumentParser,
        ],
        swiftSettings: swift),
    // What happened: a history on disk, and its intervals. No app links it.
    .target(name: "SessionHistory", dependencies: ["Locks"], swiftSettings: swift),
    .executableTarget(
        name: "audiosession",
        dependencies: [
            "AVFAudio", "AudioHost", "SoundHost", "SessionPolicy", "PulseClient", "PipeWireClient", "DesktopBus",
            "HeadlessServer", "CommandLineSupport", "Locks", "SessionHistory", "PlayerProgram", "RecorderProgram",
            argumentParser,
        ], swiftSettings: swift),
    // The player and the recorder: programs of their own below, and commands of audiosession.
    .target(
        name: "PlayerProgram",
        dependencies: ["AVFAudio", "AudioFiles", "MediaPlayer", "CommandLineSupport", argumentParser],
        path: "examples/player/Playback", swiftSettings: swift),
    .target(
        name: "RecorderProgram", dependencies: ["AVFAudio", "AudioFiles", "CommandLineSupport", argumentParser],
        path: "examples/recorder/Recording", swiftSettings: swift),
    .executableTarget(
        name: "player", dependencies: ["PlayerProgram", "CommandLineSupport"], path: "examples/player",
        exclude: ["Playback"], swiftSettings: swift),
    .executableTarget(
        name: "recorder", dependencies: ["RecorderProgram", "CommandLineSupport"], path: "examples/recorder",
        exclude: ["Recording"], swiftSettings: swift),
    .executableTarget(
        name: "simple-play",
        dependencies: ["AVFAudio", "PulseClient", "PulseSimple", "AudioFiles", "CommandLineSupport"],
        path: "examples/simple-play", swiftSettings: swift),
    .executableTarget(
        name: "simple-record",
        dependencies: ["AVFAudio", "PulseClient", "PulseSimple", "AudioFiles", "CommandLineSupport"],
        path: "examples/simple-record", swiftSettings: swift),
    .executableTarget(
        name: "tuner", dependencies: ["AVFAudio", "CommandLineSupport"], path: "examples/tuner",
        swiftSettings: swift),
    .executableTarget(
        name: "practice", dependencies: ["AVFAudio", "CommandLineSupport"], path: "examples/practice",
        swiftSettings: swift),
    .executableTarget(
        name: "synth", dependencies: ["AVFAudio", "CommandLineSupport"], path: "examples/synth",
        swiftSettings: swift),
    // An app in C with poll().
    .executableTarget(
        name: "c-poll", dependencies: ["AudioSessionC", "CAVAudioSession"], path: "examples/c-poll"),
    // A speech prompt in C, whose speaker is a child.
    .executableTarget(
        name: "c-speak", dependencies: ["AudioSessionC", "CAVAudioSession"], path: "examples/c-speak"),
    // Draws and judges what `make demo` recorded.
    .executableTarget(
        name: "demo-report",
        dependencies: [
            "AudioFiles", "HeadlessServer", "PulseClient", "PulseSimple", "SessionHistory", "SoundAnalysis",
        ],
        path: "examples/demo-report", swiftSettings: swift),
]

// MARK: Benchmarks, built only when AVFAUDIO_BENCHMARKS=1 (scripts/bench, scripts/soak and `make check` set it)

let benchmarks: [Target] = [
    .target(name: "MallocCounter", path: "Benchmarks/malloc-counter"),
    .executableTarget(
        name: "playback-bench",
        dependencies: [
            "AVFAudio", "AudioToolbox", "AudioFiles", "AudioRealtime", "PulseClient", "PulseSimple", "HeadlessServer",
            "SoundAnalysis", "MallocCounter",
        ],
        path: "Benchmarks/playback", swiftSettings: swift),
    .executableTarget(
        name: "latency-bench", dependencies: ["AVFAudio", "PulseClient", "HeadlessServer", "SoundAnalysis"],
        path: "Benchmarks/latency", swiftSettings: swift),
    .executableTarget(
        name: "claims-bench",
        dependencies: [
            "AVFAudio", "AudioHost", "SoundHost", "SessionPolicy", "PulseClient", "HeadlessServer", "SoundAnalysis",
        ],
        path: "Benchmarks/claims", swiftSettings: swift),
    .executableTarget(
        name: "interruption-bench", dependencies: ["AVFAudio", "HeadlessServer", "PulseClient"],
        path: "Benchmarks/interruption", swiftSettings: swift),
    .executableTarget(
        name: "engine-bench",
        dependencies: ["AVFAudio", "HeadlessServer", "MallocCounter", "PulseClient", "PulseSimple"],
        path: "Benchmarks/engine", swiftSettings: swift),
]

// MARK: What tests share

let testSupport: [Target] = [
    // Optimised in every build: tests analyse minutes of sound, sample by sample.
    .target(name: "SoundAnalysis", path: "Tests/Analysis", swiftSettings: swift + [.unsafeFlags(["-O"])]),
    // A host without a server, for tests that need none. Optimised, because it generates the recorded samples.
    .target(
        name: "ScriptedHost", dependencies: ["AudioHost", "AudioRealtime", "Locks", "SessionPolicy"],
        path: "Tests/ScriptedHost", swiftSettings: swift + [.unsafeFlags(["-O"])]),
    .target(
        name: "TestSupport", dependencies: ["HeadlessServer", "Locks", "PulseClient", "SoundAnalysis"],
        path: "Tests/Support",
        swiftSettings: swift),
]

// MARK: Other processes that tests need

let testPrograms: [Target] = [
    // An app with a session; with a subcommand a ducker, an app with system sounds, an owner of a private server.
    .executableTarget(
        name: "session-peer",
        dependencies: [
            "AVFoundation", "AVFAudio", "AudioToolbox", "CommandLineSupport", "HeadlessServer", "PipeWireClient",
            "PulseClient", "SessionPolicy", "SoundAnalysis", "SoundHost",
        ],
        path: "Tests/SessionPeer", swiftSettings: swift),
    // An app in C over avaudiosession.h.
    .executableTarget(
        name: "c-peer", dependencies: ["AudioSessionC", "CAVAudioSession"], path: "Tests/CPeer"),
    // Encodes and decodes, with the FFmpeg of other releases.
    .executableTarget(name: "codec-peer", dependencies: ["AudioFiles"], path: "Tests/CodecPeer", swiftSettings: swift),
    // An app with Now Playing, whose commands all run on the main queue.
    .executableTarget(
        name: "remote-peer", dependencies: ["MediaPlayer", "AVFAudio", "CommandLineSupport"],
        path: "Tests/RemotePeer", swiftSettings: swift),
    // D-Bus services: a media player, a desktop, a login manager. They link neither Foundation nor the package's
    // clients, as they are the peers of those.
    .executableTarget(
        name: "mock-bus", dependencies: ["CSystemdBus"], path: "Tests/MockBus", swiftSettings: swift),
    // A sound card without hardware, and the only user of libpipewire's headers.
    .systemLibrary(
        name: "CLibPipeWire", path: "CShims/CLibPipeWire", pkgConfig: pipeWireIsInUsr ? nil : "libpipewire-0.3",
        providers: [.apt(["libpipewire-0.3-dev"])]),
    .executableTarget(
        name: "fake-card", dependencies: ["CLibPipeWire"], path: "Tests/FakeCard",
        cSettings: pipeWireIsInUsr
            ? [.unsafeFlags(["-I/usr/include/pipewire-0.3", "-I/usr/include/spa-0.2"])] : [],
        linkerSettings: [.linkedLibrary("pipewire-0.3")]),
    // Programs for Apple's systems, unchanged, in both language modes. Tests/Corpus6 is a link to Tests/Corpus, as
    // SwiftPM requires separate sources for each target.
    .executableTarget(
        name: "corpus-5", dependencies: corpus, path: "Tests/Corpus", swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
        name: "corpus-6", dependencies: corpus, path: "Tests/Corpus6", swiftSettings: [.swiftLanguageMode(.v6)]),
]

// MARK: Tests, from floor 1 up. The programs among their dependencies are built with them

let tests: [Target] = [
    .testTarget(
        name: "TestSupportTests", dependencies: ["HeadlessServer", "TestSupport", "session-peer"],
        swiftSettings: swift),
    .testTarget(
        name: "AudioHostTests",
        dependencies: [
            "AudioHost", "AudioRealtime", "HeadlessServer", "Locks", "PulseClient", "ScriptedHost", "SessionPolicy",
            "SoundHost", "TestSupport",
        ], swiftSettings: swift),
    .testTarget(name: "LocksTests", dependencies: ["Locks", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "AudioRealtimeTests", dependencies: ["AudioRealtime", "TestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AudioGraphTests", dependencies: ["AudioGraph", "SoundAnalysis", "TestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AudioFilesTests", dependencies: ["AudioFiles", "AudioRealtime", "TestSupport", "codec-peer"],
        swiftSettings: swift),
    .testTarget(
        name: "TimeStretchTests", dependencies: ["TimeStretch", "SoundAnalysis", "TestSupport"], swiftSettings: swift),
    .testTarget(
        name: "SessionPolicyTests", dependencies: ["SessionPolicy", "SoundAnalysis", "TestSupport"],
        exclude: ["Session/Machines.json"],
        swiftSettings: swift),
    .testTarget(
        name: "PulseClientTests", dependencies: ["PulseClient", "PulseSimple", "TestSupport"], swiftSettings: swift),
    .testTarget(
        name: "PipeWireClientTests",
        dependencies: ["PipeWireClient", "PulseClient", "HeadlessServer", "TestSupport", "session-peer"],
        swiftSettings: swift),
    .testTarget(
        name: "DesktopBusTests",
        dependencies: [
            "CSystemdBus", "DesktopBus", "SoundHost", "SessionPolicy", "AudioFiles", "TestSupport", "HeadlessServer",
            "mock-bus", "player", "remote-peer", "session-peer", "audiosession",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "SoundHostTests",
        dependencies: [
            "AudioHost", "SoundHost", "SessionPolicy", "AudioRealtime", "PulseClient", "HeadlessServer", "TestSupport",
            "session-peer",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AVFAudioTests",
        dependencies: [
            "AVFAudio", "AudioFiles", "AudioHost", "AudioRealtime", "AudioSession", "Locks", "PulseClient",
            "ScriptedHost", "SessionPolicy", "SoundHost", "TestSupport", "recorder", "fake-card",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AVFoundationTests",
        dependencies: [
            "AudioHost", "AudioSession", "AVFoundation", "AVFAudio", "AVMedia", "AudioFiles", "AudioRealtime",
            "CoreMedia", "TestSupport", "session-peer",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AudioToolboxTests",
        dependencies: [
            "AudioHost", "AudioSession", "AudioToolbox", "AVFAudio", "AudioFiles", "SoundHost", "SystemSounds",
            "PulseClient", "HeadlessServer", "TestSupport", "session-peer",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "MediaPlayerTests",
        dependencies: [
            "AudioHost", "AudioSession", "MediaPlayer", "AVFAudio", "DesktopBus", "HeadlessServer", "TestSupport",
        ],
        swiftSettings: swift),
    // Refers to every symbol of Apple's in the modules; scripts/symbols generates docs/symbols.md from it.
    .testTarget(
        name: "SymbolTests",
        dependencies: ["AVFAudio", "AVFoundation", "CoreMedia", "AudioToolbox", "MediaPlayer", "TestSupport"],
        swiftSettings: swift),
    // Isolated to the main actor by default, as Xcode's new apps are.
    .testTarget(
        name: "IsolationTests",
        dependencies: ["AVFAudio", "AVFoundation", "CoreMedia", "MediaPlayer", "TestSupport"],
        swiftSettings: swift + [.defaultIsolation(MainActor.self)]),
    // Several sessions, in separate processes.
    .testTarget(
        name: "SessionTests",
        dependencies: [
            "AudioFiles", "PulseClient", "SoundAnalysis", "TestSupport", "session-peer", "mock-bus", "audiosession",
            "c-peer", "c-poll", "c-speak",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "ClaimTests",
        dependencies: [
            "AudioHost", "AudioSession", "SoundHost", "SessionPolicy", "PulseClient", "AudioFiles", "HeadlessServer",
            "TestSupport",
            "session-peer", "recorder", "player",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "DuckingTests",
        dependencies: [
            "PulseClient", "SessionPolicy", "HeadlessServer", "TestSupport", "SoundAnalysis", "audiosession",
            "player",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "SessionHistoryTests", dependencies: ["Locks", "SessionHistory", "TestSupport"], swiftSettings: swift),
    // Programs, documents and examples.
    .testTarget(
        name: "CommandTests",
        dependencies: [
            "AudioHost", "AudioSession", "SessionPolicy", "PulseClient", "SoundHost", "HeadlessServer",
            "SessionHistory", "TestSupport", "audiosession", "mock-bus", "player", "recorder",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "CorpusTests",
        dependencies: [
            "AudioFiles", "DesktopBus", "HeadlessServer", "SoundAnalysis", "TestSupport", "corpus-5", "corpus-6",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "ExampleTests",
        dependencies: [
            "AVFAudio", "TestSupport", "SoundAnalysis", "AudioFiles", "PulseClient", "CommandLineSupport", "mock-bus",
        ],
        swiftSettings: swift),
]

// MARK: The package

let floors = cTargets + ffmpegModules + floor0 + floor1 + floor2 + floor3 + floor4
let extras = Context.environment["AVFAUDIO_BENCHMARKS"] == nil ? [] : benchmarks

let package = Package(
    name: "swift-avfaudio-linux",
    products: [
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        // Separate products, because canImport(AVFoundation) becomes true in all packages of a build that contains it
        // (docs/decisions/0050).
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "AVKit", targets: ["AVKit"]),
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "MediaPlayer", targets: ["MediaPlayer"]),
        .library(name: "PulseClient", targets: ["PulseClient", "PulseSimple"]),
        // The C library for tests of its bindings; scripts/build-library makes the one for users, with the runtime in it.
        .library(name: "avaudiosession", type: .dynamic, targets: ["AudioSessionC"]),
        .executable(name: "player", targets: ["player"]),
        .executable(name: "recorder", targets: ["recorder"]),
        .executable(name: "audiosession", targets: ["audiosession"]),
    ],
    traits: [
        .trait(name: "FFmpeg", description: "AAC, Apple Lossless and more: FFmpeg, loaded when a file needs it."),
        .default(enabledTraits: ["FFmpeg"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
    ],
    targets: floors + programs + testSupport + testPrograms + tests + extras
)

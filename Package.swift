// swift-tools-version: 6.2
import PackageDescription

// The arrows between the layers are the target dependencies below; docs/architecture.md draws them.
// Warnings become errors in `make check`, not here: the manifest is also read by those who depend on us.
let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The C shims that run on the sound thread are checked by clang itself.
let realtime: [CSetting] = [
    .enableWarning("function-effects"),
    .treatWarning("function-effects", as: .error),
]

// What the programs of the corpus import.
let corpus: [Target.Dependency] = ["AVFoundation", "AVFAudio", "AudioToolbox", "MediaPlayer"]

let package = Package(
    name: "swift-avfaudio-linux",
    products: [
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        // Opt in: unrelated packages of the same build may ask canImport(AVFoundation). docs/decisions/0050 says what
        // helps.
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        // Opt in, as AVFoundation.
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "MediaPlayer", targets: ["MediaPlayer"]),
        .library(name: "PulseClient", targets: ["PulseClient"]),
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
    targets: [
        // C, and nothing that decides.
        .systemLibrary(name: "CPulse", path: "CShims/CPulse"),
        .systemLibrary(name: "CSndFile", path: "CShims/CSndFile"),
        .systemLibrary(name: "CVorbis", path: "CShims/CVorbis"),
        .systemLibrary(name: "CMPG123", path: "CShims/CMPG123"),
        .systemLibrary(name: "CTerminal", path: "CShims/CTerminal"),
        // Loads libpipewire at run time, and needs none of its headers.
        .target(name: "CPipeWire", path: "CShims/CPipeWire"),
        // Loads FFmpeg at run time, and needs its headers for the types; empty without the trait.
        .target(
            name: "CFFmpeg", path: "CShims/CFFmpeg",
            cSettings: [.define("AVFAUDIO_FFMPEG", .when(traits: ["FFmpeg"]))]),
        // Loads libsoxr at run time, and needs its header.
        .target(name: "CSoxr", path: "CShims/CSoxr", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "RealtimeShims", path: "CShims/RealtimeShims", cSettings: realtime),
        .target(name: "CSystemdBus", path: "CShims/CSystemdBus", linkerSettings: [.linkedLibrary("dl")]),

        // A lock around a value; of every floor.
        .target(name: "Locks", swiftSettings: swift),

        // Floor 1.
        .target(name: "AudioRealtime", dependencies: ["RealtimeShims"], swiftSettings: swift),
        .target(
            name: "AudioFiles",
            dependencies: [
                "Locks", "CSndFile", "CMPG123", "CSoxr", "CVorbis",
                .target(name: "CFFmpeg", condition: .when(traits: ["FFmpeg"])),
            ], swiftSettings: swift),
        .target(name: "TimeStretch", swiftSettings: swift),
        .target(name: "SessionPolicy", swiftSettings: swift),
        .target(name: "PulseClient", dependencies: ["CPulse", "Locks"], swiftSettings: swift),
        .target(name: "PipeWireClient", dependencies: ["CPipeWire", "Locks"], swiftSettings: swift),
        .target(name: "DesktopBus", dependencies: ["CSystemdBus", "Locks"], swiftSettings: swift),
        .target(name: "HeadlessServer", swiftSettings: swift),
        // Of its own, so that AVFAudio and CoreMedia show the same names to who imports both.
        .target(name: "DispatchNames", swiftSettings: swift),

        // The door between sessions and the sound system.
        .target(name: "AudioHost", dependencies: ["SessionPolicy", "AudioRealtime"], swiftSettings: swift),

        // Floor 2.
        .target(
            name: "SoundHost",
            dependencies: [
                "AudioHost", "PulseClient", "PipeWireClient", "SessionPolicy", "AudioRealtime", "DesktopBus", "Locks",
            ],
            swiftSettings: swift),

        // Floor 3: the session without Apple's names, and without Foundation.
        .target(
            name: "AudioSession",
            dependencies: ["AudioHost", "SoundHost", "SessionPolicy", "DesktopBus", "Locks"], swiftSettings: swift),
        .target(
            name: "AVFAudio",
            dependencies: [
                "AudioHost", "AudioSession", "SessionPolicy", "AudioRealtime", "AudioFiles", "TimeStretch",
                "DispatchNames", "Locks",
            ],
            swiftSettings: swift),

        // Floor 4: the modules that apps import beside AVFAudio.
        .target(name: "CoreMedia", dependencies: ["DispatchNames"], swiftSettings: swift),
        .target(
            name: "AVFoundation",
            dependencies: [
                "AVFAudio", "AudioFiles", "AudioHost", "AudioRealtime", "AudioSession", "CoreMedia", "Locks",
                "SessionPolicy", "TimeStretch",
            ], swiftSettings: swift),
        .target(
            name: "AudioToolbox",
            dependencies: ["AVFAudio", "AudioFiles", "AudioHost", "AudioSession", "SessionPolicy", "Locks"],
            swiftSettings: swift),
        .target(
            name: "MediaPlayer", dependencies: ["AVFAudio", "AudioHost", "DesktopBus", "Locks"], swiftSettings: swift),

        // Programs.
        .target(
            name: "CommandLineSupport",
            dependencies: [
                "AVFAudio", "AudioFiles", "HeadlessServer", "SessionPolicy", "CTerminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "audiosession",
            dependencies: [
                "AVFAudio", "SoundHost", "SessionPolicy", "PulseClient", "PipeWireClient", "DesktopBus",
                "HeadlessServer", "CommandLineSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: swift),
        .executableTarget(
            name: "player", dependencies: ["AVFAudio", "AudioFiles", "MediaPlayer", "CommandLineSupport"],
            path: "examples/player",
            swiftSettings: swift),
        .executableTarget(
            name: "recorder", dependencies: ["AVFAudio", "AudioFiles", "CommandLineSupport"], path: "examples/recorder",
            swiftSettings: swift),
        .executableTarget(
            name: "simple-play", dependencies: ["AVFAudio", "PulseClient", "AudioFiles", "CommandLineSupport"],
            path: "examples/simple-play", swiftSettings: swift),
        .executableTarget(
            name: "simple-record", dependencies: ["AVFAudio", "PulseClient", "AudioFiles", "CommandLineSupport"],
            path: "examples/simple-record", swiftSettings: swift),

        .executableTarget(
            name: "demo-report", dependencies: ["AudioFiles", "HeadlessServer", "PulseClient", "SoundAnalysis"],
            path: "examples/demo-report", swiftSettings: swift),
        .executableTarget(
            name: "interruption-bench", dependencies: ["AVFAudio", "HeadlessServer", "PulseClient"],
            path: "Benchmarks/interruption", swiftSettings: swift),
        .executableTarget(
            name: "claims-bench",
            dependencies: [
                "AVFAudio", "SoundHost", "SessionPolicy", "PulseClient", "HeadlessServer", "SoundAnalysis",
            ],
            path: "Benchmarks/claims", swiftSettings: swift),

        .executableTarget(
            name: "latency-bench", dependencies: ["AVFAudio", "PulseClient", "HeadlessServer", "SoundAnalysis"],
            path: "Benchmarks/latency", swiftSettings: swift),

        .target(name: "MallocCounter", path: "Benchmarks/malloc-counter"),
        .executableTarget(
            name: "playback-bench",
            dependencies: [
                "AVFAudio", "AudioToolbox", "AudioFiles", "AudioRealtime", "PulseClient", "HeadlessServer",
                "SoundAnalysis", "MallocCounter",
            ],
            path: "Benchmarks/playback", swiftSettings: swift),

        // Tests.
        // Optimised in every build: tests look at minutes of sound, sample by sample.
        .target(
            name: "SoundAnalysis", path: "Tests/Analysis", swiftSettings: swift + [.unsafeFlags(["-O"])]),
        .target(
            name: "TestSupport", dependencies: ["HeadlessServer", "SoundAnalysis"], path: "Tests/Support",
            swiftSettings: swift),
        .executableTarget(
            name: "headless-owner", dependencies: ["HeadlessServer"], path: "Tests/HeadlessOwner", swiftSettings: swift),
        .executableTarget(
            name: "mock-player", dependencies: ["CSystemdBus"], path: "Tests/MockPlayer", swiftSettings: swift),
        // A sound card without hardware. Its headers are those of libpipewire, which nothing that apps use needs.
        .executableTarget(
            name: "fake-card", path: "Tests/FakeCard",
            cSettings: [.unsafeFlags(["-I/usr/include/pipewire-0.3", "-I/usr/include/spa-0.2"])],
            linkerSettings: [.linkedLibrary("pipewire-0.3")]),
        .executableTarget(
            name: "mock-desktop", dependencies: ["CSystemdBus"], path: "Tests/MockDesktop", swiftSettings: swift),
        .executableTarget(
            name: "mock-login", dependencies: ["CSystemdBus"], path: "Tests/MockLogin", swiftSettings: swift),
        .testTarget(
            name: "DesktopBusTests",
            dependencies: [
                "DesktopBus", "SoundHost", "SessionPolicy", "AudioFiles", "TestSupport", "HeadlessServer",
                "mock-player", "player", "remote-peer", "session-peer", "audiosession", "mock-desktop",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "TestSupportTests", dependencies: ["HeadlessServer", "TestSupport", "headless-owner"],
            swiftSettings: swift),
        .testTarget(name: "AudioRealtimeTests", dependencies: ["AudioRealtime", "TestSupport"], swiftSettings: swift),
        .testTarget(
            name: "AudioFilesTests", dependencies: ["AudioFiles", "AudioRealtime", "TestSupport"], swiftSettings: swift),
        .testTarget(name: "TimeStretchTests", dependencies: ["TimeStretch", "SoundAnalysis"], swiftSettings: swift),
        .testTarget(
            name: "SessionPolicyTests", dependencies: ["SessionPolicy", "SoundAnalysis"],
            exclude: ["Session/Machines.json"],
            swiftSettings: swift),
        .testTarget(name: "PulseClientTests", dependencies: ["PulseClient", "TestSupport"], swiftSettings: swift),
        .executableTarget(
            name: "duck-peer", dependencies: ["SoundHost", "SessionPolicy", "PulseClient"], path: "Tests/DuckPeer",
            swiftSettings: swift),
        .testTarget(
            name: "SoundHostTests",
            dependencies: [
                "SoundHost", "SessionPolicy", "AudioRealtime", "PulseClient", "HeadlessServer", "TestSupport",
                "duck-peer",
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "soft-volume-holder", dependencies: ["PipeWireClient"], path: "Tests/SoftVolumeHolder",
            swiftSettings: swift),
        .testTarget(
            name: "PipeWireClientTests",
            dependencies: ["PipeWireClient", "PulseClient", "HeadlessServer", "TestSupport", "soft-volume-holder"],
            swiftSettings: swift),
        .testTarget(
            name: "AVFAudioTests",
            dependencies: [
                "AVFAudio", "SoundHost", "SessionPolicy", "AudioFiles", "AudioRealtime", "PulseClient", "TestSupport",
                "recorder", "fake-card",
            ],
            swiftSettings: swift),
        // Refers to every symbol that the modules have from Apple; scripts/symbols makes docs/symbols.md of it.
        .testTarget(
            name: "SymbolTests",
            dependencies: ["AVFAudio", "AVFoundation", "CoreMedia", "AudioToolbox", "MediaPlayer", "TestSupport"],
            swiftSettings: swift),
        // Of the main actor, as Xcode's new apps are.
        .testTarget(
            name: "IsolationTests", dependencies: ["AVFAudio", "AVFoundation", "CoreMedia", "MediaPlayer"],
            swiftSettings: swift + [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "SessionPolicy", "PulseClient", "SoundHost", "HeadlessServer", "TestSupport", "audiosession",
                "mock-player", "player",
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
            name: "AVFoundationTests",
            dependencies: [
                "AVFoundation", "AVFAudio", "AudioFiles", "AudioRealtime", "CoreMedia", "TestSupport", "session-peer",
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "sound-peer", dependencies: ["AudioToolbox"], path: "Tests/SoundPeer", swiftSettings: swift),
        .testTarget(
            name: "AudioToolboxTests",
            dependencies: [
                "AudioToolbox", "AVFAudio", "AudioFiles", "SoundHost", "PulseClient", "HeadlessServer", "TestSupport",
                "sound-peer",
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "remote-peer", dependencies: ["MediaPlayer", "AVFAudio", "CommandLineSupport"],
            path: "Tests/RemotePeer",
            swiftSettings: swift),
        .testTarget(
            name: "MediaPlayerTests",
            dependencies: ["MediaPlayer", "AVFAudio", "DesktopBus", "HeadlessServer", "TestSupport"],
            swiftSettings: swift),
        // The same programs twice: Tests/Corpus6 is a link to Tests/Corpus, as SwiftPM wants each target's sources
        // apart.
        .executableTarget(
            name: "corpus-5", dependencies: corpus, path: "Tests/Corpus", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "corpus-6", dependencies: corpus, path: "Tests/Corpus6", swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "CorpusTests",
            dependencies: [
                "AudioFiles", "DesktopBus", "HeadlessServer", "SoundAnalysis", "TestSupport", "corpus-5", "corpus-6",
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "session-peer", dependencies: ["AVFoundation", "AVFAudio", "CommandLineSupport", "SoundAnalysis"],
            path: "Tests/SessionPeer", swiftSettings: swift),
        .testTarget(
            name: "SessionTests",
            dependencies: [
                "AudioFiles", "PulseClient", "SoundAnalysis", "TestSupport", "session-peer", "mock-desktop",
                "mock-player", "audiosession",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "ClaimTests",
            dependencies: [
                "SoundHost", "SessionPolicy", "PulseClient", "AudioFiles", "HeadlessServer", "TestSupport",
                "session-peer", "headless-owner", "recorder", "player",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "ExampleTests",
            dependencies: ["TestSupport", "AudioFiles", "PulseClient", "CommandLineSupport", "mock-login"],
            swiftSettings: swift),
    ]
)

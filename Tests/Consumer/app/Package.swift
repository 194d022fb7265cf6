// swift-tools-version: 6.2
import PackageDescription

// Copied to .build-consumer/app by scripts/check-consumer, and built there.
let package = Package(
    name: "app",
    dependencies: [.package(name: "swift-avfaudio-linux", path: "../.."), .package(path: "../unrelated")],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [
                .product(
                    name: "AVFoundation", package: "swift-avfaudio-linux",
                    moduleAliases: ["AVFoundation": "LinuxAVFoundation", "CoreMedia": "LinuxCoreMedia"]),
                .product(name: "Unrelated", package: "unrelated"),
            ])
    ]
)

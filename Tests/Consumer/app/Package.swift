// swift-tools-version: 6.2
import PackageDescription

// Copied to .build-consumer/app by scripts/check-consumer, and built there.
let package = Package(
    name: "app",
    dependencies: [.package(path: "../.."), .package(path: "../unrelated")],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [
                .product(
                    // SwiftPM ignores aliases of a package that is not called by its folder's name.
                    name: "AVFoundation", package: Context.environment["LIBRARY"] ?? "swift-avfaudio-linux",
                    moduleAliases: ["AVFoundation": "LinuxAVFoundation"]),
                .product(name: "Unrelated", package: "unrelated"),
            ])
    ]
)

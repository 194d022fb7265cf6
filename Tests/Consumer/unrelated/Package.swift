// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "unrelated", products: [.library(name: "Unrelated", targets: ["Unrelated"])],
    targets: [.target(name: "Unrelated")])

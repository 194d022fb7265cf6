package import HeadlessServer

extension HeadlessServer {
    /// Whether the server is PipeWire, and older than a version such as `1.0`.
    package func isPipeWire(before other: String) -> Bool {
        func numbers(_ text: String) -> [Int] { text.split(separator: ".").map { Int($0) ?? 0 } }
        return kind == .pipeWire && numbers(version).lexicographicallyPrecedes(numbers(other))
    }
}

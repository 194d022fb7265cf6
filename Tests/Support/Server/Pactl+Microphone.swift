package import HeadlessServer

extension Pactl {
    /// Adds a microphone without hardware, and returns its index.
    @discardableResult
    package func addMicrophone(_ name: String = "mic", on kind: HeadlessServer.Kind) async throws -> UInt32 {
        switch kind {
        case .pulseAudio: _ = try await loadModule("module-null-source", ["source_name=\(name)"])
        case .pipeWire:
            _ = try await loadModule("module-null-sink", ["sink_name=\(name)", "media.class=Audio/Source/Virtual"])
        }
        var index: Int?
        try await waitUntil("the microphone") {
            index = try await sources().first { $0.name == name }?.index
            return index != nil
        }
        return UInt32(index ?? 0)
    }
}

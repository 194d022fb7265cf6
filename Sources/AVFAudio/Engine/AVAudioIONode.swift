internal import AudioGraph

/// An end of an engine's graph.
///
/// Apple: `AVAudioIONode`
// SAFETY: see `AVAudioNode`; the class has no state of its own.
nonisolated open class AVAudioIONode: AVAudioNode, @unchecked Sendable {
    /// The device's delay in seconds: 0 in manual rendering, which has no device.
    ///
    /// Apple: `AVAudioIONode.presentationLatency`
    public var presentationLatency: TimeInterval { 0 }
}

/// The end of an engine's graph that the app hears, or renders.
///
/// It takes any rate and number of channels and converts them to its own. It has no volume.
///
/// Apple: `AVAudioOutputNode`
// SAFETY: see `AVAudioNode`; the class has no state of its own.
nonisolated open class AVAudioOutputNode: AVAudioIONode, @unchecked Sendable {
    override var inputLimit: Int? { 1 }
    override var hasOutput: Bool { false }
    override var defaultInputFormat: AVAudioFormat {
        facts.engine?.graph.outputFormat.standardized ?? .defaultOfNodes
    }

    /// The format of what the engine renders: the manual format, else 44 100 Hz in stereo.
    ///
    /// Apple: `AVAudioNode.outputFormat(forBus:)`
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0 else { return .none }
        return GraphLock.withLock { facts.engine?.graph.outputFormat ?? .defaultOfNodes }
    }
}

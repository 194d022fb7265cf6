internal import AudioGraph

/// An end of an engine's graph.
///
/// Apple: `AVAudioIONode`
// SAFETY: see `AVAudioNode`; the class has no state of its own.
nonisolated open class AVAudioIONode: AVAudioNode, @unchecked Sendable {
    /// The device's delay in seconds: 0 in manual rendering, which has no device.
    ///
    /// It is the session's `outputLatency`, or `inputLatency`, and waits for the server as that does.
    ///
    /// Apple: `AVAudioIONode.presentationLatency`
    public var presentationLatency: TimeInterval {
        guard let engine, !engine.isInManualRenderingMode else { return 0 }
        let session = engine.device.session
        return hasOutput ? session.inputLatency : session.outputLatency
    }
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
    /// The format of the connection; that of the output without one.
    ///
    /// Apple: `AVAudioNode.inputFormat(forBus:)`
    open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0 else { return .none }
        return GraphLock.withLock { facts.inputs[0] } ?? outputFormat(forBus: 0).standardized
    }

    /// The format of what the engine renders: the manual format, else the device's rate and channels.
    ///
    /// Asks the server for the device, for 2 s at most. It is 44 100 Hz in stereo without a server, and 0 Hz without
    /// channels in a category that does not play.
    ///
    /// Apple: `AVAudioNode.outputFormat(forBus:)`
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0 else { return .none }
        let (engine, manual) = GraphLock.withLock { (facts.engine, facts.engine?.rendering.manual?.format) }
        return manual ?? engine?.device.format ?? .defaultOfNodes
    }
}

/// One bus of a node, as an end of a connection.
///
/// Immutable; any thread may use it. It does not retain the node.
///
/// Apple: `AVAudioConnectionPoint`
// SAFETY: the bus is a constant, and the runtime protects weak references.
nonisolated open class AVAudioConnectionPoint: NSObject, @unchecked Sendable {
    /// The node; nil when it is gone.
    ///
    /// Apple: `AVAudioConnectionPoint.node`
    public private(set) weak var node: AVAudioNode?

    /// The bus.
    ///
    /// Apple: `AVAudioConnectionPoint.bus`
    public let bus: AVAudioNodeBus

    /// A bus of a node.
    ///
    /// Apple: `AVAudioConnectionPoint.init(node:bus:)`
    public init(node: AVAudioNode, bus: AVAudioNodeBus) {
        self.node = node
        self.bus = bus
        super.init()
    }
}

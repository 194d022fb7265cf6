internal import AudioGraph

/// The place of a sound between left and right in a stereo mixer.
///
/// Apple: `AVAudioStereoMixing`
public protocol AVAudioStereoMixing: NSObjectProtocol {
    /// The place, from −1 (left) to 1 (right); 0 at first.
    ///
    /// Values beyond are kept as they are and sound as these do; NaN is ignored.
    ///
    /// Apple: `AVAudioStereoMixing.pan`
    var pan: Float { get set }
}

/// The way in which a mixer takes the sound of a node.
///
/// The values of a node hold for all its connections to mixers, those of a destination for one. A change while sound
/// runs is a ramp over one block.
///
/// Apple: `AVAudioMixing`, without the protocol for sounds in space
public protocol AVAudioMixing: AVAudioStereoMixing {
    /// The linear gain; 1 at first. Values beyond 1 amplify; NaN is ignored.
    ///
    /// Apple: `AVAudioMixing.volume`
    var volume: Float { get set }

    /// The node's connection to one input of a mixer; nil without such a connection.
    ///
    /// Apple: `AVAudioMixing.destination(forMixer:bus:)`
    func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination?
}

/// The way in which one input of a mixer takes the sound of a node.
///
/// Any thread may use it. It has an effect as long as the connection exists.
///
/// Apple: `AVAudioMixingDestination`
// SAFETY: the connection is a constant, and its input has atomics only.
nonisolated open class AVAudioMixingDestination: NSObject, AVAudioMixing, @unchecked Sendable {
    private let connection: GraphConnection

    init(_ connection: GraphConnection) {
        self.connection = connection
        super.init()
    }

    /// The input of the mixer.
    ///
    /// Apple: `AVAudioMixingDestination.connectionPoint`
    public var connectionPoint: AVAudioConnectionPoint {
        AVAudioConnectionPoint(node: connection.destination, bus: connection.destinationBus)
    }

    /// The linear gain of this connection, until the node's own is set.
    ///
    /// Apple: `AVAudioMixing.volume`
    public var volume: Float {
        get { connection.input.volume }
        set { connection.input.volume = newValue }
    }

    /// The place of this connection between left and right, until the node's own is set.
    ///
    /// Apple: `AVAudioStereoMixing.pan`
    public var pan: Float {
        get { connection.input.pan }
        set { connection.input.pan = newValue }
    }

    /// This object for its own connection, else nil.
    ///
    /// Apple: `AVAudioMixing.destination(forMixer:bus:)`
    public func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        mixer === connection.destination && bus == connection.destinationBus ? self : nil
    }
}

// The implementation for all nodes that adopt the protocol.
extension AVAudioMixing where Self: AVAudioNode {
    /// The linear gain at all mixers that the node is connected to; 1 at first.
    ///
    /// It belongs to the inputs of mixers: a tap on the node does not hear it. NaN is ignored.
    ///
    /// Apple: `AVAudioMixing.volume`
    public var volume: Float {
        get { GraphLock.withLock { facts.volume } }
        set {
            guard !newValue.isNaN else { return }
            GraphLock.withLock {
                facts.volume = newValue
                for connection in mixed { connection.input.volume = newValue }
            }
        }
    }

    /// The place between left and right at all mixers that the node is connected to; 0 at first.
    ///
    /// NaN is ignored.
    ///
    /// Apple: `AVAudioStereoMixing.pan`
    public var pan: Float {
        get { GraphLock.withLock { facts.pan } }
        set {
            guard !newValue.isNaN else { return }
            GraphLock.withLock {
                facts.pan = newValue
                for connection in mixed { connection.input.pan = newValue }
            }
        }
    }

    /// The node's connection to one input of a mixer; nil without such a connection.
    ///
    /// Apple: `AVAudioMixing.destination(forMixer:bus:)`
    public func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        GraphLock.withLock {
            mixed.first { $0.destination === mixer && $0.destinationBus == bus }?.mixingDestination()
        }
    }

    private var mixed: [GraphConnection] {
        facts.engine?.graph.connections.connections(from: self).filter { $0.destination is AVAudioMixerNode } ?? []
    }
}

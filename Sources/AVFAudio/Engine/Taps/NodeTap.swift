internal import AudioGraph

/// A function that gets the sound of a node, buffer by buffer.
///
/// It is called on a queue of the library's, one call at a time, in order; it may allocate, lock and wait. The buffer is
/// the function's to keep. The time is that of its first frame, in frames of the buffer. On a device it also has the host
/// time at which the frame is heard, or was captured.
///
/// Apple: `AVAudioNodeTapBlock`
public typealias AVAudioNodeTapBlock = (_ buffer: AVAudioPCMBuffer, _ when: AVAudioTime) -> Void

/// The app's function behind a tap, in either form.
enum TapFunction {
    case buffer(AVAudioNodeTapBlock)
    case readOnly(@Sendable (AVReadOnlyAudioPCMBuffer, AVAudioTime) -> Void)
}

/// A tap of a node: it gathers what was rendered into buffers and hands them to the app's function.
// SAFETY: `GraphLock` and `gathering` are both held to change the way of the sound; `gathering` protects what is gathered,
// `state` whether the tap is installed; the function runs on the queue, which alone touches `anchor`.
final class NodeTap: @unchecked Sendable {
    private static let key = DispatchSpecificKey<ObjectIdentifier>()
    /// The room of a window: more than half a second at 192 kHz, and the longest block many times.
    private static let room = 131_072

    /// What the graph writes and the tap reads, between two blocks.
    private(set) var window: TapBuffer
    /// The way to the app's buffers; nil while the sound cannot be converted to them.
    private var way: TapWay?
    private let wanted: AVAudioFormat?
    private let wish: AVAudioFrameCount
    private let function: TapFunction
    /// The time of the node's newest block.
    private let newest: @Sendable () -> AVAudioTime?
    /// The last such time, for buffers that are sent after a stop; touched on the queue.
    private var anchor: AVAudioTime?
    private let queue = DispatchQueue(label: "AVAudioNode.tap")
    private let gathering = NSLock()
    private let state = NSLock()
    private var isRemoved = false

    /// A tap on sound of a format, in buffers of another one or, if that is nil, of the sound's.
    ///
    /// - Parameter newest: The time of the node's newest block, which tells the host times of buffers; called on the
    ///   tap's queue.
    ///
    /// Throws −10868 if the sound cannot be converted to the format.
    init(
        _ sound: AVAudioFormat, _ wanted: AVAudioFormat?, bufferSize: AVAudioFrameCount, _ function: TapFunction,
        newest: @escaping @Sendable () -> AVAudioTime?
    ) throws {
        guard let way = TapWay(sound, wanted ?? sound, wish: bufferSize) else {
            throw NSError.engine(
                .formatNotSupported,
                "A tap cannot convert \(sound.summary) to \((wanted ?? sound).summary).")
        }
        self.way = way
        self.wanted = wanted
        wish = bufferSize
        self.function = function
        self.newest = newest
        window = TapBuffer(channels: Int(sound.channelCount), capacity: Self.room)
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    }

    /// Whether the buffers have the sound's format, whatever it is.
    var followsSound: Bool { wanted == nil }

    /// Goes on with sound of another format; called with ``GraphLock`` held, before the graph is compiled.
    func follow(_ sound: AVAudioFormat) {
        gathering.withLock {
            way = TapWay(sound, wanted ?? sound, wish: wish)
            window = TapBuffer(channels: Int(sound.channelCount), capacity: Self.room)
        }
    }

    /// Gathers what was rendered, and sends full buffers to the app's function; waits for nobody.
    func gather() {
        gathering.withLock {
            while let (count, position) = window.waiting(GraphCompiler.longestBlock) {
                way?.take(window, count, position) { send($0, $1) }
                window.consume(count)
            }
        }
    }

    private func send(_ buffer: AVAudioPCMBuffer, _ when: AVAudioTime) {
        let sent = AVReadOnlyAudioPCMBuffer(owning: buffer)
        queue.async { [self] in
            guard !state.withLock({ isRemoved }) else { return }
            anchor = newest() ?? anchor
            let when = anchor.flatMap(when.extrapolateTime(fromAnchor:)) ?? when
            switch function {
            case .buffer(let block): block(sent.buffer, when)
            case .readOnly(let provider): provider(sent, when)
            }
        }
    }

    /// Ends the tap: no call of the function runs when it returns, unless it was called by the function itself.
    func remove() {
        state.withLock { isRemoved = true }
        guard DispatchQueue.getSpecific(key: Self.key) != ObjectIdentifier(self) else { return }
        queue.sync {}
    }
}

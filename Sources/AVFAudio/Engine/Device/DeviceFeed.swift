internal import AudioHost
internal import AudioRealtime
internal import Locks
internal import Synchronization

/// The way of an engine's sound into the session's output: a thread renders blocks into a ring, one block ahead.
///
/// What was rendered and not heard stays in the ring, so that a pause loses nothing and no block is rendered twice.
/// Rendering itself takes no lock. Between two blocks the thread takes the host's, to hand over what it has rendered.
final class DeviceFeed: SoundSource {
    /// The most frames of a block, and the least.
    private static let limits = 64...GraphCompiler.longestBlock

    let ring: Voice
    /// The frames of a block: as many as the output takes at a time.
    let frames: Int
    let refillThreshold: Int

    private static let unknown = Int.min
    /// The position in the rendering of the ring's first frame.
    private let base = Atomic<Int>(DeviceFeed.unknown)
    private let isOver = Atomic<Bool>(false)
    private let rendering: EngineRendering
    private let device: DeviceRendering
    private let channels: [Channel]
    private let onInterrupted: @Sendable () -> Void
    private let sound = Guarded<(any HostSound)?>(nil)
    private let thread = Guarded<RenderThread?>(nil)

    /// A feed with an empty ring.
    ///
    /// - Parameters:
    ///   - rendering: Renders the blocks while the engine runs.
    ///   - device: Its part for the device, in the output's format.
    ///   - place: The output.
    ///   - onInterrupted: Called with the host's lock held when the session has stopped the sound.
    init(
        _ rendering: EngineRendering, _ device: DeviceRendering, for place: OutputPlace,
        onInterrupted: @escaping @Sendable () -> Void
    ) {
        self.rendering = rendering
        self.device = device
        self.onInterrupted = onInterrupted
        channels = place.channels
        let wanted = Int((place.period * Double(place.rate)).rounded())
        frames = min(max(wanted, Self.limits.lowerBound), Self.limits.upperBound)
        let history = Int(place.historySeconds * Double(place.rate))
        ring = Voice(
            channels: channels.count, matrix: ChannelMatrix(from: channels, to: channels), capacity: frames,
            history: history)
        // The ring may have more room than was asked for. A block is rendered when all of the last one was taken.
        refillThreshold = ring.writableFrames
    }

    /// Begins to render for a sound of a host.
    func attach(_ sound: any HostSound, on host: any AudioHost) {
        self.sound.withLock { $0 = sound }
        let made = RenderThread("AVAudioEngine.render", on: host) { [weak self] in self?.fill() }
        thread.withLock { $0 = made }
    }

    /// Renders nothing any more; a block that is being rendered is not waited for.
    func end() {
        isOver.store(true, ordering: .releasing)
        thread.withLock { $0 }?.end()
        sound.withLock { $0 = nil }
    }

    /// The position in the rendering of the frame that is heard now; nil before the first block.
    var heard: Int? {
        let first = base.load(ordering: .acquiring)
        guard first != Self.unknown, let sound = sound.withLock({ $0 }) else { return nil }
        return first + sound.status.frame
    }

    private func fill() {
        var hasNews = false
        while !isOver.load(ordering: .acquiring), ring.writableFrames >= refillThreshold,
            let position = rendering.render(device, frames: frames, to: ring, heard: heard)
        {
            _ = base.compareExchange(expected: Self.unknown, desired: position, ordering: .releasing)
            hasNews = true
        }
        if hasNews { sound.withLock { $0 }?.didWrite() }
    }

    // MARK: The host's requests

    func matrix(to channels: [Channel]) -> ChannelMatrix { ChannelMatrix(from: self.channels, to: channels) }

    func refill() { thread.withLock { $0 }?.wake() }

    func finished() {}

    func interrupted() { onInterrupted() }

    func redecode() { sound.withLock { $0 }?.didRedecode() }
}

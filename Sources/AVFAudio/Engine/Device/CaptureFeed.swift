internal import AudioHost
internal import Locks

/// The way of captured frames into an engine: a thread renders them as they come.
///
/// Frames wait for the thread in memory, for ten seconds of sound at most; what comes beyond that is lost.
final class CaptureFeed: CaptureReceiver {
    private struct Waiting {
        /// Interleaved samples.
        var samples: [Float] = []
        var isOver = false
    }

    private static let mostSeconds = 10.0

    private let capture: CaptureRendering
    private let rendering: EngineRendering
    private let onInterrupted: @Sendable () -> Void
    private let waiting = Guarded(Waiting())
    private let thread = Guarded<RenderThread?>(nil)
    private var channels: Int { Int(capture.format.channelCount) }

    /// A feed whose thread runs.
    ///
    /// - Parameters:
    ///   - rendering: Renders the blocks while the engine runs.
    ///   - capture: Its part for the capture, in the capture's format.
    ///   - host: The host that captures.
    ///   - onInterrupted: Called with the host's lock held when the session has stopped the capture.
    init(
        _ rendering: EngineRendering, _ capture: CaptureRendering, on host: any AudioHost,
        onInterrupted: @escaping @Sendable () -> Void
    ) {
        self.rendering = rendering
        self.capture = capture
        self.onInterrupted = onInterrupted
        let made = RenderThread("AVAudioEngine.capture", on: host) { [weak self] in self?.render() }
        thread.withLock { $0 = made }
    }

    /// Renders nothing any more; a block that is being rendered is not waited for.
    func end() {
        waiting.withLock { $0 = Waiting(isOver: true) }
        thread.withLock { $0 }?.end()
    }

    private func render() {
        let samples = waiting.withLock { waiting in
            defer { waiting.samples = [] }
            return waiting.samples
        }
        let frames = samples.count / channels
        samples.withUnsafeBufferPointer { samples in
            guard let first = samples.baseAddress else { return }
            var done = 0
            while done < frames {
                let count = min(frames - done, GraphCompiler.longestBlock)
                rendering.render(capture, first + done * channels, frames: count)
                done += count
            }
        }
    }

    // MARK: The host's deliveries

    func receive(_ bytes: UnsafeRawBufferPointer?, count: Int) {
        let most = Int(Self.mostSeconds * capture.format.sampleRate) * channels
        waiting.withLock { waiting in
            let room = most - waiting.samples.count
            let wanted = min(count / MemoryLayout<Float>.stride, room / channels * channels)
            guard !waiting.isOver, wanted > 0 else { return }
            if let bytes {
                waiting.samples.append(contentsOf: bytes.bindMemory(to: Float.self).prefix(wanted))
            } else {
                waiting.samples.append(contentsOf: repeatElement(0, count: wanted))
            }
        }
        thread.withLock { $0 }?.wake()
    }

    func prepare(forDuration duration: Double?, plus coming: Int) -> CaptureReadiness { .ready }

    func seconds(plus coming: Int, isRunning: Bool) -> Double { 0 }

    func interrupted(wasRunning: Bool) { if wasRunning { onInterrupted() } }

    func rested() {}

    var isUrgent: Bool { false }

    func inputChanged(_ news: CaptureNews) {}

    func ended() {}
}

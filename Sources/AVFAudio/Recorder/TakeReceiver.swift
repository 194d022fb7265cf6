internal import AudioHost
internal import AudioSession
internal import Dispatch
internal import Locks

/// A weak reference to a recorder, for closures on threads that must not release it: they pass the reference on.
final class RecorderReference: Sendable {
    private struct Reference { weak var core: RecorderCore? }

    private let reference: Guarded<Reference>

    init(_ core: RecorderCore) { reference = Guarded(Reference(core: core)) }

    var core: RecorderCore? { reference.withLock { $0.core } }
}

/// The receiver of a recorder's capture: hands frames to the take, once there is one, and events to the recorder.
final class TakeReceiver: CaptureReceiver {
    private struct Filling {
        let take: Take
        let mark: TakeMark
    }

    private let filling = Guarded<Filling?>(nil)
    private let me: RecorderReference
    private let endings: DispatchQueue
    private let flag: InterruptedFlag

    init(of core: RecorderCore) {
        me = RecorderReference(core)
        endings = core.endings
        flag = core.interrupted
    }

    /// Sets the take to fill.
    func fill(_ take: Take, _ mark: TakeMark) { filling.withLock { $0 = Filling(take: take, mark: mark) } }

    private var take: Take? { filling.withLock { $0?.take } }

    func receive(_ bytes: UnsafeRawBufferPointer?, count: Int) { take?.receive(bytes, count: count) }

    func prepare(forDuration duration: Double?, plus coming: Int) -> CaptureReadiness {
        guard let take else { return .ready }
        guard !take.isComplete else { return .complete }
        return take.setLimit(duration ?? .infinity, plus: coming) ? .ready : .nothingWanted
    }

    func seconds(plus coming: Int, isRunning: Bool) -> Double {
        take?.seconds(plus: coming, isRunning: isRunning) ?? 0
    }

    func interrupted(wasRunning: Bool) {
        if wasRunning { flag.set() } else { _ = flag.clear() }
    }

    func rested() { take?.secure() }

    var isUrgent: Bool { take?.isNearLimit == true }

    func inputChanged(_ news: CaptureNews) {
        let change = AVAudioRecorderInputChange(news)
        Delivery.perform { [me] in me.core?.onInputChange(change) }
    }

    func ended() {
        guard let (take, mark) = filling.withLock({ $0.map { ($0.take, $0.mark) } }) else { return }
        // At once: the app may begin the next take before this one is complete.
        if take.frames > 0 { mark.breakOff() }
        endings.async { [me] in me.core?.streamEnded(take) }
    }
}

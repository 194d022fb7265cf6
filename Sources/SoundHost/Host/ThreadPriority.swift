internal import AudioHost
internal import DesktopBus
internal import Glibc
internal import PulseClient

/// The priority of the main loop's thread, raised while the session is active, like that of the server's own threads.
///
/// The thread renders the sound, and silences it when headphones are unplugged: each millisecond of delay is audible on
/// the loudspeakers. The nice value also lets playing sessions react to an activation before idle ones. The kernel
/// grants it to few users, RealtimeKit to all.
///
/// An instance is only touched with the main loop's lock held.
final class ThreadPriority {
    /// PulseAudio's own value (`nice-level`).
    private static let nice: Int32 = -11

    /// The loop thread's kernel thread ID, and its original nice value.
    private var thread: (id: Int32, nice: Int32)?
    private var isRaised = false

    /// Records the calling thread as the loop's.
    func noteLoopThread() {
        let id = KernelThread.current
        guard thread == nil, id > 0 else { return }
        thread = (id, getpriority(Self.threads, id_t(id)))
    }

    /// Raises or restores the priority, as far as the kernel allows.
    func setRaised(_ raised: Bool) {
        guard raised != isRaised, let thread else { return }
        if setpriority(Self.threads, id_t(thread.id), raised ? Self.nice : thread.nice) == 0 { isRaised = raised }
    }

    /// Requests a priority from RealtimeKit that the kernel denied; the answer comes some milliseconds later.
    func requestRealtimeKit(on bus: SessionBus) {
        guard !isRaised, let thread else { return }
        bus.raisePriority(ofThread: thread.id, nice: Self.nice)
        isRaised = true
    }

    /// Gives a thread that renders live sound the raised priority, for as long as it lives.
    ///
    /// - Parameters:
    ///   - thread: Its kernel thread ID.
    ///   - bus: Returns the bus of RealtimeKit, which is asked if the kernel refuses.
    static func raise(_ thread: Int32, asking bus: () -> SessionBus?) {
        guard thread > 0, setpriority(threads, id_t(thread), nice) != 0 else { return }
        bus()?.raisePriority(ofThread: thread, nice: nice)
    }

    private static var threads: __priority_which_t { __priority_which_t(PRIO_PROCESS.rawValue) }
}

internal import DesktopBus
internal import Glibc
internal import PulseClient

/// The priority of the main loop's thread, raised while the session is active, like that of the server's own threads.
///
/// The thread renders the sound, and silences it when headphones are unplugged: each millisecond of delay is audible on
/// the loudspeakers. The nice value also lets playing sessions react to an activation before idle ones. The kernel
/// grants it to few users, RealtimeKit to all.
///
/// Only touched with the main loop's lock held.
final class ThreadPriority {
    /// PulseAudio's own value (`nice-level`).
    private static let nice: Int32 = -11

    /// The loop thread's kernel thread ID, and its original nice value.
    private var thread: (id: Int32, nice: Int32)?
    private var isRaised = false

    /// Records the calling thread as the loop's.
    func noteLoopThread() {
        guard thread == nil, let id = Self.threadID else { return }
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

    private static var threads: __priority_which_t { __priority_which_t(PRIO_PROCESS.rawValue) }

    /// The calling thread's kernel thread ID; Swift does not see `gettid`.
    private static var threadID: Int32? {
        var target = [CChar](repeating: 0, count: 64)
        guard readlink("/proc/thread-self", &target, target.count - 1) > 0 else { return nil }
        return String(decoding: target.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).split(separator: "/").last
            .flatMap { Int32($0) }
    }
}

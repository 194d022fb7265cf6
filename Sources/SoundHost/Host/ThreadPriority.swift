internal import DesktopBus
internal import Glibc
internal import PulseClient

/// The priority of the main loop's thread, raised while the session is active, as the server's own threads are.
///
/// That thread renders the sound, and silences it when the headphones are pulled: every millisecond that it waits for a
/// processor is one in which others hear what nobody was to hear. And of fifty sessions that learn of an activation, those
/// that play come first. The kernel allows it to few users; RealtimeKit to all.
///
/// Only touched with the main loop's lock held.
final class ThreadPriority {
    /// PulseAudio's own value (`nice-level`).
    private static let nice: Int32 = -11

    /// The loop thread's kernel thread ID, and its original nice value.
    private var thread: (id: Int32, nice: Int32)?
    private var isRaised = false

    /// Remembers the calling thread as the loop's.
    func noteLoopThread() {
        guard thread == nil, let id = Self.threadID else { return }
        thread = (id, getpriority(Self.threads, id_t(id)))
    }

    /// Raises the priority, or takes it back, as far as the kernel allows that.
    func setRaised(_ raised: Bool) {
        guard raised != isRaised, let thread else { return }
        if setpriority(Self.threads, id_t(thread.id), raised ? Self.nice : thread.nice) == 0 { isRaised = raised }
    }

    /// Asks RealtimeKit for a priority that the kernel did not allow; it is granted some milliseconds later.
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

internal import DesktopBus
internal import Glibc

extension PulseHost {
    /// Puts the loop's thread, which this is, before those that only compute, as the server does with its own.
    ///
    /// It renders the sound, and silences it when the headphones are pulled: every millisecond that it waits for a processor
    /// is one in which others hear what nobody was to hear. The kernel allows it to few users; RealtimeKit to all.
    func hurry() {
        guard !isHurried else { return }
        isHurried = true
        // PulseAudio's own value (`nice-level`).
        let nice: Int32 = -11
        guard setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice) != 0, let thread = Self.threadNumber
        else { return }
        machineBus?.raisePriority(ofThread: thread, nice: nice)
    }

    /// The kernel's number of the thread; Swift does not see `gettid`.
    private static var threadNumber: Int32? {
        var target = [CChar](repeating: 0, count: 64)
        guard readlink("/proc/thread-self", &target, target.count - 1) > 0 else { return nil }
        return String(decoding: target.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).split(separator: "/").last
            .flatMap { Int32($0) }
    }
}

internal import DesktopBus
internal import Glibc
internal import PulseClient
internal import SessionPolicy

// While the session is active, the loop's thread is run before those that only compute, as the server's own are: it
// renders the sound, and silences it when the headphones are pulled. Every millisecond that it waits for a processor is
// one in which others hear what nobody was to hear. And of fifty sessions that learn of an activation, those that play
// come first. The kernel allows it to few users; RealtimeKit to all.
extension PulseHost {
    /// PulseAudio's own value (`nice-level`).
    private static let nice: Int32 = -11

    /// Remembers which thread is the loop's, which has to be the calling one.
    func noteLoopThread() {
        guard loopThread == nil, let number = Self.threadNumber else { return }
        loopThread = number
        usualNice = getpriority(Self.threads, id_t(number))
    }

    /// Runs the loop's thread before others, or among them, as far as the kernel allows that.
    func setHurried(_ hurried: Bool) {
        guard hurried != isHurried, let loopThread else { return }
        if setpriority(Self.threads, id_t(loopThread), hurried ? Self.nice : usualNice) == 0 { isHurried = hurried }
    }

    /// The same where the kernel does not allow it, for once: it is there some milliseconds later.
    func askToBeHurried() {
        guard !isHurried, let loopThread, let machineBus else { return }
        machineBus.raisePriority(ofThread: loopThread, nice: Self.nice)
        isHurried = true
    }

    private static var threads: __priority_which_t { __priority_which_t(PRIO_PROCESS.rawValue) }

    /// The kernel's number of the thread; Swift does not see `gettid`.
    private static var threadNumber: Int32? {
        var target = [CChar](repeating: 0, count: 64)
        guard readlink("/proc/thread-self", &target, target.count - 1) > 0 else { return nil }
        return String(decoding: target.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).split(separator: "/").last
            .flatMap { Int32($0) }
    }
}

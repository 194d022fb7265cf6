internal import Glibc
internal import PulseClient

/// A poll for stopped processes of this machine (Ctrl-Z, a debugger) and frozen ones (``ProcessFreezer``).
///
/// They cannot undo their effect on others, so sessions count them as absent. The poll runs four times a second, and only
/// while there are processes to watch.
///
/// Use it with the main loop's lock held.
final class StoppedProcesses {
    /// The participants that have been stopped for a second.
    private(set) var ids: Set<UInt32> = []
    private var watched: [UInt32: Int32] = [:]
    private var stoppedLooks: [UInt32: Int] = [:]
    private var timer: MainloopTimer?
    private let mainloop: Mainloop
    private let onChange: () -> Void

    /// The interval of the poll, and the number of polls in a row after which a process counts as stopped: one second.
    private static let interval = Duration.milliseconds(250)
    private static let looksUntilStopped = 4

    init(mainloop: Mainloop, onChange: @escaping () -> Void) {
        self.mainloop = mainloop
        self.onChange = onChange
    }

    /// Polls these participants' processes from now on.
    func watch(_ processes: [(id: UInt32, pid: Int32)]) {
        watched = Dictionary(processes.map { ($0.id, $0.pid) }) { first, _ in first }
        stoppedLooks = stoppedLooks.filter { watched[$0.key] != nil }
        ids.formIntersection(watched.keys)
        if watched.isEmpty {
            timer = nil
        } else if timer == nil {
            schedule()
        }
    }

    private func schedule() {
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.look() }
        timer.start(after: Self.interval)
        self.timer = timer
    }

    private func look() {
        timer = nil
        for (id, pid) in watched {
            stoppedLooks[id] = Self.isStopped(pid) ? stoppedLooks[id, default: 0] + 1 : nil
        }
        let new = Set(stoppedLooks.filter { $0.value >= Self.looksUntilStopped }.keys)
        let isNews = new != ids
        ids = new
        if !watched.isEmpty { schedule() }
        if isNews { onChange() }
    }

    /// Whether a process of this machine is stopped or frozen; one that does not exist is not.
    static func isStopped(_ pid: Int32) -> Bool {
        guard let file = fopen("/proc/\(pid)/stat", "re") else { return false }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 512)
        let length = fread(&buffer, 1, buffer.count - 1, file)
        // The state follows the name, which is in parentheses and can contain anything.
        guard let end = buffer[..<length].lastIndex(of: CChar(UInt8(ascii: ")"))), end + 2 < length else {
            return false
        }
        let state = UInt8(bitPattern: buffer[end + 2])
        if state == UInt8(ascii: "T") || state == UInt8(ascii: "t") { return true }
        // A running process is not frozen.
        return state != UInt8(ascii: "R") && ProcessFreezer.holds(pid)
    }
}

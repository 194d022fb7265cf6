import Foundation
import Locks

/// The longest waits that a test met so far, in seconds.
struct Stalls: Sendable {
    /// How late a thread woke that sleeps 5 ms at a time.
    var thread = 0.0
    /// How late a task woke that sleeps 5 ms at a time, on the threads that tests share (``TestThreads``).
    var task = 0.0
    /// For how long, in two looks at it, a thread of another process waited for a processor.
    var process = 0.0
    /// The process that waited so long.
    var name = ""

    /// The stall that spoils what is judged, in words with its length; nil if there was none.
    func spoiling(_ judgement: Judgement) -> String? {
        if thread >= judgement.tolerance { return String(format: "a thread woke %.1f ms late", thread * 1000) }
        if process >= judgement.tolerance {
            return String(format: "%@ waited %.1f ms for a processor", name, process * 1000)
        }
        if task >= judgement.taskTolerance { return String(format: "a task woke %.1f ms late", task * 1000) }
        return nil
    }

    /// All of it, in words.
    var description: String {
        String(
            format: "a thread woke %.1f ms late at most, a task %.1f ms; a program waited %.1f ms for a processor",
            thread * 1000, task * 1000, process * 1000)
    }
}

/// Measures for how long the machine keeps a test waiting, while the test runs.
///
/// One thread and one task of the test process do it for all tests that judge something. They sleep to be woken: how
/// late that happens is the measure, and no test waits for it. For other processes the kernel says how long each thread
/// waited for a processor (`/proc/PID/task/TID/schedstat`).
final class StallWatch: Sendable {
    static let shared = StallWatch()
    private static let pace = 0.005

    /// What one test has met.
    final class Witness: Sendable {
        private let state = Guarded((stalls: Stalls(), processes: [pid_t]()))

        /// The stalls since the last beginning.
        var soFar: Stalls { state.withLock { $0.stalls } }

        /// Forgets what there was, processes aside.
        func begin() { state.withLock { $0.stalls = Stalls() } }

        /// Adds a process whose waits spoil sound.
        func watch(_ process: pid_t) { state.withLock { $0.processes.append(process) } }

        fileprivate var watched: [pid_t] { state.withLock { $0.processes } }
        fileprivate func note(_ change: (inout Stalls) -> Void) { state.withLock { change(&$0.stalls) } }
    }

    private let state = Guarded((witnesses: [ObjectIdentifier: Witness](), isRunning: false))

    /// Measures for a test until it is removed.
    func add(_ witness: Witness) {
        let isFirst = state.withLock { state in
            state.witnesses[ObjectIdentifier(witness)] = witness
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        Thread.detachNewThread { [self] in measureThreads() }
        Task.detached(executorPreference: TestThreads.shared) { [self] in await measureTasks() }
    }

    func remove(_ witness: Witness) {
        state.withLock { $0.witnesses[ObjectIdentifier(witness)] = nil }
    }

    private var all: [Witness] { state.withLock { Array($0.witnesses.values) } }

    private func measureThreads() {
        var waits = ProcessorWaits()
        var last = Self.now
        while true {
            // The measuring clock: nothing waits for it.
            usleep(UInt32(Self.pace * 1e6))
            let (now, witnesses) = (Self.now, all)
            let late = now - last - Self.pace
            waits.update(processes: witnesses.flatMap(\.watched), at: now)
            for witness in witnesses {
                let worst = witness.watched.max { waits.longest[$0, default: 0] < waits.longest[$1, default: 0] }
                let wait = worst.flatMap { waits.longest[$0] } ?? 0
                witness.note {
                    $0.thread = max($0.thread, late)
                    if wait > $0.process, let worst { ($0.process, $0.name) = (wait, ProcessorWaits.name(of: worst)) }
                }
            }
            // The time of measuring is no lateness, but is kept in view: it is this thread's own.
            last = Self.now
        }
    }

    private func measureTasks() async {
        var last = Self.now
        while true {
            // The same for tasks.
            try? await Task.sleep(for: .seconds(Self.pace))
            let late = Self.now - last - Self.pace
            last = Self.now
            for witness in all { witness.note { $0.task = max($0.task, late) } }
        }
    }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}

/// For how long the threads of some processes waited for a processor, between two looks.
private struct ProcessorWaits {
    /// How often the kernel is asked, and how often for new threads, in seconds.
    private static let (pace, scanPace) = (0.01, 0.2)

    /// For each process, what a thread of it waited in the last two looks, in seconds.
    private(set) var longest: [pid_t: Double] = [:]

    private struct Thread {
        let process: pid_t
        let descriptor: Int32
        var total: Double
        /// What it waited between the two last looks.
        var recent = 0.0
    }

    private var threads: [String: Thread] = [:]
    private var (lastLook, lastScan) = (0.0, 0.0)

    mutating func update(processes: [pid_t], at now: Double) {
        guard now - lastLook >= Self.pace else { return }
        lastLook = now
        if now - lastScan >= Self.scanPace {
            lastScan = now
            scan(Set(processes))
        }
        longest = [:]
        for (key, thread) in threads {
            guard let total = Self.wait(thread.descriptor) else {
                close(thread.descriptor)
                threads[key] = nil
                continue
            }
            let news = total - thread.total
            longest[thread.process] = max(longest[thread.process, default: 0], news + thread.recent)
            threads[key]?.total = total
            threads[key]?.recent = news
        }
    }

    private mutating func scan(_ processes: Set<pid_t>) {
        for (key, thread) in threads where !processes.contains(thread.process) {
            close(thread.descriptor)
            threads[key] = nil
        }
        for process in processes {
            let folder = "/proc/\(process)/task"
            for thread in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                let path = "\(folder)/\(thread)/schedstat"
                guard threads[path] == nil else { continue }
                let descriptor = open(path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                guard let total = Self.wait(descriptor) else {
                    close(descriptor)
                    continue
                }
                threads[path] = Thread(process: process, descriptor: descriptor, total: total)
            }
        }
    }

    /// What a thread has waited since its start, in seconds; nil if it is gone.
    private static func wait(_ descriptor: Int32) -> Double? {
        // Nanoseconds on a processor, nanoseconds waiting for one, slices.
        var text = [UInt8](repeating: 0, count: 96)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        let words = text[..<count].split(separator: UInt8(ascii: " "))
        return words.count > 1 ? Double(String(decoding: words[1], as: UTF8.self)).map { $0 / 1e9 } : nil
    }

    static func name(of process: pid_t) -> String {
        let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "a program"
    }
}

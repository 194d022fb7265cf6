import Foundation
import Glibc
import Locks
import SessionHistory
import TestSupport
import Testing

/// The bounds of a history: bytes, days, and a disk that is full.
@Suite("The bounds of a history", .limited) struct HistoryLimitTests {
    @Test("a week of events every eight seconds stays below the bytes, and keeps the newest without a gap")
    func week() throws {
        try withFolder { folder in
            let time = TestClocks()
            let limits = HistoryLimits(bytes: 1_000_000)
            let store = try HistoryStore(folder, limits: limits, clocks: time.clocks)
            var most = 0
            for number in 0..<302_400 / 4 {
                time.pass(8)
                let fields: [String: HistoryValue] = [
                    "app": .text("Music"), "pid": .number(7_842), "number": .number(Double(number)),
                ]
                #expect(store.append(HistoryEvent("active", at: time.now, fields)) == .written)
                if number % 1_000 == 0 { most = max(most, folder.sizes.values.reduce(0, +)) }
            }
            #expect(most <= limits.bytes)
            let numbers = try HistoryReader(folder).events.compactMap { $0.integer("number") }
            #expect(numbers.last == 302_400 / 4 - 1)
            #expect(numbers == Array((numbers.first ?? 0)...(numbers.last ?? 0)))
            #expect(most > limits.bytes / 2, "what there is room for is kept")
        }
    }

    /// The lines of an interruption as a log writes them: events, and the explanations that changed.
    private func interruption(_ number: Int, at moment: Moment) -> [HistoryEvent] {
        let victim: [String: HistoryValue] = [
            "app": "Music", "pid": .number(7_842), "host": "stue", "client": .number(12),
        ]
        let culprit: [String: HistoryValue] = [
            "app": "Film", "pid": .number(Double(number)), "client": .number(Double(number)),
        ]
        let cause: [String: HistoryValue] = [
            "type": "began", "by": "Film", "byPid": .number(Double(number)), "rule": "newerSession",
        ]
        let sentence = "It is interrupted by Film (pid \(number)), which is newer and does not mix with others."
        return [
            HistoryEvent("active", at: moment, culprit),
            HistoryEvent("interruption", at: moment, victim.merging(cause) { $1 }),
            HistoryEvent(
                "explanation", at: moment,
                [
                    "subject": "session 12", "title": "Music (pid 7842)", "state": "interrupted",
                    "sentences": .list([sentence]),
                ]),
            HistoryEvent("inactive", at: moment, culprit.merging(["notify": .flag(true)]) { $1 }),
            HistoryEvent(
                "interruption", at: moment, victim.merging(["type": "ended", "shouldResume": .flag(true)]) { $1 }),
        ]
    }

    @Test("a week of a busy desktop, with levels for eight hours a day, stays within the default bounds, and is kept")
    func desktopWeek() async {
        // A process of its own, whose memory no other test uses.
        await #expect(processExitsWith: .success) { try HistoryLimitTests().writeDesktopWeek() }
    }

    private func writeDesktopWeek() throws {
        try withFolder { folder in
            let time = TestClocks()
            let store = try HistoryStore(folder, clocks: time.clocks)
            var (batches, most, interruptions) = (LevelBatches(seconds: 0.5), 0, 0)
            func write(_ events: [HistoryEvent]) {
                for event in events { #expect(store.append(event) == .written) }
            }
            write([HistoryEvent("logBegan", at: time.now)])
            let before = try anonymousMemory()
            // Ten seconds a step; an interruption every three minutes, by day and by night.
            for step in 0..<60_480 {
                let isWorkingTime = step % 8_640 < 2_880
                if isWorkingTime {
                    for part in 1...20 {
                        time.pass(0.5)
                        write(batches.add("alsa_output.analog-stereo", peak: -12 - Double(part), end: time.now))
                    }
                } else {
                    time.pass(10)
                }
                if step % 18 == 0 {
                    interruptions += 1
                    write(interruption(interruptions, at: time.now))
                }
                if step % 1_000 == 0 { most = max(most, folder.sizes.values.reduce(0, +)) }
            }
            #expect(most <= HistoryLimits().bytes)
            #expect(try anonymousMemory() - before < 4_000_000)
            let story = StoryFold.story(of: try HistoryReader(folder).events)
            let spans = try #require(story.track("Music")).spans.filter { $0.state == .interrupted }
            #expect(spans.last?.culprit?.process == interruptions, "the newest is there")
            #expect(
                most < HistoryLimits().bytes * 9 / 10 ? spans.count == interruptions : spans.count > interruptions / 2)
            #expect(try #require(story.curves.first).points.count > 20 * 2_880)
        }
    }

    @Test("events older than the days are deleted with their file, and younger ones are not")
    func days() throws {
        try withFolder { folder in
            let time = TestClocks()
            let store = try HistoryStore(folder, limits: HistoryLimits(days: 30), clocks: time.clocks)
            for day in 0..<90 {
                store.append(HistoryEvent("active", at: time.now, ["day": .number(Double(day))]))
                time.pass(86_400)
            }
            let days = try HistoryReader(folder).events.compactMap { $0.integer("day") }
            #expect(days.last == 89)
            #expect((59...60).contains(try #require(days.first)))
        }
    }

    @Test("what is too old is deleted too where the logger is started every day, and its clock is young at a new file")
    func daily() throws {
        try withFolder { folder in
            let time = TestClocks()
            for day in 0..<40 {
                let store = try HistoryStore(folder, limits: HistoryLimits(days: 30), clocks: time.clocks)
                for _ in 0..<8 {
                    time.pass(3_600)
                    store.append(HistoryEvent("active", at: time.now, ["day": .number(Double(day))]))
                }
                time.pass(16 * 3_600)
            }
            let days = try HistoryReader(folder).events.compactMap { $0.integer("day") }
            #expect(days.last == 39)
            #expect((9...11).contains(try #require(days.first)))
        }
    }

    @Test("a file that was put aside before the new one could be opened, as without descriptors, is no obstacle")
    func newFile() throws {
        try withFolder { folder in
            let store = try HistoryStore(folder, limits: HistoryLimits(bytes: 4_000))
            for number in 0..<2 { #expect(store.append(numbered(number)) == .written) }
            #expect(rename(folder.path + "/events.jsonl", folder.path + "/events-1.jsonl") == 0)
            for number in 2..<12 { #expect(store.append(numbered(number)) == .written) }
            #expect(try HistoryReader(folder).events.compactMap { $0.integer("number") } == Array(0..<12))
        }
    }

    @Test("a clock that jumps is noted, and deletes nothing that was written before", arguments: [4e8, -4e8])
    func jump(seconds: Double) throws {
        try withFolder { folder in
            let time = TestClocks()
            let store = try HistoryStore(folder, clocks: time.clocks)
            store.append(HistoryEvent("active", at: time.now))
            time.pass(10)
            time.jump(seconds)
            store.append(HistoryEvent("inactive", at: time.now))
            // A new file, at which old ones are looked at, while the jump is young.
            time.pass(100)
            time.jump(-seconds)
            store.append(HistoryEvent("active", at: time.now))
            let events = try HistoryReader(folder).events
            #expect(events.map(\.name) == ["active", "clockJumped", "inactive", "clockJumped", "active"])
            #expect(events[1].number("seconds") == seconds)
        }
    }

    @Test("on a full disk nothing that was written is lost, and what came meanwhile is written when there is room")
    func full() throws {
        try withFolder { folder in
            let disk = FullDisk()
            let store = try HistoryStore(folder, disk: disk.write)
            for number in 0..<20 { store.append(numbered(number)) }
            let size = try #require(folder.sizes["events.jsonl"])
            // A part of a line fits.
            disk.room.withLock { $0 = 30 }
            #expect(
                store.append(numbered(20)).trouble
                    == "cannot write \(folder.path)/events.jsonl: No space left on device")
            for number in 21..<30 { store.append(numbered(number)) }
            #expect(folder.sizes["events.jsonl"] == size, "no torn line is left")
            disk.room.withLock { $0 = nil }
            #expect(store.append(numbered(30)) == .written)
            let reader = try HistoryReader(folder)
            #expect(reader.events.compactMap { $0.integer("number") } == Array(0...30))
            #expect(reader.damagedLines == 0)
        }
    }

    @Test("a disk that stays full costs bounded memory, and the number of lost events is written afterwards")
    func fullForLong() throws {
        try withFolder { folder in
            let disk = FullDisk()
            let store = try HistoryStore(folder, disk: disk.write)
            store.append(numbered(0))
            disk.room.withLock { $0 = 0 }
            for number in 1...10_000 { store.append(numbered(number)) }
            disk.room.withLock { $0 = nil }
            #expect(store.append(numbered(10_001)) == .written)
            let events = try HistoryReader(folder).events
            let lost = try #require(events.first { $0.name == "eventsLost" }?.integer("count"))
            let numbers = events.compactMap { $0.integer("number") }
            #expect(numbers == [0] + Array((lost + 1)...10_001))
            #expect(lost > 1_000)
        }
    }

    private func numbered(_ number: Int) -> HistoryEvent {
        HistoryEvent("active", at: Script.moment(Double(number)), ["number": .number(Double(number))])
    }
}

/// A disk with so many bytes of room, or any number.
private final class FullDisk: Sendable {
    let room = Guarded<Int?>(nil)

    @Sendable func write(_ descriptor: Int32, _ line: [UInt8]) -> Int {
        room.withLock { room in
            guard let bytes = room else { return Glibc.write(descriptor, line, line.count) }
            guard bytes > 0 else {
                errno = ENOSPC
                return -1
            }
            room = max(0, bytes - line.count)
            let count = Glibc.write(descriptor, line, min(bytes, line.count))
            // What is taken back is room again.
            if bytes < line.count { room = bytes }
            return count
        }
    }
}

extension HistoryStore.Outcome {
    fileprivate var trouble: String? {
        if case .waiting(let error) = self { error.description } else { nil }
    }
}

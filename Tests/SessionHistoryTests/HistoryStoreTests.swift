import Foundation
import Glibc
import SessionHistory
import TestSupport
import Testing

/// The files of a history.
@Suite("A history on disk", .limited) struct HistoryStoreTests {
    @Test("events are read as they were written, in their order")
    func roundTrip() throws {
        try withFolder { folder in
            let store = try HistoryStore(folder)
            let events: [HistoryEvent] = (0..<50).map { (number: Int) -> HistoryEvent in
                let fields: [String: HistoryValue] = [
                    "app": "M\"ü\nsic 🎵", "pid": .number(Double(number)), "vanished": .flag(number % 3 == 0),
                    "by": .list(["a", "b"]), "level": .number(-12.5),
                ]
                let name = number % 2 == 0 ? "active" : "inactive"
                return HistoryEvent(name, at: Script.moment(Double(number) / 8), fields)
            }
            for event in events { #expect(store.append(event) == .written) }
            let reader = try HistoryReader(folder)
            #expect(reader.events == events)
            #expect(reader.damagedLines == 0)
        }
    }

    @Test("the line has the wall clock, the monotonic clock, the boot and the event")
    func line() throws {
        let event = HistoryEvent(
            "muted", at: Moment(wall: 1_790_000_000.25, monotonic: 12.5, boot: "ab"), ["app": .text("A/B")])
        #expect(
            String(decoding: event.line, as: UTF8.self)
                == #"{"app":"A/B","boot":"ab","event":"muted","t":12.5,"wall":1790000000.25}"# + "\n")
    }

    @Test("names of any length and numbers that are none do not make a line that cannot be read")
    func hostile() throws {
        let long = String(repeating: "x", count: 100_000)
        let event = HistoryEvent(
            "active", at: Script.moment(0),
            ["app": .text(long), "by": .list(Array(repeating: long, count: 100)), "n": .number(.nan)])
        #expect(event.line.count < 20_000)
        let read = try #require(HistoryEvent(line: event.line.dropLast()))
        #expect(read == event)
        #expect(read.fields["n"] == nil)
    }

    @Test("the folder is 0700 and its files are 0600, also where the folder was open to others")
    func modes() throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(
                atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            chmod(folder.path, 0o755)
            let store = try HistoryStore(folder)
            store.append(HistoryEvent("active", at: Script.moment(0)))
            #expect(folder.mode() == 0o700)
            for name in ["events.jsonl", "writer.lock"] { #expect(folder.mode(of: name) == 0o600) }
        }
    }

    @Test("of two loggers the second is refused, and told by whom; after the first it may write")
    func two() throws {
        try withFolder { folder in
            var first: HistoryStore? = try HistoryStore(folder)
            first?.append(HistoryEvent("active", at: Script.moment(0)))
            let error = #expect(throws: HistoryError.self) { try HistoryStore(folder) }
            #expect(error?.description == "another audiosession log writes to \(folder.path) (process \(getpid()))")
            first = nil
            let second = try HistoryStore(folder)
            second.append(HistoryEvent("inactive", at: Script.moment(1)))
            #expect(try HistoryReader(folder).events.map(\.name) == ["active", "inactive"])
        }
    }

    @Test("a torn last line is left out while it is written, ended by the next logger, and takes nothing else with it")
    func torn() throws {
        try withFolder { folder in
            var store: HistoryStore? = try HistoryStore(folder)
            store?.append(HistoryEvent("active", at: Script.moment(0)))
            store = nil
            let file = try #require(FileHandle(forWritingAtPath: folder.path + "/events.jsonl"))
            try file.seekToEnd()
            try file.write(contentsOf: Data(#"{"event":"inac"#.utf8))
            let during = try HistoryReader(folder)
            #expect(during.events.map(\.name) == ["active"] && during.damagedLines == 0)
            store = try HistoryStore(folder)
            store?.append(HistoryEvent("stopped", at: Script.moment(1)))
            let after = try HistoryReader(folder)
            #expect(after.events.map(\.name) == ["active", "stopped"] && after.damagedLines == 1)
        }
    }

    @Test("what is deleted meanwhile begins anew, and what is written after it is there")
    func clear() throws {
        try withFolder { folder in
            let store = try HistoryStore(folder)
            store.append(HistoryEvent("active", at: Script.moment(0)))
            try folder.clear()
            #expect(try HistoryReader(folder).events.isEmpty)
            store.append(HistoryEvent("inactive", at: Script.moment(1)))
            #expect(try HistoryReader(folder).events.map(\.name) == ["inactive"])
        }
    }

    @Test(
        "a folder that cannot be made or used is said to, with its path", arguments: ["/proc/nowhere", "/dev/null/x"])
    func unwritable(path: String) throws {
        let error = #expect(throws: HistoryError.self) { try HistoryStore(HistoryFolder(path)) }
        #expect(error?.description.contains(path.hasPrefix("/proc") ? "/proc/nowhere" : "/dev/null") == true)
    }

    @Test("an empty history has no events, and clearing it is no error")
    func empty() throws {
        try withFolder { folder in
            #expect(try HistoryReader(folder).events.isEmpty)
            try folder.clear()
        }
    }
}

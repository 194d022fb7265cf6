internal import Foundation

/// A trace in the Chrome trace format, which ui.perfetto.dev and others show.
///
/// Each process whose library wrote steps is a process, with its threads. The server is a process of its own, with a thread
/// for each lane of a session or stream. Times are microseconds of CLOCK_MONOTONIC.
package struct ChromeTrace: Sendable {
    /// A state or step on a thread, in nanoseconds.
    private struct Slice {
        let thread: Thread
        let begin: Int
        var end: Int
        let name: String
        let category: String
        var arguments: [String: HistoryValue]
    }

    /// A thread of the picture.
    private struct Thread: Hashable {
        let process: Int
        let number: Int
    }

    /// A line of the file.
    private struct Line: Encodable {
        var name: String
        var cat: String?
        var ph: String
        var ts: Double
        var pid: Int
        var tid: Int
        var id: Int?
        var bp: String?
        var s: String?
        var args: [String: HistoryValue]?
    }

    /// The server's process ID in the file, which no process of Linux has.
    package static let serverProcess = 4_194_305

    /// The lines with their order: the time in nanoseconds, ends before beginnings before arrows.
    private var lines: [(time: Int, rank: Int, line: Line)] = []
    private var head: [Line] = []
    private var slices: [Slice] = []
    /// The times of the states on the server's rows.
    private var states: [Thread: [Range<Int>]] = [:]
    private var arrows = 0

    /// Draws a trace; states that go on end with its last moment.
    package init(_ trace: Trace) {
        let times = trace.events.map(\.moment.monotonic) + trace.steps.map(\.end)
        let end = Self.nanoseconds(times.max() ?? 0) + 1
        let story = StoryFold.story(of: trace.events)
        addServer(story, until: end)
        addSteps(trace, story)
        addSlices()
    }

    /// The file's text: an object, with one event a line.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let ordered = lines.enumerated().sorted {
            ($0.element.time, $0.element.rank, $0.offset) < ($1.element.time, $1.element.rank, $1.offset)
        }
        // All numbers are finite, so that none is refused.
        let texts = (head + ordered.map(\.element.line)).compactMap { try? encoder.encode($0) }
            .map { String(decoding: $0, as: UTF8.self) }
        return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + texts.joined(separator: ",\n") + "\n]}\n"
    }

    private static func nanoseconds(_ seconds: Double) -> Int { Int((seconds * 1e9).rounded()) }

    // MARK: The server

    private mutating func addServer(_ story: Story, until end: Int) {
        name("sound server", process: Self.serverProcess)
        name("server", Thread(process: Self.serverProcess, number: 1))
        for mark in story.marks {
            let thread = Thread(process: Self.serverProcess, number: 1)
            add("i", Self.nanoseconds(mark.moment.monotonic), 2, mark.text, thread) { line in
                line.cat = "server"
                line.s = "p"
            }
        }
        for track in story.tracks {
            for span in track.spans { addSpan(span, track, until: end) }
        }
        for track in story.tracks {
            for span in track.spans {
                guard let culprit = span.culprit?.track, story.tracks.indices.contains(culprit) else { continue }
                let time = Self.nanoseconds(span.begin.monotonic)
                // The row on which the culprit has a state at that moment; one that is seen later has none.
                let rows = Self.rows(of: culprit).map { Thread(process: Self.serverProcess, number: $0) }
                guard let from = rows.first(where: { states[$0]?.contains { $0.contains(time) } ?? false }) else {
                    continue
                }
                let to = Self.row(track.number, span.state.lane)
                addArrow(span.rule ?? span.state.rawValue, [(time, from), (time, to)])
            }
        }
    }

    private mutating func addSpan(_ span: Span, _ track: Track, until end: Int) {
        let row = Self.row(track.number, span.state.lane)
        let word = span.state.lane == .standing ? "" : " (\(span.state.lane))"
        if states[row] == nil { name(track.title + word, row) }
        var arguments: [String: HistoryValue] = ["ending": .text(span.ending.rawValue)]
        if let rule = span.rule { arguments["rule"] = .text(rule) }
        if let culprit = span.culprit { arguments["by"] = .text(culprit.name) }
        let begin = Self.nanoseconds(span.begin.monotonic)
        let last = max(begin + 1, span.end.map { Self.nanoseconds($0.monotonic) } ?? end)
        states[row, default: []].append(begin..<last)
        slices.append(
            Slice(
                thread: row, begin: begin, end: last, name: span.state.rawValue, category: "server",
                arguments: arguments))
    }

    /// The row of a track's lane.
    private static func row(_ track: Int, _ lane: Span.State.Lane) -> Thread {
        let lanes: [Span.State.Lane] = [.standing, .sound, .level, .mute]
        return Thread(process: serverProcess, number: rows(of: track).lowerBound + (lanes.firstIndex(of: lane) ?? 0))
    }

    /// The rows of a track: those behind the server's own.
    private static func rows(of track: Int) -> Range<Int> { 2 + 4 * track..<6 + 4 * track }

    // MARK: Libraries

    private mutating func addSteps(_ trace: Trace, _ story: Story) {
        let processes = Set(trace.steps.map(\.process)).sorted()
        for process in processes {
            let title = story.tracks.last { $0.process == process }?.name ?? "process"
            name("\(title) (\(process))", process: process)
        }
        for (thread, steps) in Dictionary(grouping: trace.steps, by: { Thread(process: $0.process, number: $0.thread) })
        {
            let isLoop = steps.contains { ["echo", "seen"].contains($0.name) }
            let title = thread.number == thread.process ? "main" : isLoop ? "libpulse's loop" : "thread"
            name("\(title) \(thread.number)", thread)
        }
        let passing = Dictionary(
            trace.passages.flatMap { passage in
                zip(passage.steps.dropFirst(), passage.steps).map { step, previous in
                    (step, (step.begin - previous.begin, step.begin - passage.steps[0].begin))
                }
            }, uniquingKeysWith: { first, _ in first })
        for step in trace.steps {
            var arguments = step.texts
            if let (previous, first) = passing[step] {
                arguments["msSincePreviousStep"] = .number(previous * 1e3)
                arguments["msSinceFirstStep"] = .number(first * 1e3)
            }
            let begin = Self.nanoseconds(step.begin)
            slices.append(
                Slice(
                    thread: Thread(process: step.process, number: step.thread), begin: begin,
                    end: max(begin + 1, Self.nanoseconds(step.end)),
                    name: step.word.isEmpty ? step.name : "\(step.name) \(step.word)", category: "library",
                    arguments: arguments))
        }
        for passage in trace.passages {
            addArrow(
                "interruption",
                passage.steps.map { (Self.nanoseconds($0.begin), Thread(process: $0.process, number: $0.thread)) })
        }
    }

    // MARK: Lines

    private mutating func add(
        _ phase: String, _ time: Int, _ rank: Int, _ name: String, _ thread: Thread, _ more: (inout Line) -> Void
    ) {
        var line = Line(
            name: name, ph: phase, ts: Double(time) / 1e3, pid: thread.process, tid: thread.number)
        more(&line)
        lines.append((time, rank, line))
    }

    private mutating func name(_ text: String, process: Int) {
        head.append(
            Line(name: "process_name", ph: "M", ts: 0, pid: process, tid: process, args: ["name": .text(text)]))
    }

    private mutating func name(_ text: String, _ thread: Thread) {
        head.append(
            Line(
                name: "thread_name", ph: "M", ts: 0, pid: thread.process, tid: thread.number,
                args: ["name": .text(text)]))
    }

    /// An arrow through states or steps, at their beginnings.
    private mutating func addArrow(_ text: String, _ points: [(time: Int, thread: Thread)]) {
        arrows += 1
        for (place, point) in points.enumerated() {
            let phase = place == 0 ? "s" : place == points.count - 1 ? "f" : "t"
            add(phase, point.time, 2 + place, text, point.thread) { [arrows] line in
                line.cat = "cause"
                line.id = arrows
                line.bp = phase == "f" ? "e" : nil
            }
        }
    }

    /// Adds the beginnings and ends of all slices, nested within each thread.
    private mutating func addSlices() {
        for (thread, own) in Dictionary(grouping: slices, by: \.thread) {
            var open: [Slice] = []
            for var slice in own.sorted(by: { ($0.begin, $1.end) < ($1.begin, $0.end) }) {
                while let last = open.last, last.end <= slice.begin { end(open.removeLast(), thread) }
                slice.end = min(slice.end, open.last?.end ?? slice.end)
                add("B", slice.begin, 1, slice.name, thread) { line in
                    line.cat = slice.category
                    line.args = slice.arguments
                }
                open.append(slice)
            }
            while let last = open.popLast() { end(last, thread) }
        }
    }

    private mutating func end(_ slice: Slice, _ thread: Thread) {
        add("E", slice.end, 0, slice.name, thread) { $0.cat = slice.category }
    }
}

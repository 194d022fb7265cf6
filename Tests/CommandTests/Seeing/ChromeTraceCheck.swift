import Foundation

/// A check of a file in the Chrome trace format, by the rules of its description.
///
/// Trace Event Format, Google, 2016: types of the fields of each phase, beginnings and ends that match on each thread, and
/// flow events that begin once, end once, do not run backwards, and lie in a slice. Beyond it, times have to rise.
enum ChromeTraceCheck {
    /// An event as it was read.
    struct Event {
        /// The fields.
        let fields: [String: Any]

        /// A text of the event; nil if the field is none.
        func text(_ key: String) -> String? { fields[key] as? String }

        /// A number of the event; nil if the field is none, such as a Boolean.
        func number(_ key: String) -> Double? {
            // JSON's `true` would be 1.
            guard let number = fields[key] as? NSNumber, String(cString: number.objCType) != "c" else { return nil }
            return number.doubleValue
        }

        /// The event's arguments.
        var arguments: [String: Any] { fields["args"] as? [String: Any] ?? [:] }
        /// The event's thread.
        fileprivate var thread: String { "\(Int(number("pid") ?? -1))/\(Int(number("tid") ?? -1))" }
    }

    /// The events of a file; nil if it is no JSON of this format.
    static func events(of data: Data) -> [Event]? {
        let root = try? JSONSerialization.jsonObject(with: data)
        let list = root as? [Any] ?? (root as? [String: Any])?["traceEvents"] as? [Any]
        guard let list else { return nil }
        let events = list.compactMap { ($0 as? [String: Any]).map(Event.init) }
        return events.count == list.count ? events : nil
    }

    /// Everything that is wrong with a file; empty if nothing is.
    static func problems(of data: Data) -> [String] {
        guard let events = events(of: data) else { return ["no list of events"] }
        var problems = events.enumerated().flatMap { place, event in typeProblems(event).map { "event \(place): \($0)" }
        }
        let timed = events.filter { $0.text("ph") != "M" }
        for (earlier, later) in zip(timed, timed.dropFirst())
        where later.number("ts") ?? 0 < earlier.number("ts") ?? 0 {
            problems.append("time falls at \(later.number("ts") ?? 0)")
        }
        return problems + nestingProblems(timed) + flowProblems(timed)
    }

    private static let phases: Set<String> = ["B", "E", "X", "i", "M", "s", "t", "f"]

    private static func typeProblems(_ event: Event) -> [String] {
        guard let phase = event.text("ph"), phases.contains(phase) else { return ["no known phase"] }
        var problems: [String] = []
        for key in ["pid", "tid", "ts"] where event.number(key) == nil { problems.append("\(key) is no number") }
        if event.number("ts").map({ $0 < 0 || !$0.isFinite }) == true { problems.append("ts is negative") }
        if phase != "E", event.text("name")?.isEmpty ?? true { problems.append("no name") }
        if let arguments = event.fields["args"], !(arguments is [String: Any]) { problems.append("args is no object") }
        switch phase {
        case "M":
            let isKnown = ["process_name", "thread_name"].contains(event.text("name") ?? "")
            if !isKnown || !(event.arguments["name"] is String) { problems.append("metadata without a name") }
        case "X": if event.number("dur").map({ $0 >= 0 }) != true { problems.append("no duration") }
        case "i": if !["g", "p", "t"].contains(event.text("s") ?? "t") { problems.append("no known scope") }
        case "s", "t", "f":
            if event.number("id") == nil, event.text("id") == nil { problems.append("a flow without id") }
            if event.text("cat") == nil { problems.append("a flow without category") }
        default: break
        }
        return problems
    }

    private static func nestingProblems(_ events: [Event]) -> [String] {
        var problems: [String] = []
        var open: [String: [Event]] = [:]
        for event in events {
            if event.text("ph") == "B" { open[event.thread, default: []].append(event) }
            guard event.text("ph") == "E" else { continue }
            guard let begin = open[event.thread]?.popLast() else {
                problems.append("an end without a beginning on \(event.thread)")
                continue
            }
            if let name = event.text("name"), name != begin.text("name") {
                problems.append("\(name) ends \(begin.text("name") ?? "")")
            }
        }
        return problems + open.filter { !$0.value.isEmpty }.keys.map { "a beginning without an end on \($0)" }
    }

    private static func flowProblems(_ events: [Event]) -> [String] {
        var problems: [String] = []
        var depth: [String: Int] = [:]
        var flows: [String: [Event]] = [:]
        for event in events {
            switch event.text("ph") {
            case "B": depth[event.thread, default: 0] += 1
            case "E": depth[event.thread, default: 0] -= 1
            case "s", "t", "f":
                let isInside = depth[event.thread] ?? 0 > 0 || isInComplete(event, events)
                if !isInside { problems.append("a flow outside of any slice on \(event.thread)") }
                flows["\(event.text("cat") ?? "")/\(event.fields["id"] ?? "")", default: []].append(event)
            default: break
            }
        }
        for (id, flow) in flows {
            let phases = flow.compactMap { $0.text("ph") }
            let isWhole = phases.first == "s" && phases.last == "f" && phases.count > 1
            if !isWhole || phases.dropFirst().dropLast().contains(where: { $0 != "t" }) {
                problems.append("flow \(id) does not meet: \(phases)")
            }
            if Set(flow.map { $0.text("name") }).count > 1 { problems.append("flow \(id) has two names") }
        }
        return problems
    }

    /// Whether an event lies in a complete event (`X`) of its thread.
    private static func isInComplete(_ event: Event, _ events: [Event]) -> Bool {
        let time = event.number("ts") ?? 0
        return events.contains { other in
            guard other.text("ph") == "X", other.thread == event.thread, let begin = other.number("ts"),
                let length = other.number("dur")
            else { return false }
            return (begin...begin + max(0, length)).contains(time)
        }
    }
}

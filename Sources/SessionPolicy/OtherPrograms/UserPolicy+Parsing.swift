extension UserPolicy {
    /// The names of the environment variables that are read.
    package static let environmentKeys = [
        "FOREIGN", "PHONE", "CALLS", "DUCK", "DUCK_TIMES", "ROLE", "UI_SOUNDS", "MICROPHONE",
    ]
    .map { prefix + $0 }
    private static let prefix = "AVAUDIOSESSION_"

    /// Parses the user's settings, and describes invalid values.
    ///
    /// - Parameters:
    ///   - environment: Variables by name; they come before the file.
    ///   - file: Lines of `key = value`; `#` begins a comment. A key is a variable's name in small letters without
    ///     `AVAUDIOSESSION_`. Unknown keys are ignored, for later versions.
    /// - Returns: The policy, with defaults for invalid values, and a sentence for each of these.
    package static func parse(environment: [String: String], file: String) -> (policy: UserPolicy, problems: [String]) {
        var values = Self.values(in: file)
        for name in environmentKeys {
            guard let text = environment[name]?.trimmed, !text.isEmpty else { continue }
            values[String(name.dropFirst(prefix.count)).lowercased()] = Value(name: name, text: text)
        }
        var policy = UserPolicy()
        var problems: [String] = []
        for key in values.keys.sorted() {
            guard let value = values[key], let wanted = policy.set(key, to: value.text) else { continue }
            problems.append("\(value.name): “\(value.text)” is not \(wanted); the default is used.")
        }
        return (policy, problems)
    }

    /// A value, and the name of its variable or key.
    private struct Value {
        let name: String
        let text: String
    }

    private static func values(in file: String) -> [String: Value] {
        var values: [String: Value] = [:]
        for line in file.split(whereSeparator: \.isNewline) {
            let pair = line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let key = pair[0].trimmed.lowercased()
            values[key] = Value(name: key, text: pair[1].trimmed)
        }
        return values
    }

    /// Sets one value; returns a description of valid values if it is invalid.
    private mutating func set(_ key: String, to text: String) -> String? {
        switch key {
        case "foreign": return choose(text, \.foreign)
        case "calls": return choose(text, \.calls)
        case "phone":
            guard let phone = Phone(parsing: text) else { return "interrupt or ignore (:program,…)" }
            self.phone = phone
        case "microphone":
            guard let microphone = Microphone(parsing: text) else { return "allow or deny (:program,…)" }
            self.microphone = microphone
        case "duck":
            guard let depth = text.number else { return "a number of decibels from 0 to 60" }
            duckDepth = min(max(depth, 0), 60)
        case "duck_times":
            let times = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed.number)
            guard times.count == 2, let down = times[0], let up = times[1] else {
                return "two times in seconds (down,up)"
            }
            duckDownSeconds = min(max(down, 0), 10)
            duckUpSeconds = min(max(up, 0), 10)
        case "role":
            guard let keeps = ["keep": true, "omit": false][text.lowercased()] else { return "keep or omit" }
            setsRoles = keeps
        case "ui_sounds":
            guard let plays = ["play": true, "omit": false][text.lowercased()] else { return "play or omit" }
            playsUISounds = plays
        default: break
        }
        return nil
    }

    private mutating func choose<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, _ path: WritableKeyPath<UserPolicy, Choice>
    ) -> String? {
        guard let choice = Choice(rawValue: text.lowercased()) else {
            return "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
        }
        self[keyPath: path] = choice
        return nil
    }
}

extension UserPolicy.Phone {
    /// `interrupt`, `ignore`, or either with a colon and the names of programs.
    fileprivate init?(parsing text: String) {
        guard let (answer, programs) = rule(text, of: Answer.self) else { return nil }
        self.init(answer, programs: programs)
    }
}

extension UserPolicy.Microphone {
    /// `allow`, `deny`, or either with a colon and the names of programs.
    fileprivate init?(parsing text: String) {
        guard let (answer, programs) = rule(text, of: Answer.self) else { return nil }
        self.init(answer, programs: programs)
    }
}

/// An answer, and after a colon the names of the programs that it applies to.
private func rule<Answer: RawRepresentable<String>>(_ text: String, of _: Answer.Type) -> (Answer, [String])? {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard let first = parts.first, let answer = Answer(rawValue: first.trimmed.lowercased()) else { return nil }
    let names = parts.dropFirst().flatMap { $0.split(separator: ",") }.map(\.trimmed)
    return (answer, names.filter { !$0.isEmpty })
}

extension StringProtocol {
    /// The text without white space around it.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }

    /// The number in the text.
    fileprivate var number: Double? { Double(self).flatMap { $0.isFinite ? $0 : nil } }
}

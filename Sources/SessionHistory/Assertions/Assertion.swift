internal import Foundation

/// A sentence about what must happen, such as `player interrupted-by call within 50ms`.
///
/// `["never"] NAME STATE ["-by" NAME] ["within" LENGTH]`: docs/seeing.md has the grammar.
package struct Assertion: Hashable, Sendable {
    /// What a program is said to do, or to have done to it.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// It is interrupted.
        case interrupted
        /// It is lowered.
        case ducked
        /// It is muted.
        case muted
        /// It goes on after an interruption that allowed it.
        case resumes
        /// It plays or records.
        case plays
        /// Its session is active.
        case active

        /// Whether another program may be named as the cause.
        var hasCause: Bool { [.interrupted, .ducked, .muted].contains(self) }
        /// Whether a time limit has a meaning.
        var hasLimit: Bool { hasCause || self == .resumes }
    }

    /// The error for a text that does not follow the grammar.
    package struct Mistake: Error, Hashable, CustomStringConvertible {
        /// What is wrong, in words.
        package let description: String
    }

    /// The sentence as it was written.
    package let text: String
    /// Whether the state must not occur.
    package let isNever: Bool
    /// A part of the program's name; case does not count.
    package let name: String
    /// The state.
    package let state: State
    /// A part of the name of the cause; nil for any.
    package let cause: String?
    /// The most seconds between the cause and the state; nil for any.
    package let limit: Double?

    /// Reads a sentence.
    package init(_ text: String) throws(Mistake) {
        self.text = text
        var words = try Self.words(of: text)[...]
        isNever = words.first == "never"
        if isNever { words = words.dropFirst() }
        guard words.count >= 2 else { throw Mistake(description: "a program and a state are expected in '\(text)'") }
        name = words.removeFirst()
        let word = words.removeFirst()
        let isCaused = word.hasSuffix("-by")
        guard let state = State(rawValue: isCaused ? String(word.dropLast(3)) : word) else {
            let states = State.allCases.map(\.rawValue).joined(separator: ", ")
            throw Mistake(description: "'\(word)' is no state in '\(text)' (\(states))")
        }
        self.state = state
        guard !isCaused || state.hasCause else { throw Mistake(description: "'\(state)' takes no -by in '\(text)'") }
        guard !isCaused || !words.isEmpty else { throw Mistake(description: "a program is expected behind '\(word)'") }
        cause = isCaused ? words.removeFirst() : nil
        (limit, words) = try Self.limit(words, in: text)
        guard words.isEmpty else {
            throw Mistake(description: "'\(words.joined(separator: " "))' is too much in '\(text)'")
        }
        guard limit == nil || state.hasLimit else {
            throw Mistake(description: "'\(state)' takes no 'within' in '\(text)'")
        }
    }

    private static func limit(
        _ words: ArraySlice<String>, in text: String
    ) throws(Mistake) -> (Double?, ArraySlice<String>) {
        guard words.first == "within" else { return (nil, words) }
        let word = words.dropFirst().first ?? ""
        let (digits, unit) = word.hasSuffix("ms") ? (word.dropLast(2), 1e-3) : (word.dropLast(1), 1)
        guard word.hasSuffix("s"), let number = Double(digits), number.isFinite, number >= 0 else {
            throw Mistake(description: "a length such as 50ms or 2s is expected behind 'within' in '\(text)'")
        }
        return (number * unit, words.dropFirst(2))
    }

    /// The words of a text; quotation marks keep a name of several words together.
    private static func words(of text: String) throws(Mistake) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                (quote, word) = (character, word ?? "")
            } else if quote == nil, character.isWhitespace {
                if let ended = word { words.append(ended) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { throw Mistake(description: "a quotation mark is open in '\(text)'") }
        guard !words.contains(""), word != "" else { throw Mistake(description: "a name is empty in '\(text)'") }
        return words + (word.map { [$0] } ?? [])
    }
}

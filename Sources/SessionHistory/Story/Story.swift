/// What sessions and streams did, as intervals, with the marks of a server and its devices.
package struct Story: Hashable, Sendable {
    /// The sessions and streams in the order in which they appeared.
    package internal(set) var tracks: [Track] = []
    /// The marks in their order.
    package internal(set) var marks: [Mark] = []
    /// The levels of sinks, where they were measured, in the order in which the sinks appeared.
    package internal(set) var curves: [LevelCurve] = []
    /// The first and the last event; nil in an empty story.
    package internal(set) var range: (first: Moment, last: Moment)?

    /// Equality of tracks, marks and curves.
    package static func == (left: Story, right: Story) -> Bool {
        left.tracks == right.tracks && left.marks == right.marks && left.curves == right.curves
    }

    /// Hashes tracks, marks and curves.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(tracks)
        hasher.combine(marks)
        hasher.combine(curves)
    }
}

/// One session or one stream.
package struct Track: Hashable, Sendable {
    /// The kind of a track.
    package enum Kind: String, Hashable, Sendable {
        /// A session.
        case session
        /// A playback stream that no session plays itself.
        case playback
        /// A capture stream that no session records itself.
        case capture
    }

    /// The track's place in ``Story/tracks``.
    package let number: Int
    /// The kind.
    package let kind: Kind
    /// The program's name.
    package let name: String
    /// The process ID; nil if it is unknown.
    package let process: Int?
    /// The process's machine; empty for a stream.
    package let host: String
    /// The stream's number at the server; nil for a session.
    package let stream: Int?
    /// The category and mode of a session, or the role of a stream; may be empty.
    package internal(set) var detail: String
    /// The intervals in the order of their beginnings.
    package internal(set) var spans: [Span] = []
}

/// A state of a session or stream from one moment to another.
package struct Span: Hashable, Sendable {
    /// A state.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// An active session.
        case active
        /// An interrupted session.
        case interrupted
        /// A session after an interruption that has not come back yet.
        case waiting
        /// A session whose process is stopped.
        case stopped
        /// A session or stream that plays or records.
        case playing
        /// A lowered session or stream.
        case ducked
        /// A muted session or stream.
        case muted

        /// The states of one lane exclude each other.
        package enum Lane: Hashable, Sendable {
            case standing, sound, level, mute
        }

        /// The lane of a state.
        package var lane: Lane {
            switch self {
            case .active, .interrupted, .waiting, .stopped: .standing
            case .playing: .sound
            case .ducked: .level
            case .muted: .mute
            }
        }
    }

    /// The reason of an end.
    package enum Ending: String, Hashable, Sendable {
        /// The state goes on.
        case open
        /// The cause ended, and the session should resume.
        case resumes
        /// The cause ended, and the session should not resume.
        case doesNotResume
        /// The state changed.
        case changed
        /// The session ended, or the stream did.
        case ended
        /// The session's process vanished.
        case vanished
        /// The server was lost.
        case serverLost
        /// The logger ended or was killed, so the real end is unknown.
        case unknown
    }

    /// The session or stream that causes a state.
    package struct Culprit: Hashable, Sendable {
        /// The program's name.
        package let name: String
        /// The process ID; nil if it is unknown.
        package let process: Int?
        /// The stream's number; nil for a session.
        package let stream: Int?
        /// The culprit's place in ``Story/tracks``; nil if it is not among them.
        package internal(set) var track: Int?
    }

    /// The state.
    package let state: State
    /// The beginning.
    package let begin: Moment
    /// Whether the state was there already when the logger began, so that the real beginning is unknown.
    package let isOlder: Bool
    /// The end; nil while the state goes on.
    package internal(set) var end: Moment?
    /// The reason of the end.
    package internal(set) var ending: Ending
    /// The cause; nil if none is known.
    package internal(set) var culprit: Culprit?
    /// The rule's name; nil if none is known.
    package internal(set) var rule: String?

    /// The length in seconds until the end, or until a moment if the state goes on.
    package func seconds(until now: Moment) -> Double { (end ?? now).seconds(since: begin) }
}

/// An event that belongs to no session alone.
package struct Mark: Hashable, Sendable {
    /// The kind of a mark.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The default sink or source changed.
        case route
        /// A stream was moved to another device.
        case moved
        /// The server was lost.
        case serverLost
        /// A server is there again.
        case serverReset
        /// A logger began.
        case logBegan
        /// A logger ended.
        case logEnded
        /// The wall clock jumped.
        case clockJumped
        /// Events could not be written.
        case eventsLost
        /// The screen was locked, or unlocked.
        case locked
        /// The device became silent, by its switch or profile, or ceased to be.
        case silent
        /// A program was told of a simulated event, or of its end.
        case simulated
    }

    /// The kind.
    package let kind: Kind
    /// The moment.
    package let moment: Moment
    /// The mark in words.
    package let text: String
    /// The track of a moved stream, or of the session that was told of a simulated event.
    package let track: Int?
}

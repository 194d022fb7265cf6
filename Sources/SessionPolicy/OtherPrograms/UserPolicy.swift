/// The user's settings, from the environment or from a file.
///
/// docs/settings.md lists the keys.
package struct UserPolicy: Hashable, Sendable {
    /// The effect on programs outside the library when a session becomes active that does not mix.
    package enum ForeignPrograms: String, CaseIterable, Sendable {
        /// Media players that can be paused are paused; other programs are left alone.
        case pause
        /// Streams that play already are silenced.
        case silence
        /// Streams are ducked.
        case duck
        /// No effect.
        case ignore
    }

    /// The streams that make a program outside the library a call.
    package enum Calls: String, CaseIterable, Sendable {
        /// A playback stream with the role phone.
        case role
        /// The same, or capturing a real source and playing at once: browsers and meeting programs set no role.
        case duplex
    }

    /// The rule for streams with the role phone; some programs hold one all day.
    package struct Phone: Hashable, Sendable {
        /// The answer of a rule.
        package enum Answer: String, CaseIterable, Sendable { case interrupt, ignore }

        /// The answer for a stream of one of ``programs``; other programs get the opposite.
        package var answer: Answer
        /// The names of programs, in small letters; empty for all.
        package var programs: [String]

        /// A rule for the given programs, or for all.
        package init(_ answer: Answer = .interrupt, programs: [String] = []) {
            self.answer = answer
            self.programs = programs.map { $0.lowercased() }
        }

        /// Whether a stream interrupts, by the names of its program.
        ///
        /// A program is named by its identifier (`org.mumble.Mumble`), the last part of that, or its name for people.
        package func interrupts(_ stream: ServerStream) -> Bool {
            programs.name(id: stream.applicationID, name: stream.applicationName) == (answer == .interrupt)
        }
    }

    /// The microphone permission of programs without an entry in the desktop's permission store.
    package struct Microphone: Hashable, Sendable {
        /// The answer of a rule.
        package enum Answer: String, CaseIterable, Sendable { case allow, deny }

        /// The answer for one of ``programs``; other programs get the opposite.
        package var answer: Answer
        /// The names of programs, in small letters; empty for all.
        package var programs: [String]

        /// A rule for the given programs, or for all.
        package init(_ answer: Answer, programs: [String] = []) {
            self.answer = answer
            self.programs = programs.map { $0.lowercased() }
        }

        /// Whether a program may use the microphone.
        package func allows(id: String, name: String) -> Bool {
            programs.name(id: id, name: name) == (answer == .allow)
        }
    }

    /// The effect on programs outside the library; `AVAUDIOSESSION_FOREIGN`.
    package var foreign = ForeignPrograms.pause
    /// The rule for streams with the role phone; `AVAUDIOSESSION_PHONE`.
    package var phone = Phone()
    /// The streams that make a program a call; `AVAUDIOSESSION_CALLS`.
    package var calls = Calls.role
    /// The microphone permission, if the user set one; `AVAUDIOSESSION_MICROPHONE`.
    package var microphone: Microphone?
    /// The depth of ducking, in dB from 0 to 60; `AVAUDIOSESSION_DUCK`.
    package var duckDepth = 20.0
    /// The length of the ramp down, in seconds from 0 to 10; `AVAUDIOSESSION_DUCK_TIMES`.
    package var duckDownSeconds = 0.2
    /// The length of the ramp back up, in seconds from 0 to 10; `AVAUDIOSESSION_DUCK_TIMES`.
    package var duckUpSeconds = 0.5
    /// Whether the library sets a role on its streams; `AVAUDIOSESSION_ROLE`.
    ///
    /// WirePlumber before 0.5.15 shares one remembered volume among all programs of a role.
    package var setsRoles = true
    /// Whether system sounds of the user interface are heard; `AVAUDIOSESSION_UI_SOUNDS`.
    package var playsUISounds = true

    /// The defaults.
    package init() {}
}

extension [String] {
    /// Whether a program is among these names, in small letters; an empty list means all programs.
    fileprivate func name(id: String?, name: String?) -> Bool {
        let id = id?.lowercased()
        let names = [id, id?.split(separator: ".").last.map(String.init), name?.lowercased()]
        return isEmpty || names.contains { $0.map(contains) == true }
    }
}

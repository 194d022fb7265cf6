/// What the user decided about programs outside the library: from the environment, or from a file.
///
/// docs/settings.md lists the keys.
package struct UserPolicy: Hashable, Sendable {
    /// What happens to programs outside the library when a session begins that does not mix.
    package enum ForeignPrograms: String, CaseIterable, Sendable {
        /// Those that can be asked to pause are asked; the others are left alone.
        case pause
        /// Their streams that play already are silenced.
        case silence
        /// Their streams are lowered.
        case duck
        /// Nothing.
        case ignore
    }

    /// What makes a program outside the library a call.
    package enum Calls: String, CaseIterable, Sendable {
        /// A playback stream with the role phone.
        case role
        /// That, or taking sound from a real source and playing at once: browsers and meeting programs set no role.
        case duplex
    }

    /// Which streams with the role phone are calls; some programs hold one all day.
    package struct Phone: Hashable, Sendable {
        /// What a rule says.
        package enum Answer: String, CaseIterable, Sendable { case interrupt, ignore }

        /// What happens when one of ``programs`` plays such a stream; with any other, the opposite.
        package var answer: Answer
        /// The names of programs, in small letters; empty for all.
        package var programs: [String]

        /// A rule for the given programs, or for all.
        package init(_ answer: Answer = .interrupt, programs: [String] = []) {
            self.answer = answer
            self.programs = programs.map { $0.lowercased() }
        }

        /// Whether a stream interrupts, judged by what it says about its program.
        ///
        /// A program is named by its identifier (`org.mumble.Mumble`), the last part of that, or its name for people.
        package func interrupts(_ stream: ServerStream) -> Bool {
            programs.name(id: stream.applicationID, name: stream.applicationName) == (answer == .interrupt)
        }
    }

    /// Who may listen, where the desktop's permission store says nothing of a program.
    package struct Microphone: Hashable, Sendable {
        /// What a rule says.
        package enum Answer: String, CaseIterable, Sendable { case allow, deny }

        /// What one of ``programs`` may do; any other may do the opposite.
        package var answer: Answer
        /// The names of programs, in small letters; empty for all.
        package var programs: [String]

        /// A rule for the given programs, or for all.
        package init(_ answer: Answer, programs: [String] = []) {
            self.answer = answer
            self.programs = programs.map { $0.lowercased() }
        }

        /// Whether a program may listen.
        package func allows(id: String, name: String) -> Bool {
            programs.name(id: id, name: name) == (answer == .allow)
        }
    }

    /// What happens to other programs; `AVAUDIOSESSION_FOREIGN`.
    package var foreign = ForeignPrograms.pause
    /// Which phone streams are calls; `AVAUDIOSESSION_PHONE`.
    package var phone = Phone()
    /// What else is a call; `AVAUDIOSESSION_CALLS`.
    package var calls = Calls.role
    /// Who may listen, where the user said so; `AVAUDIOSESSION_MICROPHONE`.
    package var microphone: Microphone?
    /// By how much ducking lowers, in dB from 0 to 60; `AVAUDIOSESSION_DUCK`.
    package var duckDepth = 20.0
    /// How long the way down takes, in seconds from 0 to 10; `AVAUDIOSESSION_DUCK_TIMES`.
    package var duckDownSeconds = 0.2
    /// How long the way back up takes, in seconds from 0 to 10; `AVAUDIOSESSION_DUCK_TIMES`.
    package var duckUpSeconds = 0.5
    /// Whether streams say what they are for; `AVAUDIOSESSION_ROLE`.
    ///
    /// WirePlumber before 0.5.15 shares one remembered volume among all programs of a role.
    package var setsRoles = true
    /// Whether system sounds of the user interface are heard; `AVAUDIOSESSION_UI_SOUNDS`.
    package var playsUISounds = true

    /// What holds where the user said nothing.
    package init() {}
}

extension [String] {
    /// Whether these names of programs, in small letters, mean a program; no names mean all.
    fileprivate func name(id: String?, name: String?) -> Bool {
        let id = id?.lowercased()
        let names = [id, id?.split(separator: ".").last.map(String.init), name?.lowercased()]
        return isEmpty || names.contains { $0.map(contains) == true }
    }
}

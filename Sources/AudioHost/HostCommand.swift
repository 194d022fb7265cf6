package import SessionPolicy

/// A decision of the policy that the host carries out.
package enum HostCommand: Hashable, Sendable {
    /// Pauses all sounds and captures at once. With `interrupting` the app did not ask for it, and nothing plays until
    /// the session is active again.
    case stopIO(interrupting: Bool)
    /// Pauses all sounds at once.
    case stopOutput
    /// Pauses everything and releases the output's streams, because the session is not active any more.
    case closeIO
    /// Gives the output's stream another role; sounds go on at the same frame.
    case setOutputRole(StreamRole?)
    /// Gives the captures' streams another role; captures go on.
    case setCaptureRole(StreamRole?)
    /// Fades the output to silence, or back; sounds go on.
    case muteOutput(Bool)
    /// Replaces captured sound by silence, or ends that; captures go on.
    case muteInput(Bool)
    /// Publishes a step of the session's claim.
    case claim(ClaimStep)
    /// Asks media players of other programs to pause, or to resume.
    case foreignPlayers(ForeignStep)
    /// Applies the app's preferences of devices and routes.
    case prefer(HostPreferences)
    /// Checks the route again, because the app changed its settings.
    case updateRoute
    /// Unmutes the output that was silenced for a route change, because the app has been notified of the change.
    ///
    /// - Parameter silence: ``HostFacts/routeSilence`` at that change; a later silence belongs to a later change.
    case endRouteSilence(Int)
    /// Silences the streams of the command for which this program holds the session, or ends that. From the first call
    /// on these calls decide, and not the session's state.
    case silenceCommand(Bool)
    /// Unmutes the streams of the command, and waits until they are heard, for 1 s at most.
    case releaseCommand
    /// Delivers ``HostEvent/refusalEnded`` when no call would refuse an activation with these settings any more.
    case awaitEndOfCalls(SessionSettings)
    /// Gives a thread that renders an app's live sound the priority of the loop's thread, until it ends, if the kernel
    /// or RealtimeKit grants it.
    case raisePriority(ofThread: Int32)
}

/// An app's preferences of devices and routes.
package struct HostPreferences: Hashable, Sendable {
    /// A number that grows with each change: of two concurrent updates the host keeps the one with the higher number.
    package var revision = 0
    /// Whether a ringing call does not interrupt the session.
    package var ignoresRinging = false
    /// Sample rate, channels and buffer.
    package var devices = DevicePreferences()
    /// The output that the app chose, and its override to the speaker.
    package var output = OutputPreference()
    /// Whether the session has a long-form route sharing policy.
    package var isLongForm = false
    /// The name of the source to record from; nil for the server's default.
    package var input: String?
    /// Whether the session may play on several sinks at once.
    package var usesSideOutputs = false
    /// The app's settings, which are those of the route while the session is not active.
    package var settings = SessionSettings.default

    /// Default preferences.
    package init() {}
}

/// The state of a host that is known without asking the server.
package struct HostFacts: Hashable, Sendable {
    /// Whether there is a working connection.
    package var isConnected = false
    /// The clock of the output that all sounds share, in seconds; 0 before the first output.
    package var deviceTime = 0.0
    /// Whether a capture runs.
    package var isCapturing = false
    /// The number of the silence of the last route change, for ``HostCommand/endRouteSilence(_:)``.
    package var routeSilence = 0
    /// The number of underruns since the output was made.
    package var underruns = 0
    /// The session's random identifier, which streams of other processes carry to belong to this session.
    package var owner = ""

    /// The facts of a host without a connection.
    package init() {}
}

/// The sound of other sessions and programs.
package struct OtherAudio: Hashable, Sendable {
    /// The sessions that are not idle, this one included.
    package var participants: [Participant] = []
    /// Whether secondary sound should be silent, because another program's main sound is heard.
    package var silencesSecondaryAudio = false
    /// Whether another session or program is in a call.
    package var isInCall = false
    /// Whether another session in mode `spokenAudio` is active.
    package var isSpeaking = false

    /// No other sound.
    package init() {}
}

/// The ports of the server's devices.
package struct HostPorts: Hashable, Sendable {
    /// The port in use of each sink.
    package var outputs: [RoutePort] = []
    /// The port in use of each source.
    package var inputs: [RoutePort] = []

    /// Ports of devices.
    package init(outputs: [RoutePort] = [], inputs: [RoutePort] = []) {
        self.outputs = outputs
        self.inputs = inputs
    }
}

/// The server's echo cancellation.
package struct EchoCancellationFacts: Hashable, Sendable {
    /// Whether the server can remove echo from a microphone's sound.
    package var isAvailable: Bool
    /// Whether a capture of the session has an echo-cancelled source.
    package var isActive: Bool

    /// The two facts together.
    package init(isAvailable: Bool, isActive: Bool) {
        self.isAvailable = isAvailable
        self.isActive = isActive
    }
}

/// A change of a device for all programs.
package enum DeviceChange: Hashable, Sendable {
    /// The volume of the session's sink as a share of 100 %; the balance stays.
    case outputVolume(Double)
    /// The port of a source; nil for the available port with the highest priority.
    case dataSource(String?, of: String)
}

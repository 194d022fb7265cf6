package import SessionPolicy

/// A decision of the policy that the host carries out.
package enum HostCommand: Hashable, Sendable {
    /// Pauses all sounds and captures at once; with `interrupting`, against the app's wish, so that nothing plays until
    /// the session is active again.
    case stopIO(interrupting: Bool)
    /// Pauses all sounds at once.
    case stopOutput
    /// Pauses everything and releases the output's streams: the session is not active any more.
    case closeIO
    /// Gives the output's stream another role; sounds go on at the same frame.
    case setOutputRole(StreamRole?)
    /// Gives the captures' streams another role; captures go on.
    case setCaptureRole(StreamRole?)
    /// Silences the output, or ends that, without a click; sounds go on.
    case muteOutput(Bool)
    /// Replaces what is captured by silence, or ends that; captures go on.
    case muteInput(Bool)
    /// Tells other sessions where this one stands.
    case claim(ClaimStep)
    /// Asks media players of other programs to pause, or to go on.
    case foreignPlayers(ForeignStep)
    /// Applies what the app prefers of devices and routes.
    case prefer(HostPreferences)
    /// Looks at the route anew: the app changed its settings.
    case updateRoute
    /// Lets the output be heard again that was silenced for a route change, as the app has been notified of it.
    ///
    /// - Parameter silence: ``HostFacts/routeSilence`` at that change; a later silence stands for a change of its own.
    case endRouteSilence(Int)
    /// Silences the streams of the command that this program holds the session for, or ends that; from the first time on
    /// this decides, and not the session's state.
    case silenceCommand(Bool)
    /// Lets the streams of the command be heard, and waits until they are, for 1 s at most.
    case releaseCommand
    /// Tells ``HostEvent/refusalEnded`` when no call would refuse an activation with these settings any more.
    case awaitEndOfCalls(SessionSettings)
}

/// What an app prefers of devices and routes.
package struct HostPreferences: Hashable, Sendable {
    /// A number that grows with each change: of two that cross each other the host keeps the later one.
    package var revision = 0
    /// Whether calls that only ring leave the session alone.
    package var ignoresRinging = false
    /// Rate, channels and buffer.
    package var devices = DevicePreferences()
    /// Where the output is to be.
    package var output = OutputPreference()
    /// Whether the session has a long-form policy.
    package var isLongForm = false
    /// The source to record from; nil for the server's default.
    package var input: String?
    /// Whether the session may play on several sinks at once.
    package var usesSideOutputs = false

    /// The preferences of an app that has none.
    package init() {}
}

/// What a host knows without asking the server.
package struct HostFacts: Hashable, Sendable {
    /// Whether there is a connection that works.
    package var isConnected = false
    /// The time of the output that sounds share, in seconds; 0 before there is one.
    package var deviceTime = 0.0
    /// Whether a capture runs.
    package var isCapturing = false
    /// The number of the silence that stands for the last route change, for ``HostCommand/endRouteSilence(_:)``.
    package var routeSilence = 0
    /// How often the server ran out of data since the output was made.
    package var underruns = 0
    /// The random bits by which streams of other processes say that they belong to this session.
    package var owner = ""

    /// The facts of a host without a connection.
    package init() {}
}

/// What other sessions and programs do.
package struct OtherAudio: Hashable, Sendable {
    /// The sessions that are not idle, this one included.
    package var participants: [Participant] = []
    /// Whether sound that only decorates should be left out, because another program's main sound is heard.
    package var silencesSecondaryAudio = false
    /// Whether anybody else is in a call.
    package var isInCall = false
    /// Whether another session in mode `spokenAudio` is active.
    package var isSpeaking = false

    /// Nothing at all.
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

/// What the server can do about the echo of what is played.
package struct EchoCancellationFacts: Hashable, Sendable {
    /// Whether the server can take it out of a microphone's sound.
    package var isAvailable: Bool
    /// Whether a capture of the session takes its sound from a source without echo.
    package var isActive: Bool

    /// Both facts.
    package init(isAvailable: Bool, isActive: Bool) {
        self.isAvailable = isAvailable
        self.isActive = isActive
    }
}

/// A change of a device for everybody who uses it.
package enum DeviceChange: Hashable, Sendable {
    /// The volume of the session's sink, as a share of 100 %; the balance stays.
    case outputVolume(Double)
    /// The port of a source; nil for the one that the server likes best.
    case dataSource(String?, of: String)
}

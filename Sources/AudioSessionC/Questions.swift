internal import AudioHost
internal import AudioSession
internal import CAVAudioSession
internal import Locks
internal import SessionPolicy

/// A question about the session that may wait for the sound server or the desktop, for 2 s at most.
///
/// Functions such as `avas_session_get_route` ask on the calling thread, `avas_session_ask_async` on a queue.
enum Question: Sendable {
    case otherAudio
    case secondaryAudio
    case permission
    case route
    case available
    case connection
    case number(DeviceNumber)

    /// The answer: a flag, a value or a route, whichever the question is for; none of them for ``connection``.
    struct Answer: Sendable {
        var flag = false
        var value = 0.0
        var route: RouteObject?
    }

    /// The question behind one of `AVAS_ASK_`; nil if there is none.
    init?(_ number: Int32) {
        switch number {
        case AVAS_ASK_OTHER_AUDIO_PLAYING: self = .otherAudio
        case AVAS_ASK_SILENCE_SECONDARY: self = .secondaryAudio
        case AVAS_ASK_PERMISSION: self = .permission
        case AVAS_ASK_ROUTE: self = .route
        case AVAS_ASK_AVAILABLE: self = .available
        case AVAS_ASK_CONNECTION: self = .connection
        default:
            let (value, isTooSmall) = number.subtractingReportingOverflow(AVAS_ASK_NUMBER)
            guard !isTooSmall, let number = DeviceNumber(value) else { return nil }
            self = .number(number)
        }
    }

    /// Asks, and waits.
    func ask() throws(SessionError) -> Answer {
        switch self {
        case .otherAudio: Answer(flag: try Self.ask { host, _ throws(SessionError) in try host.isOtherAudioPlaying() })
        case .secondaryAudio: Answer(flag: try Self.ask { host, _ in host.others.silencesSecondaryAudio })
        case .permission: Answer(value: Double(Self.decidedPermission))
        case .route: Answer(route: RouteObject(try Self.ask(Self.currentRoute)))
        case .available: Answer(route: RouteObject(try Self.ask(Self.availablePorts)))
        case .connection: try Self.ask { _, _ in Answer() }
        case .number(let number): Answer(value: try Self.ask(number.read))
        }
    }

    /// Puts a question to the sound server.
    private static func ask<Result>(
        _ question: (any AudioHost, SessionSettings) throws(SessionError) -> Result
    ) throws(SessionError) -> Result {
        try Library.session.checkServices()
        let settings = Library.session.settings
        return try Library.session.ask { host throws(SessionError) in try question(host, settings) }
    }

    /// One of `AVAS_PERMISSION_`.
    private static var decidedPermission: Int32 {
        switch CallDeadline.share({ Library.session.microphone?.permission ?? .granted }) {
        case .undetermined: AVAS_PERMISSION_UNDETERMINED
        case .denied: AVAS_PERMISSION_DENIED
        case .granted: AVAS_PERMISSION_GRANTED
        }
    }

    private static func currentRoute(_ host: any AudioHost, _ settings: SessionSettings) throws(SessionError) -> Route {
        try host.route(under: settings)
    }

    private static func availablePorts(
        _ host: any AudioHost, _ settings: SessionSettings
    ) throws(SessionError) -> Route {
        let ports = try host.ports()
        let inputs = ports.inputs.filter { settings.allowsInput && settings.allowsInput(from: $0.kind) }
        return Route(inputs: inputs, outputs: settings.allowsOutput ? ports.outputs : [])
    }
}

/// A number of the session's devices, such as the sample rate: one of `AVAS_NUMBER_`.
struct DeviceNumber: Sendable {
    private let value: @Sendable (HardwareFacts) -> Double
    /// Whether the server is asked for times, which takes it longer.
    private let isTime: Bool

    /// Creates the number with one of the values `AVAS_NUMBER_`; nil for any other value.
    init?(_ number: Int32) {
        guard let value = Self.value(number) else { return nil }
        self.value = value
        isTime = [AVAS_NUMBER_BUFFER_DURATION, AVAS_NUMBER_INPUT_LATENCY, AVAS_NUMBER_OUTPUT_LATENCY].contains(number)
    }

    /// Reads it from the devices that the session uses with these settings.
    func read(_ host: any AudioHost, _ settings: SessionSettings) throws(SessionError) -> Double {
        value(try host.hardware(under: settings, measuring: isTime).used(by: settings))
    }

    private static func value(_ number: Int32) -> (@Sendable (HardwareFacts) -> Double)? {
        switch number {
        case AVAS_NUMBER_SAMPLE_RATE: { Double($0.rate) }
        case AVAS_NUMBER_BUFFER_DURATION: { $0.buffer }
        case AVAS_NUMBER_INPUT_LATENCY: { $0.input?.latency ?? 0 }
        case AVAS_NUMBER_OUTPUT_LATENCY: { $0.output?.latency ?? 0 }
        case AVAS_NUMBER_INPUT_CHANNELS: { Double($0.input?.channels ?? 0) }
        case AVAS_NUMBER_OUTPUT_CHANNELS: { Double($0.output?.channels ?? 0) }
        case AVAS_NUMBER_INPUT_VOLUME: { min(1, $0.input?.volume ?? 0) }
        case AVAS_NUMBER_OUTPUT_VOLUME: { min(1, $0.output?.volume ?? 0) }
        default: nil
        }
    }
}

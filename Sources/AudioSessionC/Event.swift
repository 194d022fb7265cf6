internal import AudioHost
internal import CAVAudioSession
internal import SessionPolicy

/// An event of a session, as a C program asks about it.
final class Event: Sendable {
    /// One of `AVAS_EVENT_`.
    let type: Int32
    /// The time at which it was made, in nanoseconds of the monotonic clock.
    let time = UInt64(MonotonicClock.seconds * 1e9)
    /// The reason of an interruption or a route change.
    let reason: Int32
    let flag: Bool
    /// The app's number of an asynchronous call.
    let cookie: UInt64
    /// The result of an asynchronous call.
    let error: Int32
    let errorMessage: CText?
    /// The name of the program that interrupted.
    let application: CText?
    let pid: Int32
    /// The route before a change.
    let previous: RouteObject?
    /// The value in the reply to a question; 0 for other events.
    let value: Double
    /// The route in the reply to a question; nil for other events.
    let route: RouteObject?

    /// Whether the event answers a call of the app, which waits for it: it is never dropped.
    var isAnswer: Bool { type == AVAS_EVENT_REPLY || type == AVAS_EVENT_PERMISSION }

    private init(
        _ type: Int32, reason: Int32 = 0, flag: Bool = false, cookie: UInt64 = 0, failure: Failure? = nil,
        origin: InterruptionOrigin? = nil, previous: RouteObject? = nil, value: Double = 0, route: RouteObject? = nil
    ) {
        self.type = type
        self.reason = reason
        self.flag = flag
        self.cookie = cookie
        error = failure?.code ?? 0
        errorMessage = failure.map { CText($0.message) }
        application = origin?.name.map { CText($0) }
        pid = origin?.pid ?? 0
        self.previous = previous
        self.value = value
        self.route = route
    }

    /// The end of an asynchronous call.
    static func reply(_ cookie: UInt64, _ error: SessionError?) -> Event {
        Event(AVAS_EVENT_REPLY, cookie: cookie, failure: error.map { Failure($0) })
    }

    /// The reply to `avas_session_ask_async`, or to an asynchronous change of settings.
    static func reply(_ cookie: UInt64, _ answer: Question.Answer) -> Event {
        Event(AVAS_EVENT_REPLY, flag: answer.flag, cookie: cookie, value: answer.value, route: answer.route)
    }

    /// The user's or the desktop's answer about the microphone.
    static func permission(_ cookie: UInt64, isGranted: Bool) -> Event {
        Event(AVAS_EVENT_PERMISSION, flag: isGranted, cookie: cookie)
    }

    /// A change of the route.
    static func route(_ change: RouteChange) -> Event {
        Event(
            AVAS_EVENT_ROUTE_CHANGED, reason: Int32(change.reason.rawValue), previous: RouteObject(change.previous))
    }

    /// A change of the list of inputs.
    static var inputs: Event { Event(AVAS_EVENT_INPUTS_CHANGED) }

    /// The loss of events for which there was no room.
    static var dropped: Event { Event(AVAS_EVENT_DROPPED) }

    /// A notification of the session; nil for those that no function of the interface leads to.
    convenience init?(_ notification: SessionNotification) {
        switch notification {
        case .interruptionBegan(let cause, let origin):
            self.init(AVAS_EVENT_INTERRUPTION_BEGAN, reason: Int32(cause.reason.rawValue), origin: origin)
        case .interruptionEnded(let mayResume): self.init(AVAS_EVENT_INTERRUPTION_ENDED, flag: mayResume)
        case .refusalEnded: self.init(AVAS_EVENT_MAY_RETRY)
        case .activated: self.init(AVAS_EVENT_ACTIVE)
        case .deactivated: self.init(AVAS_EVENT_INACTIVE)
        case .secondaryAudioHint(let begins): self.init(AVAS_EVENT_SILENCE_SECONDARY, flag: begins)
        case .servicesLost: self.init(AVAS_EVENT_SERVER_LOST)
        case .servicesReset: self.init(AVAS_EVENT_SERVER_BACK)
        case .outputMuted, .inputMuted: return nil
        }
    }
}

/// The events of a handle that nobody has taken yet, in their order.
struct EventQueue {
    /// The most events in the queue beside answers.
    static let capacity = 256

    private var events: [Event] = []
    private var droppable = 0
    private var hasDropped = false

    var isEmpty: Bool { events.isEmpty && !hasDropped }
    var count: Int { events.count + (hasDropped ? 1 : 0) }

    /// Adds an event; where there is no room the oldest one that is no answer goes, which an event in front says.
    mutating func append(_ event: Event) {
        events.append(event)
        guard !event.isAnswer else { return }
        droppable += 1
        guard droppable > Self.capacity, let oldest = events.firstIndex(where: { !$0.isAnswer }) else { return }
        events.remove(at: oldest)
        droppable -= 1
        hasDropped = true
    }

    /// Removes the oldest event.
    mutating func next() -> Event? {
        if hasDropped {
            hasDropped = false
            return .dropped
        }
        guard !events.isEmpty else { return nil }
        let event = events.removeFirst()
        if !event.isAnswer { droppable -= 1 }
        return event
    }

    /// Removes all events.
    mutating func removeAll() { self = EventQueue() }
}

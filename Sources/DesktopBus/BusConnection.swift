internal import CSystemdBus
internal import Glibc

/// The result of a request.
enum BusReply {
    /// The peer answered.
    case answer(BusMessage)
    /// The peer, or the bus in its place, returned an error of this name.
    case refusal(String)
    /// There was no answer in time, or the connection is over.
    case silence

    /// The errors that say that nobody answered: of sd-bus, which depend on its version, and of the bus.
    private static let namesOfSilence = names(["NoReply", "Timeout", "Disconnected", "NoServer"])
    /// The errors that say that somebody is there who cannot answer now: of the bus, for a peer that did not start in
    /// time too.
    private static let namesOfDelay = names(["TimedOut", "LimitsExceeded", "NoMemory"])

    private static func names(_ words: [String]) -> Set<String> {
        Set(words.map { "org.freedesktop.DBus.Error." + $0 })
    }

    /// Whether a refusal leaves open what the answer would be.
    static func isDelay(_ name: String) -> Bool { namesOfDelay.contains(name) }

    /// The result that a message stands for.
    ///
    /// - Parameter isConnected: Whether the bus is still there: while a connection closes, sd-bus itself answers all
    ///   requests, with errors of any name.
    init(_ message: BusMessage, isConnected: Bool) {
        guard message.isError() else {
            self = .answer(message)
            return
        }
        let name = message.errorName ?? ""
        self = isConnected && !Self.namesOfSilence.contains(name) ? .refusal(name) : .silence
    }
}

/// A connection to a bus, from its opening to its loss; used on one thread.
///
/// A lost connection is not restored: its requests end with ``BusReply/silence``, and a new connection has a new unique
/// name.
final class BusConnection {
    /// The time limit for the bus to accept the connection, and for a peer to answer.
    static let patience = Duration.seconds(2)

    let api: UnsafePointer<systemd_bus>
    let raw: OpaquePointer
    private let opened = ContinuousClock.now
    /// Whether the bus has accepted the connection.
    private(set) var isReady = false
    /// Whether the bus is there: not before it has accepted the connection, and not while the connection closes.
    fileprivate var isConnected: Bool { api.pointee.is_ready(raw) > 0 }
    /// Whether the connection ended before the bus accepted it, except by a timeout: the same as no bus.
    private(set) var isRefused = false
    /// Whether the connection has ended, and its sd-bus object was released.
    private var isClosed = false
    /// The unanswered requests, which sd-bus knows by their address.
    private var questions: [ObjectIdentifier: Question] = [:]
    private var subscriptions: [ObjectIdentifier: Subscription] = [:]
    /// The objects that answer calls; sd-bus knows them by their address.
    var objects: [BusObject] = []

    /// Begins to connect; nil without the library, or if there is no listener at the address.
    init?(address: String, library: UnsafePointer<systemd_bus>?) {
        guard let api = library else { return nil }
        var made: OpaquePointer?
        guard api.pointee.new(&made) >= 0, let raw = made else { return nil }
        guard api.pointee.set_address(raw, address) >= 0, api.pointee.set_bus_client(raw, 1) >= 0,
            api.pointee.start(raw) >= 0
        else {
            _ = api.pointee.unref(raw)
            return nil
        }
        self.api = api
        self.raw = raw
    }

    // MARK: Requests

    /// Sends a request, and calls back exactly once, on the same thread; at once if it cannot be sent.
    ///
    /// - Parameters:
    ///   - mayStart: Whether the bus may start the peer's program for the request.
    ///   - isPatient: Whether there is no time limit, as for an answer by the user.
    func call(
        _ destination: String, path: String, interface: String, method: String,
        arguments: [BusArgument] = [], mayStart: Bool = true, isPatient: Bool = false,
        completion: @escaping (BusReply) -> Void
    ) {
        // The completion may send another request.
        guard !isClosed else { return completion(.silence) }
        let question = Question(connection: self, completion)
        questions[ObjectIdentifier(question)] = question
        var made: OpaquePointer?
        guard api.pointee.message_new_method_call(raw, &made, destination, path, interface, method) >= 0,
            let message = made
        else { return question.answer(.silence) }
        defer { _ = api.pointee.message_unref(message) }
        guard mayStart || api.pointee.message_set_auto_start(message, 0) >= 0,
            send(question, message, arguments, isPatient: isPatient)
        else {
            // An invalid name, or a connection lost a moment ago.
            return question.answer(.silence)
        }
    }

    private func send(
        _ question: Question, _ message: OpaquePointer, _ arguments: [BusArgument], isPatient: Bool
    ) -> Bool {
        for argument in arguments where !argument.append(to: message, api) { return false }
        let (seconds, attoseconds) = Self.patience.components
        let microseconds = UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
        // SAFETY: `questions` holds it until sd-bus has called back or is gone.
        let context = Unmanaged.passUnretained(question).toOpaque()
        return api.pointee.call_async(
            raw, nil, message, questionAnswered, context, isPatient ? .max : microseconds) >= 0
    }

    /// Subscribes to signals that match a rule, until the subscription is cancelled; nil for an invalid rule.
    func subscribe(_ rule: String, handler: @escaping (BusMessage) -> Void) -> Subscription? {
        let subscription = Subscription(connection: self, handler)
        // SAFETY: `subscriptions` holds it until its slot is released.
        let context = Unmanaged.passUnretained(subscription).toOpaque()
        // If the bus refuses the rule (for too many rules), the connection fails, as it would miss signals.
        let code = api.pointee.add_match_async(raw, &subscription.slot, rule, signalArrived, nil, context)
        guard code >= 0 else { return nil }
        subscriptions[ObjectIdentifier(subscription)] = subscription
        return subscription
    }

    fileprivate func forget(_ question: Question) -> Bool {
        questions.removeValue(forKey: ObjectIdentifier(question)) != nil
    }

    fileprivate func cancel(_ subscription: Subscription) {
        guard subscriptions.removeValue(forKey: ObjectIdentifier(subscription)) != nil else { return }
        _ = api.pointee.slot_unref(subscription.slot)
    }

    // MARK: Running

    /// Processes pending messages; false if the connection is over.
    func process() -> Bool {
        // At most 64 messages, so that a peer that floods this connection does not block its own requests.
        for _ in 0..<64 {
            let code = api.pointee.process(raw, nil)
            guard code >= 0 else {
                isRefused = !isReady
                return false
            }
            if !isReady { isReady = api.pointee.is_ready(raw) > 0 }
            if code == 0 { break }
        }
        return isReady || ContinuousClock.now - opened < Self.patience
    }

    /// The poll events and the timeout in milliseconds (-1: none); nil if the connection is over.
    func wait() -> (events: pollfd, milliseconds: Int32)? {
        let descriptor = api.pointee.get_fd(raw)
        let events = api.pointee.get_events(raw)
        var due: UInt64 = 0
        guard descriptor >= 0, events >= 0, api.pointee.get_timeout(raw, &due) >= 0 else { return nil }
        var milliseconds: Int32 = -1
        if due != .max {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let passed = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
            milliseconds = due <= passed ? 0 : Int32(min((due - passed + 999) / 1000, 60_000))
        }
        if !isReady { milliseconds = milliseconds < 0 ? 100 : min(milliseconds, 100) }
        return (pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0), milliseconds)
    }

    /// Closes the connection; unanswered requests end with ``BusReply/silence``.
    func close() {
        for subscription in subscriptions.values { _ = api.pointee.slot_unref(subscription.slot) }
        subscriptions = [:]
        isClosed = true
        api.pointee.close(raw)
        // This also releases sd-bus's references to the requests.
        _ = api.pointee.unref(raw)
        for question in Array(questions.values) { question.answer(.silence) }
    }
}

extension BusConnection {
    /// A subscription to signals.
    final class Subscription {
        fileprivate var slot: OpaquePointer?
        fileprivate let handler: (BusMessage) -> Void
        private weak var connection: BusConnection?

        fileprivate init(connection: BusConnection, _ handler: @escaping (BusMessage) -> Void) {
            self.connection = connection
            self.handler = handler
        }

        /// Ends the subscription.
        func cancel() { connection?.cancel(self) }

        fileprivate func received(_ message: OpaquePointer) {
            guard let connection else { return }
            handler(BusMessage(message, api: connection.api))
        }
    }

    fileprivate final class Question {
        private weak var connection: BusConnection?
        private let completion: (BusReply) -> Void

        init(connection: BusConnection, _ completion: @escaping (BusReply) -> Void) {
            self.connection = connection
            self.completion = completion
        }

        func answer(_ message: OpaquePointer) {
            guard let connection else { return }
            answer(BusReply(BusMessage(message, api: connection.api), isConnected: connection.isConnected))
        }

        func answer(_ reply: BusReply) {
            if connection?.forget(self) ?? false { completion(reply) }
        }
    }
}

private func questionAnswered(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    // SAFETY: held by its connection until answered; this reference holds it while a handler runs.
    Unmanaged<BusConnection.Question>.fromOpaque(context).takeUnretainedValue().answer(message)
    return 1
}

private func signalArrived(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    // SAFETY: held by its connection until its slot is released.
    Unmanaged<BusConnection.Subscription>.fromOpaque(context).takeUnretainedValue().received(message)
    // Other subscriptions may match the same signal.
    return 0
}

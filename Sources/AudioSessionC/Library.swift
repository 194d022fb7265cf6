internal import AudioHost
internal import AudioSession
internal import CAVAudioSession
internal import SessionPolicy

/// What the library knows in this process: the session, and the objects that the program holds references to.
enum Library {
    static let handles = Registry<Handle>(kind: 1)
    static let events = Registry<Event>(kind: 2)
    static let routes = Registry<RouteObject>(kind: 3)

    /// The session; made at its first use.
    static let session: Session = {
        let session = Session(server: nil, meetsDesktop: true, microphone: Session.userMicrophone { nil })
        session.receiver = receiver
        return session
    }()

    private static let receiver = Receiver()

    /// The handle behind a reference; throws if there is none, and in a child made with `fork()`, where locks may be held
    /// for ever.
    static func handle(_ pointer: OpaquePointer?) throws(Failure) -> Handle {
        guard !session_shims_is_forked() else { throw .forked }
        guard let handle = handles.object(pointer) else { throw .missing(pointer, "session") }
        return handle
    }

    /// The event behind a reference; see ``handle(_:)``.
    static func event(_ pointer: OpaquePointer?) throws(Failure) -> Event {
        guard !session_shims_is_forked() else { throw .forked }
        guard let event = events.object(pointer) else { throw .missing(pointer, "event") }
        return event
    }

    /// The route behind a reference; see ``handle(_:)``.
    static func route(_ pointer: OpaquePointer?) throws(Failure) -> RouteObject {
        guard !session_shims_is_forked() else { throw .forked }
        guard let route = routes.object(pointer) else { throw .missing(pointer, "route") }
        return route
    }

    /// Checks a handle, then asks the server or the desktop a question; waits for 2 s at most.
    static func answer(_ pointer: OpaquePointer?, _ question: Question) throws(Failure) -> Question.Answer {
        _ = try handle(pointer)
        return try Failure.of { () throws(SessionError) in try question.ask() }
    }

    /// The queue of questions, apart from that of activations, which would wait behind questions to a server that hangs.
    static let questions = SessionAsyncQueue()

    /// Does something in the background, after what is in the queue before, and answers with a reply.
    static func run(
        on queue: SessionAsyncQueue, for handle: Handle, _ cookie: UInt64,
        _ body: @escaping @Sendable () throws(SessionError) -> Question.Answer
    ) {
        startingThreads {
            queue.run {
                do throws(SessionError) { return Event.reply(cookie, try body()) } catch {
                    return Event.reply(cookie, error)
                }
            } then: {
                handle.append($0)
            }
        }
    }

    /// Tells the session whether streams of the program run, by the counts of all handles.
    static func updatePlaying() {
        startingThreads { session.setPlaying { handles.objects.contains { $0.playing > 0 } } }
    }
}

/// The session's receiver: turns deliveries into events, for all handles.
///
/// Takes leaf locks only, as it may be called with the host's lock held.
private final class Receiver: SessionReceiver {
    func receive(_ delivery: SessionDelivery) {
        switch delivery {
        case .notification(let notification, _):
            // The streams went with the server.
            if notification == .servicesLost { for handle in Library.handles.objects { handle.playing = 0 } }
            // An app in C takes it later, on a thread of its choice.
            StepTrace.measure(.delivery, .init(StepTrace.word(for: notification), decided: StepTrace.now)) {
                Event(notification).map(tell)
            }
        case .route(let change): tell(.route(change))
        case .inputs: tell(.inputs)
        // Flags of players and recorders, which C programs do not have.
        case .forgetInterruptions, .rendering, .sound: break
        }
    }

    private func tell(_ event: Event) { for handle in Library.handles.objects { handle.append(event) } }
}

internal import CPulse

// Every request to the server has one body, which takes a completion handler. `answer` makes an asynchronous call of
// it, `answerAndWait` a blocking one.

extension PulseConnection {
    /// The handler of a request's answer, called exactly once, on the loop's thread with the lock held.
    public typealias Completion<Value> = (Result<Value, PulseError>) -> Void

    /// Suspends, without blocking a thread, until a request is answered.
    func answer<Value: Sendable>(_ ask: (@escaping Completion<Value>) -> Void) async throws(PulseError) -> Value {
        let result: Result<Value, PulseError> = await withCheckedContinuation { continuation in
            ask { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Blocks the calling thread, which must not be the loop's, until a request is answered.
    ///
    /// - Parameters:
    ///   - call: The name of the call, for the error when time runs out.
    ///   - timeout: The limit; a stopped server does not answer.
    ///   - ask: Sends the request, with the given completion handler.
    public func answerAndWait<Value>(
        _ call: String, timeout: Duration = .seconds(2), _ ask: (@escaping Completion<Value>) -> Void
    ) throws(PulseError) -> Value {
        let box = AnswerBox<Value>()
        ask { [mainloop] result in
            box.result = result
            mainloop.signal()
        }
        _ = mainloop.wait(timeout: timeout) { box.result != nil }
        guard let result = box.result else { throw PulseError(.timeout, in: call) }
        return try result.get()
    }

    /// Sends a command that is answered with success or failure.
    func command(
        _ call: String, completion: @escaping Completion<Void>,
        begin: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        request(call, item: { _ in }, end: { error in completion(error.map { .failure($0) } ?? .success(())) }, begin)
    }

    /// Requests a list; each item is copied while libpulse's memory is valid.
    func list<Info, Value>(
        _ call: String, of type: Info.Type, _ copy: @escaping (Info) -> Value?,
        completion: @escaping Completion<[Value]>, begin: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        var values: [Value] = []
        request(
            call,
            item: { if let value = copy($0.load(as: Info.self)) { values.append(value) } },
            end: { error in completion(error.map { .failure($0) } ?? .success(values)) }, begin)
    }

    /// Requests one object.
    func one<Info, Value>(
        _ call: String, of type: Info.Type, _ copy: @escaping (Info) -> Value?,
        completion: @escaping Completion<Value>, begin: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        let first: Completion<[Value]> = { result in
            completion(
                result.flatMap { values in
                    values.first.map { .success($0) } ?? .failure(PulseError(.noSuchEntity, in: call))
                })
        }
        list(call, of: type, copy, completion: first, begin: begin)
    }

    /// Sends a command that creates an object, and is answered with its index.
    func index(
        _ call: String, completion: @escaping Completion<UInt32>,
        begin: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        var made = cpulse_invalid_index
        request(
            call, item: { made = $0.load(as: UInt32.self) },
            end: { error in completion(error.map { .failure($0) } ?? .success(made)) }, begin)
    }

    private func request(
        _ call: String, item: @escaping (UnsafeRawPointer) -> Void, end: @escaping (PulseError?) -> Void,
        _ begin: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        do throws(PulseError) {
            let context = try ready(for: call)
            let request = PendingRequest(call, in: requests, item: item, end: end)
            requests.send(request, context: context) { begin(context, $0) }
        } catch {
            end(error)
        }
    }
}

private final class AnswerBox<Value> { var result: Result<Value, PulseError>? }

/// The callback of commands: `pa_context_success_cb_t`.
func commandAnswered(_ context: OpaquePointer?, success: Int32, userdata: UnsafeMutableRawPointer?) {
    PendingRequest.from(userdata)?.received(success: success, context: context)
}

/// The callback of commands that create an object: `pa_context_index_cb_t`.
func indexAnswered(_ context: OpaquePointer?, index: UInt32, userdata: UnsafeMutableRawPointer?) {
    PendingRequest.from(userdata)?.received(value: index, context: context)
}

extension PulseConnection {
    /// The index of this connection's client on the server; nil unless the connection is ready.
    ///
    /// PulseAudio: `pa_context_get_index`.
    public var clientIndex: UInt32? {
        guard let context = try? ready(for: "pa_context_get_index") else { return nil }
        let index = pa_context_get_index(context)
        return index == cpulse_invalid_index ? nil : index
    }

    /// The address of the connection's server.
    ///
    /// PulseAudio: `pa_context_get_server`.
    public var serverAddress: String? {
        guard let context = try? ready(for: "pa_context_get_server") else { return nil }
        return pa_context_get_server(context).map { String(cString: $0) }
    }

    /// Subscribes to changes of the given kinds of objects, which ``eventHandler`` receives.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_subscribe`.
    public func subscribe(_ mask: SubscriptionMask, completion: @escaping Completion<Void>) {
        command("pa_context_subscribe", completion: completion) {
            pa_context_subscribe($0, pa_subscription_mask_t(rawValue: mask.rawValue), commandAnswered, $1)
        }
    }

    /// Subscribes to changes of the given kinds of objects, which ``eventHandler`` receives.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_subscribe`.
    public func subscribe(_ mask: SubscriptionMask) async throws(PulseError) {
        try await answer { subscribe(mask, completion: $0) }
    }
}

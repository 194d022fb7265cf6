internal import CPulse

/// A request to the server without an answer yet.
///
/// The ``RequestTable`` of its connection or stream holds it until the answer. When a connection breaks libpulse drops
/// its operations without a callback, so the table then fails its remaining requests: every request ends exactly once.
final class PendingRequest {
    let call: String
    private let table: RequestTable
    private let item: (UnsafeRawPointer) -> Void
    private let end: (PulseError?) -> Void
    /// Held until the answer.
    fileprivate var operation: OpaquePointer?

    init(
        _ call: String, in table: RequestTable, item: @escaping (UnsafeRawPointer) -> Void = { _ in },
        end: @escaping (PulseError?) -> Void
    ) {
        self.call = call
        self.table = table
        self.item = item
        self.end = end
    }

    /// One element of a list, or its end: 0, positive at the end, negative on failure.
    func received(_ pointer: UnsafeRawPointer?, endOfList: Int32, context: OpaquePointer?) {
        if endOfList == 0, let pointer { return item(pointer) }
        finish(endOfList < 0 ? PulseError(context: context, in: call) : nil)
    }

    /// The answer to a command.
    func received(success: Int32, context: OpaquePointer?) {
        finish(success == 0 ? PulseError(context: context, in: call) : nil)
    }

    /// A numeric answer, such as an object's index.
    func received(value: UInt32, context: OpaquePointer?) {
        guard value != cpulse_invalid_index else { return finish(PulseError(context: context, in: call)) }
        withUnsafePointer(to: value) { item(UnsafeRawPointer($0)) }
        finish(nil)
    }

    func finish(_ error: PulseError?) {
        guard table.remove(self) else { return }
        if let operation { pa_operation_unref(operation) }
        operation = nil
        end(error)
    }

    static func from(_ userdata: UnsafeMutableRawPointer?) -> PendingRequest? {
        // SAFETY: the table holds the request until it is finished, and libpulse does not call back after that.
        userdata.map { Unmanaged<PendingRequest>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The unanswered requests of one connection or stream.
final class RequestTable {
    private var requests: [ObjectIdentifier: PendingRequest] = [:]

    /// Sends a request; `begin` makes the libpulse call with the given user data.
    func send(
        _ request: PendingRequest, context: OpaquePointer?, begin: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        requests[ObjectIdentifier(request)] = request
        // SAFETY: the table holds the request until its answer.
        guard let operation = begin(Unmanaged.passUnretained(request).toOpaque()) else {
            return request.finish(PulseError(context: context, in: request.call))
        }
        request.operation = operation
    }

    func remove(_ request: PendingRequest) -> Bool {
        requests.removeValue(forKey: ObjectIdentifier(request)) != nil
    }

    /// Fails all requests.
    ///
    /// The server still answers requests of a closed stream. Cancelled operations keep that answer from a released
    /// request.
    func failAll(_ code: PulseError.Code) {
        for request in requests.values {
            if let operation = request.operation { pa_operation_cancel(operation) }
            request.finish(PulseError(code, in: request.call))
        }
    }
}

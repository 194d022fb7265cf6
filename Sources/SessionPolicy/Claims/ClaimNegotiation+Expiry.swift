/// The end of requests that take too long.
extension ClaimNegotiation {
    /// Ends a request, with an error, after its caller has stopped waiting for it.
    ///
    /// A claim that is in effect already stays, and its request is complete.
    package mutating func expire(request: Int) -> [ClaimEffect] {
        if pending?.request == request {
            giveUp()
        } else if let waiting = deferred.first(where: { $0.request == request }) {
            deferred.removeAll { $0.request == request }
            emit(.cancel(.deferral(waiting.number)))
            emit(.complete(request, SessionError(.mediaServicesFailed, "The sound server does not answer.")))
        }
        return flush()
    }
}

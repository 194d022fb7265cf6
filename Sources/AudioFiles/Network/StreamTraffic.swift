/// Counters of a stream's network traffic, and the parts that could not be fetched.
package struct StreamTraffic: Sendable {
    /// A part of a stream, such as a segment of a playlist, that could not be fetched.
    package struct Failure: Sendable, Equatable {
        /// Its address.
        package let url: String
        /// Why.
        package let error: StreamError
    }

    /// Bytes of what the requests asked for, without their heads.
    package var bytes: Int64 = 0
    /// Requests that were answered; those that FFmpeg makes within one, for redirects and lost connections, not
    /// counted.
    package var requests = 0
    /// Seconds in which the stream was read.
    package var seconds = 0.0
    /// What could not be had.
    package var failures: [Failure] = []

    /// Nothing yet.
    package init() {}

    /// What both took.
    package static func += (total: inout StreamTraffic, more: StreamTraffic) {
        total.bytes += more.bytes
        total.requests += more.requests
        total.seconds += more.seconds
        total.failures += more.failures
    }
}

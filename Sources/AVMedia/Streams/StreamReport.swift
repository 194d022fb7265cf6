package import AudioFiles
package import Foundation

/// The statistics of a stream so far.
package struct StreamReport: Sendable {
    /// The stream's format.
    package let format: StreamFormat
    /// The date at which the stream could be played.
    package let opened: Date
    /// Seconds from the request until then.
    package let startup: TimeInterval
    /// The number of stalls.
    package let stalls: Int
    /// The network traffic.
    package let traffic: StreamTraffic
}

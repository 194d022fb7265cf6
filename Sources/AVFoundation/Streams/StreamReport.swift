package import AudioFiles
package import Foundation

/// What became of a stream so far.
package struct StreamReport: Sendable {
    /// What it contains.
    package let format: StreamFormat
    /// When it could be played.
    package let opened: Date
    /// Seconds that this took.
    package let startup: TimeInterval
    /// How often nothing more was there.
    package let stalls: Int
    /// What it took from the network.
    package let traffic: StreamTraffic
}

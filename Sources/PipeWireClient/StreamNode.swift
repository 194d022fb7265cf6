/// A playback stream of any program, as a node of PipeWire's graph.
package struct StreamNode: Hashable, Sendable {
    /// The media class of playback streams, the only nodes that are tracked.
    package static let mediaClass = "Stream/Output/Audio"

    /// The registry ID, which may be reused when the node is gone.
    package let id: UInt32
    /// The unique serial number (`object.serial`).
    package let serial: UInt64
    /// Whether this client has permission to change the node; sandboxed clients often have not.
    package let isWritable: Bool
    /// The registry's properties, such as `application.name` and `media.role`.
    package let properties: [String: String]
    /// The user's volume for each channel, linear, 1 for 100 %; mixers show the cube root.
    package internal(set) var channelVolumes: [Float] = []
    /// The soft volumes that any client set last; they may not be in force any more.
    package internal(set) var softVolumes: [Float] = []
    /// Whether the user has muted the stream.
    package internal(set) var isMuted = false

    /// The index of the stream as a sink input of pipewire-pulse; nil if the serial does not fit.
    package var sinkInput: UInt32? { serial < UInt64(UInt32.max) ? UInt32(serial) : nil }
}

/// The author of a change of a stream's volumes.
package enum StreamNodeChange: Hashable, Sendable {
    /// The stream is new, or its volumes have become known.
    case appeared
    /// This connection; the event confirms its change.
    case echo
    /// Another client: the user, the session manager that restores a volume, another program.
    ///
    /// Soft volumes may be out of force afterwards, even if the values are the same.
    case foreign
}

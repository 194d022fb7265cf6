/// A playback stream of any program, as PipeWire's graph has it.
package struct StreamNode: Hashable, Sendable {
    /// The media class of playback streams, the only nodes that are looked at.
    package static let mediaClass = "Stream/Output/Audio"

    /// Its number in the registry, which may be used again when it is gone.
    package let id: UInt32
    /// Its number for good (`object.serial`).
    package let serial: UInt64
    /// Whether this client may change it: sandboxed ones often may not.
    package let isWritable: Bool
    /// What the registry says about it, such as `application.name` and `media.role`.
    package let properties: [String: String]
    /// The user's volume for each channel, 1 for 100 %, linear (the cube of what mixers show).
    package internal(set) var channelVolumes: [Float] = []
    /// The soft volumes that were set last, by whomever; they need not be in force any more.
    package internal(set) var softVolumes: [Float] = []
    /// Whether the user has muted it.
    package internal(set) var isMuted = false

    /// The number under which pipewire-pulse lists it as a sink input; nil where it has none.
    package var sinkInput: UInt32? { serial < UInt64(UInt32.max) ? UInt32(serial) : nil }
}

/// Who changed a stream's volumes.
package enum StreamNodeChange: Hashable, Sendable {
    /// The stream is new, or its volumes have become known.
    case appeared
    /// This connection did; the server confirms it.
    case echo
    /// Somebody else did: the user, the session manager's restored volume, another program.
    ///
    /// Soft volumes may be out of force from then on, even where the values do not say so.
    case foreign
}

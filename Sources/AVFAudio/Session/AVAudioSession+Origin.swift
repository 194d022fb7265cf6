internal import SessionPolicy

extension AVAudioSession {
    /// Who interrupted a session.
    ///
    /// Not on Apple's systems, where an app does not learn it: a Linux user expects to.
    public final class InterruptionOrigin: NSObject, Sendable {
        /// The name of the app, as it tells the sound server; nil if it has none.
        public let applicationName: String?

        /// The app's process, as numbered on its machine; nil if it is not known.
        public let processIdentifier: Int32?

        /// The number of the playback stream that interrupted; nil where a session did, and not a single stream.
        public let streamIndex: UInt32?

        init(_ origin: SessionPolicy.InterruptionOrigin) {
            applicationName = origin.name
            processIdentifier = origin.pid
            streamIndex = origin.stream
        }
    }
}

/// An `AVAudioSession.InterruptionOrigin`, when an interruption begins and somebody is known to have caused it.
///
/// Not on Apple's systems: a Linux addition.
public let AVAudioSessionInterruptionOriginKey = "AVAudioSessionInterruptionOriginKey"

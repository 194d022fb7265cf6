internal import SessionPolicy

extension AVAudioSession {
    /// The app or stream that interrupted a session: a Linux addition.
    ///
    /// On Apple's systems an app does not learn it, but a Linux user expects to.
    public final class InterruptionOrigin: NSObject, Sendable {
        /// The app's name on the sound server; nil if it has none.
        public let applicationName: String?

        /// The app's process ID; nil if it is not known.
        public let processIdentifier: Int32?

        /// The index of the interrupting playback stream on the server; nil if a whole session interrupted.
        public let streamIndex: UInt32?

        init(_ origin: SessionPolicy.InterruptionOrigin) {
            applicationName = origin.name
            processIdentifier = origin.pid
            streamIndex = origin.stream
        }
    }
}

/// The user info key of an `AVAudioSession.InterruptionOrigin`, at the beginning of an interruption with a known
/// origin.
///
/// A Linux addition.
public let AVAudioSessionInterruptionOriginKey = "AVAudioSessionInterruptionOriginKey"

package import SessionPolicy

/// An app's preferences beside category, mode and options; reset when the sound server is lost.
package struct SessionPreferences: Sendable {
    /// Whether a ringing call does not interrupt the session.
    package var noInterruptionsFromSystemAlerts = false
    /// Whether the session is interrupted when its output is unplugged.
    package var interruptionOnRouteDisconnect = true
    /// Whether system sounds are heard while the session records.
    package var systemSoundsDuringRecording = false
    /// Whether the input should be echo-cancelled.
    package var echoCancelledInput = false
    /// Whether the app plays content of several channels.
    package var multichannelContent = false
    /// The orientation of a stereo input, as Apple's raw value.
    package var inputOrientation = 0
    /// The preferred I/O type, as Apple's raw value.
    package var ioType: UInt = 0
    /// Whether the desktop may show the app as a media player.
    package var nowPlayingCandidate = true
    /// Sample rate, channels and buffer.
    package var devices = DevicePreferences()
    /// The output that the app chose, and its override to the speaker.
    package var output = OutputPreference()
    /// The chosen ports of sources, by the sources' names.
    package var dataSources: [String: String] = [:]
    /// The chosen polar patterns.
    package var patterns: [PatternKey: String] = [:]

    /// A data source of a device, by the server's names.
    package struct PatternKey: Hashable, Sendable {
        private let device: String
        private let port: String

        /// A data source of a device.
        package init(_ device: String, _ source: RoutePort.DataSource) {
            self.device = device
            port = source.port
        }
    }

    /// No preferences.
    package init() {}
}

package import SessionPolicy

/// What apps may prefer beside category, mode and options; forgotten with the sound server.
package struct SessionPreferences: Sendable {
    /// Whether calls that only ring leave the session alone.
    package var noInterruptionsFromSystemAlerts = false
    /// Whether the session is interrupted when its output is unplugged.
    package var interruptionOnRouteDisconnect = true
    /// Whether system sounds are heard while the session records.
    package var systemSoundsDuringRecording = false
    /// Whether the input should be one without echo.
    package var echoCancelledInput = false
    /// Whether the app plays content of several channels.
    package var multichannelContent = false
    /// The orientation of a stereo input, as Apple numbers it.
    package var inputOrientation = 0
    /// How the app wants its I/O done, as Apple numbers it.
    package var ioType: UInt = 0
    /// Whether the app may be shown as what plays now.
    package var nowPlayingCandidate = true
    /// Rate, channels and buffer.
    package var devices = DevicePreferences()
    /// Where the output is to be.
    package var output = OutputPreference()
    /// The ports that were chosen, by their sources' names.
    package var dataSources: [String: String] = [:]
    /// The polar patterns that were chosen.
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

internal import SessionPolicy

extension SessionShell {
    /// What apps may wish beside category, mode and options.
    struct Preferences {
        var noInterruptionsFromSystemAlerts = false
        var interruptionOnRouteDisconnect = true
        var systemSoundsDuringRecording = false
        var echoCancelledInput = false
        var multichannelContent = false
        var inputOrientation = AVAudioSession.StereoOrientation.none
        var ioType = AVAudioSession.IOType.notSpecified
        var nowPlayingCandidate = true
        var devices = DevicePreferences()
        var output = OutputWish()
        /// The ports that were chosen, by their sources' names.
        var dataSources: [String: String] = [:]
        /// The polar patterns that were chosen.
        var patterns: [PatternKey: String] = [:]
    }

    /// A data source of a device, by the server's names.
    struct PatternKey: Hashable {
        let device: String
        let port: String

        init(_ device: String, _ source: RoutePort.DataSource) {
            self.device = device
            port = source.port
        }
    }
}

extension NSNotification.Name {
    /// The rate or the number of channels of the output device has changed under a running engine.
    ///
    /// The object is the engine. It goes on: the server converts its sound until the next `stop()` and `start()`, which takes
    /// the device's new format over. `outputNode.outputFormat(forBus: 0)` has that format already. Delivered on the main
    /// queue; the engine may be started, stopped, changed and released there. Never posted in manual rendering.
    ///
    /// Apple: `AVAudioEngineConfigurationChange`
    public static let AVAudioEngineConfigurationChange = NSNotification.Name(
        "AVAudioEngineConfigurationChangeNotification")
}

extension AVAudioEngine {
    /// The name of `AVAudioEngineConfigurationChange` in newer Swift sources.
    ///
    /// Apple: `AVAudioEngine.configurationChangeNotification`
    public static let configurationChangeNotification = NSNotification.Name.AVAudioEngineConfigurationChange
}

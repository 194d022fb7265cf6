extension AVAudioSession {
    /// Calls a handler on the main thread when a property has changed: `outputVolume`, `inputGain`, `isInputAvailable`,
    /// `inputDataSources`, `inputDataSource`, `outputDataSources`, `outputDataSource`, `inputNumberOfChannels`,
    /// `outputNumberOfChannels`, `sampleRate`, `ioBufferDuration`; and others that depend on the session's settings,
    /// the route or the devices.
    ///
    /// Nothing is polled: the sound server says when a device changed, and then the property is read again, on a queue
    /// of the session's. The value is read once here, too, which may wait for the server. As long as anything is
    /// observed, the app has a second connection to the server.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: What the handler is told; with `.initial` it is called once before this returns, on this thread.
    ///   - changeHandler: Is given the session and the change.
    /// - Returns: What has to be kept for as long as the handler is to be called.
    ///
    /// Apple: `observe(_:options:changeHandler:)` of `NSObject`.
    public func observe<Value>(
        _ keyPath: KeyPath<AVAudioSession, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (AVAudioSession, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        properties.observe(keyPath, of: self, options, changeHandler)
    }
}

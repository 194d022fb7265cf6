extension AVAudioSession {
    /// Calls a handler on the main thread whenever a property has changed.
    ///
    /// Observable are `outputVolume`, `inputGain`, `isInputAvailable`, `inputDataSources`, `inputDataSource`,
    /// `outputDataSources`, `outputDataSource`, `inputNumberOfChannels`, `outputNumberOfChannels`, `sampleRate`,
    /// `ioBufferDuration`, and other properties that depend on the session's settings, the route or the devices.
    ///
    /// Nothing is polled. The sound server reports changed devices, and the property is read again on a queue of the
    /// session. This call reads the property once, on the calling thread, and waits as long as that takes. The first
    /// observation opens a second connection to the server, and the last one closes it.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: The values that the handler receives; with `.initial` it is called once before this returns, on the
    ///     calling thread.
    ///   - changeHandler: Receives the session and the change.
    /// - Returns: The observation; it ends with its last reference.
    ///
    /// Apple: `observe(_:options:changeHandler:)` of `NSObject`.
    public func observe<Value>(
        _ keyPath: KeyPath<AVAudioSession, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (AVAudioSession, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        properties.observe(keyPath, of: self, options, changeHandler)
    }
}

public import AVFAudio

extension AVPlayer {
    /// Calls a handler on the main thread after each change of a property: `rate`, `timeControlStatus`,
    /// `reasonForWaitingToPlay`, `status`, `error` or `currentItem`.
    ///
    /// - Returns: The observation, which ends with its last reference.
    ///
    /// Apple: `observe(_:options:changeHandler:)` of `NSObject`.
    public func observe<Value>(
        _ keyPath: KeyPath<AVPlayer, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (AVPlayer, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        core.properties.observe(keyPath, of: self, options, changeHandler)
    }
}

extension AVPlayerItem {
    /// Calls a handler on the main thread after each change of a property: `status`, `error`, `duration`,
    /// `loadedTimeRanges`, `seekableTimeRanges`, `isPlaybackBufferEmpty`, `isPlaybackBufferFull`,
    /// `isPlaybackLikelyToKeepUp` or `timedMetadata`.
    ///
    /// - Returns: The observation, which ends with its last reference.
    ///
    /// Apple: `observe(_:options:changeHandler:)` of `NSObject`.
    public func observe<Value>(
        _ keyPath: KeyPath<AVPlayerItem, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (AVPlayerItem, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        properties.observe(keyPath, of: self, options, changeHandler)
    }
}

extension AVPlayerLooper {
    /// Calls a handler on the main thread after each change of a property: `status`, `error` or `loopCount`.
    ///
    /// - Returns: The observation, which ends with its last reference.
    ///
    /// Apple: `observe(_:options:changeHandler:)` of `NSObject`.
    public func observe<Value>(
        _ keyPath: KeyPath<AVPlayerLooper, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (AVPlayerLooper, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        properties.observe(keyPath, of: self, options, changeHandler)
    }
}

public import AVFAudio

extension AVPlayer {
    /// Calls a handler on the main thread when a property has changed: `rate`, `timeControlStatus`,
    /// `reasonForWaitingToPlay`, `status`, `error`, `currentItem`.
    ///
    /// - Returns: What has to be kept for as long as the handler is to be called.
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
    /// Calls a handler on the main thread when a property has changed: `status`, `error`, `duration`,
    /// `loadedTimeRanges`, `seekableTimeRanges`, `isPlaybackBufferEmpty`, `isPlaybackBufferFull`,
    /// `isPlaybackLikelyToKeepUp`, `timedMetadata`.
    ///
    /// - Returns: What has to be kept for as long as the handler is to be called.
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
    /// Calls a handler on the main thread when a property has changed: `status`, `error`, `loopCount`.
    ///
    /// - Returns: What has to be kept for as long as the handler is to be called.
    ///
    /// Apple: `observe(_:options:changeHandler:)` of `NSObject`.
    public func observe<Value>(
        _ keyPath: KeyPath<AVPlayerLooper, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (AVPlayerLooper, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        properties.observe(keyPath, of: self, options, changeHandler)
    }
}

// Many packages ask this, and mean whether they are on an Apple system.
#if canImport(AVFoundation)
    /// Whether the module can be seen from here.
    public let seesAVFoundation = true
#else
    /// Whether the module can be seen from here.
    public let seesAVFoundation = false
#endif

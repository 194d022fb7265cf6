public import Foundation

/// What a capture session has to do with the app's audio session: two switches, which apps set and expect to be kept.
///
/// There is no capture on Linux, and so nothing else of Apple's class: it has no inputs or outputs and does not run.
/// The audio session is the app's own whatever they say. All members may be used from any thread.
///
/// Apple: `AVCaptureSession`.
// SAFETY: `switches` is guarded by `lock`.
nonisolated open class AVCaptureSession: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var switches = (usesApplication: true, configuresApplication: true)

    /// Whether it would use the app's audio session, and not one of its own; at first true.
    ///
    /// Apple: `AVCaptureSession.usesApplicationAudioSession`.
    open var usesApplicationAudioSession: Bool {
        get { lock.withLock { switches.usesApplication } }
        set { lock.withLock { switches.usesApplication = newValue } }
    }

    /// Whether it would set the category of the app's audio session itself; at first true.
    ///
    /// Apple: `AVCaptureSession.automaticallyConfiguresApplicationAudioSession`.
    open var automaticallyConfiguresApplicationAudioSession: Bool {
        get { lock.withLock { switches.configuresApplication } }
        set { lock.withLock { switches.configuresApplication = newValue } }
    }
}

public import Foundation
internal import Locks

/// The two audio session settings of a capture session, which are stored and have no effect.
///
/// There is no capture on Linux: the class has no inputs and outputs and does not run, and the app's audio session is
/// never changed. All members can be used from any thread.
///
/// Apple: `AVCaptureSession`.
// SAFETY: `switches` has its own lock.
nonisolated open class AVCaptureSession: NSObject, @unchecked Sendable {
    private let switches = Guarded((usesApplication: true, configuresApplication: true))

    /// Whether the capture session would use the app's audio session rather than one of its own; at first true.
    ///
    /// Apple: `AVCaptureSession.usesApplicationAudioSession`.
    open var usesApplicationAudioSession: Bool {
        get { switches.withLock { $0.usesApplication } }
        set { switches.withLock { $0.usesApplication = newValue } }
    }

    /// Whether the capture session would set the category of the app's audio session itself; at first true.
    ///
    /// Apple: `AVCaptureSession.automaticallyConfiguresApplicationAudioSession`.
    open var automaticallyConfiguresApplicationAudioSession: Bool {
        get { switches.withLock { $0.configuresApplication } }
        set { switches.withLock { $0.configuresApplication = newValue } }
    }
}

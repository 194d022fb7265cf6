public import AVFAudio
public import Foundation
internal import Locks

/// The volume of what the session plays on, and the choice of it: the job of Apple's `MPVolumeView`, without a view.
///
/// When it is made it begins to ask the sound server, in the background, and from then on it posts
/// ``didChangeNotification`` on the main queue whenever one of its properties is another, whoever changed it. Without a
/// sound server the volume is 0 and there are no routes; one that is started later is found within about a minute. All
/// members may be used from any thread; none but ``setVolume(_:)`` and ``select(_:)`` waits for the server.
///
/// Linux only; it brings together `AVAudioSession.outputVolume`, `setOutputVolume(_:)`, `availableOutputs`,
/// `currentRoute` and `setPreferredOutput(_:)`.
public final class MPVolumeController: NSObject {
    private struct Knowledge: Equatable {
        var volume: Float = 0
        var routes: [AVAudioSessionPortDescription] = []
        var current: AVAudioSessionPortDescription?
    }

    /// Posted on the main queue, with the controller as its object, when the volume, the routes or the route changed.
    ///
    /// Linux only.
    public static let didChangeNotification = Notification.Name("MPVolumeControllerDidChangeNotification")

    private let session: AVAudioSession
    private let queue = DispatchQueue(label: "MediaPlayer.volume")
    private let knowledge = Guarded(Knowledge())
    private var devices: SessionDevices?

    /// A controller for the app's session; it connects to the sound server, and does not activate the session.
    ///
    /// Linux only.
    override public convenience init() { self.init(session: .sharedInstance(), server: nil) }

    /// A controller for a session on a given server, for tests.
    package init(session: AVAudioSession, server: String?) {
        self.session = session
        super.init()
        devices = SessionDevices(of: session, server: server) { [weak self] in self?.queueLook() }
    }

    /// The volume of the output, from 0 to 1, as mixers show it.
    ///
    /// Linux only.
    public var volume: Float { knowledge.withLock { $0.volume } }

    /// What the session could play on.
    ///
    /// Linux only.
    public var routes: [AVAudioSessionPortDescription] { knowledge.withLock { $0.routes } }

    /// What the session plays on, or would; nil where there is nothing.
    ///
    /// Linux only.
    public var currentRoute: AVAudioSessionPortDescription? { knowledge.withLock { $0.current } }

    /// Sets the volume of the output for all programs, as the user does in a mixer.
    ///
    /// Waits for the server. Throws as `AVAudioSession.setOutputVolume(_:)` does: `resourceNotAvailable` where there is
    /// no output, `mediaServicesFailed` without a server.
    ///
    /// - Parameter volume: From 0 to 1; values outside are clamped.
    ///
    /// Linux only; PulseAudio: `pa_context_set_sink_volume_by_name`.
    public func setVolume(_ volume: Float) throws {
        try session.setOutputVolume(volume)
        queueLook()
    }

    /// Chooses what the session plays on, at once if it plays; nil leaves that to the system.
    ///
    /// Waits for the server. Throws `badParam` for one that is not among ``routes``.
    ///
    /// Linux only; PulseAudio: `pa_context_move_sink_input_by_name`.
    public func select(_ route: AVAudioSessionPortDescription?) throws {
        try session.setPreferredOutput(route)
        queueLook()
    }

    // MARK: Looking

    private func queueLook() {
        queue.async { [weak self] in self?.look() }
    }

    private func look() {
        let new = Knowledge(
            volume: session.outputVolume, routes: session.availableOutputs,
            // An inactive session's route is the system's choice, and not yet the app's.
            current: session.preferredOutput ?? session.currentRoute.outputs.first)
        let isNew = knowledge.withLock { known in
            defer { known = new }
            return known != new
        }
        guard isNew else { return }
        Delivery.perform { [weak self] in
            guard let self else { return }
            NotificationCenter.default.post(name: Self.didChangeNotification, object: self)
        }
    }
}

// SAFETY: `knowledge` has its own lock; `devices` is set once, before the object is shared.
extension MPVolumeController: @unchecked Sendable {}

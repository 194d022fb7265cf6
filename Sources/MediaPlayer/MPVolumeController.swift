public import AVFAudio
public import Foundation
internal import Locks

/// The volume and the choice of the session's output: the functions of Apple's `MPVolumeView`, without a view.
///
/// A new controller queries the sound server in the background. From then on ``didChangeNotification`` is posted on the
/// main queue for each change of a property, whatever its cause. Without a sound server the volume is 0 and there are
/// no routes; a server that starts later is found within about a minute. All members can be used from any thread; only
/// ``setVolume(_:)`` and ``select(_:)`` wait for the server.
///
/// Linux only; it brings together `AVAudioSession.outputVolume`, `setOutputVolume(_:)`, `availableOutputs`,
/// `currentRoute` and `setPreferredOutput(_:)`.
public final class MPVolumeController: NSObject {
    private struct Knowledge: Equatable {
        var volume: Float = 0
        var routes: [AVAudioSessionPortDescription] = []
        var current: AVAudioSessionPortDescription?
    }

    /// Posted on the main queue, with the controller as its object, after a change of the volume, the routes or the
    /// route.
    ///
    /// Linux only.
    public static let didChangeNotification = Notification.Name("MPVolumeControllerDidChangeNotification")

    private let session: AVAudioSession
    private let queue = DispatchQueue(label: "MediaPlayer.volume")
    private let knowledge = Guarded(Knowledge())
    private var devices: SessionDevices?

    /// Creates a controller for the app's session.
    ///
    /// It connects to the sound server in the background, and does not activate the session.
    ///
    /// Linux only.
    override public convenience init() { self.init(session: .sharedInstance(), server: nil) }

    /// Creates a controller for a session on a given server, for tests.
    package init(session: AVAudioSession, server: String?) {
        self.session = session
        super.init()
        devices = SessionDevices(of: session, server: server) { [weak self] in self?.queueLook() }
    }

    /// The volume of the output, from 0 to 1, as mixers show it.
    ///
    /// Linux only.
    public var volume: Float { knowledge.withLock { $0.volume } }

    /// The outputs that the session can play on.
    ///
    /// Linux only.
    public var routes: [AVAudioSessionPortDescription] { knowledge.withLock { $0.routes } }

    /// The output that the session plays on, or would; nil without an output.
    ///
    /// Linux only.
    public var currentRoute: AVAudioSessionPortDescription? { knowledge.withLock { $0.current } }

    /// Sets the volume of the output for all programs, as the user does in a mixer.
    ///
    /// Blocks until the server has answered, for at most two seconds, and up to two seconds more to connect first.
    /// Throws as `AVAudioSession.setOutputVolume(_:)` does: `badParam` for NaN, `resourceNotAvailable` without an
    /// output, `mediaServicesFailed` without a server.
    ///
    /// - Parameter volume: From 0 to 1; values outside are clamped.
    ///
    /// Linux only; PulseAudio: `pa_context_set_sink_volume_by_name`.
    public func setVolume(_ volume: Float) throws {
        try session.setOutputVolume(volume)
        queueLook()
    }

    /// Selects the session's output, at once if it plays; nil leaves the choice to the system.
    ///
    /// Blocks while the server lists its outputs, as long as ``setVolume(_:)`` at most; a stream moves later. Throws
    /// `badParam` for a port that is not among ``routes``, and `mediaServicesFailed` while the server is lost.
    ///
    /// Linux only; PulseAudio: `pa_context_move_sink_input_by_name`.
    public func select(_ route: AVAudioSessionPortDescription?) throws {
        try session.setPreferredOutput(route)
        queueLook()
    }

    // MARK: Query

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

/// The watch of all media players on a bus, for one handler at a time.
///
/// Use it on the bus's thread.
final class PlayerWatch {
    static let path = "/org/mpris/MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"

    private var handler: (@Sendable (PlayerEvent) -> Void)?
    private var subscriptions: [BusConnection.Subscription] = []

    /// Calls a handler from now on, in place of an earlier one; without a bus only with ``PlayerEvent/busLost``.
    func begin(over connected: () -> BusConnection?, _ handler: @escaping @Sendable (PlayerEvent) -> Void) {
        self.handler = handler
        guard subscriptions.isEmpty else { return }
        guard let connection = connected() else { return lost() }
        let signal = "type='signal',path='\(Self.path)',"
        let gone = "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg2=''"
        let changed = "interface='\(Self.properties)',member='PropertiesChanged',arg0='\(Self.player)'"
        subscriptions = [
            connection.subscribe(signal + changed) { [weak self] in self?.propertiesChanged($0) },
            connection.subscribe(signal + "interface='\(Self.player)',member='Seeked'") { [weak self] in
                if let owner = $0.sender { self?.handler?(.seeked(owner: owner)) }
            },
            connection.subscribe(gone) { [weak self] in
                guard $0.has(signature: "sss"), let name = $0.text(), name.hasPrefix(":") else { return }
                self?.handler?(.gone(owner: name))
            },
        ].compactMap(\.self)
    }

    /// Ends the watch.
    func end() {
        handler = nil
        subscriptions.forEach { $0.cancel() }
        subscriptions = []
    }

    /// Ends the watch after the loss of the connection, and reports that.
    func lost() {
        subscriptions = []
        let told = handler
        handler = nil
        told?(.busLost)
    }

    private func propertiesChanged(_ message: BusMessage) {
        guard let handler, let owner = message.sender, message.has(signature: "sa{sv}as"),
            message.text() == Self.player
        else { return }
        guard let changed = message.table(), let invalidated = message.texts() else {
            // As in `readPlayer`: the unreadable part may contain the status.
            return handler(.unclear(owner: owner))
        }
        // The track first: if it changes at the start of playback, one message contains both.
        if let metadata = changed["Metadata"] {
            handler(.track(owner: owner, MediaPlayer.track(in: metadata.table ?? [:])))
        }
        if let status = changed["PlaybackStatus"]?.text.flatMap(MediaPlayer.Status.init) {
            handler(.status(owner: owner, status))
        }
        if !Set(invalidated).isDisjoint(with: ["PlaybackStatus", "Metadata"]) { handler(.unclear(owner: owner)) }
    }
}

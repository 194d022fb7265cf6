/// A source for the screen's lock; there can be several, and each may miss a lock.
package enum LockWitness: Hashable, Sendable, CaseIterable {
    /// The login manager, which desktops notify (`LockedHint`).
    case login
    /// `org.freedesktop.ScreenSaver`, used by KDE.
    case freedesktop
    /// `org.gnome.ScreenSaver`.
    case gnome
}

/// The desktop's reasons for quiet: the locked screen, and a phone's feedback profile.
///
/// No service is started for the answer: a missing service is queried when it appears.
///
/// D-Bus: `org.freedesktop.login1.Session.LockedHint`, `org.freedesktop.ScreenSaver`, `org.gnome.ScreenSaver`,
/// `org.sigxcpu.Feedback.Profile`.
extension SessionBus {
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let feedback = (
        name: "org.sigxcpu.Feedback", path: "/org/sigxcpu/Feedback", interface: "org.sigxcpu.Feedback"
    )

    /// Watches screen savers, on the session bus: the handler is called with their state, and again after each change.
    ///
    /// The handler runs on the bus's thread. A bus that is not there yet is awaited (``whenConnected(failures:_:)``).
    /// When the bus is lost, the handler is called with false for each, and then no more.
    package func watchScreenSavers(_ handler: @escaping @Sendable (LockWitness, Bool) -> Void) {
        whenConnected { [weak self] connection in
            guard let self else { return }
            let savers: [(LockWitness, name: String, path: String)] = [
                (.freedesktop, "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
                (.gnome, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
            ]
            for (witness, name, path) in savers {
                // Without a path, as KDE sends the signal from two.
                let rule = "type='signal',sender='\(name)',interface='\(name)',member='ActiveChanged'"
                _ = connection.subscribe(rule) { if let isActive = $0.flag() { handler(witness, isActive) } }
                self.follow(name, over: connection, gone: { handler(witness, false) }) { connection in
                    connection.call(name, path: path, interface: name, method: "GetActive", mayStart: false) {
                        if case .answer(let answer) = $0, let isActive = answer.flag() { handler(witness, isActive) }
                    }
                }
            }
        }
    }

    /// Watches the lock of this process's login session, on the system bus, in the same way.
    ///
    /// A process of the user without a session, as under systemd's user manager, belongs to the one that has the
    /// display.
    package func watchLockedHint(_ handler: @escaping @Sendable (Bool) -> Void) {
        whenConnected { [weak self] connection in
            guard let self else { return }
            let name = "org.freedesktop.login1"
            let ask = { (connection: BusConnection) in
                Self.read(
                    "LockedHint", of: "org.freedesktop.login1.Session",
                    from: (name, "/org/freedesktop/login1/session/auto"), over: connection
                ) { if let isLocked = $0?.flag { handler(isLocked) } }
            }
            // Signals come from the session's own path, which need not be known to query again. They may be another
            // session's.
            let rule =
                "type='signal',sender='\(name)',interface='\(Self.properties)',member='PropertiesChanged',"
                + "arg0='org.freedesktop.login1.Session'"
            _ = connection.subscribe(rule) { [weak connection] _ in if let connection { ask(connection) } }
            self.follow(name, over: connection, gone: { handler(false) }, ask: ask)
        }
    }

    /// Watches the device's feedback profile (`full`, `quiet`, `silent`), on the session bus; nil when there is no
    /// service for it any more.
    package func watchFeedbackProfile(_ handler: @escaping @Sendable (String?) -> Void) {
        whenConnected { [weak self] connection in
            guard let self else { return }
            let rule =
                "type='signal',sender='\(Self.feedback.name)',path='\(Self.feedback.path)',"
                + "interface='\(Self.properties)',member='PropertiesChanged',arg0='\(Self.feedback.interface)'"
            let ask = { (connection: BusConnection) in
                Self.readProfile(over: connection) { if let profile = $0 { handler(profile) } }
            }
            _ = connection.subscribe(rule) { [weak connection] message in
                // A service may only invalidate the property.
                if message.has(signature: "sa{sv}as"), message.text() != nil,
                    let profile = message.table()?["Profile"]?.text
                {
                    handler(profile)
                } else if let connection {
                    ask(connection)
                }
            }
            self.follow(Self.feedback.name, over: connection, gone: { handler(nil) }, ask: ask)
        }
    }

    /// The device's feedback profile; nil without a service for it.
    package func feedbackProfile() async -> String? {
        await withCheckedContinuation { continuation in
            perform { [weak self] in
                guard let connection = self?.connected() else { return continuation.resume(returning: nil) }
                // A caller is waiting.
                Self.readProfile(over: connection, mayAskAgain: false) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Sets the device's feedback profile; false if there is no service for it, or it refuses.
    package func setFeedbackProfile(_ profile: String) async -> Bool {
        await withCheckedContinuation { continuation in
            perform { [weak self] in
                guard let connection = self?.connected() else { return continuation.resume(returning: false) }
                connection.call(
                    Self.feedback.name, path: Self.feedback.path, interface: Self.properties, method: "Set",
                    arguments: [.text(Self.feedback.interface), .text("Profile"), .variant(.text(profile))],
                    mayStart: false
                ) {
                    if case .answer = $0 {
                        continuation.resume(returning: true)
                    } else {
                        continuation.resume(returning: false)
                    }
                }
            }
        }
    }

    private static func readProfile(
        over connection: BusConnection, mayAskAgain: Bool = true, completion: @escaping (String?) -> Void
    ) {
        read(
            "Profile", of: feedback.interface, from: (feedback.name, feedback.path), over: connection,
            mayAskAgain: mayAskAgain
        ) { completion($0?.text) }
    }

    /// Reads a property of a running service; once more without an answer, as the next change may be hours away.
    private static func read(
        _ property: String, of interface: String, from service: (name: String, path: String),
        over connection: BusConnection, mayAskAgain: Bool = true, completion: @escaping (BusValue?) -> Void
    ) {
        connection.call(
            service.name, path: service.path, interface: Self.properties, method: "Get",
            arguments: [.text(interface), .text(property)], mayStart: false
        ) { [weak connection] reply in
            switch reply {
            case .answer(let answer): completion(answer.variant())
            case .silence:
                guard mayAskAgain, let connection else { return completion(nil) }
                Self.read(
                    property, of: interface, from: service, over: connection, mayAskAgain: false,
                    completion: completion)
            case .refusal: completion(nil)
            }
        }
    }

    /// Queries a service now, if it is running, and each time it appears; reports its end, and the bus's loss.
    func follow(
        _ name: String, over connection: BusConnection, gone: @escaping () -> Void,
        ask: @escaping (BusConnection) -> Void
    ) {
        let bus = "org.freedesktop.DBus"
        let rule = "type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',arg0='\(name)'"
        _ = connection.subscribe(rule) { [weak connection] in
            guard $0.has(signature: "sss"), $0.text() != nil, $0.text() != nil, let owner = $0.text() else { return }
            gone()
            if !owner.isEmpty, let connection { ask(connection) }
        }
        whenLost(gone)
        ask(connection)
    }
}

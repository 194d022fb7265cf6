/// What says that a screen is locked; there may be several, and each may be wrong by saying nothing.
package enum LockWitness: Hashable, Sendable, CaseIterable {
    /// The login manager, to whom desktops say it (`LockedHint`).
    case login
    /// `org.freedesktop.ScreenSaver`, as KDE has it.
    case freedesktop
    /// `org.gnome.ScreenSaver`.
    case gnome
}

/// What the desktop knows of quiet: the locked screen, and the profile of a telephone.
///
/// Nothing is started for the answer: whoever is not there has nothing to say, and is asked when it comes.
///
/// D-Bus: `org.freedesktop.login1.Session.LockedHint`, `org.freedesktop.ScreenSaver`, `org.gnome.ScreenSaver`,
/// `org.sigxcpu.Feedback.Profile`.
extension SessionBus {
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let feedback = (
        name: "org.sigxcpu.Feedback", path: "/org/sigxcpu/Feedback", interface: "org.sigxcpu.Feedback"
    )

    /// On the session's bus: has a handler told whether screen savers are active, now and whenever that changes.
    ///
    /// It runs on the bus's thread. A bus that is not there yet is waited for (``whenConnected(failures:_:)``). When it
    /// is lost the handler is told that none is, and nothing after that.
    package func watchScreenSavers(_ handler: @escaping @Sendable (LockWitness, Bool) -> Void) {
        whenConnected { [weak self] connection in
            guard let self else { return }
            let savers: [(LockWitness, name: String, path: String)] = [
                (.freedesktop, "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
                (.gnome, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
            ]
            for (witness, name, path) in savers {
                // No path: KDE sends it from two.
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

    /// On the machine's bus: has a handler told whether the session that this process belongs to is locked, likewise.
    ///
    /// A process of the user's that belongs to no session, as those of systemd's user manager, belongs to the one that
    /// has the display.
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
            // Signals come from the session's own path, which need not be known to ask again. What they say may be
            // another session's.
            let rule =
                "type='signal',sender='\(name)',interface='\(Self.properties)',member='PropertiesChanged',"
                + "arg0='org.freedesktop.login1.Session'"
            _ = connection.subscribe(rule) { [weak connection] _ in if let connection { ask(connection) } }
            self.follow(name, over: connection, gone: { handler(false) }, ask: ask)
        }
    }

    /// On the session's bus: has a handler told the device's feedback profile (`full`, `quiet`, `silent`), now and
    /// whenever it changes; `nil` when nobody manages one any more.
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
                // Services may say only that it has changed.
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

    /// The device's feedback profile; `nil` where nobody manages one.
    package func feedbackProfile() async -> String? {
        await withCheckedContinuation { continuation in
            perform { [weak self] in
                guard let connection = self?.connected() else { return continuation.resume(returning: nil) }
                // Somebody waits for it.
                Self.readProfile(over: connection, mayAskAgain: false) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Sets the device's feedback profile; false if nobody took it.
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

    /// Asks a service that is there for a property; once more where no answer comes, since nothing may change for hours
    /// after that.
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

    /// Asks a service now, if it is there, and whenever it comes; says when it, or the bus, is gone.
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
        whenLost.append(gone)
        ask(connection)
    }
}

/// An app's entry in the permission store.
package enum StoredPermission: Hashable, Sendable {
    /// There is no store, or no entry for the app.
    case nothing
    /// The user allowed it.
    case yes
    /// The user forbade it.
    case no
    /// The user must be asked each time.
    case ask
}

/// The result of a question to the user.
package enum AccessAnswer: Hashable, Sendable {
    /// The user allowed it.
    case granted
    /// The user forbade it.
    case denied
    /// The dialog was closed without an answer.
    case dismissed
    /// No backend can ask the user.
    case nobody
}

/// A question to the user, as a dialog shows it.
package struct AccessQuestion: Hashable, Sendable {
    /// The app's identifier, by which the desktop finds its name and icon.
    package var app: String
    /// The question in a few words.
    package var title: String
    /// The subject, in a sentence.
    package var subtitle: String
    /// The app's own reason; can be empty.
    package var body: String
    /// The name of an icon.
    package var icon: String

    /// Creates a question.
    package init(app: String, title: String, subtitle: String, body: String, icon: String) {
        self.app = app
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.icon = icon
    }
}

/// The desktop portal's permission store, and the dialogs behind portals.
///
/// D-Bus: `org.freedesktop.impl.portal.PermissionStore` and `org.freedesktop.impl.portal.Access`, on the session's bus.
extension SessionBus {
    private static let store = (
        name: "org.freedesktop.impl.portal.PermissionStore", path: "/org/freedesktop/impl/portal/PermissionStore"
    )
    private static let backends = "org.freedesktop.impl.portal.desktop."
    private static let dialogs = (
        path: "/org/freedesktop/portal/desktop", interface: "org.freedesktop.impl.portal.Access"
    )

    /// Watches an app's entry in the store: the handler is called with it, and again after each change or restart of
    /// the store.
    ///
    /// The store is started if necessary, which may take long. The handler runs on the bus's thread, and is not called
    /// without an answer. `lost` is called once when no more reports follow: with false without a bus, or if it refuses
    /// the connection, with true when the bus is lost.
    package func watchPermission(
        table: String, id: String, app: String, lost: @escaping @Sendable (_ hadBus: Bool) -> Void,
        handler: @escaping @Sendable (StoredPermission) -> Void
    ) {
        perform { [weak self] in
            guard let self, let connection = self.connected() else { return lost(false) }
            let ask = { (connection: BusConnection) in
                connection.call(
                    Self.store.name, path: Self.store.path, interface: Self.store.name, method: "Lookup",
                    arguments: [.text(table), .text(id)], isPatient: true
                ) {
                    switch $0 {
                    case .answer(let answer): handler(StoredPermission(answer.textLists()?[app]))
                    case .silence: break
                    case .refusal(let name):
                        // A store that cannot answer now may still have an entry.
                        if !BusReply.isDelay(name) { handler(.nothing) }
                    }
                }
            }
            let rule =
                "type='signal',sender='\(Self.store.name)',interface='\(Self.store.name)',member='Changed',"
                + "arg0='\(table)',arg1='\(id)'"
            _ = connection.subscribe(rule) { [weak connection] _ in if let connection { ask(connection) } }
            self.whenLost { lost(!connection.isRefused) }
            // The entry of a store that has exited stays valid.
            self.follow(Self.store.name, over: connection, gone: {}, ask: ask)
        }
    }

    /// Stores the user's decision about an app; dropped without a store.
    package func storePermission(_ isAllowed: Bool, table: String, id: String, app: String) {
        perform { [weak self] in
            self?.connected()?.call(
                Self.store.name, path: Self.store.path, interface: Self.store.name, method: "SetPermission",
                arguments: [.text(table), .flag(true), .text(id), .text(app), .texts([isAllowed ? "yes" : "no"])]
            ) { _ in }
        }
    }

    /// The backends that may be able to ask the user, running or not, the most likely first; the bus answers at once.
    ///
    /// - Parameters:
    ///   - desktops: The desktop's names, as in `XDG_CURRENT_DESKTOP`, which come before others.
    ///   - completion: Called with nil without a bus, or if it did not answer.
    package func accessBackends(desktops: [String], completion: @escaping @Sendable ([String]?) -> Void) {
        perform { [weak self] in
            guard let connection = self?.connected() else { return completion(nil) }
            Self.listBackends(desktops, over: connection, completion: completion)
        }
    }

    /// Finds out whether one of these backends shows such dialogs, by its introspection; they are started one by one.
    ///
    /// - Parameters:
    ///   - backends: The list of ``accessBackends(desktops:completion:)``; one that hangs, or cannot answer now,
    ///     counts as able.
    ///   - completion: Called with nil without a bus.
    package func canAskUser(through backends: [String], completion: @escaping @Sendable (Bool?) -> Void) {
        perform { [weak self] in
            guard let connection = self?.connected() else { return completion(nil) }
            Self.describe(backends[...], over: connection, completion: completion)
        }
    }

    /// Asks the user, and calls back with the answer, however long that takes.
    ///
    /// A backend that cannot show the dialog is skipped; a lost bus counts as a dismissed dialog.
    ///
    /// - Parameter desktops: The desktop's names, as in `XDG_CURRENT_DESKTOP`, which come before others.
    package func askUser(
        _ question: AccessQuestion, desktops: [String], completion: @escaping @Sendable (AccessAnswer) -> Void
    ) {
        perform { [weak self] in
            guard let connection = self?.connected() else { return completion(.dismissed) }
            Self.listBackends(desktops, over: connection) {
                guard let backends = $0 else { return completion(.dismissed) }
                Self.ask(question, through: backends[...], over: connection, completion: completion)
            }
        }
    }

    // MARK: Over one connection

    // One question uses one connection, so that a restarted bus is not mistaken for one without a desktop.

    private static func listBackends(
        _ desktops: [String], over connection: BusConnection, completion: @escaping ([String]?) -> Void
    ) {
        func list(_ method: String, _ listed: @escaping (Set<String>) -> Void) {
            let bus = "org.freedesktop.DBus"
            connection.call(bus, path: "/org/freedesktop/DBus", interface: bus, method: method) {
                switch $0 {
                case .answer(let answer):
                    guard let names = answer.texts() else { return completion(nil) }
                    listed(Set(names.filter { $0.hasPrefix(backends) }))
                case .refusal: listed([])
                case .silence: completion(nil)
                }
            }
        }
        list("ListNames") { running in
            list("ListActivatableNames") { startable in
                let likely = desktops.map { $0.lowercased() } + ["gtk", "gnome", "kde"]
                func place(_ name: String) -> Int {
                    likely.firstIndex(of: String(name.dropFirst(backends.count))) ?? likely.count
                }
                completion(running.union(startable).sorted { (place($0), $0) < (place($1), $1) })
            }
        }
    }

    private static func describe(
        _ backends: ArraySlice<String>, isLate: Bool = false, over connection: BusConnection,
        completion: @escaping (Bool?) -> Void
    ) {
        guard let backend = backends.first else { return completion(isLate) }
        connection.call(
            backend, path: dialogs.path, interface: "org.freedesktop.DBus.Introspectable", method: "Introspect"
        ) {
            switch $0 {
            case .answer(let answer):
                let text = answer.text() ?? ""
                let isThere = ["\"", "'"].contains { text.contains("\($0)\(dialogs.interface)\($0)") }
                if isThere { return completion(true) }
                describe(backends.dropFirst(), isLate: isLate, over: connection, completion: completion)
            case .refusal(let name):
                let isLate = isLate || BusReply.isDelay(name)
                describe(backends.dropFirst(), isLate: isLate, over: connection, completion: completion)
            case .silence: completion(true)
            }
        }
    }

    /// Asks through one backend after another; one that cannot answer now is not nobody.
    private static func ask(
        _ question: AccessQuestion, through backends: ArraySlice<String>, isLate: Bool = false,
        over connection: BusConnection, completion: @escaping (AccessAnswer) -> Void
    ) {
        guard let backend = backends.first else { return completion(isLate ? .dismissed : .nobody) }
        let handle = "/org/freedesktop/portal/desktop/request/avfaudio/t\(UInt32.random(in: 0 ... .max))"
        connection.call(
            backend, path: dialogs.path, interface: dialogs.interface, method: "AccessDialog",
            arguments: [
                .path(handle), .text(question.app), .text(""), .text(question.title), .text(question.subtitle),
                .text(question.body), .table(["icon": .text(question.icon), "modal": .flag(false)]),
            ], isPatient: true
        ) {
            switch $0 {
            case .answer(let answer):
                switch answer.number() {
                case 0: completion(.granted)
                case 1: completion(.denied)
                default: completion(.dismissed)
                }
            case .refusal(let name):
                ask(
                    question, through: backends.dropFirst(), isLate: isLate || BusReply.isDelay(name),
                    over: connection, completion: completion)
            case .silence: completion(.dismissed)
            }
        }
    }
}

extension StoredPermission {
    /// Parses the store's value: a list of one word, as desktops write it; any other value counts as no entry.
    init(_ words: [String]?) {
        switch words?.first {
        case "yes": self = .yes
        case "no": self = .no
        case "ask": self = .ask
        default: self = .nothing
        }
    }
}

/// What the permission store says of an app.
package enum StoredPermission: Hashable, Sendable {
    /// There is no store, or it says nothing of the app.
    case nothing
    /// The user allowed it.
    case yes
    /// The user forbade it.
    case no
    /// The user is to be asked each time.
    case ask
}

/// What became of a question to the user.
package enum AccessAnswer: Hashable, Sendable {
    /// The user allowed it.
    case granted
    /// The user forbade it.
    case denied
    /// The question went away without an answer.
    case dismissed
    /// No desktop here can ask.
    case nobody
}

/// A question to the user, as a dialog shows it.
package struct AccessQuestion: Hashable, Sendable {
    /// The app's identifier, by which the desktop finds its name and icon.
    package var app: String
    /// The question in a few words.
    package var title: String
    /// What it is about, in a sentence.
    package var subtitle: String
    /// Why the app wants it, in its own words; may be empty.
    package var body: String
    /// The name of an icon.
    package var icon: String

    /// A question.
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

    /// Has a handler told what the store says of an app, now and whenever it changes or another store comes.
    ///
    /// The store is started if it is not there, and may take its time: the handler, which runs on the bus's thread, is
    /// called when there is an answer, and one that nobody gives is no answer. `lost` is called once when nothing more
    /// will be told: with false where there is no bus, or none that lets us in, with true when the bus is lost.
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
                    // It did not start in the bus's own time, which does not mean that it has nothing to say.
                    case .refusal("org.freedesktop.DBus.Error.TimedOut"), .silence: break
                    case .refusal: handler(.nothing)
                    }
                }
            }
            let rule =
                "type='signal',sender='\(Self.store.name)',interface='\(Self.store.name)',member='Changed',"
                + "arg0='\(table)',arg1='\(id)'"
            _ = connection.subscribe(rule) { [weak connection] _ in if let connection { ask(connection) } }
            self.whenLost.append { lost(!connection.isRefused) }
            // What a store said that is gone stays said.
            self.follow(Self.store.name, over: connection, gone: {}, ask: ask)
        }
    }

    /// Writes into the store what the user decided of an app; without a store that is lost.
    package func storePermission(_ isAllowed: Bool, table: String, id: String, app: String) {
        perform { [weak self] in
            self?.connected()?.call(
                Self.store.name, path: Self.store.path, interface: Self.store.name, method: "SetPermission",
                arguments: [.text(table), .flag(true), .text(id), .text(app), .texts([isAllowed ? "yes" : "no"])]
            ) { _ in }
        }
    }

    /// The programs that may be able to ask the user, running or not, most likely ones first; the bus answers at once.
    ///
    /// - Parameters:
    ///   - desktops: The desktop's names, as in `XDG_CURRENT_DESKTOP`, which come before others.
    ///   - completion: Told `nil` where there is no bus, or it did not answer.
    package func accessBackends(desktops: [String], completion: @escaping @Sendable ([String]?) -> Void) {
        perform { [weak self] in
            guard let connection = self?.connected() else { return completion(nil) }
            Self.listBackends(desktops, over: connection, completion: completion)
        }
    }

    /// Whether one of these programs shows such dialogs, by its own description; they are started for that, one by one.
    ///
    /// - Parameters:
    ///   - backends: As ``accessBackends(desktops:completion:)`` lists them. One that keeps us waiting may be able to.
    ///   - completion: Told `nil` where there is no bus.
    package func canAskUser(through backends: [String], completion: @escaping @Sendable (Bool?) -> Void) {
        perform { [weak self] in
            guard let connection = self?.connected() else { return completion(nil) }
            Self.describe(backends[...], over: connection, completion: completion)
        }
    }

    /// Asks the user, and calls back once there is an answer, however long that takes.
    ///
    /// Who cannot show the dialog is passed over; a bus that is lost is an answer that is none.
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

    // All of a question goes over one connection, so that nobody takes a bus that was restarted for one without a
    // desktop.

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
        _ backends: ArraySlice<String>, over connection: BusConnection, completion: @escaping (Bool?) -> Void
    ) {
        guard let backend = backends.first else { return completion(false) }
        connection.call(
            backend, path: dialogs.path, interface: "org.freedesktop.DBus.Introspectable", method: "Introspect"
        ) {
            switch $0 {
            case .answer(let answer):
                let text = answer.text() ?? ""
                let isThere = ["\"", "'"].contains { text.contains("\($0)\(dialogs.interface)\($0)") }
                if isThere { return completion(true) }
                describe(backends.dropFirst(), over: connection, completion: completion)
            case .refusal: describe(backends.dropFirst(), over: connection, completion: completion)
            case .silence: completion(true)
            }
        }
    }

    private static func ask(
        _ question: AccessQuestion, through backends: ArraySlice<String>, over connection: BusConnection,
        completion: @escaping (AccessAnswer) -> Void
    ) {
        guard let backend = backends.first else { return completion(.nobody) }
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
            case .refusal: ask(question, through: backends.dropFirst(), over: connection, completion: completion)
            case .silence: completion(.dismissed)
            }
        }
    }
}

extension StoredPermission {
    /// The store's words: a list of one, as desktops write it; anything else says nothing.
    init(_ words: [String]?) {
        switch words?.first {
        case "yes": self = .yes
        case "no": self = .no
        case "ask": self = .ask
        default: self = .nothing
        }
    }
}

internal import AudioHost
internal import AudioSession
internal import CAVAudioSession
internal import Locks
internal import SessionPolicy

// Handles, settings, activation. What each function does is documented in avaudiosession.h.

/// Sets the identifier, name and icon under which mixers, desktops and other sessions show the program.
@c @implementation
public func avas_set_application(
    _ identifier: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?, _ icon: UnsafePointer<CChar>?
) -> Int32 {
    Failure.noting { () throws(Failure) in
        guard !session_shims_is_forked() else { throw .forked }
        let identifier = try text(identifier, "identifier")
        let name = name == nil ? nil : try text(name, "name")
        let icon = icon == nil ? nil : try text(icon, "icon's name")
        do throws(SessionError) {
            try AppIdentity.choose(id: identifier, name: name, icon: icon)
        } catch {
            throw error.code == .isBusy ? Failure(AVAS_ERROR_STATE, error.message) : Failure(error)
        }
        return 0
    }
}

/// Opens a handle to the process's session, and stores it in *session.
@c @implementation
public func avas_session_open(_ session: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
    Failure.noting { () throws(Failure) in
        guard let session else { throw .missing(nil, "place for the session") }
        session.pointee = nil
        guard !session_shims_is_forked() else { throw .forked }
        guard let handle = Handle() else { throw Failure(AVAS_ERROR_SYSTEM, "There is no descriptor left.") }
        session_shims_own()
        session.pointee = Library.handles.add(handle)
        return 0
    }
}

/// Closes a handle.
@c @implementation
public func avas_session_close(_ session: OpaquePointer?) -> Int32 {
    if session == nil || session_shims_is_forked() { return 0 }
    return Failure.noting { () throws(Failure) in
        guard let handle = Library.handles.release(session) else { throw .closed("session") }
        let wasPlaying = handle.playing > 0
        handle.close()
        if wasPlaying { Library.updatePlaying() }
        return 0
    }
}

// MARK: Settings

/// Sets the session's purpose by one of the six types of the web's Audio Session API.
@c @implementation
public func avas_session_set_type(_ session: OpaquePointer?, _ type: UnsafePointer<CChar>?) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        return try configure(settings(type))
    }
}

/// Sets the session's purpose in the background, and answers with an event.
@c @implementation
public func avas_session_set_type_async(
    _ session: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ cookie: UInt64
) -> Int32 {
    Failure.noting { () throws(Failure) in
        let handle = try Library.handle(session)
        return configureLater(handle, cookie, try settings(type))
    }
}

/// Sets category, mode and options, all or none of them.
@c @implementation
public func avas_session_set_category(
    _ session: OpaquePointer?, _ category: UnsafePointer<CChar>?, _ mode: UnsafePointer<CChar>?, _ options: UInt32
) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        return try configure(settings(category, mode, options))
    }
}

/// Sets category, mode and options in the background, and answers with an event.
@c @implementation
public func avas_session_set_category_async(
    _ session: OpaquePointer?, _ category: UnsafePointer<CChar>?, _ mode: UnsafePointer<CChar>?, _ options: UInt32,
    _ cookie: UInt64
) -> Int32 {
    Failure.noting { () throws(Failure) in
        let handle = try Library.handle(session)
        return configureLater(handle, cookie, try settings(category, mode, options))
    }
}

/// The settings of a type; throws for an unknown one.
private func settings(_ type: UnsafePointer<CChar>?) throws(Failure) -> SessionSettings {
    let name = try text(type, "type")
    guard let type = WebSessionType(rawValue: name) else {
        throw Failure(AVAS_ERROR_ARGUMENT, "There is no type \(name).")
    }
    return try Failure.of { () throws(SessionError) in try type.settings() }
}

/// Settings by their names; throws for unknown ones, and for a combination that does not exist.
private func settings(
    _ category: UnsafePointer<CChar>?, _ mode: UnsafePointer<CChar>?, _ options: UInt32
) throws(Failure) -> SessionSettings {
    let name = try text(category, "category")
    guard let category = Names.categories.first(where: { $0.value.name == name })?.value else {
        throw Failure(AVAS_ERROR_ARGUMENT, "There is no category \(name).")
    }
    let modeName = mode == nil ? Mode.default.name : try text(mode, "mode")
    guard let mode = Names.modes.first(where: { $0.value.name == modeName })?.value else {
        throw Failure(AVAS_ERROR_ARGUMENT, "There is no mode \(modeName).")
    }
    return try Failure.of { () throws(SessionError) in
        try .validated(category: category, mode: mode, options: CategoryOptions(rawValue: UInt(options)))
    }
}

private func configure(_ settings: SessionSettings) throws(Failure) -> Int32 {
    try Failure.of { () throws(SessionError) in try Library.session.configure { _ in settings } }
    return 0
}

private func configureLater(_ handle: Handle, _ cookie: UInt64, _ settings: SessionSettings) -> Int32 {
    Library.run(on: Library.session.work, for: handle, cookie) { () throws(SessionError) in
        try Library.session.configure { _ in settings }
        return Question.Answer()
    }
    return 0
}

/// The names of categories and modes as C strings that stay.
private enum Names {
    static let categories = Category.allCases.map { (value: $0, text: CText($0.name)) }
    static let modes = Mode.allCases.map { (value: $0, text: CText($0.name)) }
}

/// Returns the name of the category.
@c @implementation
public func avas_session_get_category(_ session: OpaquePointer?) -> UnsafePointer<CChar>? {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        let category = Library.session.settings.category
        return Names.categories.first { $0.value == category }?.text.pointer
    }
}

/// Returns the name of the mode.
@c @implementation
public func avas_session_get_mode(_ session: OpaquePointer?) -> UnsafePointer<CChar>? {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        let mode = Library.session.settings.mode
        return Names.modes.first { $0.value == mode }?.text.pointer
    }
}

/// Returns the options in force, with those that others imply.
@c @implementation
public func avas_session_get_options(_ session: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        return Int32(clamping: Library.session.settings.options.rawValue)
    }
}

/// Sets a preference to 0 or 1.
@c @implementation
public func avas_session_set_preference(_ session: OpaquePointer?, _ preference: Int32, _ value: Int32) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        let (key, isOn) = (try preferenceKey(preference), try flag(value, "preference"))
        try Failure.of { () throws(SessionError) in
            try Library.session.prefer { preferences, _ throws(SessionError) in preferences[keyPath: key] = isOn }
        }
        return 0
    }
}

/// Returns a preference, 0 or 1.
@c @implementation
public func avas_session_get_preference(_ session: OpaquePointer?, _ preference: Int32) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        return Library.session.preferences[keyPath: try preferenceKey(preference)] ? 1 : 0
    }
}

private func preferenceKey(_ preference: Int32) throws(Failure) -> WritableKeyPath<SessionPreferences, Bool> {
    switch preference {
    case AVAS_PREFERENCE_INTERRUPTION_ON_ROUTE_DISCONNECT: \.interruptionOnRouteDisconnect
    case AVAS_PREFERENCE_NO_INTERRUPTION_BY_RINGING: \.noInterruptionsFromSystemAlerts
    default: throw Failure(AVAS_ERROR_ARGUMENT, "There is no preference \(preference).")
    }
}

// MARK: Activation

/// Activates the session.
@c @implementation
public func avas_session_activate(_ session: OpaquePointer?, _ flags: UInt32) -> Int32 {
    setActive(session, true, flags)
}

/// Deactivates the session.
@c @implementation
public func avas_session_deactivate(_ session: OpaquePointer?, _ flags: UInt32) -> Int32 {
    setActive(session, false, flags)
}

/// Activates the session in the background, and answers with an event.
@c @implementation
public func avas_session_activate_async(_ session: OpaquePointer?, _ flags: UInt32, _ cookie: UInt64) -> Int32 {
    setActiveLater(session, true, flags, cookie)
}

/// Deactivates the session in the background, and answers with an event.
@c @implementation
public func avas_session_deactivate_async(_ session: OpaquePointer?, _ flags: UInt32, _ cookie: UInt64) -> Int32 {
    setActiveLater(session, false, flags, cookie)
}

private func setActive(_ session: OpaquePointer?, _ active: Bool, _ flags: UInt32) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        let notify = try notifiesOthers(flags, whenActive: active)
        try Failure.of { () throws(SessionError) in try Library.session.setActive(active, notify: notify) }
        return 0
    }
}

private func setActiveLater(_ session: OpaquePointer?, _ active: Bool, _ flags: UInt32, _ cookie: UInt64) -> Int32 {
    Failure.noting { () throws(Failure) in
        let handle = try Library.handle(session)
        let notify = try notifiesOthers(flags, whenActive: active)
        startingThreads {
            Library.session.setActiveLater(active, notify: notify) { handle.append(.reply(cookie, $0)) }
        }
        return 0
    }
}

/// Whether the flags of an activation or deactivation ask that others are notified; throws for unknown flags.
private func notifiesOthers(_ flags: UInt32, whenActive active: Bool) throws(Failure) -> Bool {
    guard flags == 0 || flags == UInt32(AVAS_NOTIFY_OTHERS) && !active else {
        throw Failure(AVAS_ERROR_ARGUMENT, "\(flags) are no flags of \(active ? "an activation" : "a deactivation").")
    }
    return flags != 0
}

/// Begins to connect to the sound server.
@c @implementation
public func avas_session_warm_up(_ session: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        _ = startingThreads { Library.session.beginToConnect() }
        return 0
    }
}

/// Returns one of AVAS_STATE_.
@c @implementation
public func avas_session_get_state(_ session: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        return switch Library.session.standing {
        case .inactive: AVAS_STATE_INACTIVE
        case .active: AVAS_STATE_ACTIVE
        case .interrupted: AVAS_STATE_INTERRUPTED
        case .lost: AVAS_STATE_LOST
        }
    }
}

/// Sets the number of streams that the program has running.
@c @implementation
public func avas_session_set_playing(_ session: OpaquePointer?, _ count: Int32) -> Int32 {
    Failure.noting { () throws(Failure) in
        let handle = try Library.handle(session)
        guard count >= 0 else { throw Failure(AVAS_ERROR_ARGUMENT, "\(count) is no number of streams.") }
        if count > 0 { try Failure.of { () throws(SessionError) in try Library.session.checkServices() } }
        handle.playing = count
        Library.updatePlaying()
        return 0
    }
}

/// Returns 1 if another program is heard, else 0.
@c @implementation
public func avas_session_is_other_audio_playing(_ session: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in
        try Library.answer(session, .otherAudio).flag ? 1 : 0
    }
}

/// Returns 1 if secondary sound, such as a game's music, should be silent because another program's main sound is
/// heard, else 0.
@c @implementation
public func avas_session_should_silence_secondary(_ session: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in
        try Library.answer(session, .secondaryAudio).flag ? 1 : 0
    }
}

internal import AudioHost
internal import AudioSession
internal import CAVAudioSession
internal import Glibc
internal import Locks
internal import SessionPolicy

// Streams of other libraries, and the microphone. What each function does is documented in avaudiosession.h.

/// Returns the properties by which a stream belongs to the session.
@c @implementation
public func avas_session_copy_stream_properties(
    _ session: OpaquePointer?, _ direction: Int32
) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        let isInput = try isInput(direction)
        var texts = [StreamEnvironment.ownerKey, try owner()]
        if let role = role(ofInput: isInput) { texts += ["media.role", role.rawValue] }
        return try allocated(texts.map { Array($0.utf8) })
    }
}

/// Returns an environment for a child whose streams belong to the session.
@c @implementation
public func avas_session_copy_environment(
    _ session: OpaquePointer?, _ base: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        return try allocated(environment(over: base))
    }
}

/// Puts the session's variables into the environment of this process.
@c @implementation
public func avas_session_export_environment(_ session: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in
        _ = try Library.handle(session)
        let entries = try environment(over: nil)
        for key in StreamEnvironment.keys {
            guard let value = StreamEnvironment.value(of: key, in: entries) else { continue }
            guard setenv(key, value, 1) == 0 else { throw .noMemory }
        }
        return 0
    }
}

/// The environment of a child, over another one; nil means that of this process.
private func environment(over base: UnsafePointer<UnsafeMutablePointer<CChar>?>?) throws(Failure) -> [[UInt8]] {
    var entries: [[UInt8]] = []
    var next = base ?? session_shims_environment().map { UnsafePointer($0) }
    while let entry = next?.pointee {
        entries.append(Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry))))
        next = next?.advanced(by: 1)
    }
    return StreamEnvironment.adding(owner: try owner(), role: role(ofInput: false), to: entries)
}

/// The value of the property that makes a stream the session's; connects.
private func owner() throws(Failure) -> String {
    try Failure.of { () throws(SessionError) in
        try Library.session.checkServices()
        return try Library.session.ask { $0.facts.owner }
    }
}

/// The role of the session's streams; nil if the category has none, or the user wants none.
private func role(ofInput isInput: Bool) -> StreamRole? {
    guard Session.setsRoles else { return nil }
    return isInput ? Library.session.settings.captureRole : Library.session.settings.role
}

private func allocated(_ texts: [[UInt8]]) throws(Failure) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    guard let block = block(of: texts) else { throw .noMemory }
    return block
}

// MARK: Microphone

/// Returns whether the program may record, one of AVAS_PERMISSION_, by the desktop's permissions and the user's
/// settings.
@c @implementation
public func avas_session_get_permission(_ session: OpaquePointer?) -> Int32 {
    Failure.noting { () throws(Failure) in
        Int32(try Library.answer(session, .permission).value)
    }
}

/// Asks the user whether the program may record, unless that is decided.
@c @implementation
public func avas_session_request_permission_async(_ session: OpaquePointer?, _ cookie: UInt64) -> Int32 {
    Failure.noting { () throws(Failure) in
        let handle = try Library.handle(session)
        guard let microphone = Library.session.microphone else {
            handle.append(.permission(cookie, isGranted: true))
            return 0
        }
        startingThreads { microphone.request { handle.append(.permission(cookie, isGranted: $0)) } }
        return 0
    }
}

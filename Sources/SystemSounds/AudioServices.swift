// System Sound Services. All functions may be called on any thread. None waits for the sound server, which is asked on
// a queue of the library; only creating a sound waits, for its file. A program without a sound server goes on in
// silence.

/// Creates a system sound from a file, which is read completely and not needed later.
///
/// The file is a WAV, AIFF or CAF file of linear PCM or IMA4, and at most 30 seconds long. The sound is sent to the
/// sound server once and stays there until ``AudioServicesDisposeSystemSoundID(_:)``. The call waits for the disk, not
/// for the server.
///
/// - Returns: ``kAudioServicesNoError``; ``kAudioServicesSystemSoundExceededMaximumDurationError`` for a longer sound;
///   ``kAudioServicesSystemSoundUnspecifiedError`` for a file of another kind or one that cannot be read.
///   `outSystemSoundID` is 0 after an error.
///
/// Apple: `AudioServicesCreateSystemSoundID(_:_:)`.
@discardableResult
public func AudioServicesCreateSystemSoundID(
    _ inFileURL: CFURL, _ outSystemSoundID: UnsafeMutablePointer<SystemSoundID>
) -> OSStatus {
    let (status, id) = SystemSoundService.shared.create(inFileURL, accepting: .systemSounds)
    outSystemSoundID.pointee = id
    return status
}

/// Creates a system sound from a file whose address is an `NSURL`.
///
/// See ``AudioServicesCreateSystemSoundID(_:_:)``. This overload is disfavored, so that the function's name alone, and
/// `.init(…)` as the first argument, mean the other one.
///
/// Apple: `AudioServicesCreateSystemSoundID(_:_:)`, whose `CFURL` takes an `NSURL`.
@_disfavoredOverload
@discardableResult
public func AudioServicesCreateSystemSoundID(
    _ inFileURL: NSURL, _ outSystemSoundID: UnsafeMutablePointer<SystemSoundID>
) -> OSStatus {
    AudioServicesCreateSystemSoundID(inFileURL as URL, outSystemSoundID)
}

/// Removes a system sound; if it plays, it ends.
///
/// The call returns at once.
///
/// - Returns: ``kAudioServicesNoError``, or ``kAudioServicesSystemSoundUnspecifiedError`` if there is no such sound.
///
/// Apple: `AudioServicesDisposeSystemSoundID(_:)`.
@discardableResult
public func AudioServicesDisposeSystemSoundID(_ inSystemSoundID: SystemSoundID) -> OSStatus {
    SystemSoundService.shared.dispose(inSystemSoundID)
}

/// Plays a system sound at the volume of the system's event sounds; the current system sound ends.
///
/// The call returns at once and reports no error. The sound is silent in these cases: the session is interrupted; the
/// session records and `setAllowHapticsAndSystemSoundsDuringRecording(_:)` was not called; the user has turned sounds
/// of the user interface off; the server cannot start the sound within 0.5 s or the sound's length, whichever is
/// longer.
///
/// Apple: `AudioServicesPlaySystemSound(_:)`.
public func AudioServicesPlaySystemSound(_ inSystemSoundID: SystemSoundID) {
    SystemSoundService.shared.play(inSystemSoundID)
}

/// Plays a system sound as an alert, which on Linux is the same as ``AudioServicesPlaySystemSound(_:)``: nothing
/// vibrates.
///
/// Apple: `AudioServicesPlayAlertSound(_:)`.
public func AudioServicesPlayAlertSound(_ inSystemSoundID: SystemSoundID) {
    SystemSoundService.shared.play(inSystemSoundID)
}

/// Plays a system sound, and calls a closure when it is over, whether it was heard or not.
///
/// The call returns at once. The closure is called once, on a serial queue of the library. A silent sound is over after
/// its own length, and so is a sound that another one replaces; a sound that is disposed of, or interrupted, is over at
/// once.
///
/// Apple: `AudioServicesPlaySystemSoundWithCompletion(_:_:)`.
@preconcurrency
public func AudioServicesPlaySystemSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (@Sendable () -> Void)?
) {
    SystemSoundService.shared.play(inSystemSoundID, completion: inCompletionBlock)
}

/// Plays a system sound as an alert, and calls a closure when it is over.
///
/// See ``AudioServicesPlaySystemSoundWithCompletion(_:_:)``.
///
/// Apple: `AudioServicesPlayAlertSoundWithCompletion(_:_:)`.
@preconcurrency
public func AudioServicesPlayAlertSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (@Sendable () -> Void)?
) {
    SystemSoundService.shared.play(inSystemSoundID, completion: inCompletionBlock)
}

/// Sets the function to call whenever a system sound is over; it replaces the sound's previous one.
///
/// The call returns at once.
///
/// - Parameters:
///   - inSystemSoundID: The sound.
///   - inRunLoop: The run loop that calls the function; nil for the main queue.
///   - inRunLoopMode: The mode in which that run loop calls it; nil for the default mode.
///   - inCompletionRoutine: The function.
///   - inClientData: The function's second argument.
/// - Returns: ``kAudioServicesNoError``, or ``kAudioServicesSystemSoundUnspecifiedError`` if there is no such sound.
///
/// Apple: `AudioServicesAddSystemSoundCompletion(_:_:_:_:_:)`.
@discardableResult
public func AudioServicesAddSystemSoundCompletion(
    _ inSystemSoundID: SystemSoundID, _ inRunLoop: CFRunLoop?, _ inRunLoopMode: CFString?,
    _ inCompletionRoutine: @escaping AudioServicesSystemSoundCompletionProc, _ inClientData: UnsafeMutableRawPointer?
) -> OSStatus {
    let listener = SoundListener(
        runLoop: inRunLoop, mode: inRunLoopMode, function: inCompletionRoutine, clientData: inClientData)
    return SystemSoundService.shared.setListener(listener, for: inSystemSoundID)
}

/// Removes the function of a system sound, also for ends that are not reported yet.
///
/// The call returns at once. On the thread that calls the function, the client data may be freed after this call; on
/// other threads a call in progress goes on. Disposing of the sound removes the function too.
///
/// Apple: `AudioServicesRemoveSystemSoundCompletion(_:)`.
public func AudioServicesRemoveSystemSoundCompletion(_ inSystemSoundID: SystemSoundID) {
    _ = SystemSoundService.shared.setListener(nil, for: inSystemSoundID)
}

/// Reads the size of a property's value in bytes, and whether the property is settable; returns at once.
///
/// - Parameters:
///   - inPropertyID: The property.
///   - inSpecifierSize: The size of `*inSpecifier` in bytes: 4, or 0 for no particular sound.
///   - inSpecifier: A ``SystemSoundID``, or nil.
///   - outPropertyDataSize: Receives the size.
///   - outWritable: Receives whether the property is settable.
/// - Returns: ``kAudioServicesNoError``, ``kAudioServicesUnsupportedPropertyError``,
///   ``kAudioServicesBadSpecifierSizeError``, or ``kAudioServicesSystemSoundUnspecifiedError`` if there is no such
///   sound.
///
/// Apple: `AudioServicesGetPropertyInfo(_:_:_:_:_:)`.
@discardableResult
public func AudioServicesGetPropertyInfo(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ outPropertyDataSize: UnsafeMutablePointer<UInt32>?, _ outWritable: UnsafeMutablePointer<DarwinBoolean>?
) -> OSStatus {
    let specifier = SoundSpecifier(inSpecifier, size: inSpecifierSize)
    let status = SystemSoundService.shared.checkProperty(inPropertyID, of: specifier, mayBeMissing: true)
    guard status == kAudioServicesNoError else { return status }
    outPropertyDataSize?.pointee = UInt32(MemoryLayout<UInt32>.size)
    outWritable?.pointee = true
    return kAudioServicesNoError
}

/// Reads a property of a system sound; returns at once.
///
/// - Parameters:
///   - inPropertyID: The property.
///   - inSpecifierSize: The size of `*inSpecifier` in bytes: 4.
///   - inSpecifier: A ``SystemSoundID``.
///   - ioPropertyDataSize: The size of the buffer in bytes; receives the size of the value.
///   - outPropertyData: Receives the value, a `UInt32`; nil reads the size only.
/// - Returns: As ``AudioServicesGetPropertyInfo(_:_:_:_:_:)``, or ``kAudioServicesBadPropertySizeError`` for a buffer
///   of less than 4 bytes.
///
/// Apple: `AudioServicesGetProperty(_:_:_:_:_:)`.
@discardableResult
public func AudioServicesGetProperty(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ ioPropertyDataSize: UnsafeMutablePointer<UInt32>, _ outPropertyData: UnsafeMutableRawPointer?
) -> OSStatus {
    let specifier = SoundSpecifier(inSpecifier, size: inSpecifierSize)
    let (status, value) = SystemSoundService.shared.property(inPropertyID, of: specifier)
    guard status == kAudioServicesNoError else { return status }
    let size = UInt32(MemoryLayout<UInt32>.size)
    if let outPropertyData {
        guard ioPropertyDataSize.pointee >= size else { return kAudioServicesBadPropertySizeError }
        outPropertyData.copyMemory(from: [value], byteCount: Int(size))
    }
    ioPropertyDataSize.pointee = size
    return kAudioServicesNoError
}

/// Sets a property of a system sound, from its next playback on; returns at once.
///
/// - Parameters:
///   - inPropertyID: The property.
///   - inSpecifierSize: The size of `*inSpecifier` in bytes: 4.
///   - inSpecifier: A ``SystemSoundID``.
///   - inPropertyDataSize: The size of the value in bytes: 4.
///   - inPropertyData: The value, a `UInt32`; all values other than 0 count as 1.
/// - Returns: As ``AudioServicesGetPropertyInfo(_:_:_:_:_:)``, or ``kAudioServicesBadPropertySizeError`` for a value of
///   another size.
///
/// Apple: `AudioServicesSetProperty(_:_:_:_:_:)`.
@discardableResult
public func AudioServicesSetProperty(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ inPropertyDataSize: UInt32, _ inPropertyData: UnsafeRawPointer
) -> OSStatus {
    let specifier = SoundSpecifier(inSpecifier, size: inSpecifierSize)
    let status = SystemSoundService.shared.checkProperty(inPropertyID, of: specifier, mayBeMissing: false)
    guard status == kAudioServicesNoError else { return status }
    guard inPropertyDataSize == UInt32(MemoryLayout<UInt32>.size) else { return kAudioServicesBadPropertySizeError }
    let value = inPropertyData.loadUnaligned(as: UInt32.self)
    return SystemSoundService.shared.setProperty(inPropertyID, of: specifier, to: value != 0)
}

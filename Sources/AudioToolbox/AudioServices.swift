// System Sound Services. All functions may be called on any thread, and wait for nothing but the file that a sound is
// made from: the sound server is asked in the background, and a program without one goes on in silence.

/// Makes a system sound of a file, which is read now and not needed later.
///
/// The file is a WAV, AIFF or CAF file of linear PCM or IMA4 and at most 30 seconds long. The sound is sent to the
/// sound server once and stays there until ``AudioServicesDisposeSystemSoundID(_:)``.
///
/// - Returns: ``kAudioServicesNoError``; ``kAudioServicesSystemSoundExceededMaximumDurationError`` for a longer sound;
///   ``kAudioServicesSystemSoundUnspecifiedError`` for anything else that cannot be used, or cannot be read.
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

/// Makes a system sound of a file that is named by an `NSURL`.
///
/// See ``AudioServicesCreateSystemSoundID(_:_:)``, which is the one meant where either would do: the name alone, `.init(…)`
/// for the address.
///
/// Apple: `AudioServicesCreateSystemSoundID(_:_:)`, whose `CFURL` takes an `NSURL`.
@_disfavoredOverload
@discardableResult
public func AudioServicesCreateSystemSoundID(
    _ inFileURL: NSURL, _ outSystemSoundID: UnsafeMutablePointer<SystemSoundID>
) -> OSStatus {
    AudioServicesCreateSystemSoundID(inFileURL as URL, outSystemSoundID)
}

/// Forgets a system sound; if it plays, it ends.
///
/// - Returns: ``kAudioServicesNoError``, or ``kAudioServicesSystemSoundUnspecifiedError`` if there is no such sound.
///
/// Apple: `AudioServicesDisposeSystemSoundID(_:)`.
@discardableResult
public func AudioServicesDisposeSystemSoundID(_ inSystemSoundID: SystemSoundID) -> OSStatus {
    SystemSoundService.shared.dispose(inSystemSoundID)
}

/// Plays a system sound at once, as loud as the system plays such sounds; the one before ends.
///
/// It is silent while the session is interrupted, and while it records unless that was allowed with
/// `setAllowHapticsAndSystemSoundsDuringRecording(_:)`, and where the sound server lets itself be waited for by half a
/// second, and by more than the sound lasts. Whatever it is, that is no error.
///
/// Apple: `AudioServicesPlaySystemSound(_:)`.
public func AudioServicesPlaySystemSound(_ inSystemSoundID: SystemSoundID) {
    SystemSoundService.shared.play(inSystemSoundID)
}

/// Plays a system sound as an alert, which is the same here: phones vibrate, and this system knows of no motor.
///
/// Apple: `AudioServicesPlayAlertSound(_:)`.
public func AudioServicesPlayAlertSound(_ inSystemSoundID: SystemSoundID) {
    SystemSoundService.shared.play(inSystemSoundID)
}

/// Plays a system sound, and calls a closure when it is over, whether it was heard or not.
///
/// The closure is called on a serial queue of the library's own, once. A sound that must be silent takes as long as one
/// that is heard, and so does one that the next sound ends; one that is disposed of, or interrupted, is over at once.
///
/// Apple: `AudioServicesPlaySystemSoundWithCompletion(_:_:)`.
@preconcurrency
public func AudioServicesPlaySystemSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (@Sendable () -> Void)?
) {
    SystemSoundService.shared.play(inSystemSoundID, completion: inCompletionBlock)
}

/// Plays a system sound as an alert, and calls a closure when it is over, whether it was heard or not.
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

/// Has a function called each time a system sound is over; one that was given before for the same sound is forgotten.
///
/// - Parameters:
///   - inSystemSoundID: A sound.
///   - inRunLoop: Where to call it; nil for the main queue.
///   - inRunLoopMode: The mode in which that run loop calls it; nil for the default one.
///   - inCompletionRoutine: The function.
///   - inClientData: Handed to the function as it is.
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

/// Has nothing called any more when a system sound is over, not even for one that was over before.
///
/// On the thread that the function is called on, what was handed over with it may be freed afterwards. A call that has
/// begun on another thread goes on. Disposing of the sound does the same.
///
/// Apple: `AudioServicesRemoveSystemSoundCompletion(_:)`.
public func AudioServicesRemoveSystemSoundCompletion(_ inSystemSoundID: SystemSoundID) {
    _ = SystemSoundService.shared.setListener(nil, for: inSystemSoundID)
}

/// Tells the size of a property's value in bytes, and whether it can be set.
///
/// - Parameters:
///   - inPropertyID: A property.
///   - inSpecifierSize: The size of what `inSpecifier` points to: 4, or 0 for no sound in particular.
///   - inSpecifier: A ``SystemSoundID``, or nil.
///   - outPropertyDataSize: Gets the size.
///   - outWritable: Gets whether it can be set.
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

/// Reads a property of a system sound.
///
/// - Parameters:
///   - inPropertyID: A property.
///   - inSpecifierSize: The size of what `inSpecifier` points to: 4.
///   - inSpecifier: A ``SystemSoundID``.
///   - ioPropertyDataSize: The room that there is, in bytes; afterwards what was written.
///   - outPropertyData: Gets the value, a `UInt32`; nil asks for the size alone.
/// - Returns: As ``AudioServicesGetPropertyInfo(_:_:_:_:_:)``, or ``kAudioServicesBadPropertySizeError`` where there is
///   less room than 4 bytes.
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

/// Sets a property of a system sound; it counts from the sound's next start.
///
/// - Parameters:
///   - inPropertyID: A property.
///   - inSpecifierSize: The size of what `inSpecifier` points to: 4.
///   - inSpecifier: A ``SystemSoundID``.
///   - inPropertyDataSize: The size of the value in bytes: 4.
///   - inPropertyData: The value, a `UInt32`; anything but 0 counts as 1.
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

internal import Foundation

/// A function that wants to be called when a system sound is over, and where; each one that is added is another one.
// SAFETY: nothing changes after it was made. The client data is the app's business, as on Apple's systems; timers may
// be added to a run loop on any thread.
final class SoundListener: @unchecked Sendable {
    let runLoop: RunLoop?
    let mode: String?
    let function: AudioServicesSystemSoundCompletionProc
    let clientData: UnsafeMutableRawPointer?

    init(
        runLoop: RunLoop?, mode: String?, function: @escaping AudioServicesSystemSoundCompletionProc,
        clientData: UnsafeMutableRawPointer?
    ) {
        self.runLoop = runLoop
        self.mode = mode
        self.function = function
        self.clientData = clientData
    }

    /// Has the function called, soon, if it is wanted then: apps free the client data as soon as they have removed it.
    ///
    /// The question is asked where the function is called.
    func tell(_ id: SystemSoundID, if isWanted: @escaping @Sendable () -> Bool) {
        let isUsual = mode == nil || mode == RunLoop.Mode.default.rawValue || mode == RunLoop.Mode.common.rawValue
        guard let runLoop, runLoop !== RunLoop.main || !isUsual else {
            // As everything that the library tells on the main thread: heard under a run loop and `dispatchMain` alike.
            return Delivery.perform { self.call(id, if: isWanted) }
        }
        // A block alone would not wake the run loop.
        let timer = Timer(timeInterval: 0, repeats: false) { _ in self.call(id, if: isWanted) }
        runLoop.add(timer, forMode: mode.map { RunLoop.Mode($0) } ?? .default)
    }

    private func call(_ id: SystemSoundID, if isWanted: () -> Bool) {
        if isWanted() { function(id, clientData) }
    }
}

/// What a property belongs to, as callers hand it over.
struct SoundSpecifier {
    let size: UInt32
    /// The sound; nil if there is none, or its size is wrong.
    let id: SystemSoundID?

    init(_ pointer: UnsafeRawPointer?, size: UInt32) {
        self.size = size
        let isSound = size == UInt32(MemoryLayout<SystemSoundID>.size)
        id = isSound ? pointer?.loadUnaligned(as: SystemSoundID.self) : nil
    }
}

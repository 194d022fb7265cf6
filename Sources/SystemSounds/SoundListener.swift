internal import Foundation

/// A function to call when a system sound is over, and the run loop to call it on; compared by identity.
// SAFETY: immutable after `init`. The client data belongs to the app, as on Apple's systems; timers may be added to a
// run loop from any thread.
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

    /// Schedules a call of the function, which checks `isWanted` immediately before.
    ///
    /// Apps free the client data as soon as they have removed the function.
    func tell(_ id: SystemSoundID, if isWanted: @escaping @Sendable () -> Bool) {
        let isUsual = mode == nil || mode == RunLoop.Mode.default.rawValue || mode == RunLoop.Mode.common.rawValue
        guard let runLoop, runLoop !== RunLoop.main || !isUsual else {
            // As all calls to apps: works with a running main run loop and with `dispatchMain()`.
            return Delivery.perform { self.call(id, if: isWanted) }
        }
        // A block alone does not wake the run loop.
        let timer = Timer(timeInterval: 0, repeats: false) { _ in self.call(id, if: isWanted) }
        runLoop.add(timer, forMode: mode.map { RunLoop.Mode($0) } ?? .default)
    }

    private func call(_ id: SystemSoundID, if isWanted: () -> Bool) {
        if isWanted() { function(id, clientData) }
    }
}

/// The specifier of a property: the sound that it belongs to.
struct SoundSpecifier {
    let size: UInt32
    /// The sound; nil if there is none, or the size is wrong.
    let id: SystemSoundID?

    init(_ pointer: UnsafeRawPointer?, size: UInt32) {
        self.size = size
        let isSound = size == UInt32(MemoryLayout<SystemSoundID>.size)
        id = isSound ? pointer?.loadUnaligned(as: SystemSoundID.self) : nil
    }
}

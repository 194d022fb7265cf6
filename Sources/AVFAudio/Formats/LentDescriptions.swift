internal import Foundation

/// Descriptions whose addresses have been lent to the app; each different one is kept for as long as the process runs.
///
/// Swift lets go of a format after its last use, which in `player.format.streamDescription.pointee` is before the
/// description is read. A process has few different ones.
enum LentDescriptions {
    private static let lock = NSLock()
    // SAFETY: guarded by `lock`; what it points to never changes and is never freed.
    nonisolated(unsafe) private static var addresses: [Key: UnsafePointer<AudioStreamBasicDescription>] = [:]

    /// Where a description is, from now on.
    static func address(of description: AudioStreamBasicDescription) -> UnsafePointer<AudioStreamBasicDescription> {
        lock.withLock {
            if let address = addresses[Key(description)] { return address }
            let made = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
            made.initialize(to: description)
            addresses[Key(description)] = UnsafePointer(made)
            return UnsafePointer(made)
        }
    }

    /// All of a description; the rate by its bits, so that one that is no number is equal to itself.
    private struct Key: Hashable {
        private let rate: UInt64
        private let numbers: [UInt32]

        init(_ all: AudioStreamBasicDescription) {
            rate = all.mSampleRate.bitPattern
            numbers = [
                all.mFormatID, all.mFormatFlags, all.mBytesPerPacket, all.mFramesPerPacket, all.mBytesPerFrame,
                all.mChannelsPerFrame, all.mBitsPerChannel, all.mReserved,
            ]
        }
    }
}

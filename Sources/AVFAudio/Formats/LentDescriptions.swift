internal import Foundation

/// The descriptions whose addresses the app has received; each distinct one is kept for the life of the process.
///
/// Swift releases a format after its last use, which in `player.format.streamDescription.pointee` is before the
/// description is read. A process has few distinct descriptions.
enum LentDescriptions {
    private static let lock = NSLock()
    // SAFETY: guarded by `lock`; the memory behind an address never changes and is never freed.
    nonisolated(unsafe) private static var addresses: [Key: UnsafePointer<AudioStreamBasicDescription>] = [:]

    /// The permanent address of a description.
    static func address(of description: AudioStreamBasicDescription) -> UnsafePointer<AudioStreamBasicDescription> {
        lock.withLock {
            if let address = addresses[Key(description)] { return address }
            let made = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
            made.initialize(to: description)
            addresses[Key(description)] = UnsafePointer(made)
            return UnsafePointer(made)
        }
    }

    /// A key of a description; the rate by its bits, so that NaN equals itself.
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

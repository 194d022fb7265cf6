internal import AudioFiles
internal import Foundation
internal import SessionPolicy
internal import SoundHost

// What keeps a player from playing.
extension PlayerCore {
    /// Where the file is to blame for a failure, the delegate hears of it: whoever plays gets nothing but a truth
    /// value.
    func tellingErrors(_ bind: () throws -> Binding) -> Binding? {
        do { return try bind() } catch {
            if let error = error as? AudioFileError { tell(error) }
            return nil
        }
    }

    func tell(_ error: AudioFileError) {
        Delivery.perform { [weak self] in self?.onDecodeError(error) }
    }

    /// Throws if an output is not on the device that the player can start on; waits until that is known.
    func check(_ device: String, of mix: OutputMix, on host: PulseHost) throws {
        try host.awaitOutput(mix)
        guard device == host.withLock({ mix.deviceName }) else {
            throw SessionError(.badParam, "The session does not play on a device \(device).")
        }
    }
}

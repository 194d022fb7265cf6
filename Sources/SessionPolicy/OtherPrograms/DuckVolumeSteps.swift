/// The fixed volumes that a stream passes on its way down and up again.
///
/// After a crash, another process must distinguish a volume set by ducking from one set by the user. So a ramp uses only
/// the steps that follow from the original volume and the depth; any other volume was set by the user or the program.
///
/// Volumes are the server's: 0x10000 is 100 %, on a cubic scale, so that even steps sound even.
package struct DuckVolumeSteps: Hashable, Sendable {
    /// The number of steps from the original volume to the lowered one: 0.2 to 0.7 dB each for a depth of 20 dB.
    package static let steps = 40
    /// The number of steps from the original volume to silence, by way of the lowered volume.
    package static let stepsToSilence = 50
    /// The ratio that counts as silence: -180 dB, and not 0, which a user's slider may set.
    package static let silence: UInt32 = 0x40
    /// The highest ratio for which all steps differ; used for streams that are silenced where ducking lowers by less.
    package static let shallowest: UInt32 = 60_416
    /// 100 %.
    package static let normal: UInt32 = 0x10000
    /// The highest original volume that is accepted: +11 dB, the end of the mixers' scales.
    ///
    /// It limits the damage of a wrong ledger.
    package static let highest: UInt32 = 99_957
    /// The lowest original volume that is accepted; below it the steps would be equal.
    package static let lowest: UInt32 = 0x200

    /// The original volume, one value for each channel.
    package let original: [UInt32]
    /// The ratio of the lowered volume to the original, in the server's scale: below ``normal``.
    package let factor: UInt32

    /// The steps from a volume down by a factor; nil for a volume that is too small to lower or too large to trust.
    package init?(from original: [UInt32], by factor: UInt32) {
        guard let loudest = original.max(), Self.lowest...Self.highest ~= loudest, original.count <= 32,
            factor < Self.normal
        else { return nil }
        self.original = original
        self.factor = factor
    }

    /// The volume at a step: 0 is the original, ``steps`` the lowered one, ``stepsToSilence`` the last one.
    package func volume(at step: Int) -> [UInt32] {
        let step = max(0, min(step, Self.stepsToSilence))
        let whole = UInt64(Self.normal)
        let part =
            step <= Self.steps
            ? whole - (whole - UInt64(factor)) * UInt64(step) / UInt64(Self.steps) : partBelow(step - Self.steps)
        // As the server multiplies.
        return original.map { UInt32((UInt64($0) * part + whole / 2) / whole) }
    }

    /// The ratio to the original volume at a step below the lowered one.
    private func partBelow(_ step: Int) -> UInt64 {
        let way = UInt64(max(factor, Self.silence) - Self.silence)
        return UInt64(max(factor, Self.silence)) - way * UInt64(step) / UInt64(Self.stepsToSilence - Self.steps)
    }

    /// The step that a volume corresponds to; nil for a volume that ducking did not set.
    ///
    /// A volume with another number of channels is compared if both are equal on all channels, as the server remaps them.
    package func step(of volume: [UInt32]) -> Int? {
        guard !volume.isEmpty else { return nil }
        let isSameLayout = volume.count == original.count
        guard isSameLayout || (Set(volume).count == 1 && Set(original).count == 1) else { return nil }
        return (0...Self.stepsToSilence).first { step in
            let expected = self.volume(at: step)
            return isSameLayout ? expected == volume : expected[0] == volume[0]
        }
    }

    /// The original volume, remapped to a number of channels.
    package func original(channels: Int) -> [UInt32] {
        original.count == channels ? original : Array(repeating: original.max() ?? Self.normal, count: channels)
    }
}

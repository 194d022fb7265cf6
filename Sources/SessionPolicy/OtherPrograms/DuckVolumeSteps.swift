/// The volumes that a lowered stream goes through, on the way down and up again: a few values, known to everybody.
///
/// Whoever finds a stream after a crash must tell our doing from the user's. So a ramp only ever stops at one of the
/// steps that follow from the volume before and the depth; a volume between them was set by somebody else.
///
/// Volumes are those of the server: 0x10000 is 100 %, on a cubic scale, so that even steps sound even.
package struct DuckVolumeSteps: Hashable, Sendable {
    /// The number of steps from the volume before to the lowered one: 0.2 to 0.7 dB each for a depth of 20 dB.
    package static let steps = 40
    /// The number of steps from the volume before to silence, by way of the lowered volume.
    package static let stepsToSilence = 50
    /// What counts as silence, as a part of the volume before: -180 dB, and not 0, which is what a user's slider says.
    package static let silence: UInt32 = 0x40
    /// The highest part that leaves all steps apart: for streams that are silenced where ducking lowers by less.
    package static let shallowest: UInt32 = 60_416
    /// 100 %.
    package static let normal: UInt32 = 0x10000
    /// The highest volume that a stream may have had: +11 dB, the end of the mixers' scales.
    ///
    /// It limits what a wrong ledger could do.
    package static let highest: UInt32 = 99_957
    /// The lowest volume that is worth lowering, as steps below would be equal.
    package static let lowest: UInt32 = 0x200

    /// The volume before, one value for each channel.
    package let original: [UInt32]
    /// What the lowered volume is of it, in the server's scale: below ``normal``.
    package let factor: UInt32

    /// The volumeSteps from a volume down by a factor; `nil` for a volume that is too small to lower or too large to trust.
    package init?(from original: [UInt32], by factor: UInt32) {
        guard let loudest = original.max(), Self.lowest...Self.highest ~= loudest, original.count <= 32,
            factor < Self.normal
        else { return nil }
        self.original = original
        self.factor = factor
    }

    /// The volume at a step: 0 is the one before, ``steps`` the lowered one, ``stepsToSilence`` the last one.
    package func volume(at step: Int) -> [UInt32] {
        let step = max(0, min(step, Self.stepsToSilence))
        let whole = UInt64(Self.normal)
        let part =
            step <= Self.steps
            ? whole - (whole - UInt64(factor)) * UInt64(step) / UInt64(Self.steps) : partBelow(step - Self.steps)
        // As the server multiplies.
        return original.map { UInt32((UInt64($0) * part + whole / 2) / whole) }
    }

    /// The part of the volume before at a step below the lowered one.
    private func partBelow(_ step: Int) -> UInt64 {
        let way = UInt64(max(factor, Self.silence) - Self.silence)
        return UInt64(max(factor, Self.silence)) - way * UInt64(step) / UInt64(Self.stepsToSilence - Self.steps)
    }

    /// The step at which a stream of that volume stands; `nil` for a volume that none of us has set.
    ///
    /// A volume of other channels counts if either is the same on all of them: so the server translates it.
    package func step(of volume: [UInt32]) -> Int? {
        guard !volume.isEmpty else { return nil }
        let isSameLayout = volume.count == original.count
        guard isSameLayout || (Set(volume).count == 1 && Set(original).count == 1) else { return nil }
        return (0...Self.stepsToSilence).first { step in
            let expected = self.volume(at: step)
            return isSameLayout ? expected == volume : expected[0] == volume[0]
        }
    }

    /// The volume before, for a stream with that many channels.
    package func original(channels: Int) -> [UInt32] {
        original.count == channels ? original : Array(repeating: original.max() ?? Self.normal, count: channels)
    }
}

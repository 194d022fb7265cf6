internal import Foundation

/// A table from levels of players and recorders to lengths of a level bar: a Linux addition.
///
/// Guides to metering have every app build such a table. Levels below −60 dBFS give 0, 0 dBFS gives 1, and values in
/// between the square root of the amplitude. Speech moves the middle of the bar then, and silence shows an empty bar.
///
///     let table = MeterTable()
///     player.updateMeters()
///     bar.length = table.valueForPower(player.averagePower(forChannel: 0))
///
/// Apple: has none; `valueForPower(_:)` is what its and others' sample code calls it.
public struct MeterTable: Sendable {
    /// The level below which the bar is empty, in dBFS.
    ///
    /// Apple: has none.
    public static let floor: Float = -60

    private let values: [Float]

    /// A table with entries between ``floor`` and 0 dBFS; values between two entries are interpolated.
    ///
    /// - Parameter tableSize: The number of entries, at least 2.
    ///
    /// Apple: has none.
    public init(tableSize: Int = 300) {
        let least = pow(10, Double(Self.floor) / 20)
        let last = max(tableSize, 2) - 1
        values = (0...last).map { index in
            let decibels = Double(Self.floor) * (1 - Double(index) / Double(last))
            let amplitude = pow(10, decibels / 20)
            return Float(((amplitude - least) / (1 - least)).squareRoot())
        }
    }

    /// The length of the bar, 0 … 1, for a level in dBFS, as returned by `averagePower(forChannel:)` and
    /// `peakPower(forChannel:)`.
    ///
    /// Apple: has none.
    public func valueForPower(_ power: Float) -> Float {
        guard power > Self.floor else { return 0 }
        guard power < 0 else { return 1 }
        let place = (1 - power / Self.floor) * Float(values.count - 1)
        let index = min(Int(place), values.count - 2)
        return values[index] + (place - Float(index)) * (values[index + 1] - values[index])
    }
}

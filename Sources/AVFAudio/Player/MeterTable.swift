internal import Foundation

/// Turns the levels of players and recorders into the length of a bar: a Linux addition.
///
/// Guides to metering have every app build such a table. Below −60 dBFS is nothing, 0 dBFS is the full length, and
/// between the two it is the amplitude's square root: speech moves the middle of the bar, and silence shows nothing.
///
///     let table = MeterTable()
///     player.updateMeters()
///     bar.length = table.valueForPower(player.averagePower(forChannel: 0))
///
/// Apple: has none; `valueForPower(_:)` is what its and others' sample code calls it.
public struct MeterTable: Sendable {
    /// What counts as silence, in dBFS.
    ///
    /// Apple: has none.
    public static let floor: Float = -60

    private let values: [Float]

    /// A table with so many entries between ``floor`` and 0 dBFS; what lies between two of them is interpolated.
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

    /// The part of the bar, 0…1, for a power in dBFS, as `averagePower(forChannel:)` and `peakPower(forChannel:)` tell
    /// it.
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

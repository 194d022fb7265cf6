import Glibc

/// Turns decibels into the length of a bar, so that speech moves the middle of it and silence shows nothing.
///
/// Below the floor of −60 dBFS is nothing, 0 dBFS is the full length, and the square root between the two gives
/// the quiet half of the range the room that the ear gives it.
package struct MeterTable: Sendable {
    /// What counts as silence, in dBFS.
    package static let floor: Float = -60

    /// The share of the bar, 0…1, for a level in dBFS.
    package static func fraction(decibels: Float) -> Double {
        guard decibels > floor else { return 0 }
        guard decibels < 0 else { return 1 }
        let least = pow(10, Double(floor) / 20)
        let amplitude = pow(10, Double(decibels) / 20)
        return ((amplitude - least) / (1 - least)).squareRoot()
    }
}

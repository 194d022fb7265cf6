/// The difference between the clocks of two outputs, from several measurements: each alone is as uncertain as the
/// latencies that servers report.
struct OutputAlignment {
    /// How close to its beginning a voice is left alone, and how small a difference does not matter, in seconds.
    static let (notice, tolerance) = (0.06, 0.000_1)
    private static let most = 15
    private var differences: [Double] = []

    /// Adds a measured difference of the two clocks, in seconds.
    mutating func add(_ difference: Double) { differences = differences.suffix(Self.most - 1) + [difference] }

    /// Forgets all measured differences.
    mutating func reset() { differences = [] }

    /// The median of the measured differences, in seconds; nil without any.
    var difference: Double? { differences.isEmpty ? nil : differences.sorted()[differences.count / 2] }
}

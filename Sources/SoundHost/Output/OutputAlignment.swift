/// By how much the clock of one output is ahead of that of another, from several looks: each alone is as uncertain as
/// the latencies that servers report.
struct OutputAlignment {
    /// How close to its beginning a voice is left alone, and how small a difference does not matter, in seconds.
    static let (notice, tolerance) = (0.06, 0.000_1)
    private static let most = 15
    private var looks: [Double] = []

    /// Adds a look, in seconds.
    mutating func add(_ difference: Double) { looks = looks.suffix(Self.most - 1) + [difference] }

    /// Forgets all looks.
    mutating func reset() { looks = [] }

    /// The median of the looks; nil without any.
    var difference: Double? { looks.isEmpty ? nil : looks.sorted()[looks.count / 2] }
}

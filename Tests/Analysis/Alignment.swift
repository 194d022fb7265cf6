/// How far one sound lies behind another.
package enum Alignment {
    /// The lag in frames, of at most `most` either way, at which a sound is most like another one.
    ///
    /// The second quarter of the other sound is compared.
    package static func lag(of read: [Float], behind written: [Float], most: Int) -> Int {
        let range = written.count / 4..<written.count / 2
        func likeness(_ lag: Int) -> Float {
            let first = max(range.lowerBound, -lag)
            var sum: Float = 0
            for index in first..<max(first, min(range.upperBound, read.count - lag)) {
                sum += written[index] * read[index + lag]
            }
            return sum
        }
        var best = (lag: 0, likeness: -Float.infinity)
        for lag in -most...most {
            let likeness = likeness(lag)
            if likeness > best.likeness { best = (lag, likeness) }
        }
        return best.lag
    }
}

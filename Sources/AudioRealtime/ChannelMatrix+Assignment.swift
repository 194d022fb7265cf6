extension ChannelMatrix {
    /// Creates the matrix that routes each source channel to the output of the given index, at gain 1.
    ///
    /// A channel with nil, or an index out of range, is dropped.
    ///
    /// Channels of the same output are summed, and lowered together so that the sum cannot exceed full scale.
    package init(assigning places: [Int?], to destination: [Channel]) {
        var table = [Float](repeating: 0, count: places.count * destination.count)
        for (input, place) in places.enumerated() {
            guard let place, destination.indices.contains(place) else { continue }
            table[place * places.count + input] = 1
        }
        self.init(inputs: places.count, table: table, destination: destination)
    }
}

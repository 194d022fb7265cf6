extension ChannelMatrix {
    /// Makes the matrix that takes each source channel to the output of the given index, unchanged; nil, or an index
    /// out of range, leaves the channel out.
    ///
    /// Several channels of one output are added up, and then lowered together so that they cannot exceed full scale.
    package init(assigning places: [Int?], to destination: [Channel]) {
        var table = [Float](repeating: 0, count: places.count * destination.count)
        for (input, place) in places.enumerated() {
            guard let place, destination.indices.contains(place) else { continue }
            table[place * places.count + input] = 1
        }
        self.init(inputs: places.count, table: table, destination: destination)
    }
}

internal import AudioFiles

/// One stream of frames on its way to another rate: a filter, what came out of it, and the end.
///
/// Its output has exactly the input's frames times the ratio of the rates, rounded; priming adds or takes away. One
/// thread at a time uses it.
final class ConversionStream {
    /// The frames of silence or sound that stand at the beginning of the filter, in frames of the input.
    enum Priming: Equatable {
        /// Silence is assumed in front of the sound, and nothing is delayed.
        case normal
        /// So many first frames only fill the filter, and do not come out.
        case taken(Int)
        /// So many frames of silence come out in front.
        case delayed(Int)
    }

    private let converter: RateConverter?
    private let channels: Int
    private let ratio: Double
    private let priming: Priming
    /// The samples that are ready, from `head` on.
    private var ready: [Double] = []
    private var head = 0
    private var taken = 0
    private var made = 0
    /// Frames at the beginning that are not given.
    private var dropped: Int
    private(set) var hasEnded = false

    /// A stream of interleaved frames with so many channels; no conversion leaves the rate as it is.
    ///
    /// Throws `.unsupportedEncoding` for rates that cannot be converted, and `.missingLibrary`.
    init(
        _ conversion: SampleRateConversion?, to outputRate: Double, channels: Int, priming: Priming
    ) throws(AudioFileError) {
        self.channels = channels
        if let conversion {
            converter = try RateConverter(conversion, to: outputRate, channels: channels)
            ratio = outputRate / conversion.inputRate
        } else {
            converter = nil
            ratio = 1
        }
        self.priming = converter == nil ? .normal : priming
        dropped = 0
        switch self.priming {
        case .normal: break
        case .taken(let frames): dropped = Int((Double(frames) * ratio).rounded())
        case .delayed(let frames): put([Double](repeating: 0, count: frames * channels))
        }
    }

    /// Whether nothing was taken in yet.
    var isFresh: Bool { taken == 0 && !hasEnded }

    /// The number of frames that can be given.
    var readyFrames: Int { (ready.count - head) / channels }

    /// Takes interleaved frames in.
    func take(_ samples: [Double]) {
        taken += samples.count / channels
        put(samples)
    }

    /// Takes the end in: what the filter holds is ready, and nothing comes after it.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        guard let converter else { return }
        receive(converter.finish().map(Double.init))
        var input = Double(taken)
        if case .delayed(let frames) = priming { input += Double(frames) }
        // The filter's end may round one frame away, but the length is a promise.
        let surplus = made - Int((input * ratio).rounded())
        if surplus > 0 {
            ready.removeLast(min(surplus * channels, ready.count - head))
        } else {
            receive([Double](repeating: 0, count: -surplus * channels))
        }
    }

    /// Gives up to so many frames.
    func give(_ frames: Int) -> ArraySlice<Double> {
        let end = head + min(frames, readyFrames) * channels
        defer {
            head = end
            if head == ready.count {
                ready.removeAll(keepingCapacity: true)
                head = 0
            }
        }
        return ready[head..<end]
    }

    private func put(_ samples: [Double]) {
        guard let converter else {
            ready += samples
            return
        }
        // One number that is none would silence the filter for as long as it is.
        receive(converter.convert(samples.map { $0.isFinite ? Float($0) : 0 }).map(Double.init))
    }

    private func receive(_ samples: [Double]) {
        made += samples.count / channels
        let lost = min(dropped, samples.count / channels)
        dropped -= lost
        ready += samples[(lost * channels)...]
    }
}

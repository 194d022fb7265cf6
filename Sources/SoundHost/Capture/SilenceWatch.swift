internal import AudioHost
internal import Glibc

/// A detector of inputs that give nothing but zeros: muted in hardware, or not permitted.
struct SilenceWatch {
    private var seconds = 0.0

    /// Examines captured bytes; returns the news, if there is any.
    mutating func received(_ bytes: UnsafeRawBufferPointer, seconds length: Double) -> CaptureNews? {
        let wasFlat = seconds >= Capture.lossTimeout
        seconds = bytes.areZero ? seconds + length : 0
        let isFlat = seconds >= Capture.lossTimeout
        return isFlat == wasFlat ? nil : isFlat ? .flat : .restored(silence: 0)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var areZero: Bool {
        guard let start = baseAddress, first == 0 else { return isEmpty }
        // Every byte equals the one before it.
        return memcmp(start, start + 1, count - 1) == 0
    }
}

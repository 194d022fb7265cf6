internal import CPulse

/// A copy of a C string; empty for NULL.
func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

/// A copy of a C string; nil for NULL.
func optionalText(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

/// An index, or nil for `PA_INVALID_INDEX`.
func optionalIndex(_ index: UInt32) -> UInt32? { index == cpulse_invalid_index ? nil : index }

/// Seconds from libpulse's microseconds.
func seconds(_ microseconds: pa_usec_t) -> Double { Double(microseconds) / 1e6 }

internal import AudioFiles
internal import Foundation
internal import Locks

/// A part of an asset's properties, which are loaded together at the first access, and kept.
final class AssetPart<Value: Sendable>: Sendable {
    private let loading = AssetLoading<Value>()
    /// Held while the part is loaded, so that other callers wait for it.
    private let opening = NSLock()
    private let known = Guarded<Value?>(nil)

    /// The progress of loading; never blocks.
    var state: AssetLoading<Value>.State { loading.state }

    /// Cancels loading for all callers.
    func cancel() { loading.cancel() }

    /// Registers a caller, who has to call ``value(_:read:)``.
    func join() -> StreamCancellation { loading.join() }

    /// The part for a caller that has joined; blocks while it is read.
    func value(
        _ cancellation: StreamCancellation, read: (StreamCancellation) throws(NSError) -> Value
    ) throws(NSError) -> Value {
        let result: Result<Value, NSError> = opening.withLock {
            if let value = known.value { return .success(value) }
            let result = Result { () throws(NSError) in try read(cancellation) }
            // Not kept after a failure: a missing file may exist later.
            if case .success(let value) = result { known.withLock { $0 = value } }
            return result
        }
        loading.leave(result)
        return try result.get()
    }
}

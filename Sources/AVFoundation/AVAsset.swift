internal import AVFAudio
internal import CoreMedia
internal import Foundation

/// A sound, apart from any player: where it is, and how long it is.
///
/// The file is opened with the first question. May be used from any thread.
///
/// Apple: `AVAsset`.
// SAFETY: `known` is guarded by `lock`; the rest does not change.
open class AVAsset: NSObject, @unchecked Sendable {
    let location: URL
    private let lock = NSLock()
    private var known: Result<AssetFacts, NSError>?

    /// The asset of a file.
    ///
    /// Apple: `AVAsset.init(url:)`.
    public init(url: URL) {
        location = url
        super.init()
    }

    /// The length, as the file's own count of frames; zero for a file that cannot be read.
    ///
    /// Blocks while the file is opened.
    ///
    /// Apple: `AVAsset.duration`.
    open var duration: CMTime { (try? facts().duration) ?? .zero }

    /// Whether the file can be played.
    ///
    /// Blocks while the file is opened.
    ///
    /// Apple: `AVAsset.isPlayable`.
    open var isPlayable: Bool { (try? facts()) != nil }

    /// Whether ``duration`` is exact, which it always is.
    ///
    /// Apple: `AVAsset.providesPreciseDurationAndTiming`.
    open var providesPreciseDurationAndTiming: Bool { true }

    /// Does nothing: what is asked for is answered.
    ///
    /// Apple: `AVAsset.cancelLoading()`.
    open func cancelLoading() {}

    /// Reads a property without blocking; throws an `NSError` for a file that cannot be played.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.load(_:)`.
    public func load<Value: Sendable>(_ property: AVAsyncProperty<AVAsset, Value>) async throws -> Value {
        let facts = try await loadFacts()
        return property.read(facts)
    }

    /// Reads two properties without blocking; throws an `NSError` for a file that cannot be played.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.load(_:_:)`.
    public func load<First: Sendable, Second: Sendable>(
        _ first: AVAsyncProperty<AVAsset, First>, _ second: AVAsyncProperty<AVAsset, Second>
    ) async throws -> (First, Second) {
        let facts = try await loadFacts()
        return (first.read(facts), second.read(facts))
    }

    /// Reads properties without blocking, and calls back on some thread.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.loadValuesAsynchronously(forKeys:completionHandler:)`.
    public func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        DispatchQueue.global().async { [self] in
            _ = try? facts()
            handler?()
        }
    }

    private func loadFacts() async throws -> AssetFacts {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [self] in continuation.resume(with: Result { try facts() }) }
        }
    }

    /// What the file says; blocks while it is opened.
    func facts() throws(NSError) -> AssetFacts {
        try lock.withLock {
            if let known { return known }
            let result = Result { () throws(NSError) in try AssetFacts(of: location) }
            // A file that is not there yet may be so later.
            if case .success = result { known = result }
            return result
        }.get()
    }
}

/// The asset of a file, with its URL.
///
/// Apple: `AVURLAsset`.
// SAFETY: it adds only what does not change.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// Where the file is.
    ///
    /// Apple: `AVURLAsset.url`.
    open var url: URL { location }

    /// The asset of a file.
    ///
    /// Apple: `AVURLAsset.init(url:)`.
    public convenience override init(url: URL) { self.init(url: url, options: nil) }

    /// The asset of a file; lengths are exact whether that is asked for or not.
    ///
    /// Apple: `AVURLAsset.init(url:options:)`.
    public init(url: URL, options: [String: Any]?) { super.init(url: url) }
}

/// Asks for exact lengths, which all are.
///
/// Apple: `AVURLAssetPreferPreciseDurationAndTimingKey`.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"

/// What a file says of itself.
struct AssetFacts: Sendable {
    let duration: CMTime

    init(of url: URL) throws(NSError) {
        do { self.init(try AVAudioPlayer(contentsOf: url)) } catch { throw .item(error, url: url) }
    }

    init(_ sound: AVAudioPlayer) {
        let rate = sound.format.sampleRate
        duration = CMTime(value: CMTimeValue((sound.duration * rate).rounded()), timescale: CMTimeScale(rate))
    }
}

/// A property of an asset that is asked for without blocking: `try await asset.load(.duration)`.
///
/// Apple: `AVAsyncProperty`.
public struct AVAsyncProperty<Root, Value: Sendable>: Sendable {
    let read: @Sendable (AssetFacts) -> Value
}

extension AVAsyncProperty where Root == AVAsset, Value == CMTime {
    /// The length.
    ///
    /// Apple: `AVPartialAsyncProperty.duration`.
    public static var duration: Self { Self { $0.duration } }
}

extension AVAsyncProperty where Root == AVAsset, Value == Bool {
    /// Whether the file can be played.
    ///
    /// Apple: `AVPartialAsyncProperty.isPlayable`.
    public static var isPlayable: Self { Self { _ in true } }

    /// Whether the length is exact.
    ///
    /// Apple: `AVPartialAsyncProperty.providesPreciseDurationAndTiming`.
    public static var providesPreciseDurationAndTiming: Self { Self { _ in true } }
}

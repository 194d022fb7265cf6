internal import AVFAudio
package import AudioFiles
internal import CoreMedia
internal import Foundation

/// A sound, apart from any player: where it is, and how long it is.
///
/// The file is opened with the first question. May be used from any thread.
///
/// Apple: `AVAsset`.
// SAFETY: `known` is guarded by `lock`; the rest does not change.
nonisolated open class AVAsset: NSObject, _AssetOfURL, @unchecked Sendable {
    let location: URL
    /// How long the network is waited for.
    let limits: StreamLimits
    private let lock = NSLock()
    private var known: AssetFacts?
    private let loading = AssetLoading()

    /// An asset that waits longer or shorter for the network, for tests.
    package init(url: URL, limits: StreamLimits) {
        location = url
        self.limits = limits
        super.init()
    }

    /// Whether it is on the network.
    var isStream: Bool { ["http", "https"].contains(location.scheme?.lowercased()) }

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

    /// Whether ``duration`` is exact, as it is of every file, and of a stream that says how long it is.
    ///
    /// Blocks while a stream is opened.
    ///
    /// Apple: `AVAsset.providesPreciseDurationAndTiming`.
    open var providesPreciseDurationAndTiming: Bool { !isStream || (try? facts().isPrecise) ?? true }

    /// Gives up what is being loaded from the network: whoever waits for it gets an error.
    ///
    /// Files take no time.
    ///
    /// Apple: `AVAsset.cancelLoading()`.
    open func cancelLoading() { loading.cancel() }

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

    /// Reads three properties without blocking; throws an `NSError` for a file that cannot be played.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.load(_:_:_:)`.
    public func load<First: Sendable, Second: Sendable, Third: Sendable>(
        _ first: AVAsyncProperty<AVAsset, First>, _ second: AVAsyncProperty<AVAsset, Second>,
        _ third: AVAsyncProperty<AVAsset, Third>
    ) async throws -> (First, Second, Third) {
        let facts = try await loadFacts()
        return (first.read(facts), second.read(facts), third.read(facts))
    }

    /// Reads properties without blocking, and calls back on some thread.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.loadValuesAsynchronously(forKeys:completionHandler:)`.
    open func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        let cancellation = loading.join()
        queue.async { [self] in
            _ = try? facts(cancellation)
            // It may take its time.
            if let handler { DispatchQueue(label: "AVAsset.loaded").async(execute: handler) }
        }
    }

    /// How far the loading of a property is; never blocks.
    ///
    /// All properties come with the first that is asked for, so that the key does not matter. A file that could not be
    /// read is `failed` until it could, also while it is tried again.
    ///
    /// - Parameters:
    ///   - key: Any name of a property, such as `duration`.
    ///   - outError: Gets the `NSError` of what failed or was cancelled, and else nil.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.statusOfValue(forKey:error:)`.
    open func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus {
        let state = loading.state
        outError?.pointee = state.error
        return state.status
    }

    /// How far the loading is, for ``status(of:)``.
    var loadingState: AssetLoading.State { loading.state }

    private func loadFacts() async throws -> AssetFacts {
        let cancellation = loading.join()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try facts(cancellation) }) }
        }
    }

    /// Where it is opened: a stream waits for its network alone, and of files there are as many at a time as is good
    /// for disks and memory.
    private var queue: DispatchQueue {
        if isStream { return DispatchQueue(label: "AVAsset.stream") }
        return Self.fileQueues[Int(location.hashValue.magnitude % UInt(Self.fileQueues.count))]
    }

    private static let fileQueues = (1...4).map { DispatchQueue(label: "AVAsset.file \($0)") }

    /// What the file says; blocks while it is opened.
    private func facts() throws(NSError) -> AssetFacts { try facts(loading.join()) }

    private func facts(_ cancellation: StreamCancellation) throws(NSError) -> AssetFacts {
        let result: Result<AssetFacts, NSError> = lock.withLock {
            if let known { return .success(known) }
            let result = Result { () throws(NSError) in try AssetFacts(of: self, cancellation) }
            // A file that is not there yet may be so later.
            known = try? result.get()
            return result
        }
        loading.leave(result)
        return try result.get()
    }
}

/// Lets ``AVAsset`` have an initializer that makes an object of a subclass, which no class's own initializer can.
///
/// Apple: none; Objective-C does so without.
public protocol _AssetOfURL {}

extension _AssetOfURL where Self == AVAsset {
    /// The asset of a file, or of an http or https address: an ``AVURLAsset``, and apps go by that.
    ///
    /// Apple: `AVAsset.init(url:)`.
    public init(url: URL) { self = AVURLAsset(url: url) }
}

/// The asset of a file, with its URL.
///
/// Apple: `AVURLAsset`.
// SAFETY: it adds only what does not change.
nonisolated open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// Where the file is.
    ///
    /// Apple: `AVURLAsset.url`.
    open var url: URL { location }

    /// The asset of a file.
    ///
    /// Apple: `AVURLAsset.init(url:)`.
    public convenience init(url: URL) { self.init(url: url, options: nil) }

    /// The asset of a file; lengths are as exact as they can be whether that is asked for or not.
    ///
    /// Apple: `AVURLAsset.init(url:options:)`.
    ///
    /// `AVURLAssetHTTPUserAgentKey` says who asks an http server.
    public init(url: URL, options: [String: Any]?) {
        var limits = StreamLimits()
        if let agent = options?[AVURLAssetHTTPUserAgentKey] as? String { limits.userAgent = agent }
        super.init(url: url, limits: limits)
    }

    /// An asset that waits longer or shorter for the network, for tests.
    package override init(url: URL, limits: StreamLimits) { super.init(url: url, limits: limits) }
}

/// Asks for exact lengths, which those of files always are.
///
/// Apple: `AVURLAssetPreferPreciseDurationAndTimingKey`.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"

/// Who asks an http server, as a string; the name of this library if it is not given.
///
/// Apple: `AVURLAssetHTTPUserAgentKey`.
public let AVURLAssetHTTPUserAgentKey = "AVURLAssetHTTPUserAgentKey"

/// What a file says of itself.
struct AssetFacts: Sendable {
    let duration: CMTime
    /// Whether that was counted, or told, and not reckoned from a bit rate.
    let isPrecise: Bool

    init(of asset: AVAsset, _ cancellation: StreamCancellation) throws(NSError) {
        let url = asset.location
        guard asset.isStream else {
            do { self.init(try AVAudioPlayer(contentsOf: url)) } catch { throw .item(error, url: url) }
            return
        }
        do throws(StreamError) {
            let reader = try StreamReader(
                url: url.absoluteString, limits: asset.limits, cancellation: cancellation)
            self.init(reader.format)
        } catch {
            throw .stream(error, url: url)
        }
    }

    init(_ stream: StreamFormat) {
        let rate = CMTimeScale(stream.sampleRate)
        duration = stream.duration.map { CMTime(seconds: $0, preferredTimescale: rate) } ?? .indefinite
        isPrecise = !stream.isDurationEstimated
    }

    init(_ sound: AVAudioPlayer) {
        let rate = sound.format.sampleRate
        duration = CMTime(value: CMTimeValue((sound.duration * rate).rounded()), timescale: CMTimeScale(rate))
        isPrecise = true
    }
}

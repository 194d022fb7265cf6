internal import AVFAudio
package import AudioFiles
internal import CoreMedia
internal import Foundation

/// The sound of a file or stream, independent of any player: its location, duration and metadata.
///
/// The file is opened at the first access to a property, and what it says is kept. Can be used from any thread.
///
/// Apple: `AVAsset`.
// SAFETY: the parts guard themselves; the rest does not change.
nonisolated open class AVAsset: NSObject, _AssetOfURL, @unchecked Sendable {
    let location: URL
    /// The timeouts for the network.
    let limits: StreamLimits
    /// The duration and what goes with it.
    private let factsPart = AssetPart<AssetFacts>()
    /// The tags; a part of their own, as reading them loads FFmpeg, which few files need otherwise.
    private let tagsPart = AssetPart<AssetTags>()

    /// Creates an asset with other network timeouts, for tests.
    package init(url: URL, limits: StreamLimits) {
        location = url
        self.limits = limits
        super.init()
    }

    /// Whether the sound is on the network (http or https).
    var isStream: Bool { ["http", "https"].contains(location.scheme?.lowercased()) }

    /// The file; throws for a URL of another kind, a path without a scheme included, which only `AVAudioPlayer` takes.
    var file: URL {
        get throws {
            guard location.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme) }
            return location
        }
    }

    /// The duration, from the number of frames of the file; zero for an unreadable file, indefinite for a stream
    /// without a known length.
    ///
    /// Blocks while the file is opened; for a stream until the network has answered, for at most 30 seconds.
    ///
    /// Apple: `AVAsset.duration`.
    open var duration: CMTime { (try? facts().duration) ?? .zero }

    /// Whether the file can be played.
    ///
    /// Blocks while the file is opened; for a stream until the network has answered, for at most 30 seconds.
    ///
    /// Apple: `AVAsset.isPlayable`.
    open var isPlayable: Bool { (try? facts()) != nil }

    /// Whether ``duration`` is exact: for every file, and for a stream with a known length.
    ///
    /// Blocks while a stream is opened, for at most 30 seconds.
    ///
    /// Apple: `AVAsset.providesPreciseDurationAndTiming`.
    open var providesPreciseDurationAndTiming: Bool { !isStream || (try? facts().isPrecise) ?? true }

    /// Cancels loading from the network; all waiting calls fail with `NSURLErrorCancelled`.
    ///
    /// Opening a file is not cancelled.
    ///
    /// Apple: `AVAsset.cancelLoading()`.
    open func cancelLoading() {
        factsPart.cancel()
        tagsPart.cancel()
    }

    /// Reads a property without blocking; throws an `NSError` for a file that cannot be played.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.load(_:)`.
    public func load<Value: Sendable>(_ property: AVAsyncProperty<AVAsset, Value>) async throws -> Value {
        try await property.load(self)
    }

    /// Reads two properties without blocking; throws an `NSError` for a file that cannot be played.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.load(_:_:)`.
    public func load<First: Sendable, Second: Sendable>(
        _ first: AVAsyncProperty<AVAsset, First>, _ second: AVAsyncProperty<AVAsset, Second>
    ) async throws -> (First, Second) {
        (try await first.load(self), try await second.load(self))
    }

    /// Reads three properties without blocking; throws an `NSError` for a file that cannot be played.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.load(_:_:_:)`.
    public func load<First: Sendable, Second: Sendable, Third: Sendable>(
        _ first: AVAsyncProperty<AVAsset, First>, _ second: AVAsyncProperty<AVAsset, Second>,
        _ third: AVAsyncProperty<AVAsset, Third>
    ) async throws -> (First, Second, Third) {
        (try await first.load(self), try await second.load(self), try await third.load(self))
    }

    /// Loads properties without blocking, and calls the handler on a background thread, also after a failure.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.loadValuesAsynchronously(forKeys:completionHandler:)`.
    open func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        let facts = factsPart.join()
        let tags = keys.contains(where: AssetTags.keys.contains) ? tagsPart.join() : nil
        queue.async { [self] in
            _ = try? loadFacts(facts)
            if let tags { _ = try? loadTags(tags) }
            // On a queue of its own: the handler may take long.
            if let handler { DispatchQueue(label: "AVAsset.loaded").async(execute: handler) }
        }
    }

    /// The loading status of a property; never blocks.
    ///
    /// The properties of metadata are loaded together, and so are all others. An unreadable file has the status `failed`
    /// until it is read successfully, also while loading is repeated.
    ///
    /// - Parameters:
    ///   - key: Any name of a property, such as `duration`.
    ///   - outError: Receives the `NSError` of a failure or cancellation, else nil.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.statusOfValue(forKey:error:)`.
    open func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus {
        let (status, error) =
            AssetTags.keys.contains(key)
            ? (tagsState.status, tagsState.error) : (factsState.status, factsState.error)
        outError?.pointee = error
        return status
    }

    /// The progress of loading the duration and what goes with it.
    var factsState: AssetLoading<AssetFacts>.State { factsPart.state }

    /// The progress of loading the tags.
    var tagsState: AssetLoading<AssetTags>.State { tagsPart.state }

    /// The facts of the file, without blocking.
    func loadFacts() async throws -> AssetFacts {
        let cancellation = factsPart.join()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try loadFacts(cancellation) }) }
        }
    }

    /// The tags of the file, without blocking.
    func loadTags() async throws -> AssetTags {
        let cancellation = tagsPart.join()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try loadTags(cancellation) }) }
        }
    }

    /// The queue for opening: a new one for each stream, which waits for its network alone, and one of four for files,
    /// which limits disk and memory use.
    private var queue: DispatchQueue {
        if isStream { return DispatchQueue(label: "AVAsset.stream") }
        return Self.fileQueues[Int(location.hashValue.magnitude % UInt(Self.fileQueues.count))]
    }

    private static let fileQueues = (1...4).map { DispatchQueue(label: "AVAsset.file \($0)") }

    /// The facts of the file; blocks while it is opened.
    func facts() throws(NSError) -> AssetFacts { try loadFacts(factsPart.join()) }

    /// The tags of the file; blocks while it is opened.
    func tags() throws(NSError) -> AssetTags { try loadTags(tagsPart.join()) }

    private func loadFacts(_ cancellation: StreamCancellation) throws(NSError) -> AssetFacts {
        try factsPart.value(cancellation) { cancellation throws(NSError) in try AssetFacts(of: self, cancellation) }
    }

    private func loadTags(_ cancellation: StreamCancellation) throws(NSError) -> AssetTags {
        try tagsPart.value(cancellation) { _ throws(NSError) in try AssetTags(of: self) }
    }
}

/// A protocol for an initializer of ``AVAsset`` that creates an object of a subclass, which no initializer of a class
/// can.
///
/// Apple: none; Objective-C does so without.
public protocol _AssetOfURL {}

extension _AssetOfURL where Self == AVAsset {
    /// Creates the asset of a file, or of an http or https URL.
    ///
    /// The object is an ``AVURLAsset``, which apps rely on.
    ///
    /// Apple: `AVAsset.init(url:)`.
    public init(url: URL) { self = AVURLAsset(url: url) }
}

/// The asset of a URL.
///
/// Apple: `AVURLAsset`.
// SAFETY: it adds only what does not change.
nonisolated open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The URL of the file or stream.
    ///
    /// Apple: `AVURLAsset.url`.
    open var url: URL { location }

    /// Creates the asset of a file, or of an http or https URL, which is opened later.
    ///
    /// Apple: `AVURLAsset.init(url:)`.
    public convenience init(url: URL) { self.init(url: url, options: nil) }

    /// Creates the asset of a file, or of an http or https URL, which is opened later.
    ///
    /// Apple: `AVURLAsset.init(url:options:)`.
    ///
    /// Durations are as exact as possible with any options. `AVURLAssetHTTPUserAgentKey` sets the user agent for http.
    public init(url: URL, options: [String: Any]?) {
        var limits = StreamLimits()
        if let agent = options?[AVURLAssetHTTPUserAgentKey] as? String { limits.userAgent = agent }
        super.init(url: url, limits: limits)
    }

    /// Creates an asset with other network timeouts, for tests.
    package override init(url: URL, limits: StreamLimits) { super.init(url: url, limits: limits) }
}

/// The option for exact durations; without effect, as those of files are always exact.
///
/// Apple: `AVURLAssetPreferPreciseDurationAndTimingKey`.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"

/// The user agent for http requests, as a string; `swift-avfaudio-linux` if missing.
///
/// Apple: `AVURLAssetHTTPUserAgentKey`.
public let AVURLAssetHTTPUserAgentKey = "AVURLAssetHTTPUserAgentKey"

/// The properties read from a file or stream.
struct AssetFacts: Sendable {
    let duration: CMTime
    /// Whether the duration was counted or stated, not estimated from a bit rate.
    let isPrecise: Bool
    /// The tags of a stream, which come with its beginning; nil for a file, whose tags are read by themselves.
    let streamTags: AudioFileTags?

    init(of asset: AVAsset, _ cancellation: StreamCancellation) throws(NSError) {
        let url = asset.location
        guard asset.isStream else {
            do { self.init(try AVAudioPlayer(contentsOf: asset.file)) } catch { throw .item(error, url: url) }
            return
        }
        do throws(StreamError) {
            let reader = try StreamReader(
                url: url.absoluteString, limits: asset.limits, cancellation: cancellation)
            self.init(reader.format, reader.tags)
        } catch {
            throw .stream(error, url: url)
        }
    }

    init(_ stream: StreamFormat, _ tags: AudioFileTags? = nil) {
        let rate = CMTimeScale(stream.sampleRate)
        duration = stream.duration.map { CMTime(seconds: $0, preferredTimescale: rate) } ?? .indefinite
        isPrecise = !stream.isDurationEstimated
        streamTags = tags
    }

    init(_ sound: AVAudioPlayer) {
        let rate = sound.format.sampleRate
        duration = CMTime(value: CMTimeValue((sound.duration * rate).rounded()), timescale: CMTimeScale(rate))
        isPrecise = true
        streamTags = nil
    }
}

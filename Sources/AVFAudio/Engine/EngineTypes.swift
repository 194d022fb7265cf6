/// The way in which an engine renders without a device.
///
/// Apple: `AVAudioEngineManualRenderingMode`; so are its cases.
public enum AVAudioEngineManualRenderingMode: Int, Sendable {
    /// As fast as the app asks, on its thread; files are read while it waits.
    case offline = 0
    /// In the app's sound thread: nothing waits.
    case realtime = 1
}

/// The result of one manual rendering.
///
/// Apple: `AVAudioEngineManualRenderingStatus`; so are its cases.
public enum AVAudioEngineManualRenderingStatus: Int, Sendable {
    /// Nothing was rendered, because of an error.
    case error = -1
    /// All frames were rendered.
    case success = 0
    /// The input block had too few frames; all else was rendered.
    case insufficientDataFromInputNode = 1
    /// Another thread renders or changes the engine; the app tries again with its next block.
    case cannotDoInCurrentContext = 2
}

/// The errors of manual rendering, as codes in the domain `com.apple.coreaudio.avfaudio`.
///
/// Apple: `AVAudioEngineManualRenderingError`; so are its cases.
public enum AVAudioEngineManualRenderingError: OSStatus, Sendable {
    /// The engine is not in the mode that the call needs.
    case invalidMode = -80800
    /// The engine is running.
    case initialized = -80801
    /// The engine is not running.
    case notRunning = -80802
}

/// A function that renders `frames` frames into the memory of a list, and leaves a code if it fails.
///
/// Apple: `AVAudioEngineManualRenderingBlock`
public typealias AVAudioEngineManualRenderingBlock = (
    _ numberOfFrames: AVAudioFrameCount, _ outBuffer: UnsafeMutablePointer<AudioBufferList>,
    _ outError: UnsafeMutablePointer<OSStatus>?
) -> AVAudioEngineManualRenderingStatus

/// The codes of Apple's audio units that the engine throws, in the domain `com.apple.coreaudio.avfaudio`.
enum EngineFailure: OSStatus {
    /// The bus does not exist.
    case invalidElement = -10877
    /// There is no connection, or it would be a circle.
    case noConnection = -10876
    /// The engine has nothing that it could start.
    case failedInitialization = -10875
    /// The format cannot be rendered or converted.
    case formatNotSupported = -10868
    /// The node is not attached.
    case uninitialized = -10867
    /// The bus has a tap already.
    case hasTap = -10849
}

extension NSError {
    /// An error of the engine.
    static func engine(_ failure: EngineFailure, _ message: String) -> NSError { audio(failure.rawValue, message) }

    /// An error of manual rendering.
    static func engine(_ failure: AVAudioEngineManualRenderingError, _ message: String) -> NSError {
        audio(failure.rawValue, message)
    }
}

extension AVAudioTime {
    /// The sample time in frames of another rate; nil without one.
    func frames(atRate rate: Double) -> Int? {
        guard isSampleTimeValid else { return nil }
        return Int(min(max((Double(sampleTime) * (rate / sampleRate)).rounded(), -0x1p61), 0x1p61))
    }
}

extension AVAudioFormat {
    /// The format of what does not exist: 0 Hz and no channels.
    static var none: AVAudioFormat {
        AVAudioFormat(.pcm(rate: 0, channels: 0, bits: 32, isFloat: true, isInterleaved: false), nil)
    }

    /// The format of buses that nobody has given one (E17).
    static var defaultOfNodes: AVAudioFormat { standard(rate: 44_100, channels: 2, layout: nil) }

    /// The same rate and channels in deinterleaved Float32, in which the graph renders.
    var standardized: AVAudioFormat {
        isStandard ? self : .standard(rate: sampleRate, channels: channelCount, layout: channelLayout)
    }

    /// Whether both formats have the same samples; a layout changes none.
    func hasSameSamples(as other: AVAudioFormat) -> Bool { basicDescription == other.basicDescription }

    /// A format of deinterleaved Float32.
    static func standard(
        rate: Double, channels: AVAudioChannelCount, layout: AVAudioChannelLayout?
    ) -> AVAudioFormat {
        AVAudioFormat(.pcm(rate: rate, channels: channels, bits: 32, isFloat: true, isInterleaved: false), layout)
    }
}

internal import AudioFiles
internal import AudioRealtime
internal import Foundation
internal import SessionPolicy
internal import SoundHost
internal import Synchronization

extension PlayerCore {
    /// A player's connection to the sound of its session: made by `prepare()`, undone by `stop()`.
    struct Binding {
        let host: PulseHost
        let mix: OutputMix
        let feed: PlayerFeed
        let voice: OutputVoice
        /// Whether the rate counts: it has to be allowed before the preparation.
        let followsRate: Bool

        /// Goes on with the fade of what it takes the place of, unless that was heard to its end.
        func takeGain(of old: Binding) {
            host.withLock {
                if old.voice.state != .finished { feed.voice.takeGain(of: old.feed.voice) }
            }
        }
    }

    /// A core for a file; throws what an app is to see.
    static func make(contentsOf url: URL, hint: String? = nil, session: AVAudioSession) throws -> PlayerCore {
        guard url.isFileURL else {
            throw NSError.audioFile(AudioFileError(.notAFile, "Only files can be played: \(url.absoluteString)"))
        }
        let hint = hint.flatMap(AudioContainer.init(typeIdentifier:))
        return try make(session: session) { () throws(AudioFileError) in
            try AudioFileSource(path: url.filePath, hint: hint)
        }
    }

    /// A core for the bytes of a file; throws what an app is to see.
    static func make(data: Data, hint: String? = nil, session: AVAudioSession) throws -> PlayerCore {
        let hint = hint.flatMap(AudioContainer.init(typeIdentifier:))
        return try make(session: session) { AudioFileSource(bytes: [UInt8](data), hint: hint) }
    }

    private static func make(
        session: AVAudioSession, open: () throws(AudioFileError) -> AudioFileSource
    ) throws -> PlayerCore {
        do throws(AudioFileError) { return try PlayerCore(session: session, source: open()) } catch {
            throw NSError.audioFile(error)
        }
    }
}

extension PlayerCore {
    /// Where the file's channels go in an output of the given ones.
    private var matrix: @Sendable ([Channel]) -> ChannelMatrix {
        if let places = assignments?.map({ $0.channelNumber - 1 }) {
            return { ChannelMatrix(assigning: places, to: $0) }
        }
        let layout = fileFormat.channelLayout?.map { Channel(rawValue: $0) ?? .aux }
        let channels = layout ?? ChannelMatrix.standard(fileFormat.channels)
        return { ChannelMatrix(from: channels, to: $0) }
    }

    func makeBinding(host: PulseHost, mix: OutputMix) throws -> Binding {
        let file = try source.reader()
        // The app has been told the channels, and may have assigned them.
        guard file.format.channels == fileFormat.channels else {
            throw AudioFileError(.malformed, "The file was replaced by one of \(file.format.channels) channels.")
        }
        let matrix = matrix
        let format = host.withLock { mix.format }
        let feed = try PlayerFeed(
            file: file, sampleRate: format.rate, matrix: matrix(format.channels),
            playbackRate: rateIsEnabled ? Double(rateValue) : 1)
        feed.numberOfLoops = loops
        feed.voice.setGain(fadeToCome?.volume ?? volumeValue, rampFrames: 0)
        fadeStart = nil
        feed.voice.setPan(panValue)
        feed.voice.isMetering = metering
        let voice = OutputVoice(
            voice: feed.voice, matrix: matrix, refillThreshold: feed.refillThreshold,
            onRefillNeeded: { [weak feed] in feed?.wake() },
            onFinished: { [weak self, weak feed, listener] in
                guard let feed else { return }
                // By the time that the main queue tells it, the player may be at it again.
                let (isWhole, hasBrokenOff) = (feed.isWhole, feed.hasBrokenOff)
                Delivery.perform(isAwaited: listener.isThere) { [weak self] in
                    guard let self, !feed.isGivenUp else { return }
                    lock.withLock { brokeOff = hasBrokenOff }
                    onFinished(isWhole)
                }
            }, onInterrupted: { [interrupted] in interrupted.set() })
        feed.onWrite = { [weak host, weak mix, weak voice] in
            guard let host, let mix, let voice else { return }
            host.withLock { mix.didWrite(to: voice) }
        }
        feed.onRevised = { [weak host, weak mix, weak voice] in
            guard let host, let mix, let voice else { return }
            host.withLock { mix.redecoded(voice) }
        }
        feed.onError = { [weak self] in self?.tell($0) }
        return Binding(host: host, mix: mix, feed: feed, voice: voice, followsRate: rateIsEnabled)
    }
}

extension PlayerCore {
    /// Whether the app has somebody who wants to hear of the end; one that is gone still counts.
    ///
    /// The sound's thread asks. Would it look at the delegate, the app's last reference to that, or to the player, could end
    /// there, and code of the app run with the main loop's lock held.
    final class Listener: Sendable {
        private let flag = Atomic(false)

        var isThere: Bool {
            get { flag.load(ordering: .relaxed) }
            set { flag.store(newValue, ordering: .relaxed) }
        }
    }
}

extension PlayerCore: SessionParticipant {
    func interruptionBegan() {
        interrupted.tellBeginning { onInterruption(true, false) }
    }

    func interruptionEnded(shouldResume: Bool) {
        if interrupted.clear() { onInterruption(false, shouldResume) }
    }
}

extension AudioContainer {
    /// The container that a uniform type identifier names, as `fileTypeHint` has it; nil for others.
    init?(typeIdentifier: String) {
        switch typeIdentifier {
        case "com.microsoft.waveform-audio": self = .wav
        case "public.aiff-audio": self = .aiff
        case "public.aifc-audio": self = .aifc
        case "com.apple.coreaudio-format": self = .caf
        case "org.xiph.flac": self = .flac
        case "org.xiph.ogg-audio", "org.xiph.opus": self = .ogg
        case "public.mp3", "public.mp2": self = .mpeg
        case "public.au-audio", "public.ulaw-audio": self = .au
        case "public.mpeg-4", "public.mpeg-4-audio", "com.apple.m4a-audio", "com.apple.m4v-video",
            "com.apple.quicktime-movie", "public.3gpp", "public.3gpp2":
            self = .mpeg4
        case "public.aac-audio": self = .adts
        case "public.ac3-audio", "public.enhanced-ac3-audio": self = .ac3
        case "org.3gpp.adaptive-multi-rate-audio": self = .amr
        case "com.microsoft.windows-media-wma", "com.microsoft.advanced-systems-format": self = .asf
        case "org.matroska.mka", "org.matroska.mkv", "org.webmproject.webm": self = .matroska
        default: return nil
        }
    }
}

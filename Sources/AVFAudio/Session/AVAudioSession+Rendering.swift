internal import AudioSession
internal import SessionPolicy

// In how many channels the session is heard. Players are mixed into those that the output device has; nothing here
// renders in space.

extension AVAudioSession {
    /// How the session's sound is rendered now: in one or two channels, in more, or not at all while nothing runs.
    ///
    /// Asks the sound server while the session is inactive, for at most two seconds.
    ///
    /// Apple: `AVAudioSession.renderingMode`.
    public var renderingMode: AVAudioSession.RenderingMode {
        guard core.isIORunning, core.settings.allowsOutput else { return .notApplicable }
        let device = currentRoute.outputs.first?.channels?.count ?? 0
        let wished = preferredOutputNumberOfChannels
        return (wished > 0 ? min(wished, device) : device) > 2 ? .surround : .monoStereo
    }

    /// The layouts that the output takes beside mono and stereo: the device's own, if it has more than two channels.
    ///
    /// Asks the sound server, for at most two seconds; empty without one.
    ///
    /// Apple: `AVAudioSession.supportedOutputChannelLayouts`.
    public var supportedOutputChannelLayouts: [AVAudioChannelLayout] {
        currentRoute.outputs.first.flatMap { Self.layout($0.channels?.map(\.channelLabel) ?? []) }.map { [$0] } ?? []
    }

    /// The layout of these channels, whatever their order; nil for mono and stereo.
    private static func layout(_ labels: [AudioChannelLabel]) -> AVAudioChannelLayout? {
        guard labels.count > 2 else { return nil }
        let quadraphonic = [
            kAudioChannelLabel_Left, kAudioChannelLabel_Right, kAudioChannelLabel_LeftSurround,
            kAudioChannelLabel_RightSurround,
        ]
        let five = quadraphonic + [kAudioChannelLabel_Center]
        let known: [(AudioChannelLayoutTag, [AudioChannelLabel])] = [
            (kAudioChannelLayoutTag_Quadraphonic, quadraphonic), (kAudioChannelLayoutTag_MPEG_5_0_A, five),
            (kAudioChannelLayoutTag_MPEG_5_1_A, five + [kAudioChannelLabel_LFEScreen]),
            (
                kAudioChannelLayoutTag_MPEG_6_1_A,
                five + [kAudioChannelLabel_LFEScreen, kAudioChannelLabel_CenterSurround]
            ),
        ]
        let tag = known.first { $0.1.count == labels.count && Set($0.1) == Set(labels) }?.0
        return AVAudioChannelLayout(layoutTag: tag ?? kAudioChannelLayoutTag_DiscreteInOrder | UInt32(labels.count))
    }
}

extension Route {
    /// The channels of each output.
    var renderedChannels: [[UInt32]] { outputs.map(\.channels) }
}

internal import AudioSession
internal import SessionPolicy

// The channels that the session is heard in. Players are mixed into the channels of the output device; nothing is
// spatialised.

extension AVAudioSession {
    /// The rendering of the session's sound: mono or stereo, surround, or not applicable while nothing runs.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, only if the route of a running session is not known
    /// yet.
    ///
    /// Apple: `AVAudioSession.renderingMode`.
    public var renderingMode: AVAudioSession.RenderingMode {
        guard core.isIORunning, core.settings.allowsOutput else { return .notApplicable }
        let device = currentRoute.outputs.first?.channels?.count ?? 0
        let wished = preferredOutputNumberOfChannels
        return (wished > 0 ? min(wished, device) : device) > 2 ? .surround : .monoStereo
    }

    /// The layouts of the output beside mono and stereo: the device's own, if it has more than two channels.
    ///
    /// Any thread. Waits for the sound server like ``currentRoute``; empty without one.
    ///
    /// Apple: `AVAudioSession.supportedOutputChannelLayouts`.
    public var supportedOutputChannelLayouts: [AVAudioChannelLayout] {
        currentRoute.outputs.first.flatMap { Self.layout($0.channels?.map(\.channelLabel) ?? []) }.map { [$0] } ?? []
    }

    /// The layout with these channels in any order; nil for mono and stereo.
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

import AVFoundation

// What is in a file: Core Audio's and Core Media's names.
struct FormatInspector {
    let description: AudioStreamBasicDescription
    let duration: CMTime

    init(_ url: URL) throws {
        let player = try AVAudioPlayer(contentsOf: url)
        description = player.format.streamDescription.pointee
        duration = CMTimeMakeWithSeconds(player.duration, preferredTimescale: 44_100)
    }

    var isLinear: Bool { description.mFormatID == kAudioFormatLinearPCM }
    var isFloat: Bool { description.mFormatFlags & kAudioFormatFlagIsFloat != 0 }

    var fourCharacters: String {
        let code = description.mFormatID
        return String(decoding: [24, 16, 8, 0].map { UInt8(code >> $0 & 0xFF) }, as: UTF8.self)
    }
}

extension FormatInspector: Story {
    static func run(_ stage: Stage) async throws {
        let file = try FormatInspector(stage.sound("song.wav"))
        stage.say("\(file.fourCharacters) \(file.isLinear) \(file.description.mChannelsPerFrame) channels")
        let seconds = CMTimeGetSeconds(file.duration)
        stage.say("\(Int(file.description.mSampleRate)) Hz, \(seconds) s, timescale \(file.duration.timescale)")
        let stereo = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2)
        stage.say("standard \(stereo?.isStandard == true) layout \(stereo?.channelLayout == nil)")
        stage.say("port \(AVAudioSession.Port.builtInMic.rawValue) \(AVAudioSession.PortOverride.speaker.rawValue)")
    }
}

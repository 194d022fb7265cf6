/// The settings of `AVPlayer` that are stored but have no effect on Linux, where it shows no video.
struct IgnoredPlayerSettings {
    var allowsExternalPlayback = true
    var usesExternalScreen = false
    var preventsDisplaySleep = true
    var backgroundPolicy = AVPlayerAudiovisualBackgroundPlaybackPolicy.automatic
}

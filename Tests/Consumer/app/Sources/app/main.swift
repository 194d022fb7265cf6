import AVFoundation
import Unrelated

// As on Apple's systems, AVFoundation brings AVFAudio, CoreMedia and Foundation along.
let player = AVPlayer(url: URL(fileURLWithPath: "/nowhere.wav"))
player.volume = 0.5
precondition(player.currentTime() == CMTime.zero && AVAudioSession.sharedInstance().category == .soloAmbient)

#if canImport(AVFoundation)
    let answer = true
#else
    let answer = false
#endif
print("app: \(answer), unrelated: \(seesAVFoundation)")

import AVFAudio
import TestSupport
import Testing

/// Members of delegates may be left out, as on Apple's systems.
@Suite("Delegates", .limited)
struct VocabularyDelegateTests {
    private final class Silent: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {}

    private final class Oldest: NSObject, AVAudioPlayerDelegate {
        var calls = 0
        func audioPlayerEndInterruption(_ player: AVAudioPlayer) { calls += 1 }
    }

    private final class Newest: NSObject, AVAudioPlayerDelegate {
        var flags: [Int] = []
        var oldCalls = 0
        func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) { self.flags.append(flags) }
        func audioPlayerEndInterruption(_ player: AVAudioPlayer) { oldCalls += 1 }
    }

    /// One frame of silence as a WAV file; nothing is played.
    private func player() throws -> AVAudioPlayer {
        var data = Data("RIFF".utf8) + little(38) + Data("WAVEfmt ".utf8) + little(16)
        data += Data([1, 0, 1, 0]) + little(8000) + little(16000) + Data([2, 0, 16, 0])
        data += Data("data".utf8) + little(2) + Data([0, 0])
        return try AVAudioPlayer(data: data)
    }

    private func little(_ value: UInt32) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

    @Test("A delegate that leaves out every member can be told everything")
    func silent() throws {
        let delegate: any AVAudioPlayerDelegate = Silent()
        let player = try player()
        delegate.audioPlayerDidFinishPlaying(player, successfully: true)
        delegate.audioPlayerDecodeErrorDidOccur(player, error: nil)
        delegate.audioPlayerBeginInterruption(player)
        delegate.audioPlayerEndInterruption(player, withOptions: 1)
        player.delegate = delegate
        #expect(player.delegate === delegate)
    }

    @Test("The end of an interruption reaches the newest spelling that a delegate has, and only that")
    func endOfInterruption() throws {
        let (oldest, newest) = (Oldest(), Newest())
        for delegate in [oldest, newest] as [any AVAudioPlayerDelegate] {
            delegate.audioPlayerEndInterruption(try player(), withOptions: 1)
        }
        #expect(oldest.calls == 1)
        #expect(newest.flags == [1])
        #expect(newest.oldCalls == 0)
    }
}

internal import AudioHost

/// What became of the input of a recording that goes on, on **Linux only**.
///
/// Apple: none.
public enum AVAudioRecorderInputChange: Hashable, Sendable {
    /// No frames have come for two seconds: the device is gone, or hangs. Silence stands for them.
    ///
    /// Apple: none.
    case lost
    /// Nothing but zeros has come for two seconds: the microphone is switched off, or not granted to this program.
    ///
    /// Apple: none.
    case flat
    /// Frames, or sound, come again; so many seconds of silence stand in the file for those that never came.
    ///
    /// Apple: none.
    case restored(silence: TimeInterval)
    /// The sound server has put the recording on another source, of this name; format and timing stay as they were.
    ///
    /// Apple: none.
    case moved(source: String)

    init(_ news: CaptureNews) {
        switch news {
        case .lost: self = .lost
        case .flat: self = .flat
        case .restored(let silence): self = .restored(silence: silence)
        case .moved(let source): self = .moved(source: source)
        }
    }
}

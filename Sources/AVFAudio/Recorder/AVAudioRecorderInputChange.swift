internal import AudioHost

/// A change of the input of a recording that goes on, on **Linux only**.
///
/// Apple: none.
public enum AVAudioRecorderInputChange: Hashable, Sendable {
    /// No frames have come for 2 s: the device is gone or hangs; silence stands for the missing frames.
    ///
    /// Apple: none.
    case lost
    /// Only zeros have come for 2 s: the microphone is switched off, or the program may not use it.
    ///
    /// Apple: none.
    case flat
    /// Frames, or sound, come again; `silence` seconds of silence in the file stand for the lost frames.
    ///
    /// Apple: none.
    case restored(silence: TimeInterval)
    /// The sound server moved the recording to another source, with this name; format and timing stay the same.
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

/// Results of a full scan of a file, cached for later readers of the same bytes.
///
/// An hour of WMA takes a second to count; a player opens its file once for its length, and once for its sound.
struct ScanCache: Sendable {
    /// Frames of sound, where the header has no count.
    var frames: Int64?
    /// Positions of an MPEG stream's frames, as far as the stream was scanned.
    var mpegFrames: MPEGFrameTable?
    /// The links of a chained Ogg file.
    var oggLinks: [OggLink]?
    #if FFmpeg
        /// Positions of the packets of a stream without an exact index.
        var packets: FFmpegPackets?
    #endif
}

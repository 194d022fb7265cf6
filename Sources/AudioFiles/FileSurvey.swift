/// What passes over a whole file have found, so that the next reader of the same bytes needs none.
///
/// An hour of WMA takes a second to count; a player opens its file once for its length, and once for its sound.
struct FileSurvey: Sendable {
    /// Frames of sound, where the header does not tell them.
    var frames: Int64?
    /// Where the frames of an MPEG stream are, as far as somebody has gone through them.
    var mpegFrames: MPEGFrameTable?
    /// The streams of an Ogg file that has several, one behind the other.
    var oggLinks: [OggLink]?
    #if FFmpeg
        /// Where the packets of a stream lie that has no exact index.
        var packets: FFmpegPackets?
    #endif
}

#if FFmpeg
    internal import CFFmpeg

    /// The meaning of the end of a connection for a body whose length was not told (RFC 9112, sections 6.3 and 8).
    enum BodyEnd: Equatable {
        /// The whole body has come.
        case complete
        /// The connection broke off before the end of the body.
        case brokenOff
        /// The body is complete, unless the server had promised chunks.
        case completeUnlessChunked

        /// The meaning of FFmpeg's code; nil where it is not that of an end.
        ///
        /// FFmpeg gives `EOF` for bodies in chunks only: after the last chunk, and where the server had said that it
        /// closes. Otherwise it gives `EIO`.
        init?(code: Int32, isAfterLastChunk: Bool, httpVersion: String, isRadio: Bool) {
            switch code {
            case FFMPEG_EOF: self = isAfterLastChunk ? .complete : .brokenOff
            // A radio has no end.
            case FFMPEG_EIO where isRadio: self = .brokenOff
            case FFMPEG_EIO: self = httpVersion == "1.0" ? .complete : .completeUnlessChunked
            default: return nil
            }
        }
    }
#endif

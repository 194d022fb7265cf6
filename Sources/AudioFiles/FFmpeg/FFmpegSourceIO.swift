#if FFmpeg
    internal import CFFmpeg

    /// FFmpeg's access to the bytes of a file.
    enum FFmpegSourceIO {
        private static let bufferSize = 32 * 1024

        /// Makes a context that reads a source, which must live for longer; nil without memory.
        static func open(
            _ source: ByteSource, _ functions: ffmpeg_functions
        ) -> OpaquePointer? {
            _ = source.seek(0, SEEK_SET)
            // SAFETY: unretained; the caller keeps the source for longer than the context that calls back.
            let data = Unmanaged.passUnretained(source).toOpaque()
            guard let buffer = functions.av_malloc(bufferSize) else { return nil }
            let context = functions.io_alloc(
                buffer.assumingMemoryBound(to: UInt8.self), Int32(bufferSize), data,
                { data, buffer, count in
                    let done = ByteSource.from(data)?.readNext(buffer, Int64(count)) ?? 0
                    return done > 0 ? Int32(done) : FFMPEG_EOF
                },
                { data, offset, whence in
                    guard let source = ByteSource.from(data) else { return -1 }
                    if whence & FFMPEG_SEEK_SIZE != 0 { return source.size }
                    return source.seek(offset, whence & ~FFMPEG_SEEK_FORCE)
                })
            if context == nil { functions.av_free(buffer) }
            return context
        }

        /// Frees a context, after what reads by way of it was closed.
        static func close(_ context: inout OpaquePointer?, _ functions: ffmpeg_functions) {
            functions.io_free(&context)
        }
    }

    private let SEEK_SET: Int32 = 0
#endif

#if FFmpeg
    internal import CFFmpeg

    /// The tags that FFmpeg's parsers find: dictionaries of names and texts, and streams of one picture each.
    enum FFmpegTags {
        /// The most entries and pictures that are read.
        private static let most = 1000
        /// The largest picture, in bytes.
        private static let mostBytes = 16 << 20
        /// Names that say something about the file, and nothing about the sound.
        private static let technical: Set<String> = [
            "compatible_brands", "creation_time", "duration", "handler_name", "major_brand", "minor_version",
            "variant_bitrate", "vendor_id",
        ]

        /// Reads the tags of a file; throws `.malformed`, `.unsupportedEncoding`, `.missingLibrary` or `.io`.
        static func read(
            _ source: ByteSource, demuxer: String, kind: AudioFileTags.Kind, path: String?
        ) throws(AudioFileError) -> AudioFileTags {
            let functions = try FFmpegLibrary.functions(path: path)
            guard let format = functions.av_find_input_format(demuxer) else {
                throw AudioFileError(.unsupportedEncoding, "cannot be read by this FFmpeg", path: path)
            }
            var io = FFmpegSourceIO.open(source, functions)
            defer { FFmpegSourceIO.close(&io, functions) }
            var file = functions.avformat_alloc_context()
            guard let io, let empty = file else { throw .ffmpeg(FFMPEG_ENOMEM, functions, path: path) }
            functions.container_set_io(empty, io)
            let status = functions.avformat_open_input(&file, nil, format, nil)
            defer { functions.avformat_close_input(&file) }
            if source.lastError != 0 { throw .system(source.lastError, path: path) }
            guard status >= 0, let container = file else { throw .ffmpeg(status, functions, path: path) }
            return read(container, kind: kind, functions)
        }

        /// Reads the tags of a file or stream that is open.
        static func read(
            _ container: OpaquePointer, kind: AudioFileTags.Kind, _ functions: ffmpeg_functions
        ) -> AudioFileTags {
            let facts = functions.container(container)
            var entries = entries(of: facts.metadata, functions)
            var pictures: [AudioFileTags.Picture] = []
            var hasSound = false
            for index in 0..<facts.stream_count {
                guard let stream = functions.container_stream(container, index).map({ functions.stream($0) }) else {
                    continue
                }
                if stream.is_attached_picture {
                    if let picture = picture(of: stream, functions) { pictures.append(picture) }
                } else if !hasSound, stream.is_audio {
                    hasSound = true
                    // Ogg has its comments in the stream; other containers say there what the stream is for.
                    if kind == .vorbis { entries += self.entries(of: stream.metadata, functions) }
                }
            }
            let covers = pictures.filter(\.isFrontCover) + pictures.filter { !$0.isFrontCover }
            return AudioFileTags(kind: kind, entries: entries, pictures: Array(covers.prefix(most)))
        }

        private static func entries(
            of tags: OpaquePointer?, _ functions: ffmpeg_functions
        ) -> [AudioFileTags.Entry] {
            var entries: [AudioFileTags.Entry] = []
            var last: UnsafeRawPointer?
            var (key, value): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
            while entries.count < most, let next = functions.dictionary_next(tags, last, &key, &value) {
                last = next
                guard let key, let value, value.pointee != 0 else { continue }
                let name = String(cString: key)
                if !technical.contains(name.lowercased()) {
                    entries.append(AudioFileTags.Entry(name, String(cString: value)))
                }
            }
            return entries
        }

        private static func picture(
            of stream: ffmpeg_stream, _ functions: ffmpeg_functions
        ) -> AudioFileTags.Picture? {
            let size = Int(stream.picture_size)
            guard let data = stream.picture, (1...mostBytes).contains(size) else { return nil }
            let format: AudioFileTags.Picture.Format =
                switch stream.codec {
                case FFMPEG_CODEC_MJPEG: .jpeg
                case FFMPEG_CODEC_PNG: .png
                default: .other
                }
            // FFmpeg's name for a picture of this type, from ID3 and FLAC.
            let purpose = functions.dictionary_value(stream.metadata, "comment")
            return AudioFileTags.Picture(
                format: format, bytes: Array(UnsafeBufferPointer(start: data, count: size)),
                isFrontCover: purpose.map { String(cString: $0) } == "Cover (front)")
        }
    }
#endif

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
            guard io != nil, file != nil else { throw .ffmpeg(FFMPEG_ENOMEM, functions, path: path) }
            file?.pointee.pb = io
            let status = functions.avformat_open_input(&file, nil, format, nil)
            defer { functions.avformat_close_input(&file) }
            if source.lastError != 0 { throw .system(source.lastError, path: path) }
            guard status >= 0, let container = file?.pointee else { throw .ffmpeg(status, functions, path: path) }
            return read(container, kind: kind, functions)
        }

        /// Reads the tags of a file or stream that is open.
        static func read(
            _ container: AVFormatContext, kind: AudioFileTags.Kind, _ functions: ffmpeg_functions
        ) -> AudioFileTags {
            var entries = entries(of: container.metadata, functions)
            var pictures: [AudioFileTags.Picture] = []
            var hasSound = false
            for index in 0..<Int(container.nb_streams) {
                guard let stream = container.streams[index]?.pointee else { continue }
                if stream.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 {
                    if let picture = picture(of: stream, functions) { pictures.append(picture) }
                } else if !hasSound, stream.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO {
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
            var last: UnsafePointer<AVDictionaryEntry>?
            // The empty prefix: each entry, one after the other.
            while entries.count < most, let next = functions.av_dict_get(tags, "", last, AV_DICT_IGNORE_SUFFIX) {
                last = UnsafePointer(next)
                guard let key = next.pointee.key, let value = next.pointee.value, value.pointee != 0 else { continue }
                let name = String(cString: key)
                if !technical.contains(name.lowercased()) {
                    entries.append(AudioFileTags.Entry(name, String(cString: value)))
                }
            }
            return entries
        }

        private static func picture(
            of stream: AVStream, _ functions: ffmpeg_functions
        ) -> AudioFileTags.Picture? {
            let size = Int(stream.attached_pic.size)
            guard let data = stream.attached_pic.data, (1...mostBytes).contains(size) else { return nil }
            let format: AudioFileTags.Picture.Format =
                switch stream.codecpar.pointee.codec_id {
                case AV_CODEC_ID_MJPEG: .jpeg
                case AV_CODEC_ID_PNG: .png
                default: .other
                }
            // FFmpeg's name for a picture of this type, from ID3 and FLAC.
            let purpose = functions.av_dict_get(stream.metadata, "comment", nil, 0)?.pointee.value
            return AudioFileTags.Picture(
                format: format, bytes: Array(UnsafeBufferPointer(start: data, count: size)),
                isFrontCover: purpose.map { String(cString: $0) } == "Cover (front)")
        }
    }
#endif

#if FFmpeg
    internal import CFFmpeg

    /// The variants of an HLS stream, which differ in their bit rates.
    enum FFmpegVariants {
        /// The index of the first audio stream of the best variant whose bit rate is at most `limit` bits a second, or
        /// of the one with the lowest rate; nil without a limit, and where there are no variants.
        static func stream(in file: AVFormatContext, atMost limit: Double, _ functions: ffmpeg_functions) -> Int? {
            guard limit > 0 else { return nil }
            let variants = (0..<Int(file.nb_programs)).compactMap { index -> (rate: Double, stream: Int)? in
                guard let program = file.programs[index]?.pointee, let rate = rate(of: program, functions),
                    let stream = audioStream(of: program, in: file)
                else { return nil }
                return (rate, stream)
            }
            let fitting = variants.filter { $0.rate <= limit }
            return (fitting.max { $0.rate < $1.rate } ?? variants.min { $0.rate < $1.rate })?.stream
        }

        private static func rate(of program: AVProgram, _ functions: ffmpeg_functions) -> Double? {
            guard let text = functions.av_dict_get(program.metadata, "variant_bitrate", nil, 0)?.pointee.value else {
                return nil
            }
            return Double(String(cString: text))
        }

        private static func audioStream(of program: AVProgram, in file: AVFormatContext) -> Int? {
            (0..<Int(program.nb_stream_indexes)).map { Int(program.stream_index[$0]) }.first { index in
                guard index < Int(file.nb_streams), let stream = file.streams[index]?.pointee else { return false }
                return stream.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
            }
        }
    }
#endif

#if FFmpeg
    internal import CFFmpeg

    /// The variants of an HLS stream, which differ in their bit rates.
    enum FFmpegVariants {
        /// The index of the first audio stream of the best variant whose bit rate is at most `limit` bits a second, or
        /// of the one with the lowest rate; nil without a limit, and where there are no variants.
        static func stream(in file: OpaquePointer, atMost limit: Double, _ functions: ffmpeg_functions) -> Int? {
            guard limit > 0 else { return nil }
            let container = functions.container(file)
            let variants = (0..<container.program_count).compactMap { index -> (rate: Double, stream: Int)? in
                let program = functions.container_program(file, index)
                guard let rate = rate(of: program, functions),
                    let stream = audioStream(of: program, in: file, container.stream_count, functions)
                else { return nil }
                return (rate, stream)
            }
            let fitting = variants.filter { $0.rate <= limit }
            return (fitting.max { $0.rate < $1.rate } ?? variants.min { $0.rate < $1.rate })?.stream
        }

        private static func rate(of program: ffmpeg_program, _ functions: ffmpeg_functions) -> Double? {
            functions.dictionary_value(program.metadata, "variant_bitrate").flatMap { Double(String(cString: $0)) }
        }

        private static func audioStream(
            of program: ffmpeg_program, in file: OpaquePointer, _ count: UInt32, _ functions: ffmpeg_functions
        ) -> Int? {
            guard let streams = program.streams else { return nil }
            return (0..<Int(program.stream_count)).map { streams[$0] }.first { index in
                guard index < count, let stream = functions.container_stream(file, index) else { return false }
                return functions.stream(stream).is_audio
            }.map(Int.init)
        }
    }
#endif

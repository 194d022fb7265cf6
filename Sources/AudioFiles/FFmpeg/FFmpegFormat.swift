#if FFmpeg
    internal import CFFmpeg

    /// Translates between FFmpeg's formats and this module's.
    enum FFmpegFormat {
        /// How the samples of a stream are stored, and whether with the most significant byte first.
        ///
        /// `bits` is the depth that a lossless decoder has found.
        static func encoding(_ parameters: AVCodecParameters, bits: Int32) -> (
            encoding: AudioEncoding, isBigEndian: Bool
        ) {
            switch parameters.codec_id {
            case AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM: (.aac, false)
            case AV_CODEC_ID_ALAC: (alac(bits: bits), false)
            case AV_CODEC_ID_FLAC: (bits > 16 ? .pcm24 : .pcm16, false)
            case AV_CODEC_ID_AC3: (.ac3, false)
            case AV_CODEC_ID_EAC3: (.eac3, false)
            case AV_CODEC_ID_AMR_NB: (.amrNarrowband, false)
            case AV_CODEC_ID_AMR_WB: (.amrWideband, false)
            case AV_CODEC_ID_ADPCM_IMA_QT: (.imaADPCM, false)
            case AV_CODEC_ID_ADPCM_MS: (.msADPCM, false)
            case AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2, AV_CODEC_ID_WMAPRO, AV_CODEC_ID_WMAVOICE,
                AV_CODEC_ID_WMALOSSLESS:
                (.wma, false)
            case AV_CODEC_ID_OPUS: (.opus, false)
            case AV_CODEC_ID_VORBIS: (.vorbis, false)
            case AV_CODEC_ID_MP3: (.mp3, false)
            case AV_CODEC_ID_MP2: (.mpegLayer2, false)
            case AV_CODEC_ID_PCM_U8: (.pcmU8, false)
            case AV_CODEC_ID_PCM_S8: (.pcmS8, false)
            case AV_CODEC_ID_PCM_S16LE: (.pcm16, false)
            case AV_CODEC_ID_PCM_S16BE: (.pcm16, true)
            case AV_CODEC_ID_PCM_S24LE: (.pcm24, false)
            case AV_CODEC_ID_PCM_S24BE: (.pcm24, true)
            case AV_CODEC_ID_PCM_S32LE: (.pcm32, false)
            case AV_CODEC_ID_PCM_S32BE: (.pcm32, true)
            case AV_CODEC_ID_PCM_F32LE: (.float32, false)
            case AV_CODEC_ID_PCM_F32BE: (.float32, true)
            case AV_CODEC_ID_PCM_F64LE: (.float64, false)
            case AV_CODEC_ID_PCM_F64BE: (.float64, true)
            case AV_CODEC_ID_PCM_MULAW: (.ulaw, false)
            case AV_CODEC_ID_PCM_ALAW: (.alaw, false)
            default: (.other, false)
            }
        }

        private static func alac(bits: Int32) -> AudioEncoding {
            switch bits {
            case 20: .alac20
            case 24: .alac24
            case 32: .alac32
            default: .alac16
            }
        }

        /// Whether a block needs nothing of the blocks before it.
        static func standsAlone(_ encoding: AudioEncoding) -> Bool {
            switch encoding {
            case .alac16, .alac20, .alac24, .alac32, .pcmS8, .pcmU8, .pcm16, .pcm24, .pcm32, .float32, .float64, .ulaw,
                .alaw:
                true
            default: false
            }
        }

        /// Whether every packet decodes to as many frames as the first.
        static func isUniform(_ encoding: AudioEncoding) -> Bool {
            switch encoding {
            case .aac, .ac3, .eac3, .amrNarrowband, .amrWideband, .mp3, .mpegLayer2: true
            default: false
            }
        }

        /// The places of a block's channels as raw values of `AudioRealtime.Channel`; nil if nothing is known about
        /// them.
        static func layout(_ frame: AVFrame, _ functions: ffmpeg_functions) -> [UInt8]? {
            let count = frame.ch_layout.nb_channels
            guard frame.ch_layout.order == AV_CHANNEL_ORDER_NATIVE, count > 0 else { return nil }
            if count == 1 { return [0] }
            var layout = frame.ch_layout
            return (0..<count).map { index in
                switch functions.av_channel_layout_channel_from_index(&layout, UInt32(index)) {
                case AV_CHAN_FRONT_LEFT: 1
                case AV_CHAN_FRONT_RIGHT: 2
                case AV_CHAN_FRONT_CENTER: 3
                case AV_CHAN_LOW_FREQUENCY: 4
                case AV_CHAN_BACK_LEFT: 5
                case AV_CHAN_BACK_RIGHT: 6
                case AV_CHAN_SIDE_LEFT: 7
                case AV_CHAN_SIDE_RIGHT: 8
                case AV_CHAN_BACK_CENTER: 9
                case AV_CHAN_FRONT_LEFT_OF_CENTER: 10
                case AV_CHAN_FRONT_RIGHT_OF_CENTER: 11
                default: 12
                }
            }
        }

        /// Copies frames of a block, from `start` on, as interleaved floating-point samples; false for unknown samples.
        static func copy(_ frame: AVFrame, from start: Int, count: Int, to target: UnsafeMutablePointer<Float>) -> Bool
        {
            switch AVSampleFormat(rawValue: frame.format) {
            case AV_SAMPLE_FMT_FLTP: interleave(frame, start, count, target) { (sample: Float) in sample }
            case AV_SAMPLE_FMT_FLT: run(frame, start, count, target) { (sample: Float) in sample }
            case AV_SAMPLE_FMT_S16P:
                interleave(frame, start, count, target) { (sample: Int16) in Float(sample) * 0x1p-15 }
            case AV_SAMPLE_FMT_S16: run(frame, start, count, target) { (sample: Int16) in Float(sample) * 0x1p-15 }
            case AV_SAMPLE_FMT_S32P:
                interleave(frame, start, count, target) { (sample: Int32) in Float(sample) * 0x1p-31 }
            case AV_SAMPLE_FMT_S32: run(frame, start, count, target) { (sample: Int32) in Float(sample) * 0x1p-31 }
            case AV_SAMPLE_FMT_U8P: interleave(frame, start, count, target) { (sample: UInt8) in unsigned(sample) }
            case AV_SAMPLE_FMT_U8: run(frame, start, count, target) { (sample: UInt8) in unsigned(sample) }
            case AV_SAMPLE_FMT_DBLP: interleave(frame, start, count, target) { (sample: Double) in Float(sample) }
            case AV_SAMPLE_FMT_DBL: run(frame, start, count, target) { (sample: Double) in Float(sample) }
            default: return false
            }
            return true
        }

        private static func unsigned(_ sample: UInt8) -> Float { (Float(sample) - 128) * 0x1p-7 }

        @inline(__always)
        private static func interleave<Sample>(
            _ frame: AVFrame, _ start: Int, _ count: Int, _ target: UnsafeMutablePointer<Float>,
            _ convert: (Sample) -> Float
        ) {
            let channels = Int(frame.ch_layout.nb_channels)
            for channel in 0..<channels {
                guard let plane = frame.extended_data[channel] else { continue }
                let samples = UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self) + start
                for index in 0..<count { target[index * channels + channel] = convert(samples[index]) }
            }
        }

        @inline(__always)
        private static func run<Sample>(
            _ frame: AVFrame, _ start: Int, _ count: Int, _ target: UnsafeMutablePointer<Float>,
            _ convert: (Sample) -> Float
        ) {
            let channels = Int(frame.ch_layout.nb_channels)
            guard let plane = frame.extended_data[0] else { return }
            let samples = UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self) + start * channels
            for index in 0..<count * channels { target[index] = convert(samples[index]) }
        }
    }
#endif

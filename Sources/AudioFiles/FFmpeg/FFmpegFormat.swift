#if FFmpeg
    internal import CFFmpeg

    /// Translates between FFmpeg's formats and this module's.
    enum FFmpegFormat {
        /// How the samples of a stream are stored, and whether with the most significant byte first.
        ///
        /// `bits` is the depth that a lossless decoder has found.
        static func encoding(_ codec: ffmpeg_codec, bits: Int32) -> (encoding: AudioEncoding, isBigEndian: Bool) {
            switch codec {
            case FFMPEG_CODEC_AAC, FFMPEG_CODEC_AAC_LATM: (.aac, false)
            case FFMPEG_CODEC_ALAC: (alac(bits: bits), false)
            case FFMPEG_CODEC_FLAC: (bits > 16 ? .pcm24 : .pcm16, false)
            case FFMPEG_CODEC_AC3: (.ac3, false)
            case FFMPEG_CODEC_EAC3: (.eac3, false)
            case FFMPEG_CODEC_AMR_NB: (.amrNarrowband, false)
            case FFMPEG_CODEC_AMR_WB: (.amrWideband, false)
            case FFMPEG_CODEC_ADPCM_IMA_QT: (.imaADPCM, false)
            case FFMPEG_CODEC_ADPCM_MS: (.msADPCM, false)
            case FFMPEG_CODEC_WMAV1, FFMPEG_CODEC_WMAV2, FFMPEG_CODEC_WMAPRO, FFMPEG_CODEC_WMAVOICE,
                FFMPEG_CODEC_WMALOSSLESS:
                (.wma, false)
            case FFMPEG_CODEC_OPUS: (.opus, false)
            case FFMPEG_CODEC_VORBIS: (.vorbis, false)
            case FFMPEG_CODEC_MP3: (.mp3, false)
            case FFMPEG_CODEC_MP2: (.mpegLayer2, false)
            case FFMPEG_CODEC_PCM_U8: (.pcmU8, false)
            case FFMPEG_CODEC_PCM_S8: (.pcmS8, false)
            case FFMPEG_CODEC_PCM_S16LE: (.pcm16, false)
            case FFMPEG_CODEC_PCM_S16BE: (.pcm16, true)
            case FFMPEG_CODEC_PCM_S24LE: (.pcm24, false)
            case FFMPEG_CODEC_PCM_S24BE: (.pcm24, true)
            case FFMPEG_CODEC_PCM_S32LE: (.pcm32, false)
            case FFMPEG_CODEC_PCM_S32BE: (.pcm32, true)
            case FFMPEG_CODEC_PCM_F32LE: (.float32, false)
            case FFMPEG_CODEC_PCM_F32BE: (.float32, true)
            case FFMPEG_CODEC_PCM_F64LE: (.float64, false)
            case FFMPEG_CODEC_PCM_F64BE: (.float64, true)
            case FFMPEG_CODEC_PCM_MULAW: (.ulaw, false)
            case FFMPEG_CODEC_PCM_ALAW: (.alaw, false)
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
        static func layout(_ frame: ffmpeg_frame) -> [UInt8]? {
            guard frame.channel_mask != 0, frame.channels > 0 else { return nil }
            if frame.channels == 1 { return [0] }
            let bits = (0..<64).filter { frame.channel_mask >> UInt64($0) & 1 != 0 }
            return bits.prefix(Int(frame.channels)).map { channel(Int32($0)) }
        }

        private static func channel(_ bit: Int32) -> UInt8 {
            switch bit {
            case FFMPEG_CHANNEL_FRONT_LEFT: 1
            case FFMPEG_CHANNEL_FRONT_RIGHT: 2
            case FFMPEG_CHANNEL_FRONT_CENTER: 3
            case FFMPEG_CHANNEL_LOW_FREQUENCY: 4
            case FFMPEG_CHANNEL_BACK_LEFT: 5
            case FFMPEG_CHANNEL_BACK_RIGHT: 6
            case FFMPEG_CHANNEL_SIDE_LEFT: 7
            case FFMPEG_CHANNEL_SIDE_RIGHT: 8
            case FFMPEG_CHANNEL_BACK_CENTER: 9
            case FFMPEG_CHANNEL_FRONT_LEFT_OF_CENTER: 10
            case FFMPEG_CHANNEL_FRONT_RIGHT_OF_CENTER: 11
            default: 12
            }
        }

        /// Copies frames of a block, from `start` on, as interleaved floating-point samples; false for unknown samples.
        static func copy(_ frame: ffmpeg_frame, from start: Int, count: Int, to target: UnsafeMutablePointer<Float>)
            -> Bool
        {
            switch frame.samples {
            case FFMPEG_SAMPLES_FLTP: interleave(frame, start, count, target) { (sample: Float) in sample }
            case FFMPEG_SAMPLES_FLT: run(frame, start, count, target) { (sample: Float) in sample }
            case FFMPEG_SAMPLES_S16P:
                interleave(frame, start, count, target) { (sample: Int16) in Float(sample) * 0x1p-15 }
            case FFMPEG_SAMPLES_S16: run(frame, start, count, target) { (sample: Int16) in Float(sample) * 0x1p-15 }
            case FFMPEG_SAMPLES_S32P:
                interleave(frame, start, count, target) { (sample: Int32) in Float(sample) * 0x1p-31 }
            case FFMPEG_SAMPLES_S32: run(frame, start, count, target) { (sample: Int32) in Float(sample) * 0x1p-31 }
            case FFMPEG_SAMPLES_U8P: interleave(frame, start, count, target) { (sample: UInt8) in unsigned(sample) }
            case FFMPEG_SAMPLES_U8: run(frame, start, count, target) { (sample: UInt8) in unsigned(sample) }
            case FFMPEG_SAMPLES_DBLP: interleave(frame, start, count, target) { (sample: Double) in Float(sample) }
            case FFMPEG_SAMPLES_DBL: run(frame, start, count, target) { (sample: Double) in Float(sample) }
            default: return false
            }
            return true
        }

        private static func unsigned(_ sample: UInt8) -> Float { (Float(sample) - 128) * 0x1p-7 }

        @inline(__always)
        private static func interleave<Sample>(
            _ frame: ffmpeg_frame, _ start: Int, _ count: Int, _ target: UnsafeMutablePointer<Float>,
            _ convert: (Sample) -> Float
        ) {
            let channels = Int(frame.channels)
            for channel in 0..<channels {
                guard let plane = frame.planes[channel] else { continue }
                let samples = UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self) + start
                for index in 0..<count { target[index * channels + channel] = convert(samples[index]) }
            }
        }

        @inline(__always)
        private static func run<Sample>(
            _ frame: ffmpeg_frame, _ start: Int, _ count: Int, _ target: UnsafeMutablePointer<Float>,
            _ convert: (Sample) -> Float
        ) {
            let channels = Int(frame.channels)
            guard let plane = frame.planes[0] else { return }
            let samples = UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self) + start * channels
            for index in 0..<count * channels { target[index] = convert(samples[index]) }
        }
    }
#endif

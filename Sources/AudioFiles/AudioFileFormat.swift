internal import CSndFile

/// The kind of file around the samples.
package enum AudioContainer: String, Sendable, CaseIterable {
    case wav, aiff, aifc, caf, flac, ogg, mpeg, w64, rf64, au
    /// M4A, MP4, QuickTime and 3GPP files, in fragments or not.
    case mpeg4
    /// A bare stream of AAC.
    case adts
    /// A bare stream of AC-3 or E-AC-3.
    case ac3
    case amr, asf, matroska
    /// Other containers that libsndfile reads: VOC, NIST, IRCAM, 8SVX, AVR, PAF, PVF and Psion's WVE.
    case rare

    /// libsndfile's number; 0 for what it does not know.
    var formatBits: Int32 {
        let type =
            switch self {
            case .wav: SF_FORMAT_WAV
            // libsndfile writes AIFC by itself where AIFF cannot hold the encoding.
            case .aiff, .aifc: SF_FORMAT_AIFF
            case .caf: SF_FORMAT_CAF
            case .flac: SF_FORMAT_FLAC
            case .ogg: SF_FORMAT_OGG
            case .mpeg: SF_FORMAT_MPEG
            case .w64: SF_FORMAT_W64
            case .rf64: SF_FORMAT_RF64
            case .au: SF_FORMAT_AU
            case .mpeg4, .adts, .ac3, .amr, .asf, .matroska, .rare: 0
            }
        return Int32(type)
    }

    init?(formatBits: Int32, encoding: AudioEncoding) {
        switch Int(formatBits) & SF_FORMAT_TYPEMASK {
        case SF_FORMAT_WAV, SF_FORMAT_WAVEX: self = .wav
        case SF_FORMAT_AIFF:
            let isPlain = encoding.isIntegerPCM && formatBits & Int32(SF_FORMAT_ENDMASK) != Int32(SF_ENDIAN_LITTLE)
            self = isPlain && encoding != .pcmU8 ? .aiff : .aifc
        case SF_FORMAT_CAF: self = .caf
        case SF_FORMAT_FLAC: self = .flac
        case SF_FORMAT_OGG: self = .ogg
        case SF_FORMAT_MPEG: self = .mpeg
        case SF_FORMAT_W64: self = .w64
        case SF_FORMAT_RF64: self = .rf64
        case SF_FORMAT_AU: self = .au
        case SF_FORMAT_VOC, SF_FORMAT_NIST, SF_FORMAT_IRCAM, SF_FORMAT_SVX, SF_FORMAT_AVR, SF_FORMAT_PAF,
            SF_FORMAT_PVF, SF_FORMAT_WVE:
            self = .rare
        default: return nil
        }
    }
}

/// The encoding of stored samples.
///
/// FLAC stores one of the integer PCM encodings.
package enum AudioEncoding: String, Sendable, CaseIterable {
    case pcmS8, pcmU8, pcm16, pcm24, pcm32, float32, float64
    case ulaw, alaw, imaADPCM, msADPCM, gsm610
    case vorbis, opus, alac16, alac20, alac24, alac32
    case mpegLayer1, mpegLayer2, mp3
    case aac, ac3, eac3, amrNarrowband, amrWideband, wma
    /// Other codecs that FFmpeg decodes.
    case other

    private static let table: [(AudioEncoding, Int)] = [
        (.pcmS8, SF_FORMAT_PCM_S8), (.pcmU8, SF_FORMAT_PCM_U8), (.pcm16, SF_FORMAT_PCM_16),
        (.pcm24, SF_FORMAT_PCM_24), (.pcm32, SF_FORMAT_PCM_32), (.float32, SF_FORMAT_FLOAT),
        (.float64, SF_FORMAT_DOUBLE), (.ulaw, SF_FORMAT_ULAW), (.alaw, SF_FORMAT_ALAW),
        (.imaADPCM, SF_FORMAT_IMA_ADPCM), (.msADPCM, SF_FORMAT_MS_ADPCM), (.gsm610, SF_FORMAT_GSM610),
        (.vorbis, SF_FORMAT_VORBIS), (.opus, SF_FORMAT_OPUS), (.alac16, SF_FORMAT_ALAC_16),
        (.alac20, SF_FORMAT_ALAC_20), (.alac24, SF_FORMAT_ALAC_24), (.alac32, SF_FORMAT_ALAC_32),
        (.mpegLayer1, SF_FORMAT_MPEG_LAYER_I), (.mpegLayer2, SF_FORMAT_MPEG_LAYER_II),
        (.mp3, SF_FORMAT_MPEG_LAYER_III),
    ]

    var formatBits: Int32 { Int32(Self.table.first { $0.0 == self }?.1 ?? 0) }

    init?(formatBits: Int32) {
        let subtype = Int(formatBits) & SF_FORMAT_SUBMASK
        guard let entry = Self.table.first(where: { $0.1 == subtype }) else { return nil }
        self = entry.0
    }

    /// Bits of one sample as it is stored, 0 where samples have no width of their own.
    package var bitDepth: Int {
        switch self {
        case .pcmS8, .pcmU8, .ulaw, .alaw: 8
        case .pcm16, .alac16: 16
        case .alac20: 20
        case .pcm24, .alac24: 24
        case .pcm32, .float32, .alac32: 32
        case .float64: 64
        case .imaADPCM, .msADPCM: 4
        case .gsm610, .vorbis, .opus, .mpegLayer1, .mpegLayer2, .mp3: 0
        case .aac, .ac3, .eac3, .amrNarrowband, .amrWideband, .wma, .other: 0
        }
    }

    /// Whether samples are plain integers.
    package var isIntegerPCM: Bool {
        switch self {
        case .pcmS8, .pcmU8, .pcm16, .pcm24, .pcm32: true
        default: false
        }
    }

    /// Integer bits to which floating-point samples are rounded before they are stored; 0 leaves them as they are.
    var quantizedBits: Int {
        switch self {
        case .pcmS8, .pcmU8: 8
        case .pcm16, .alac16, .ulaw, .alaw, .imaADPCM, .msADPCM, .gsm610: 16
        case .alac20: 20
        case .pcm24, .alac24: 24
        case .pcm32, .alac32: 32
        default: 0
        }
    }
}

/// The format of a sound file: container, encoding, rate, channels and length.
package struct AudioFileFormat: Sendable, Equatable {
    /// The kind of file.
    package var container: AudioContainer
    /// How samples are stored.
    package var encoding: AudioEncoding
    /// Whether stored samples have their most significant byte first.
    package var isBigEndian: Bool
    /// Frames a second, in Hz.
    package var sampleRate: Double
    /// Interleaved channels of a frame.
    package var channels: Int
    /// Frames that reading to the end gives.
    package var frames: Int64
    /// The place of each channel as the raw value of `AudioRealtime.Channel`, if the file or its codec says it.
    package var channelLayout: [UInt8]?

    /// Bits of one stored sample, 0 for codecs without such a width.
    package var bitDepth: Int { encoding.bitDepth }

    /// The format of no file: no channels, no frames and no rate.
    package static let nothing = AudioFileFormat(
        container: .wav, encoding: .pcm16, isBigEndian: false, sampleRate: 0, channels: 0, frames: 0)
}

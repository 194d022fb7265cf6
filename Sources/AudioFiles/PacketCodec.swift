/// An encoder without a file: frames in, packets out.
///
/// One thread at a time uses it. No call waits.
package protocol PacketEncoder: AnyObject {
    /// Frames that a packet decodes to; the last one may have fewer where ``EncodedPacket/frames`` says so.
    var framesPerPacket: Int { get }
    /// Frames that the encoder puts in front of the sound.
    var priming: Int { get }
    /// What a decoder needs to start, as CAF files have it: MPEG-4 descriptors for AAC, 24 bytes for Apple Lossless.
    var configuration: [UInt8] { get }

    /// Encodes interleaved frames; returns the packets that are complete.
    ///
    /// Throws `.io` if the encoder fails.
    func encode(_ samples: ArraySlice<Double>) throws(AudioFileError) -> [EncodedPacket]

    /// Encodes what is left; nothing can be encoded afterwards.
    func finish() throws(AudioFileError) -> [EncodedPacket]
}

/// A decoder without a file: packets in, frames out.
///
/// One thread at a time uses it. No call waits.
package protocol PacketDecoder: AnyObject {
    /// Decodes a packet; returns the interleaved frames that are complete.
    ///
    /// Throws `.malformed` for a packet that cannot be decoded, or has another rate or number of channels.
    func decode(_ packet: UnsafeRawBufferPointer) throws(AudioFileError) -> [Float]

    /// The frames that the decoder still holds; nothing can be decoded afterwards.
    func finish() throws(AudioFileError) -> [Float]
}

/// A packet of an encoder.
package struct EncodedPacket: Equatable, Sendable {
    /// Its bytes.
    package let bytes: [UInt8]
    /// The number of frames that the packet decodes to.
    package let frames: Int
}

/// Makes encoders and decoders of packets, for those who have no file.
package enum PacketCodec {
    /// An encoder of AAC, Apple Lossless or IMA4.
    ///
    /// - Parameters:
    ///   - bitRate: The wish of bits a second; nil for 64 kbit/s a channel, and for encodings without a choice.
    ///
    /// Throws `.unsupportedEncoding` or `.missingLibrary`.
    package static func encoder(
        _ encoding: AudioEncoding, sampleRate: Double, channels: Int, bitRate: Int?
    ) throws(AudioFileError) -> any PacketEncoder {
        #if FFmpeg
            let request = EncodingRequest(
                container: .caf, encoding: encoding, sampleRate: sampleRate, channels: channels, isBigEndian: nil,
                quality: nil, bitRate: bitRate, strategy: nil, limits: SizeLimits())
            return try FFmpegPacketEncoder(request)
        #else
            throw .withoutFFmpeg(path: nil)
        #endif
    }

    /// A decoder of AAC, Apple Lossless, IMA4, MP3 or Opus.
    ///
    /// - Parameters:
    ///   - bytesPerPacket: The bytes of each packet, or 0 where they differ.
    ///   - configuration: That of the encoder, or AAC's AudioSpecificConfig alone; empty makes one of the rate and the
    ///     channels where that is enough.
    ///
    /// Throws `.unsupportedEncoding` or `.missingLibrary`.
    package static func decoder(
        _ encoding: AudioEncoding, sampleRate: Double, channels: Int, bytesPerPacket: Int, configuration: [UInt8]
    ) throws(AudioFileError) -> any PacketDecoder {
        #if FFmpeg
            return try FFmpegPacketDecoder(
                encoding, sampleRate: sampleRate, channels: channels, bytesPerPacket: bytesPerPacket,
                configuration: configuration)
        #else
            throw .withoutFFmpeg(path: nil)
        #endif
    }
}

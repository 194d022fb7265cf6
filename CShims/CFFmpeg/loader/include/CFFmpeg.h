// The part of FFmpeg that this package uses, in terms that are the same for each major version: functions, and facts
// about its objects. Nothing of FFmpeg is linked, and none of its headers is read here.
//
// Fields of FFmpeg's structures move with each major version. Only the modules read them, which are compiled one by
// one with the headers of one version (../../module.h); Swift sees the structures as opaque pointers.
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AVCodecContext AVCodecContext;
typedef struct AVDictionary AVDictionary;
typedef struct AVFormatContext AVFormatContext;
typedef struct AVFrame AVFrame;
typedef struct AVInputFormat AVInputFormat;
typedef struct AVIOContext AVIOContext;
typedef struct AVPacket AVPacket;
typedef struct AVStream AVStream;

// X(NAME) for each codec that has a meaning here; FFmpeg's is AV_CODEC_ID_NAME.
#define FFMPEG_CODECS(X)                                                                                               \
    X(AAC) X(AAC_LATM) X(ALAC) X(FLAC) X(AC3) X(EAC3) X(AMR_NB) X(AMR_WB) X(ADPCM_IMA_QT) X(ADPCM_MS) X(WMAV1)         \
    X(WMAV2) X(WMAPRO) X(WMAVOICE) X(WMALOSSLESS) X(OPUS) X(VORBIS) X(MP3) X(MP2) X(PCM_U8) X(PCM_S8) X(PCM_S16LE)     \
    X(PCM_S16BE) X(PCM_S24LE) X(PCM_S24BE) X(PCM_S32LE) X(PCM_S32BE) X(PCM_F32LE) X(PCM_F32BE) X(PCM_F64LE)            \
    X(PCM_F64BE) X(PCM_MULAW) X(PCM_ALAW) X(MJPEG) X(PNG)
#define FFMPEG_CODEC(NAME) FFMPEG_CODEC_##NAME,
enum ffmpeg_codec { FFMPEG_CODEC_OTHER, FFMPEG_CODECS(FFMPEG_CODEC) };
#undef FFMPEG_CODEC

// X(NAME) for each kind of samples; P stands for planar. FFmpeg's is AV_SAMPLE_FMT_NAME.
#define FFMPEG_SAMPLES(X) X(U8) X(S16) X(S32) X(FLT) X(DBL) X(U8P) X(S16P) X(S32P) X(FLTP) X(DBLP)
#define FFMPEG_SAMPLE(NAME) FFMPEG_SAMPLES_##NAME,
enum ffmpeg_samples { FFMPEG_SAMPLES_OTHER, FFMPEG_SAMPLES(FFMPEG_SAMPLE) };
#undef FFMPEG_SAMPLE

struct ffmpeg_rational {
    int num;
    int den;
};

/// The facts about a stream; pointers are the stream's own.
struct ffmpeg_stream {
    int index;
    int id;
    struct ffmpeg_rational time_base;
    int64_t start_time;
    int64_t duration;
    bool is_audio;
    bool is_attached_picture;
    enum ffmpeg_codec codec;
    const AVDictionary *_Nullable metadata;
    const uint8_t *_Nullable picture;
    int picture_size;
};

/// The variants of a playlist; pointers are the container's own.
struct ffmpeg_program {
    const AVDictionary *_Nullable metadata;
    const unsigned *_Nullable streams;
    unsigned stream_count;
};

/// The facts about an open file; pointers are the container's own.
struct ffmpeg_container {
    unsigned stream_count;
    unsigned program_count;
    /// Microseconds.
    int64_t duration;
    bool is_duration_estimated;
    int probe_score;
    const char *_Nullable format_name;
    AVIOContext *_Nullable io;
    const AVDictionary *_Nullable metadata;
};

/// The facts about a block of frames, whose samples are valid until the next block.
struct ffmpeg_frame {
    int sample_rate;
    int channels;
    /// A bit for each channel, at its place in FFMPEG_CHANNEL_…; 0 if nothing is known about them.
    uint64_t channel_mask;
    enum ffmpeg_samples samples;
    int frames;
    int64_t pts;
    int64_t best_effort_timestamp;
    bool is_damaged;
    /// One for each channel of planar samples, and one for interleaved ones.
    uint8_t *_Nullable const *_Nonnull planes;
};

/// The facts about a packet, whose bytes are valid until the next packet.
struct ffmpeg_packet {
    const uint8_t *_Nullable data;
    int size;
    int stream_index;
    int64_t pts;
    int64_t dts;
    int64_t pos;
};

/// Bytes that belong to another object.
struct ffmpeg_bytes {
    const uint8_t *_Nullable data;
    size_t size;
};

/// What is known before there is a block; 0 where it is not.
struct ffmpeg_decoder {
    int bits_per_sample;
    int sample_rate;
    int channels;
};

/// The way in which sound is to be encoded.
struct ffmpeg_request {
    /// FFmpeg's name of the encoder.
    const char *_Nonnull name;
    enum ffmpeg_samples samples;
    int sample_rate;
    int channels;
    uint64_t channel_mask;
    int bits_per_sample;
    /// FFmpeg's quality in units of lambda, or 0 for a bit rate.
    double quality;
    /// Bits a second, or 0 for FFmpeg's choice.
    int64_t bit_rate;
};

/// The facts about an encoder.
struct ffmpeg_encoder {
    int block_frames;
    int priming;
    struct ffmpeg_bytes configuration;
};

/// Packets without a container: all that a decoder must know of them.
struct ffmpeg_sound {
    enum ffmpeg_codec codec;
    int sample_rate;
    int channels;
    /// The bytes of each packet, or 0 where they differ.
    int bytes_per_packet;
    /// The configuration as containers of QuickTime's kind have it; may be empty.
    struct ffmpeg_bytes configuration;
};

typedef int (*ffmpeg_reader)(void *_Nullable data, uint8_t *_Nullable buffer, int count);

/// The state of a connection or a file that is read.
struct ffmpeg_io {
    void *_Nullable opaque;
    ffmpeg_reader _Nullable read_packet;
    int64_t pos;
    int64_t bytes_read;
    bool is_seekable;
};

/// What FFmpeg asks while it waits: not 0 ends the wait.
struct ffmpeg_interrupt {
    int (*_Nonnull callback)(void *_Nullable data);
    void *_Nullable opaque;
};

/// The way in which a container gets at the network.
struct ffmpeg_network {
    struct ffmpeg_interrupt interrupt;
    int (*_Nonnull open)(
        AVFormatContext *_Nullable, AVIOContext *_Nullable *_Nullable, const char *_Nullable url, int flags,
        AVDictionary *_Nullable *_Nullable options);
    int (*_Nonnull close)(AVFormatContext *_Nullable, AVIOContext *_Nullable);
    /// Bytes.
    int64_t probe_size;
    /// Microseconds.
    int64_t analyze_duration;
};

/// The functions of one major version of FFmpeg; valid once ``ffmpeg_load`` has returned them.
struct ffmpeg_functions {
    /// The major version of libavcodec.
    int major;

    // FFmpeg's own, with their names.
    AVFormatContext *_Nullable (*_Nonnull avformat_alloc_context)(void);
    int (*_Nonnull avformat_open_input)(
        AVFormatContext *_Nullable *_Nonnull, const char *_Nullable url, const AVInputFormat *_Nullable,
        AVDictionary *_Nullable *_Nullable);
    void (*_Nonnull avformat_close_input)(AVFormatContext *_Nullable *_Nonnull);
    int (*_Nonnull avformat_find_stream_info)(AVFormatContext *_Nonnull, AVDictionary *_Nullable *_Nullable);
    int (*_Nonnull avformat_index_get_entries_count)(const AVStream *_Nonnull);
    const AVInputFormat *_Nullable (*_Nonnull av_find_input_format)(const char *_Nonnull name);
    int (*_Nonnull av_read_frame)(AVFormatContext *_Nonnull, AVPacket *_Nonnull);
    int (*_Nonnull av_seek_frame)(AVFormatContext *_Nonnull, int stream, int64_t time, int flags);
    int (*_Nonnull avio_close)(AVIOContext *_Nullable);
    int (*_Nonnull avio_read)(AVIOContext *_Nonnull, unsigned char *_Nonnull, int size);
    int (*_Nonnull avio_read_partial)(AVIOContext *_Nonnull, unsigned char *_Nonnull, int size);
    void (*_Nonnull avio_write)(AVIOContext *_Nonnull, const unsigned char *_Nonnull, int size);
    void (*_Nonnull avio_flush)(AVIOContext *_Nonnull);
    int64_t (*_Nonnull avio_seek)(AVIOContext *_Nonnull, int64_t offset, int whence);
    void (*_Nonnull avcodec_free_context)(AVCodecContext *_Nullable *_Nonnull);
    int (*_Nonnull avcodec_send_packet)(AVCodecContext *_Nonnull, const AVPacket *_Nullable);
    int (*_Nonnull avcodec_receive_frame)(AVCodecContext *_Nonnull, AVFrame *_Nonnull);
    int (*_Nonnull avcodec_send_frame)(AVCodecContext *_Nonnull, const AVFrame *_Nullable);
    int (*_Nonnull avcodec_receive_packet)(AVCodecContext *_Nonnull, AVPacket *_Nonnull);
    AVPacket *_Nullable (*_Nonnull av_packet_alloc)(void);
    void (*_Nonnull av_packet_free)(AVPacket *_Nullable *_Nonnull);
    void (*_Nonnull av_packet_unref)(AVPacket *_Nonnull);
    AVFrame *_Nullable (*_Nonnull av_frame_alloc)(void);
    void (*_Nonnull av_frame_free)(AVFrame *_Nullable *_Nonnull);
    int (*_Nonnull av_frame_make_writable)(AVFrame *_Nonnull);
    void *_Nullable (*_Nonnull av_malloc)(size_t size);
    void (*_Nonnull av_free)(void *_Nullable);
    int (*_Nonnull av_strerror)(int code, char *_Nonnull text, size_t size);
    int (*_Nonnull av_dict_set)(
        AVDictionary *_Nullable *_Nonnull, const char *_Nonnull key, const char *_Nullable value, int flags);
    void (*_Nonnull av_dict_free)(AVDictionary *_Nullable *_Nonnull);
    int (*_Nonnull av_dict_copy)(AVDictionary *_Nullable *_Nonnull, const AVDictionary *_Nullable, int flags);
    int (*_Nonnull av_opt_get)(
        void *_Nonnull object, const char *_Nonnull name, int flags, uint8_t *_Nullable *_Nonnull value);

    // What reads, or writes, fields.

    /// av_dict_get: the value of a key; NULL if there is none.
    const char *_Nullable (*_Nonnull dictionary_value)(const AVDictionary *_Nullable, const char *_Nonnull key);
    /// av_dict_get: the entry behind `entry`, or the first one behind NULL; NULL at the end.
    const void *_Nullable (*_Nonnull dictionary_next)(
        const AVDictionary *_Nullable, const void *_Nullable entry, const char *_Nullable *_Nonnull key,
        const char *_Nullable *_Nonnull value);
    /// av_rescale_q.
    int64_t (*_Nonnull rescale)(int64_t, struct ffmpeg_rational from, struct ffmpeg_rational to);

    struct ffmpeg_container (*_Nonnull container)(const AVFormatContext *_Nonnull);
    /// A stream of a container; `index` is below its `stream_count`.
    AVStream *_Nullable (*_Nonnull container_stream)(const AVFormatContext *_Nonnull, unsigned index);
    /// A program of a container; `index` is below its `program_count`.
    struct ffmpeg_program (*_Nonnull container_program)(const AVFormatContext *_Nonnull, unsigned index);
    void (*_Nonnull container_set_io)(AVFormatContext *_Nonnull, AVIOContext *_Nonnull);
    /// `interrupt.opaque` becomes the container's too.
    void (*_Nonnull container_set_network)(AVFormatContext *_Nonnull, const struct ffmpeg_network *_Nonnull);
    void *_Nullable (*_Nonnull container_opaque)(const AVFormatContext *_Nonnull);

    struct ffmpeg_stream (*_Nonnull stream)(const AVStream *_Nonnull);
    /// Has the container pass over the stream's packets.
    void (*_Nonnull stream_discard)(AVStream *_Nonnull);

    /// avio_alloc_context, for reading; the buffer is from av_malloc.
    AVIOContext *_Nullable (*_Nonnull io_alloc)(
        unsigned char *_Nonnull buffer, int size, void *_Nullable opaque, ffmpeg_reader _Nonnull,
        int64_t (*_Nonnull seek)(void *_Nullable data, int64_t offset, int whence));
    /// Frees a context of `io_alloc`, and its buffer.
    void (*_Nonnull io_free)(AVIOContext *_Nullable *_Nonnull);
    /// avio_open2.
    int (*_Nonnull io_open)(
        AVIOContext *_Nullable *_Nonnull, const char *_Nonnull url, int flags, struct ffmpeg_interrupt,
        AVDictionary *_Nullable *_Nullable);
    struct ffmpeg_io (*_Nonnull io)(const AVIOContext *_Nonnull);
    void (*_Nonnull io_set_reader)(AVIOContext *_Nonnull, ffmpeg_reader _Nonnull);

    struct ffmpeg_packet (*_Nonnull packet)(const AVPacket *_Nonnull);
    /// AV_PKT_DATA_SKIP_SAMPLES: frames to skip in front, then frames to drop behind, both 32 bits.
    struct ffmpeg_bytes (*_Nonnull packet_skips)(const AVPacket *_Nonnull);

    struct ffmpeg_frame (*_Nonnull frame)(const AVFrame *_Nonnull);
    /// AV_FRAME_DATA_SKIP_SAMPLES, as `packet_skips`.
    struct ffmpeg_bytes (*_Nonnull frame_skips)(const AVFrame *_Nonnull);
    void (*_Nonnull frame_set)(AVFrame *_Nonnull, int frames, int64_t pts);

    /// Has a packet show bytes of the caller, which stay until the packet was sent and emptied.
    void (*_Nonnull packet_lend)(AVPacket *_Nonnull, const uint8_t *_Nullable data, int size);
    /// Opens a decoder for packets without a container, on the caller's thread; 0, or FFmpeg's code for what went wrong.
    int (*_Nonnull sound_decoder_open)(
        const struct ffmpeg_sound *_Nonnull, AVCodecContext *_Nullable *_Nonnull decoder);
    /// Opens a decoder for a stream, on the caller's thread; 0, or FFmpeg's code for what went wrong.
    int (*_Nonnull decoder_open)(
        const AVStream *_Nonnull, bool skips_manually, AVCodecContext *_Nullable *_Nonnull decoder);
    struct ffmpeg_decoder (*_Nonnull decoder)(const AVCodecContext *_Nonnull);

    /// Opens an encoder on the caller's thread, and a frame for its blocks; false if it refuses. Both are to be freed.
    bool (*_Nonnull encoder_open)(
        const struct ffmpeg_request *_Nonnull, AVCodecContext *_Nullable *_Nonnull encoder,
        AVFrame *_Nullable *_Nonnull block);
    struct ffmpeg_encoder (*_Nonnull encoder)(const AVCodecContext *_Nonnull);
};

/// One major version of FFmpeg that this build has a module for.
struct ffmpeg_major {
    /// The major version of libavcodec.
    int number;
    /// The files of libavutil, libavcodec and libavformat, in this order.
    const char *_Nonnull names[3];
    /// Loads the libraries; NULL with the number of the first one that does not serve in `culprit`, from 0 to 2.
    const struct ffmpeg_functions *_Nullable (*_Nonnull load)(int *_Nonnull culprit);
};

/// Loads the newest major version of FFmpeg that this build has a module for and that is installed; any thread.
///
/// The libraries stay loaded, and later calls return the same functions. The first call silences av_log, unless
/// libavutil was in the process before. Returns NULL if there is none, and then in `missing`, of `size` bytes, the files
/// of the libraries that are missing or too old, such as "libavformat.so.59", separated by spaces: one for each major
/// version, without those of which more is missing. The next call tries again.
const struct ffmpeg_functions *_Nullable ffmpeg_load(char *_Nonnull missing, size_t size);

/// The major versions of libavcodec that this build has a module for, from the newest on; 0 behind the last.
int ffmpeg_major_at(int index);

/// The next major version of libavcodec behind `major` that is installed and that this build has no module for; 0 if
/// there is none. Loads libraries for a moment.
int ffmpeg_foreign_major(int major);

// FFmpeg's numbers, which no major version has changed; each module compares them with its headers.
#define FFMPEG_TAG(a, b, c, d) (-(int)((a) | (b) << 8 | (c) << 16 | (unsigned)(d) << 24))
static const int FFMPEG_AGAIN = -EAGAIN;
static const int FFMPEG_EOF = FFMPEG_TAG('E', 'O', 'F', ' ');
static const int FFMPEG_EIO = -EIO;
static const int FFMPEG_INVALIDDATA = FFMPEG_TAG('I', 'N', 'D', 'A');
static const int FFMPEG_DECODER_NOT_FOUND = FFMPEG_TAG(0xF8, 'D', 'E', 'C');
static const int FFMPEG_EXIT = FFMPEG_TAG('E', 'X', 'I', 'T');
static const int FFMPEG_EINVAL = -EINVAL;
static const int FFMPEG_ETIMEDOUT = -ETIMEDOUT;
static const int FFMPEG_ECONNREFUSED = -ECONNREFUSED;
static const int FFMPEG_ENETUNREACH = -ENETUNREACH;
static const int FFMPEG_EHOSTUNREACH = -EHOSTUNREACH;
static const int FFMPEG_PROTOCOL_NOT_FOUND = FFMPEG_TAG(0xF8, 'P', 'R', 'O');
static const int FFMPEG_HTTP_BAD_REQUEST = FFMPEG_TAG(0xF8, '4', '0', '0');
static const int FFMPEG_HTTP_UNAUTHORIZED = FFMPEG_TAG(0xF8, '4', '0', '1');
static const int FFMPEG_HTTP_FORBIDDEN = FFMPEG_TAG(0xF8, '4', '0', '3');
static const int FFMPEG_HTTP_NOT_FOUND = FFMPEG_TAG(0xF8, '4', '0', '4');
static const int FFMPEG_HTTP_OTHER_4XX = FFMPEG_TAG(0xF8, '4', 'X', 'X');
static const int FFMPEG_HTTP_SERVER_ERROR = FFMPEG_TAG(0xF8, '5', 'X', 'X');
static const int FFMPEG_ENOMEM = -ENOMEM;
static const int64_t FFMPEG_NO_TIMESTAMP = INT64_MIN;
static const int FFMPEG_SEEK_BACKWARD = 1;
static const int FFMPEG_SEEK_BYTE = 2;
/// Beside SEEK_SET and its like: asks for the size.
static const int FFMPEG_SEEK_SIZE = 0x10000;
static const int FFMPEG_SEEK_FORCE = 0x20000;
static const int FFMPEG_IO_NONBLOCK = 8;
static const int FFMPEG_IO_READ_WRITE = 3;
static const int FFMPEG_SEARCH_CHILDREN = 1;
// Bits of a channel mask.
static const int FFMPEG_CHANNEL_FRONT_LEFT = 0;
static const int FFMPEG_CHANNEL_FRONT_RIGHT = 1;
static const int FFMPEG_CHANNEL_FRONT_CENTER = 2;
static const int FFMPEG_CHANNEL_LOW_FREQUENCY = 3;
static const int FFMPEG_CHANNEL_BACK_LEFT = 4;
static const int FFMPEG_CHANNEL_BACK_RIGHT = 5;
static const int FFMPEG_CHANNEL_FRONT_LEFT_OF_CENTER = 6;
static const int FFMPEG_CHANNEL_FRONT_RIGHT_OF_CENTER = 7;
static const int FFMPEG_CHANNEL_BACK_CENTER = 8;
static const int FFMPEG_CHANNEL_SIDE_LEFT = 9;
static const int FFMPEG_CHANNEL_SIDE_RIGHT = 10;

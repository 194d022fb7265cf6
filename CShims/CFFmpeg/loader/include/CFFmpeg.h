// FFmpeg's headers, and a table of its functions that is filled at run time. Nothing of FFmpeg is linked.
#pragma once

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>

#if LIBAVUTIL_VERSION_INT < AV_VERSION_INT(57, 28, 100)
#error "FFmpeg 5.1 or newer is needed; without it build with the package trait FFmpeg turned off"
#endif

// X(library, function) for everything that is called.
#define FFMPEG_FUNCTIONS(X)                                                                                            \
    X(avformat, avformat_version)                                                                                      \
    X(avformat, avformat_alloc_context)                                                                                \
    X(avformat, avformat_open_input)                                                                                   \
    X(avformat, avformat_close_input)                                                                                  \
    X(avformat, avformat_index_get_entries_count)                                                                      \
    X(avformat, av_find_input_format)                                                                                  \
    X(avformat, av_read_frame)                                                                                         \
    X(avformat, av_seek_frame)                                                                                         \
    X(avformat, avio_alloc_context)                                                                                    \
    X(avformat, avio_context_free)                                                                                     \
    X(avformat, avio_open2)                                                                                            \
    X(avformat, avio_close)                                                                                            \
    X(avformat, avio_read)                                                                                             \
    X(avformat, avio_read_partial)                                                                                     \
    X(avformat, avio_write)                                                                                            \
    X(avformat, avio_flush)                                                                                            \
    X(avformat, avio_seek)                                                                                             \
    X(avformat, avformat_find_stream_info)                                                                             \
    X(avcodec, avcodec_version)                                                                                        \
    X(avcodec, avcodec_find_decoder)                                                                                   \
    X(avcodec, avcodec_find_encoder_by_name)                                                                           \
    X(avcodec, avcodec_alloc_context3)                                                                                 \
    X(avcodec, avcodec_free_context)                                                                                   \
    X(avcodec, avcodec_open2)                                                                                          \
    X(avcodec, avcodec_parameters_to_context)                                                                          \
    X(avcodec, avcodec_send_packet)                                                                                    \
    X(avcodec, avcodec_receive_frame)                                                                                  \
    X(avcodec, avcodec_send_frame)                                                                                     \
    X(avcodec, avcodec_receive_packet)                                                                                 \
    X(avcodec, av_packet_alloc)                                                                                        \
    X(avcodec, av_packet_free)                                                                                         \
    X(avcodec, av_packet_unref)                                                                                        \
    X(avcodec, av_packet_get_side_data)                                                                                \
    X(avutil, avutil_version)                                                                                          \
    X(avutil, av_log_set_level)                                                                                        \
    X(avutil, av_malloc)                                                                                               \
    X(avutil, av_free)                                                                                                 \
    X(avutil, av_strerror)                                                                                             \
    X(avutil, av_dict_get)                                                                                             \
    X(avutil, av_dict_set)                                                                                             \
    X(avutil, av_dict_free)                                                                                            \
    X(avutil, av_dict_copy)                                                                                            \
    X(avutil, av_opt_get)                                                                                              \
    X(avutil, av_rescale_q)                                                                                            \
    X(avutil, av_frame_alloc)                                                                                          \
    X(avutil, av_frame_free)                                                                                           \
    X(avutil, av_frame_get_buffer)                                                                                     \
    X(avutil, av_frame_make_writable)                                                                                  \
    X(avutil, av_frame_get_side_data)                                                                                  \
    X(avutil, av_channel_layout_channel_from_index)

#define FFMPEG_FIELD(library, function) __typeof__(function) *_Nonnull function;

/// FFmpeg's functions, with their own names and types; valid once ``ffmpeg_load`` has returned them.
struct ffmpeg_functions {
    FFMPEG_FUNCTIONS(FFMPEG_FIELD)
};

#undef FFMPEG_FIELD

/// Loads the libraries of the headers' major versions, and returns their functions; from any thread.
///
/// The first call silences av_log, unless libavutil was in the process before. Returns NULL, and in `culprit` the name
/// of the library that is missing or too old, such as "libavformat.so.59"; the next call tries again.
const struct ffmpeg_functions *_Nullable ffmpeg_load(const char *_Nullable *_Nonnull culprit);

// What Swift cannot import, because it is computed or of a type that macros do not show.
static const int FFMPEG_AGAIN = AVERROR(EAGAIN);
static const int FFMPEG_EOF = AVERROR_EOF;
static const int FFMPEG_EIO = AVERROR(EIO);
static const int FFMPEG_INVALIDDATA = AVERROR_INVALIDDATA;
static const int FFMPEG_DECODER_NOT_FOUND = AVERROR_DECODER_NOT_FOUND;
static const int FFMPEG_EXIT = AVERROR_EXIT;
static const int FFMPEG_EINVAL = AVERROR(EINVAL);
static const int FFMPEG_ETIMEDOUT = AVERROR(ETIMEDOUT);
static const int FFMPEG_ECONNREFUSED = AVERROR(ECONNREFUSED);
static const int FFMPEG_ENETUNREACH = AVERROR(ENETUNREACH);
static const int FFMPEG_EHOSTUNREACH = AVERROR(EHOSTUNREACH);
static const int FFMPEG_PROTOCOL_NOT_FOUND = AVERROR_PROTOCOL_NOT_FOUND;
static const int FFMPEG_HTTP_UNAUTHORIZED = AVERROR_HTTP_UNAUTHORIZED;
static const int FFMPEG_HTTP_FORBIDDEN = AVERROR_HTTP_FORBIDDEN;
static const int FFMPEG_HTTP_NOT_FOUND = AVERROR_HTTP_NOT_FOUND;
static const int FFMPEG_HTTP_BAD_REQUEST = AVERROR_HTTP_BAD_REQUEST;
static const int FFMPEG_HTTP_OTHER_4XX = AVERROR_HTTP_OTHER_4XX;
static const int FFMPEG_HTTP_SERVER_ERROR = AVERROR_HTTP_SERVER_ERROR;
static const int FFMPEG_ENOMEM = AVERROR(ENOMEM);
static const int64_t FFMPEG_NO_TIMESTAMP = AV_NOPTS_VALUE;
static const int FFMPEG_PADDING = AV_INPUT_BUFFER_PADDING_SIZE;
static const int FFMPEG_QP2LAMBDA = FF_QP2LAMBDA;

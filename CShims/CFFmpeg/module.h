// The module of one major version of FFmpeg, for a file that defines FFMPEG_MODULE, its name, and includes this: the
// functions of ffmpeg_functions, compiled with the headers of that version.
//
// Where FFMPEG_MODULE_IS_MAJOR is 0, as LIBAVCODEC_VERSION_MAJOR is another one, the module is empty.

#include "CFFmpeg.h"

#define FFMPEG_JOIN_OF(a, b) a##b
#define FFMPEG_JOIN(a, b) FFMPEG_JOIN_OF(a, b)
#define FFMPEG_ENTRY FFMPEG_JOIN(ffmpeg_module_, FFMPEG_MODULE)

const struct ffmpeg_major *FFMPEG_ENTRY(void);

#if !FFMPEG_MODULE_IS_MAJOR

const struct ffmpeg_major *FFMPEG_ENTRY(void) { return NULL; }

#else

#include <dlfcn.h>
#include <string.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>

#if LIBAVUTIL_VERSION_INT < AV_VERSION_INT(57, 28, 100)
#error "FFmpeg 5.1 or newer is needed; without it build with the package trait FFmpeg turned off"
#endif

#include "numbers.h"

// X(library, function) for the functions that ffmpeg_functions has under the same name. The compiler compares the types.
#define SHARED(X)                                                                                                      \
    X(2, avformat_alloc_context)                                                                                       \
    X(2, avformat_open_input)                                                                                          \
    X(2, avformat_close_input)                                                                                         \
    X(2, avformat_find_stream_info)                                                                                    \
    X(2, avformat_index_get_entries_count)                                                                             \
    X(2, av_find_input_format)                                                                                         \
    X(2, av_read_frame)                                                                                                \
    X(2, av_seek_frame)                                                                                                \
    X(2, avio_close)                                                                                                   \
    X(2, avio_read)                                                                                                    \
    X(2, avio_read_partial)                                                                                            \
    X(2, avio_write)                                                                                                   \
    X(2, avio_flush)                                                                                                   \
    X(2, avio_seek)                                                                                                    \
    X(1, avcodec_free_context)                                                                                         \
    X(1, avcodec_send_packet)                                                                                          \
    X(1, avcodec_receive_frame)                                                                                        \
    X(1, avcodec_send_frame)                                                                                           \
    X(1, avcodec_receive_packet)                                                                                       \
    X(1, av_packet_alloc)                                                                                              \
    X(1, av_packet_free)                                                                                               \
    X(1, av_packet_unref)                                                                                              \
    X(0, av_frame_alloc)                                                                                               \
    X(0, av_frame_free)                                                                                                \
    X(0, av_frame_make_writable)                                                                                       \
    X(0, av_malloc)                                                                                                    \
    X(0, av_free)                                                                                                      \
    X(0, av_strerror)                                                                                                  \
    X(0, av_dict_set)                                                                                                  \
    X(0, av_dict_free)                                                                                                 \
    X(0, av_dict_copy)                                                                                                 \
    X(0, av_opt_get)

// The functions that only this module calls.
#define OWN(X)                                                                                                         \
    X(2, avformat_version)                                                                                             \
    X(2, avio_alloc_context)                                                                                           \
    X(2, avio_context_free)                                                                                            \
    X(2, avio_open2)                                                                                                   \
    X(1, avcodec_version)                                                                                              \
    X(1, avcodec_find_decoder)                                                                                         \
    X(1, avcodec_find_encoder_by_name)                                                                                 \
    X(1, avcodec_alloc_context3)                                                                                       \
    X(1, avcodec_open2)                                                                                                \
    X(1, avcodec_parameters_to_context)                                                                                \
    X(1, av_packet_get_side_data)                                                                                      \
    X(0, avutil_version)                                                                                               \
    X(0, av_dict_get)                                                                                                  \
    X(0, av_rescale_q)                                                                                                 \
    X(0, av_frame_get_buffer)                                                                                          \
    X(0, av_frame_get_side_data)

#define POINTER(library, function) __typeof__(&function) function;
static struct {
    OWN(POINTER)
} own;
#undef POINTER
// What ffmpeg_load gives out.
static struct ffmpeg_functions functions;

#include "fields.h"

// MARK: Loading

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static const struct ffmpeg_functions *load(int *culprit);

static const struct ffmpeg_major module = {
    .number = LIBAVCODEC_VERSION_MAJOR,
    .names =
        {
            "libavutil.so." TEXT(LIBAVUTIL_VERSION_MAJOR),
            "libavcodec.so." TEXT(LIBAVCODEC_VERSION_MAJOR),
            "libavformat.so." TEXT(LIBAVFORMAT_VERSION_MAJOR),
        },
    .load = load,
};

// Finds the functions; the number of the library that lacks one, or 3 if all are there.
static int find(void *const libraries[3])
{
#define FIND(library, function)                                                                                        \
    owner.function = (__typeof__(&function))dlsym(libraries[library], #function);                                      \
    if (!owner.function) return library;
#define owner own
    OWN(FIND)
#undef owner
#define owner functions
    SHARED(FIND)
#undef owner
#undef FIND
    return 3;
}

static void fill(void)
{
    functions.major = module.number;
#define FILL(function) functions.function = function;
    FILL(dictionary_value)
    FILL(dictionary_next)
    FILL(rescale)
    FILL(container)
    FILL(container_stream)
    FILL(container_program)
    FILL(container_set_io)
    FILL(container_set_network)
    FILL(container_opaque)
    FILL(stream)
    FILL(stream_discard)
    FILL(io_alloc)
    FILL(io_free)
    FILL(io_open)
    FILL(io)
    FILL(io_set_reader)
    FILL(packet)
    FILL(packet_lend)
    FILL(packet_skips)
    FILL(frame)
    FILL(frame_skips)
    FILL(frame_set)
    FILL(decoder_open)
    FILL(sound_decoder_open)
    FILL(decoder)
    FILL(encoder_open)
    FILL(encoder)
#undef FILL
}

static const struct ffmpeg_functions *load(int *culprit)
{
    void *already = dlopen(module.names[0], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (already) dlclose(already);

    // Never closed: codecs keep static tables, and a second load would cost as much as the first.
    void *libraries[3];
    for (*culprit = 0; *culprit < 3; ++*culprit) {
        libraries[*culprit] = dlopen(module.names[*culprit], RTLD_LAZY | RTLD_LOCAL);
        if (!libraries[*culprit]) return NULL;
        if (*culprit > 0 || already) continue;
        // The log level of a program that uses FFmpeg itself stays. Set before the other libraries are loaded: if one
        // of them fails, the next call finds libavutil loaded and does not know by whom.
        void (*set_level)(int) = (void (*)(int))dlsym(libraries[0], "av_log_set_level");
        if (set_level) set_level(AV_LOG_QUIET);
    }
    *culprit = find(libraries);
    if (*culprit < 3) return NULL;
    // Within a major version structures only grow: a library that is newer than the headers fits, an older one does not.
    if (own.avutil_version() < LIBAVUTIL_VERSION_INT) *culprit = 0;
    if (own.avcodec_version() < LIBAVCODEC_VERSION_INT) *culprit = 1;
    if (own.avformat_version() < LIBAVFORMAT_VERSION_INT) *culprit = 2;
    if (*culprit < 3) return NULL;
    fill();
    return &functions;
}

const struct ffmpeg_major *FFMPEG_ENTRY(void) { return &module; }

#endif

// Part of module.h: all that reads or writes fields of FFmpeg's structures.

// MARK: Dictionaries and times

static const char *dictionary_value(const AVDictionary *dictionary, const char *key)
{
    const AVDictionaryEntry *entry = own.av_dict_get(dictionary, key, NULL, 0);
    return entry ? entry->value : NULL;
}

static const void *dictionary_next(
    const AVDictionary *dictionary, const void *last, const char **key, const char **value)
{
    // The empty prefix: each entry, one after the other.
    const AVDictionaryEntry *entry = own.av_dict_get(dictionary, "", last, AV_DICT_IGNORE_SUFFIX);
    *key = entry ? entry->key : NULL;
    *value = entry ? entry->value : NULL;
    return entry;
}

static int64_t rescale(int64_t time, struct ffmpeg_rational from, struct ffmpeg_rational to)
{
    return own.av_rescale_q(time, (AVRational){from.num, from.den}, (AVRational){to.num, to.den});
}

static enum ffmpeg_codec codec_of(enum AVCodecID id)
{
    switch (id) {
#define CODEC(NAME)                                                                                                    \
    case AV_CODEC_ID_##NAME: return FFMPEG_CODEC_##NAME;
        FFMPEG_CODECS(CODEC)
#undef CODEC
    default: return FFMPEG_CODEC_OTHER;
    }
}

// MARK: Containers and streams

static struct ffmpeg_container container(const AVFormatContext *context)
{
    return (struct ffmpeg_container){
        .stream_count = context->nb_streams,
        .program_count = context->nb_programs,
        .duration = context->duration,
        .is_duration_estimated = context->duration_estimation_method == AVFMT_DURATION_FROM_BITRATE,
        .probe_score = context->probe_score,
        .format_name = context->iformat ? context->iformat->name : NULL,
        .io = context->pb,
        .metadata = context->metadata,
    };
}

static AVStream *container_stream(const AVFormatContext *context, unsigned index) { return context->streams[index]; }

static struct ffmpeg_program container_program(const AVFormatContext *context, unsigned index)
{
    const AVProgram *program = context->programs[index];
    return (struct ffmpeg_program){program->metadata, program->stream_index, program->nb_stream_indexes};
}

static void container_set_io(AVFormatContext *context, AVIOContext *io) { context->pb = io; }

static void container_set_network(AVFormatContext *context, const struct ffmpeg_network *network)
{
    context->interrupt_callback = (AVIOInterruptCB){network->interrupt.callback, network->interrupt.opaque};
    context->opaque = network->interrupt.opaque;
    context->io_open = network->open;
    context->io_close2 = network->close;
    context->probesize = network->probe_size;
    context->max_analyze_duration = network->analyze_duration;
    // MP3 is not read through for a seek.
    context->flags |= AVFMT_FLAG_FAST_SEEK;
}

static void *container_opaque(const AVFormatContext *context) { return context->opaque; }

static struct ffmpeg_stream stream(const AVStream *stream)
{
    return (struct ffmpeg_stream){
        .index = stream->index,
        .id = stream->id,
        .time_base = {stream->time_base.num, stream->time_base.den},
        .start_time = stream->start_time,
        .duration = stream->duration,
        .is_audio = stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO,
        .is_attached_picture = (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0,
        .codec = codec_of(stream->codecpar->codec_id),
        .metadata = stream->metadata,
        .picture = stream->attached_pic.data,
        .picture_size = stream->attached_pic.size,
    };
}

static void stream_discard(AVStream *stream) { stream->discard = AVDISCARD_ALL; }

// MARK: Bytes

static AVIOContext *io_alloc(
    unsigned char *buffer, int size, void *opaque, ffmpeg_reader read, int64_t (*seek)(void *, int64_t, int))
{
    return own.avio_alloc_context(buffer, size, 0, opaque, read, NULL, seek);
}

static void io_free(AVIOContext **context)
{
    if (!*context) return;
    functions.av_free((*context)->buffer);
    own.avio_context_free(context);
}

static int io_open(
    AVIOContext **context, const char *url, int flags, struct ffmpeg_interrupt interrupt, AVDictionary **options)
{
    AVIOInterruptCB callback = {interrupt.callback, interrupt.opaque};
    return own.avio_open2(context, url, flags, &callback, options);
}

static struct ffmpeg_io io(const AVIOContext *context)
{
    return (struct ffmpeg_io){
        .opaque = context->opaque,
        .read_packet = context->read_packet,
        .pos = context->pos,
        .bytes_read = context->bytes_read,
        .is_seekable = (context->seekable & AVIO_SEEKABLE_NORMAL) != 0,
    };
}

static void io_set_reader(AVIOContext *context, ffmpeg_reader reader) { context->read_packet = reader; }

// MARK: Packets and frames

static struct ffmpeg_packet packet(const AVPacket *packet)
{
    return (struct ffmpeg_packet){
        .data = packet->data,
        .size = packet->size,
        .stream_index = packet->stream_index,
        .pts = packet->pts,
        .dts = packet->dts,
        .pos = packet->pos,
    };
}

static void packet_lend(AVPacket *packet, const uint8_t *data, int size)
{
    // Without a buffer of its own, so that whoever keeps the packet copies it.
    packet->data = (uint8_t *)data;
    packet->size = size;
}

static struct ffmpeg_bytes packet_skips(const AVPacket *packet)
{
    struct ffmpeg_bytes skips = {NULL, 0};
    skips.data = own.av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &skips.size);
    return skips;
}

static enum AVSampleFormat format_of(enum ffmpeg_samples samples)
{
    switch (samples) {
#define SAMPLES(NAME)                                                                                                  \
    case FFMPEG_SAMPLES_##NAME: return AV_SAMPLE_FMT_##NAME;
        FFMPEG_SAMPLES(SAMPLES)
#undef SAMPLES
    default: return AV_SAMPLE_FMT_NONE;
    }
}

static enum ffmpeg_samples samples_of(int format)
{
    switch (format) {
#define SAMPLES(NAME)                                                                                                  \
    case AV_SAMPLE_FMT_##NAME: return FFMPEG_SAMPLES_##NAME;
        FFMPEG_SAMPLES(SAMPLES)
#undef SAMPLES
    default: return FFMPEG_SAMPLES_OTHER;
    }
}

static struct ffmpeg_frame frame(const AVFrame *frame)
{
    return (struct ffmpeg_frame){
        .sample_rate = frame->sample_rate,
        .channels = frame->ch_layout.nb_channels,
        .channel_mask = frame->ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? frame->ch_layout.u.mask : 0,
        .samples = samples_of(frame->format),
        .frames = frame->nb_samples,
        .pts = frame->pts,
        .best_effort_timestamp = frame->best_effort_timestamp,
        .is_damaged = frame->decode_error_flags != 0,
        .planes = frame->extended_data,
    };
}

static struct ffmpeg_bytes frame_skips(const AVFrame *frame)
{
    const AVFrameSideData *skips = own.av_frame_get_side_data(frame, AV_FRAME_DATA_SKIP_SAMPLES);
    return (struct ffmpeg_bytes){skips ? skips->data : NULL, skips ? skips->size : 0};
}

static void frame_set(AVFrame *frame, int frames, int64_t pts)
{
    frame->nb_samples = frames;
    frame->pts = pts;
}

// MARK: Codecs

static int decoder_open(const AVStream *stream, bool skips_manually, AVCodecContext **decoder)
{
    const AVCodec *codec = own.avcodec_find_decoder(stream->codecpar->codec_id);
    if (!codec) return AVERROR_DECODER_NOT_FOUND;
    AVCodecContext *context = *decoder = own.avcodec_alloc_context3(codec);
    if (!context) return AVERROR(ENOMEM);
    int status = own.avcodec_parameters_to_context(context, stream->codecpar);
    if (status < 0) return status;
    context->pkt_timebase = stream->time_base;
    context->thread_count = 1;
    if (skips_manually) context->flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL;
    return own.avcodec_open2(context, codec, NULL);
}

static enum AVCodecID id_of(enum ffmpeg_codec codec)
{
    switch (codec) {
#define CODEC(NAME)                                                                                                    \
    case FFMPEG_CODEC_##NAME: return AV_CODEC_ID_##NAME;
        FFMPEG_CODECS(CODEC)
#undef CODEC
    default: return AV_CODEC_ID_NONE;
    }
}

static int sound_decoder_open(const struct ffmpeg_sound *sound, AVCodecContext **decoder)
{
    const AVCodec *codec = own.avcodec_find_decoder(id_of(sound->codec));
    if (!codec) return AVERROR_DECODER_NOT_FOUND;
    AVCodecContext *context = *decoder = own.avcodec_alloc_context3(codec);
    if (!context) return AVERROR(ENOMEM);
    context->sample_rate = sound->sample_rate;
    context->ch_layout = (AVChannelLayout){.order = AV_CHANNEL_ORDER_UNSPEC, .nb_channels = sound->channels};
    context->block_align = sound->bytes_per_packet;
    context->thread_count = 1;
    size_t size = sound->configuration.size;
    if (size > 0) {
        // The context frees it.
        context->extradata = functions.av_malloc(size + AV_INPUT_BUFFER_PADDING_SIZE);
        if (!context->extradata) return AVERROR(ENOMEM);
        memcpy(context->extradata, sound->configuration.data, size);
        memset(context->extradata + size, 0, AV_INPUT_BUFFER_PADDING_SIZE);
        context->extradata_size = (int)size;
    }
    return own.avcodec_open2(context, codec, NULL);
}

static struct ffmpeg_decoder decoder(const AVCodecContext *context)
{
    return (struct ffmpeg_decoder){
        .bits_per_sample = context->bits_per_raw_sample,
        .sample_rate = context->sample_rate,
        .channels = context->ch_layout.nb_channels,
    };
}

static AVChannelLayout layout_of(const struct ffmpeg_request *request)
{
    return (AVChannelLayout){
        .order = AV_CHANNEL_ORDER_NATIVE, .nb_channels = request->channels, .u = {.mask = request->channel_mask}};
}

static bool encoder_open(const struct ffmpeg_request *request, AVCodecContext **encoder, AVFrame **block)
{
    const AVCodec *codec = own.avcodec_find_encoder_by_name(request->name);
    AVCodecContext *context = *encoder = codec ? own.avcodec_alloc_context3(codec) : NULL;
    if (!context) return false;
    context->sample_rate = request->sample_rate;
    context->sample_fmt = format_of(request->samples);
    context->time_base = (AVRational){1, request->sample_rate};
    context->bits_per_raw_sample = request->bits_per_sample;
    // The decoder's configuration belongs into the file's header, not into the packets.
    context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    context->thread_count = 1;
    context->ch_layout = layout_of(request);
    if (request->quality > 0) {
        context->flags |= AV_CODEC_FLAG_QSCALE;
        context->global_quality = (int)(request->quality * FF_QP2LAMBDA);
    } else if (request->bit_rate > 0) {
        context->bit_rate = request->bit_rate;
    }
    if (own.avcodec_open2(context, codec, NULL) < 0 || context->frame_size <= 0) return false;
    AVFrame *frame = *block = functions.av_frame_alloc();
    if (!frame) return false;
    frame->format = context->sample_fmt;
    frame->nb_samples = context->frame_size;
    frame->sample_rate = request->sample_rate;
    frame->ch_layout = layout_of(request);
    return own.av_frame_get_buffer(frame, 0) >= 0;
}

static struct ffmpeg_encoder encoder(const AVCodecContext *context)
{
    return (struct ffmpeg_encoder){
        .block_frames = context->frame_size,
        .priming = context->initial_padding,
        .configuration =
            {context->extradata, context->extradata_size > 0 ? (size_t)context->extradata_size : 0},
    };
}

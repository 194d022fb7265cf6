#include "distant.h"

#include <spa/param/audio/format-utils.h>
#include <spa/param/latency-utils.h>
#include <string.h>

#include "output.h"

enum { FRAME_BYTES = 2 * sizeof(float) };

static void on_process(void *data) {
    struct distant *distant = data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(distant->stream);
    if (!buffer) return;
    struct spa_data *bytes = &buffer->buffer->datas[0];
    if (distant->is_source && bytes->data) {
        uint32_t most = bytes->maxsize / FRAME_BYTES;
        uint32_t frames = buffer->requested ? SPA_MIN((uint32_t)buffer->requested, most) : SPA_MIN(1024u, most);
        memset(bytes->data, 0, frames * FRAME_BYTES);
        *bytes->chunk = (struct spa_chunk){.size = frames * FRAME_BYTES, .stride = FRAME_BYTES};
    }
    pw_stream_queue_buffer(distant->stream, buffer);
}

static void on_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    (void)old;
    struct distant *distant = data;
    if (state == PW_STREAM_STATE_PAUSED && old == PW_STREAM_STATE_CONNECTING) {
        say("distant id=%u", pw_stream_get_node_id(distant->stream));
    }
    if (state == PW_STREAM_STATE_ERROR) say("error %s", error);
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS,
    .process = on_process,
    .state_changed = on_state,
};

bool distant_start(
    struct distant *distant, struct pw_loop *loop, bool is_source, const char *name, int milliseconds) {
    *distant = (struct distant){.is_source = is_source};
    struct pw_properties *properties = pw_properties_new(
        "media.class", is_source ? "Audio/Source" : "Audio/Sink", "node.name", name, "node.description", name, NULL);
    if (!properties) return false;
    distant->stream = pw_stream_new_simple(loop, name, properties, &events, distant);
    if (!distant->stream) return false;
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_audio_info_raw format = SPA_AUDIO_INFO_RAW_INIT(
        .format = SPA_AUDIO_FORMAT_F32, .channels = 2, .rate = 48000,
        .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR});
    const struct spa_pod *formats[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &format)};
    enum pw_direction direction = is_source ? PW_DIRECTION_OUTPUT : PW_DIRECTION_INPUT;
    if (pw_stream_connect(distant->stream, direction, PW_ID_ANY, PW_STREAM_FLAG_MAP_BUFFERS, formats, 1) < 0) {
        return false;
    }
    uint64_t nanoseconds = (uint64_t)milliseconds * SPA_NSEC_PER_MSEC;
    struct spa_latency_info latency =
        SPA_LATENCY_INFO((enum spa_direction)direction, .min_ns = nanoseconds, .max_ns = nanoseconds);
    const struct spa_pod *latencies[] = {spa_latency_build(&builder, SPA_PARAM_Latency, &latency)};
    return pw_stream_update_params(distant->stream, latencies, 1) >= 0;
}

void distant_stop(struct distant *distant) {
    if (distant->stream) pw_stream_destroy(distant->stream);
    distant->stream = NULL;
}

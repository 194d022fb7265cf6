// A program with a session whose stream is another library's: a tone of 440 Hz by SDL 2, OpenAL or GStreamer, chosen by
// -DWITH_SDL, -DWITH_OPENAL or -DWITH_GSTREAMER. With the argument "export" the stream has the session's properties, by
// the environment. The program activates its session again after an interruption; a signal ends it.
#include <avaudiosession.h>

#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 48000 };

static float tone(unsigned long frame) { return (float)(0.35 * sin(2 * M_PI * 440 * (double)(frame % RATE) / RATE)); }

#if defined WITH_SDL
#include <SDL.h>

static void render(void *unused, Uint8 *bytes, int length) {
    static unsigned long frame;
    float *samples = (float *)bytes;
    (void)unused;
    for (int i = 0; i < length / (int)sizeof *samples; i++) samples[i] = tone(frame++);
}

static int begin(void) {
    SDL_AudioSpec wanted = {.freq = RATE, .format = AUDIO_F32SYS, .channels = 1, .samples = 1024, .callback = render};
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    if (SDL_Init(SDL_INIT_AUDIO) < 0) return -1;
    SDL_AudioDeviceID device = SDL_OpenAudioDevice(NULL, 0, &wanted, NULL, 0);
    SDL_PauseAudioDevice(device, 0);
    return device == 0 ? -1 : 0;
}
#elif defined WITH_OPENAL
#include <AL/al.h>
#include <AL/alc.h>

static int begin(void) {
    static int16_t samples[RATE];
    ALCdevice *device = alcOpenDevice(NULL);
    ALuint buffer, source;
    if (!device || !alcMakeContextCurrent(alcCreateContext(device, NULL))) return -1;
    for (int i = 0; i < RATE; i++) samples[i] = (int16_t)(32767 * tone(i));
    alGenBuffers(1, &buffer);
    alBufferData(buffer, AL_FORMAT_MONO16, samples, sizeof samples, RATE);
    alGenSources(1, &source);
    alSourcei(source, AL_BUFFER, (ALint)buffer);
    alSourcei(source, AL_LOOPING, AL_TRUE);
    alSourcePlay(source);
    return alGetError() == AL_NO_ERROR ? 0 : -1;
}
#else
#include <gst/gst.h>

static int begin(void) {
    gst_init(NULL, NULL);
    GstElement *pipeline = gst_parse_launch("audiotestsrc freq=440 volume=0.35 ! pulsesink", NULL);
    (void)tone;
    return pipeline && gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE ? 0 : -1;
}
#endif

static void handle(const avas_event *event, void *session) {
    int type = avas_event_get_type(event);
    if (type == AVAS_EVENT_INTERRUPTION_BEGAN) printf("interrupted, reason %d\n", avas_event_get_reason(event));
    if (type == AVAS_EVENT_INTERRUPTION_ENDED) avas_session_activate_async(session, 0, 1);
    if (type == AVAS_EVENT_REPLY) printf("active %d\n", avas_event_get_error(event));
    fflush(stdout);
}

int main(int count, char **arguments) {
    avas_session *session;
    int exports = count == 2 && !strcmp(arguments[1], "export");
    if (avas_session_open(&session) < 0 || avas_session_set_type(session, "playback") < 0
        || (exports && avas_session_export_environment(session) < 0) || avas_session_activate(session, 0) < 0
        || begin() < 0) {
        fprintf(stderr, "streams: %s\n", avas_error_message());
        return 1;
    }
    struct pollfd events = {avas_session_get_fd(session), POLLIN, 0};
    while (poll(&events, 1, -1) > 0) avas_session_dispatch(session, handle, session);
    return 1;
}

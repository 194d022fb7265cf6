/*
 * sdl-game: a game loop with SDL 2 whose music makes room for other players, and which pauses on unplug.
 *
 *     cc main.c -o sdl-game $(pkg-config --cflags --libs sdl2 avaudiosession) -lm
 *     ./sdl-game
 *
 * A ball bounces. Each bounce is a click, and music plays. While another program plays its main sound, the music is off
 * and the clicks stay. When the output is unplugged the game pauses until the space key. During a call it is silent.
 *
 * SDL's stream belongs to the session without a word, as it is of the same process; in a Flatpak by its properties.
 */
#include <avaudiosession.h>

#include <SDL.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RATE = 48000, WIDTH = 640, HEIGHT = 360, SIZE = 24 };

/* What the sound thread reads. */
static SDL_atomic_t music_is_on, clicks;

static struct {
    avas_session *session;
    SDL_AudioDeviceID device;
    int is_interrupted, is_paused;
    /* Whether another program's main sound is heard, which the music is not to cover. */
    int others_play;
} game;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "sdl-game: %s: %s\n", what, why);
    exit(1);
}

/* Tells what happens on the terminal as well, line by line. */
static void say(const char *text, const char *who) {
    printf("%s%s\n", text, who ? who : "");
    fflush(stdout);
}

/* ------------------------------------------------------------------------------------------------ Sound */

/* SDL calls this on its sound thread: two deep tones and a melody as the music, and the clicks. */
static void render(void *unused, Uint8 *bytes, int length) {
    static const double melody[] = {440, 550, 660, 880};
    static double gain, click;
    static unsigned long frame;
    float *samples = (float *)bytes;
    int i, count = length / (int)sizeof *samples;

    (void)unused;
    if (SDL_AtomicSet(&clicks, 0) > 0) click = 0.25;
    for (i = 0; i < count; i++, frame++) {
        double time = (double)(frame % (RATE * 60UL)) / RATE, wanted = SDL_AtomicGet(&music_is_on) ? 1 : 0;
        double music = 0.2 * sin(2 * M_PI * 220 * time) + 0.1 * sin(2 * M_PI * 330 * time);
        music += 0.08 * sin(2 * M_PI * melody[frame / (RATE / 2) % 4] * time);
        gain += (wanted - gain) / (0.1 * RATE); /* no click of its own */
        samples[i] = (float)(gain * music + click * sin(2 * M_PI * 1760 * time));
        click *= 0.9985;
    }
}

/* Plays if the game runs. The stream is opened anew where the device of the last one is gone. */
static void update_sound(void) {
    int runs = !game.is_paused && !game.is_interrupted;
    int is_on = runs && !game.others_play;

    if (runs && game.device == 0) {
        SDL_AudioSpec wanted = {0};
        wanted.freq = RATE;
        wanted.format = AUDIO_F32SYS;
        wanted.channels = 1;
        wanted.samples = 1024;
        wanted.callback = render;
        game.device = SDL_OpenAudioDevice(NULL, 0, &wanted, NULL, 0);
        if (game.device == 0) say("no sound: ", SDL_GetError());
    }
    if (SDL_AtomicSet(&music_is_on, is_on) != is_on) say(is_on ? "music on" : "music off", NULL);
    if (game.device != 0) SDL_PauseAudioDevice(game.device, !runs);
}

static void close_sound(void) {
    if (game.device != 0) SDL_CloseAudioDevice(game.device);
    game.device = 0;
}

/* ------------------------------------------------------------------------------------------------ The session */

static void handle(const avas_event *event, void *unused) {
    (void)unused;
    switch (avas_event_get_type(event)) {
    case AVAS_EVENT_SILENCE_SECONDARY:
        game.others_play = avas_event_get_flag(event);
        break;
    case AVAS_EVENT_ROUTE_CHANGED: /* The headphones are gone: not from the speakers, unless the player wants to. */
        if (avas_event_get_reason(event) != AVAS_ROUTE_OLD_DEVICE_UNAVAILABLE) break;
        game.is_paused = 1;
        say("paused: the output is gone", NULL);
        break;
    case AVAS_EVENT_INTERRUPTION_BEGAN:
        game.is_interrupted = 1;
        say("interrupted by ", avas_event_get_application(event) ? avas_event_get_application(event) : "somebody");
        break;
    case AVAS_EVENT_INTERRUPTION_ENDED:
    case AVAS_EVENT_MAY_RETRY:
        avas_session_activate_async(game.session, 0, 1); /* A game must not wait in its loop. */
        break;
    case AVAS_EVENT_SERVER_LOST:
        close_sound();
        game.is_interrupted = 1;
        break;
    case AVAS_EVENT_SERVER_BACK: /* With the settings of a new session. */
        avas_session_set_type(game.session, "ambient");
        avas_session_activate_async(game.session, 0, 1);
        break;
    case AVAS_EVENT_REPLY:
        /* Without a server the game goes on in silence; a call is waited for (AVAS_EVENT_MAY_RETRY). */
        game.is_interrupted = avas_event_get_error(event) == AVAS_ERROR_CALL;
        if (avas_event_get_error(event) < 0) {
            say("not active: ", avas_event_get_error_message(event));
            break;
        }
        game.others_play = avas_session_should_silence_secondary(game.session) == 1; /* changes are events */
        say("active", NULL);
        break;
    default:
        return; /* New types will come. */
    }
    update_sound();
}

static void open_session(void) {
    if (avas_set_application("org.example.Bounce", "Bounce", "applications-games") < 0
        || avas_session_open(&game.session) < 0 || avas_session_set_type(game.session, "ambient") < 0)
        fail("no session", avas_error_message());
    /* The stream's properties, before SDL connects: in a sandbox they are how the session knows it. An error is that
     * there is no server, and then there is no stream either. */
    avas_session_export_environment(game.session);
    game.is_interrupted = 1; /* until the reply */
    avas_session_activate_async(game.session, 0, 1);
}

/* ------------------------------------------------------------------------------------------------ The game */

static void draw(SDL_Renderer *renderer, double x, double y) {
    SDL_Rect ball = {(int)x, (int)y, SIZE, SIZE};
    int i;

    SDL_SetRenderDrawColor(renderer, 24, 28, 40, 255);
    SDL_RenderClear(renderer);
    for (i = 0; i < 16; i++) { /* the music, as bars that move */
        double height = 6 + (SDL_AtomicGet(&music_is_on) ? 50 * fabs(sin(SDL_GetTicks() / 300.0 + i)) : 0);
        SDL_Rect bar = {i * WIDTH / 16 + 6, HEIGHT - (int)height, WIDTH / 16 - 12, (int)height};
        SDL_SetRenderDrawColor(renderer, 70, 120, 200, 255);
        SDL_RenderFillRect(renderer, &bar);
    }
    SDL_SetRenderDrawColor(renderer, 250, 200, 60, 255);
    SDL_RenderFillRect(renderer, &ball);
    if (game.is_paused || game.is_interrupted) {
        SDL_Rect left = {WIDTH / 2 - 36, HEIGHT / 2 - 40, 24, 80}, right = {WIDTH / 2 + 12, HEIGHT / 2 - 40, 24, 80};
        SDL_SetRenderDrawColor(renderer, 255, 255, 255, 255);
        SDL_RenderFillRect(renderer, &left);
        SDL_RenderFillRect(renderer, &right);
    }
    SDL_RenderPresent(renderer);
}

/* Takes what the player and the devices do; returns whether the game is to end. */
static int take_input(void) {
    SDL_Event input;
    while (SDL_PollEvent(&input)) {
        if (input.type == SDL_QUIT) return 1; /* Ctrl-C and SIGTERM too */
        if (input.type == SDL_KEYDOWN && input.key.keysym.sym == SDLK_SPACE) {
            game.is_paused = !game.is_paused;
            say(game.is_paused ? "paused" : "goes on", NULL);
            update_sound();
        }
        /* The server ended the stream with its device. The event of the session comes as well. */
        if (input.type == SDL_AUDIODEVICEREMOVED && !input.adevice.iscapture && input.adevice.which == game.device)
            close_sound();
    }
    return 0;
}

static void play(SDL_Renderer *renderer) {
    double x = 100, y = 100, along = 4, down = 3;
    while (!take_input()) {
        avas_session_dispatch(game.session, handle, NULL); /* returns at once */
        if (!game.is_paused && !game.is_interrupted) {
            x += along;
            y += down;
            if (x < 0 || x > WIDTH - SIZE) along = x < 0 ? 4 : -4, SDL_AtomicSet(&clicks, 1);
            if (y < 0 || y > HEIGHT - SIZE) down = y < 0 ? 3 : -3, SDL_AtomicSet(&clicks, 1);
        }
        draw(renderer, x, y);
        SDL_Delay(16);
    }
}

int main(int argc, char **argv) {
    SDL_Window *window;
    SDL_Renderer *renderer;

    (void)argv;
    if (argc != 1) {
        fprintf(stderr, "usage: sdl-game\n");
        return 64;
    }
    open_session();
    if (SDL_Init(SDL_INIT_VIDEO | SDL_INIT_AUDIO) < 0) fail("SDL", SDL_GetError());
    window = SDL_CreateWindow("Bounce", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT, 0);
    renderer = window ? SDL_CreateRenderer(window, -1, 0) : NULL;
    if (!renderer) fail("SDL", SDL_GetError());
    play(renderer);
    close_sound();
    avas_session_deactivate(game.session, AVAS_NOTIFY_OTHERS);
    avas_session_close(game.session);
    SDL_Quit();
    return 0;
}

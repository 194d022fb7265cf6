// fake-card: a sound card without hardware, for tests of what happens when headphones are plugged in.
//
// It is a client of a PipeWire server, and shows it a card with profiles and ports as the plug-ins for ALSA and
// Bluetooth do, so that the session manager and the PulseAudio server cannot tell the difference: they choose ports and
// profiles, restore volumes, and tell their clients. The card itself lives in this process; its sinks and sources are
// null sinks in the server. All of it goes with this process, however that ends. Several processes make several cards.
//
// Written for PipeWire 0.3.65 with WirePlumber 0.4.13.
//
// Usage: fake-card pci|hdmi|usb|bt|phone [INSTANCE]
//
//        fake-card sink|source NAME MILLISECONDS
//
// The second form shows a single sink or source without a card, whose sound takes so long, and knows no commands; it
// says "distant id=N" when the server has it.
//
// INSTANCE is a part of the names of the card and its nodes, so that two cards of a model can be told apart.
//
// Commands on standard input, one a line; its end ends the program:
//
//   avail PORT=yes|no|unknown...  Changes the availability of ports, of all those named in one go.
//   jack in|out                   The same for the ports that a headset's plug makes available and unavailable.
//   profile NAME                  Changes the profile, as the card would by itself.
//   route PORT                    Selects a port of the profile, likewise.
//   unplug, plug                  Takes the card away, and brings it back.
//   show                          Says how things are.
//   quit                          Ends.
//
// Each line of standard output begins with the time in milliseconds of CLOCK_MONOTONIC. A command's last line is
// "done COMMAND", or "error TEXT" if nothing was done. In between, and without being asked, it says what happens:
//
//   card NAME id=N ready profile=NAME nodes=N       The server has the card, and will have as many nodes.
//   node id=N dev=N bound name=NAME                 The server has a node.
//   profile NAME -> NAME save=0|1 nodes=N           The profile has changed, here or by the server's wish.
//   route dev=N PORT -> PORT save=0|1               A port was selected, likewise.
//   port PORT available=yes|no|unknown              A port's availability has changed.
//   unplugged                                       The card is gone.
//   server error id=N res=N TEXT                    The server complains.
//
// "show" answers with "port PORT yes|no|unknown", "dev N active=PORT vol=VOLUME mute=0|1" (linear) and "profile NAME".

#include <errno.h>
#include <pipewire/pipewire.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "device.h"
#include "distant.h"
#include "output.h"

struct program {
    struct pw_main_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct spa_hook core_listener;
    struct card card;
    struct commands commands;
    int status;
};

static void on_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    struct program *program = data;
    say("server error id=%u res=%d %s", id, result, message);
    if (id != PW_ID_CORE || result != -EPIPE) return;
    // The server is gone.
    program->status = EX_UNAVAILABLE;
    pw_main_loop_quit(program->loop);
}

static void on_signal(void *data, int number) {
    (void)number;
    struct program *program = data;
    pw_main_loop_quit(program->loop);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = on_error};

static bool start(struct program *program) {
    program->loop = pw_main_loop_new(NULL);
    if (!program->loop) return false;
    struct pw_loop *loop = pw_main_loop_get_loop(program->loop);
    pw_loop_add_signal(loop, SIGINT, on_signal, program);
    pw_loop_add_signal(loop, SIGTERM, on_signal, program);
    program->context = pw_context_new(loop, NULL, 0);
    if (!program->context) return false;
    program->core = pw_context_connect(program->context, NULL, 0);
    if (!program->core) return false;
    pw_core_add_listener(program->core, &program->core_listener, &core_events, program);
    device_init(&program->card, program->core);
    return device_plug(&program->card) && commands_start(&program->commands, &program->card, program->loop);
}

static void stop(struct program *program) {
    device_unplug(&program->card);
    if (program->context) pw_context_destroy(program->context);
    if (program->loop) pw_main_loop_destroy(program->loop);
    pw_deinit();
}

/// The second form of the program.
static int run_distant(bool is_source, const char *name, int milliseconds) {
    struct distant distant;
    struct pw_main_loop *loop = pw_main_loop_new(NULL);
    bool is_there = loop && distant_start(&distant, pw_main_loop_get_loop(loop), is_source, name, milliseconds);
    if (is_there) {
        pw_main_loop_run(loop);
        distant_stop(&distant);
    } else {
        fprintf(stderr, "no %s: %m\n", name);
    }
    if (loop) pw_main_loop_destroy(loop);
    pw_deinit();
    return is_there ? 0 : EX_UNAVAILABLE;
}

int main(int argc, char **argv) {
    static struct program program;
    if (argc == 4 && (strcmp(argv[1], "sink") == 0 || strcmp(argv[1], "source") == 0)) {
        pw_init(NULL, NULL);
        return run_distant(strcmp(argv[1], "source") == 0, argv[2], atoi(argv[3]));
    }
    const struct card_model *model = argc == 2 || argc == 3 ? model_find(argv[1]) : NULL;
    if (!model) {
        fprintf(stderr, "usage: %s pci|hdmi|usb|bt|phone [INSTANCE], or sink|source NAME MILLISECONDS\n", argv[0]);
        return EX_USAGE;
    }
    if (!card_init(&program.card, model, argc == 3 ? argv[2] : model->instance)) {
        fprintf(stderr, "%s: the name of the instance is too long\n", argv[0]);
        return EX_USAGE;
    }
    pw_init(&argc, &argv);
    if (start(&program)) {
        pw_main_loop_run(program.loop);
    } else {
        fprintf(stderr, "%s: no card: %m\n", argv[0]);
        program.status = EX_UNAVAILABLE;
    }
    stop(&program);
    return program.status;
}

#include "commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "output.h"

static const char blanks[] = " \t\r";

// MARK: The commands

// Each returns whether it was done; if not, it has said why.

static bool set_jack(struct commands *commands, char *argument) {
    struct card *card = commands->card;
    bool is_in = strcmp(argument, "in") == 0;
    if (!is_in && strcmp(argument, "out") != 0) {
        say("error the jack is in or out, not %s", argument);
        return false;
    }
    const struct jack_effect *effects = card->model->jack;
    if (!effects[0].port) {
        say("error the card has no jack");
        return false;
    }
    enum spa_param_availability wanted[MAX_PORTS];
    memcpy(wanted, card->availability, sizeof wanted);
    for (int i = 0; i < MAX_PORTS && effects[i].port; i++) {
        int port = card_find_port(card, effects[i].port);
        if (port >= 0) wanted[port] = is_in ? effects[i].plugged : effects[i].unplugged;
    }
    device_set_availability(card, wanted);
    return true;
}

/// Takes "PORT=VALUE" from the front of a text and returns what follows; NULL if that is wrong.
static char *read_availability(const struct card *card, char *text, enum spa_param_availability *wanted) {
    char *value = strchr(text, '=');
    if (!value) {
        say("error no availability for %s", text);
        return NULL;
    }
    // A port's name may have blanks in it, a value has none.
    *value++ = '\0';
    char *rest = value + strcspn(value, blanks);
    if (*rest) *rest++ = '\0';
    int port = card_find_port(card, text);
    if (port < 0) {
        say("error no port %s", text);
        return NULL;
    }
    if (!availability_read(value, &wanted[port])) {
        say("error a port is available yes, no or unknown, not %s", value);
        return NULL;
    }
    return rest + strspn(rest, blanks);
}

static bool set_availability(struct commands *commands, char *argument) {
    struct card *card = commands->card;
    enum spa_param_availability wanted[MAX_PORTS];
    memcpy(wanted, card->availability, sizeof wanted);
    while (*argument) {
        argument = read_availability(card, argument, wanted);
        if (!argument) return false;
    }
    device_set_availability(card, wanted);
    return true;
}

static bool is_plugged(const struct card *card) {
    if (!card->proxy) say("error the card is unplugged");
    return card->proxy != NULL;
}

static bool set_profile(struct commands *commands, char *argument) {
    if (!is_plugged(commands->card)) return false;
    int profile = card_find_profile(commands->card, argument);
    if (profile < 0) {
        say("error no profile %s", argument);
        return false;
    }
    device_set_profile(commands->card, profile, false);
    return true;
}

static bool set_port(struct commands *commands, char *argument) {
    struct card *card = commands->card;
    if (!is_plugged(card)) return false;
    int port = card_find_port(card, argument);
    if (port < 0) {
        say("error no port %s", argument);
        return false;
    }
    int device = card->model->ports[port].device;
    if (!card_port_fits(card, port, device)) {
        say("error the profile has no port %s", argument);
        return false;
    }
    // Saved, as a user's choice is: the session manager would replace another by what it remembers.
    device_set_port(card, device, port, true);
    return true;
}

static bool unplug(struct commands *commands, char *argument) {
    (void)argument;
    if (!is_plugged(commands->card)) return false;
    device_unplug(commands->card);
    say("unplugged");
    return true;
}

static bool plug(struct commands *commands, char *argument) {
    (void)argument;
    if (commands->card->proxy) {
        say("error the card is plugged in");
        return false;
    }
    bool is_done = device_plug(commands->card);
    if (!is_done) say("error the card cannot be exported: %m");
    return is_done;
}

static bool show(struct commands *commands, char *argument) {
    (void)argument;
    const struct card *card = commands->card;
    const struct port_model *ports = card->model->ports;
    for (int port = 0; port < card->port_count; port++) {
        say("port %s %s", ports[port].name, availability_name(card->availability[port]));
    }
    for (int device = 0; device < MAX_DEVICES; device++) {
        const struct route *route = &card->routes[device];
        if (route->port == NO_PORT) continue;
        say("dev %d active=%s vol=%.4f mute=%d", device, ports[route->port].name, route->volumes[0], route->is_muted);
    }
    say("profile %s", card->model->profiles[card->profile].name);
    return true;
}

static bool quit(struct commands *commands, char *argument) {
    (void)argument;
    pw_main_loop_quit(commands->loop);
    return true;
}

static const struct command {
    const char *name;
    /// What follows the name; NULL for nothing.
    const char *argument;
    bool (*run)(struct commands *commands, char *argument);
} all_commands[] = {
    {"jack", "in|out", set_jack},
    {"avail", "PORT=yes|no|unknown...", set_availability},
    {"profile", "NAME", set_profile},
    {"route", "PORT", set_port},
    {"unplug", NULL, unplug},
    {"plug", NULL, plug},
    {"show", NULL, show},
    {"quit", NULL, quit},
};

// MARK: Reading lines

/// Ends a text before the blanks at its end, and returns where those at its front end.
static char *trimmed(char *text) {
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1])) length--;
    text[length] = '\0';
    return text;
}

static void run_line(struct commands *commands, char *line) {
    char *name = trimmed(line);
    if (!*name) return;
    char *argument = name + strcspn(name, blanks);
    if (*argument) *argument++ = '\0';
    argument += strspn(argument, blanks);
    for (size_t i = 0; i < SPA_N_ELEMENTS(all_commands); i++) {
        const struct command *command = &all_commands[i];
        if (strcmp(command->name, name) != 0) continue;
        if ((command->argument != NULL) != (*argument != '\0')) {
            say("error usage: %s %s", name, command->argument ? command->argument : "");
        } else if (command->run(commands, argument)) {
            say("done %s", name);
        }
        return;
    }
    say("error no command %s", name);
}

static void run_complete_lines(struct commands *commands) {
    char *line = commands->buffer;
    size_t left = commands->length;
    char *end;
    while ((end = memchr(line, '\n', left))) {
        *end = '\0';
        if (!commands->is_skipping) run_line(commands, line);
        commands->is_skipping = false;
        left -= (size_t)(end + 1 - line);
        line = end + 1;
    }
    memmove(commands->buffer, line, left);
    commands->length = left;
}

static void on_input(void *data, int fd, uint32_t mask) {
    (void)mask;
    struct commands *commands = data;
    ssize_t count = read(fd, commands->buffer + commands->length, sizeof commands->buffer - commands->length);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) {
        pw_main_loop_quit(commands->loop);
        return;
    }
    commands->length += (size_t)count;
    run_complete_lines(commands);
    if (commands->length == sizeof commands->buffer) {
        if (!commands->is_skipping) say("error a line is too long");
        commands->is_skipping = true;
        commands->length = 0;
    }
}

bool commands_start(struct commands *commands, struct card *card, struct pw_main_loop *loop) {
    *commands = (struct commands){.card = card, .loop = loop};
    return pw_loop_add_io(pw_main_loop_get_loop(loop), STDIN_FILENO, SPA_IO_IN, false, on_input, commands) != NULL;
}

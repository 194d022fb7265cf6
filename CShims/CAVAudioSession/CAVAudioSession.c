// The part of avaudiosession.h that needs no session: errors, the version, memory.
#include "avaudiosession_shims.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

extern char **environ;

static __thread int failure;
static __thread char message[400];
/// Whether this process is a child, made with fork() by one that has opened the session.
static atomic_bool forked;

/// Names and Apple's numbers, by the negated code.
static const struct {
    const char *name;
    int32_t status;
} errors[] = {
    {"AVAS_OK", 0},
    {"AVAS_ERROR_ARGUMENT", -50},
    {"AVAS_ERROR_CLOSED", 561210739},
    {"AVAS_ERROR_STATE", 560030580},
    {"AVAS_ERROR_NO_SERVER", 1836282486},
    {"AVAS_ERROR_CALL", 561017449},
    {"AVAS_ERROR_NO_DEVICE", 561145203},
    {"AVAS_ERROR_BUSY", 560030580},
    {"AVAS_ERROR_FORKED", 0},
    {"AVAS_ERROR_CATEGORY", 560161140},
    {"AVAS_ERROR_SYSTEM", 0},
    {"AVAS_ERROR_OTHER", 2003329396},
};

static size_t row(int error) {
    if (error >= 0) return 0;
    size_t last = sizeof errors / sizeof *errors - 1;
    return error < -(int)last ? last : (size_t)-error;
}

const char *avas_error_name(int error) { return errors[row(error)].name; }

int32_t avas_error_status(int error) { return errors[row(error)].status; }

int avas_error_code(void) { return failure; }

const char *avas_error_message(void) { return message; }

uint32_t avas_version(void) { return AVAS_VERSION; }

void avas_free(void *block) { free(block); }

void session_shims_fail(int error, const char *text) {
    size_t length = strlen(text);
    if (length >= sizeof message) {
        length = sizeof message - 1;
        while (length > 0 && (text[length] & 0xC0) == 0x80) length--;
    }
    failure = error;
    memcpy(message, text, length);
    message[length] = 0;
}

int session_shims_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

static void note_fork(void) { atomic_store_explicit(&forked, true, memory_order_relaxed); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }

void session_shims_own(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
}

bool session_shims_is_forked(void) { return atomic_load_explicit(&forked, memory_order_relaxed); }

char **session_shims_environment(void) { return environ; }

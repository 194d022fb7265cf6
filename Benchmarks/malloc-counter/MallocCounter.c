#include "MallocCounter.h"

#include <stddef.h>

static _Thread_local unsigned long count;

unsigned long malloc_counter_of_thread(void) { return count; }

// Sanitizers bring an allocator of their own.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}

#endif

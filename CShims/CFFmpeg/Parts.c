#ifdef AVFAUDIO_FFMPEG

// A distribution's FFmpeg stands on 130 other libraries, of which one file's codec uses none. Loaded at once they have 26 MB
// in memory: the loader looks for each name in the symbols of all of them, and the kernel maps 16 pages around each page that
// is read. Part by part, names are looked for among fewer, and the pages, which are those of files, need not stay.

#define _GNU_SOURCE
#include "Parts.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// MARK: What a library needs

// More than any library has; a file that says otherwise is none.
enum { MOST_SEGMENTS = 64, MOST_BYTES = 1 << 20 };

struct needs {
    // The dynamic section, and the texts that it points into; NULL where they cannot be read.
    ElfW(Dyn) *dynamic;
    size_t entries;
    char *names;
    size_t names_size;
};

static bool read_at(int file, void *into, size_t bytes, ElfW(Off) offset)
{
    return pread(file, into, bytes, (off_t)offset) == (ssize_t)bytes;
}

// A piece of the file, to be freed.
static void *piece(int file, size_t bytes, ElfW(Off) offset)
{
    if (bytes == 0 || bytes > MOST_BYTES) return NULL;
    // One more, so that texts end.
    char *read = calloc(1, bytes + 1);
    if (read && read_at(file, read, bytes, offset)) return read;
    free(read);
    return NULL;
}

static ElfW(Xword) value_of(const struct needs *needs, ElfW(Sxword) tag)
{
    for (size_t i = 0; i < needs->entries && needs->dynamic[i].d_tag != DT_NULL; i++)
        if (needs->dynamic[i].d_tag == tag) return needs->dynamic[i].d_un.d_val;
    return 0;
}

static void read_names(int file, const ElfW(Phdr) *segments, int count, struct needs *needs)
{
    ElfW(Addr) address = value_of(needs, DT_STRTAB);
    needs->names_size = value_of(needs, DT_STRSZ);
    for (int i = 0; i < count && !needs->names; i++) {
        if (segments[i].p_type != PT_LOAD || address < segments[i].p_vaddr) continue;
        ElfW(Off) offset = address - segments[i].p_vaddr;
        if (offset < segments[i].p_filesz) needs->names = piece(file, needs->names_size, offset + segments[i].p_offset);
    }
}

static struct needs read_needs(int file)
{
    struct needs needs = {0};
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[MOST_SEGMENTS];
    if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return needs;
    if (header.e_phentsize != sizeof segments[0] || header.e_phnum > MOST_SEGMENTS) return needs;
    if (!read_at(file, segments, header.e_phnum * sizeof segments[0], header.e_phoff)) return needs;
    for (int i = 0; i < header.e_phnum && !needs.dynamic; i++) {
        if (segments[i].p_type != PT_DYNAMIC) continue;
        needs.dynamic = piece(file, segments[i].p_filesz, segments[i].p_offset);
        needs.entries = segments[i].p_filesz / sizeof needs.dynamic[0];
    }
    if (needs.dynamic) read_names(file, segments, header.e_phnum, &needs);
    return needs;
}

// Opens the library of that name that lies beside another one; -1 where there is none.
static int open_beside(void *sibling, const char *name)
{
    struct link_map *place = NULL;
    if (dlinfo(sibling, RTLD_DI_LINKMAP, &place) != 0) return -1;
    const char *slash = strrchr(place->l_name, '/');
    char *path = NULL;
    if (!slash || asprintf(&path, "%.*s/%s", (int)(slash - place->l_name), place->l_name, name) < 0) return -1;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    return file;
}

// MARK: Giving back

struct walk {
    size_t index;
    // Objects before this one are not touched.
    size_t first;
    unsigned long long unloaded;
};

static int count(struct dl_phdr_info *object, size_t size, void *data)
{
    struct walk *walk = data;
    walk->index++;
    walk->unloaded = object->dlpi_subs;
    return 0;
}

// Whether the loader wrote into the object's text, which would be lost.
static bool has_text_relocations(const struct dl_phdr_info *object)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return true;
    }
    return false;
}

// Where a segment's own pages end: the next one may begin within its last page, with other rights and other contents.
static uintptr_t end_of(const struct dl_phdr_info *object, int index, uintptr_t page)
{
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_memsz;
    for (int i = index + 1; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t next = (object->dlpi_addr + object->dlpi_phdr[i].p_vaddr) & ~(page - 1);
        if (next < end) end = next;
    }
    return end;
}

static int give_back(struct dl_phdr_info *object, size_t size, void *data)
{
    struct walk *walk = data;
    if (walk->index++ < walk->first || object->dlpi_subs != walk->unloaded) return 0;
    if (has_text_relocations(object)) return 0;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = end_of(object, i, page);
        // Fails where the app has locked its memory, and then it shall stay.
        if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

// MARK: Loading

struct ffmpeg_parts ffmpeg_parts_begin(void)
{
    struct walk walk = {0};
    dl_iterate_phdr(count, &walk);
    return (struct ffmpeg_parts){.objects = walk.index, .unloaded = walk.unloaded};
}

static void load_needs(struct ffmpeg_parts *parts, const struct needs *needs)
{
    if (!needs->names) return;
    // It has them looked for in folders of its own, of which a dlopen() from here knows nothing.
    if (value_of(needs, DT_RUNPATH) || value_of(needs, DT_RPATH)) return;
    for (size_t i = 0; i < needs->entries && needs->dynamic[i].d_tag != DT_NULL; i++) {
        if (needs->dynamic[i].d_tag != DT_NEEDED || needs->dynamic[i].d_un.d_val >= needs->names_size) continue;
        // Kept for good, like the library that needs it.
        if (dlopen(needs->names + needs->dynamic[i].d_un.d_val, RTLD_LAZY | RTLD_LOCAL)) continue;
        // Then it was unloaded, with what came with it. The library itself is not as particular, or says what is missing.
        parts->unloaded = ffmpeg_parts_begin().unloaded;
    }
}

void *ffmpeg_parts_load(struct ffmpeg_parts *parts, const char *name, void *sibling)
{
    int file = sibling ? open_beside(sibling, name) : -1;
    if (file >= 0) {
        struct needs needs = read_needs(file);
        close(file);
        load_needs(parts, &needs);
        free(needs.dynamic);
        free(needs.names);
    }
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    // Objects are appended. Where somebody else unloaded one meanwhile, nobody can tell which are ours, and nothing is given
    // back: an app or a debugger may have changed the text of others.
    struct walk walk = {.first = parts->objects, .unloaded = parts->unloaded};
    if (library) dl_iterate_phdr(give_back, &walk);
    return library;
}

#endif

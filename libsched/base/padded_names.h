/*
 * padded_names.h -- a list of names that all have the same number of bytes, as the tables of a
 * policy have them: plain data without pointers, so that a table can be copied and compared.
 *
 * Always holds: each name has at least one byte and ends with NUL, and all bytes behind it are 0.
 * Cost: a search is O(names). Why not a binary search: there are at most 32, and most searches end
 * at the first byte of each.
 */
#ifndef LIBSCHED_PADDED_NAMES_H
#define LIBSCHED_PADDED_NAMES_H

#include <libsched/libsched.h>
#include <string.h>

struct padded_names {
    const char *first;
    uint32_t n, bytes; /* number of names; bytes of each, with its NUL */
};

/* The first n names of an array of arrays of char. */
#define PADDED_NAMES(array, n) ((struct padded_names){(array)[0], (n), sizeof(array)[0]})

static inline const char *padded_name(const struct padded_names *names, uint32_t i) {
    return names->first + (size_t)i * names->bytes;
}

static inline lsched_text padded_text(const struct padded_names *names, uint32_t i) {
    const char *name = padded_name(names, i);
    return (lsched_text){name, strlen(name)};
}

/* Returns 1 + the index of the name; 0 if it is none of the list. */
static inline uint32_t padded_find(const struct padded_names *names, lsched_text name) {
    if (name.len == 0 || name.len >= names->bytes) return 0;
    for (uint32_t i = 0; i < names->n; i++) {
        const char *at = padded_name(names, i);
        if (memcmp(at, name.ptr, (size_t)name.len) == 0 && !at[name.len]) return i + 1;
    }
    return 0;
}

#endif

/* fault_alloc.h -- allocator hooks for tests: they fail when told to, count what is live, and check the sizes that are
 * passed back. Header only, so that unit tests and fuzz harnesses share it.
 *
 * Every block carries its size in front, so a wrong size at free or realloc is found at the call that passes it. A
 * realloc that shrinks may fail as well: hooks of real hosts do that. */
#ifndef LSCHED_TESTS_FAULT_ALLOC_H
#define LSCHED_TESTS_FAULT_ALLOC_H

#include <libsched/libsched.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct fault_alloc {
    uint64_t calls;       /* alloc and realloc, failed ones included */
    uint64_t fail_at;     /* the call that fails, counted from 1; 0: none */
    uint64_t fail_period; /* from fail_at on every so many fail; 0: only that one */
    uint64_t failures;
    uint64_t wrong_sizes;
    int64_t live_blocks, live_bytes;
};

enum { FAULT_HEAD_BYTES = 32 }; /* keeps the alignment that malloc gives */

static inline int fault_due(struct fault_alloc *f) {
    uint64_t call = ++f->calls;
    int due = f->fail_at != 0 && call >= f->fail_at &&
              (f->fail_period ? (call - f->fail_at) % f->fail_period == 0 : call == f->fail_at);
    f->failures += due ? 1 : 0;
    return due;
}

static inline void fault_check_size(struct fault_alloc *f, const char *block, size_t bytes) {
    size_t real;
    memcpy(&real, block, sizeof real);
    if (real != bytes) f->wrong_sizes++;
    f->live_bytes -= (int64_t)real;
}

static inline void *fault_new(void *user, size_t bytes) {
    struct fault_alloc *f = user;
    char *block = fault_due(f) || bytes > SIZE_MAX - FAULT_HEAD_BYTES
                      ? NULL
                      : malloc(bytes + FAULT_HEAD_BYTES);
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    memset(block + FAULT_HEAD_BYTES, 0xa5, bytes); /* so that nobody relies on zeroes */
    f->live_blocks++;
    f->live_bytes += (int64_t)bytes;
    return block + FAULT_HEAD_BYTES;
}

static inline void fault_free(void *user, void *old, size_t bytes) {
    struct fault_alloc *f = user;
    char *block = (char *)old - FAULT_HEAD_BYTES;
    fault_check_size(f, block, bytes);
    f->live_blocks--;
    free(block);
}

static inline void *fault_resize(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    if (!old) return fault_new(user, new_bytes);
    void *moved = fault_new(user, new_bytes); /* always moves: a stale pointer is found at once */
    if (!moved) return NULL;
    memcpy(moved, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    fault_free(user, old, old_bytes);
    return moved;
}

static inline lsched_allocator fault_hooks(struct fault_alloc *f) {
    lsched_allocator hooks = {sizeof hooks, 0, f, fault_new, fault_resize, fault_free};
    return hooks;
}

#endif

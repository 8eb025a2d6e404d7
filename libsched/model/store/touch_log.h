/*
 * touch_log.h -- a log of the latest changed rows, from which caches learn what to renew.
 *
 * A writer adds the row that it changed. A cache keeps the position up to which it has read, reads
 * the entries from this position on, and renews what it knows of these rows. The log is a ring of
 * `cap` entries, oldest first. If more than `cap` changes happened since a cache last read the log,
 * the log no longer reaches the position of the cache, and the cache is rebuilt. A log is never
 * part of the state: a log without memory is allowed, and then every cache is rebuilt.
 *
 * Always: touch_log_reaches() is true only if the ring has every change from the position on. A row
 * that changes twice in succession has one entry, unless a cache has read the first one.
 *
 * Cost: an entry is one comparison and one store. Why not a mark at each row: a cache would have to
 * look at all rows to find the marks, and each of several caches would need marks of its own.
 */
#ifndef LIBSCHED_TOUCH_LOG_H
#define LIBSCHED_TOUCH_LOG_H

#include <stdint.h>

struct alloc;

struct touch_log {
    uint32_t *rows;
    uint32_t cap;  /* number of entries, a power of two; 0: no log, every cache must be rebuilt */
    uint64_t next; /* number of changes so far; the latest is at rows[(next - 1) & (cap - 1)] */
    /* the highest position up to which any cache has read; entries before it are never merged
     * with new ones */
    uint64_t read;
};

/* Returns the position after the latest entry, for a cache that has read all changes. Entries
 * that are added later are not merged with earlier entries. */
static inline uint64_t touch_log_seen(struct touch_log *t) {
    t->read = t->next;
    return t->next;
}
/* True if the log has every change from the position `seen` on. */
static inline int touch_log_reaches(const struct touch_log *t, uint64_t seen) {
    return seen <= t->next && t->next - seen <= t->cap;
}
/* Makes every cache that reads the log rebuild itself. */
static inline void touch_log_skip(struct touch_log *t) {
    t->next += (uint64_t)t->cap + 1;
    (void)touch_log_seen(t);
}
/* Not static: a build for size has one copy of it, in touch_log.c, instead of one in each file. */
inline void touch_log_add(struct touch_log *t, uint32_t row) {
    if (t->cap == 0) {
        t->next++;
        return;
    }
    if (t->next > t->read && t->rows[(t->next - 1) & (t->cap - 1)] == row) return;
    t->rows[t->next++ & (t->cap - 1)] = row;
}
/* Makes the log large enough for changes of about `rows` rows. Can return LSCHED_E_NOMEM. */
int32_t touch_log_reserve(struct alloc *alloc, struct touch_log *t, uint32_t rows);
/* Frees the memory of the log. */
void touch_log_close(struct alloc *alloc, struct touch_log *t);

#endif

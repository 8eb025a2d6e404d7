/*
 * api_changes.c -- reads the change feed, and the words of its codes.
 *
 * A cursor of the API is the position in the ring, in units of 16 bytes, in its lower 44 bits, and
 * the mark of the handle in its upper 20 bits. The mark tells a cursor of this handle from one of a
 * clone, of its original, of the cluster that was saved, and of a cluster with another id_salt.
 * Two handles have the same mark only by chance (one pair in a million), or if they are equal in
 * everything that the library knows: two new clusters without a salt, or two loads of the same
 * bytes.
 */
#include "api/door/args.h"
#include "base/hash.h"
#include "model/told/change_feed.h"

enum { CURSOR_UNIT = 16, CURSOR_MARK_SHIFT = 44 };

/* Returns the mark of the handle in its place; 0 for a new cluster without salt and incarnation. */
static uint64_t api_changes_mark(const struct lsched_cluster *c) {
    const uint64_t of[] = {c->id_salt, meta(&c->k, M_INCARNATION), c->loaded, c->member};
    uint64_t any = 0, h = 0;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) any |= of[i], h = hash_mix(h, of[i]);
    return any ? h >> CURSOR_MARK_SHIFT << CURSOR_MARK_SHIFT : 0;
}

static uint64_t api_changes_cursor(const struct lsched_cluster *c, uint64_t position) {
    return api_changes_mark(c) | position / CURSOR_UNIT;
}

LSCHED_API int32_t lsched_changes_next(const lsched_cluster *c, uint64_t *cursor,
                                       lsched_change *out, lsched_error *err) {
    lsched_change change;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    if (c->busy) return arg_busy(err);
    if (out->size < sizeof out->size)
        return fail(err, LSCHED_E_SIZE, "change: size is %u; expected %zu (was it set?)", out->size,
                    sizeof *out);
    uint64_t mark = api_changes_mark(c), at = *cursor ? *cursor ^ mark : 0;
    if (at >> CURSOR_MARK_SHIFT) {
        *cursor = lsched_changes_end(c);
        return fail(
            err, LSCHED_E_GONE,
            "the cursor belongs to another handle: a clone, an original, the cluster before "
            "a load, or one with another id_salt; list all objects, and read on from the "
            "cursor, which is at the end of this feed now");
    }
    at *= CURSOR_UNIT;
    rc = change_feed_read(&c->k, &at, &change);
    *cursor = rc == 0 ? *cursor : api_changes_cursor(c, at);
    if (rc == LSCHED_E_GONE)
        return fail(err, rc,
                    "the reader is behind: its next change was overwritten; list all objects, and "
                    "read on from the cursor, which is at the end now. A larger "
                    "lsched_cluster_opts.changes_bytes keeps more changes");
    lsched_id *const ids[] = {&change.cause, &change.decision, &change.job,
                              &change.node,  &change.queue,    &change.run};
    for (size_t i = 0; rc == 1 && i < sizeof ids / sizeof ids[0]; i++)
        *ids[i] = id_outside(&c->k, *ids[i]);
    if (rc == 1) arg_out(out, &change, (uint32_t)sizeof change);
    return rc;
}

LSCHED_API uint64_t lsched_changes_end(const lsched_cluster *c) {
    return c && !c->busy ? api_changes_cursor(c, c->k.changes_kept) : 0;
}

/* Words by code; the lists have no gaps that a caller could name. */
static const char *api_changes_word(const char *const *words, size_t n, uint32_t code) {
    return code < n && words[code] ? words[code] : "unknown";
}

LSCHED_API const char *lsched_change_name(uint32_t kind) {
    static const char *const words[] = {
#define LSCHED_X_CHANGE(name, value, word) [value] = word,
#include <libsched/changes.def>
    };
    return api_changes_word(words, sizeof words / sizeof *words, kind);
}

LSCHED_API const char *lsched_because_name(uint32_t because) {
    static const char *const words[] = {
#define LSCHED_X_BECAUSE(name, value, word) [value] = word,
#include <libsched/changes.def>
    };
    return api_changes_word(words, sizeof words / sizeof *words, because);
}

LSCHED_API const char *lsched_call_name(uint32_t call) {
    static const char *const words[] = {
#define LSCHED_X_CALL(name, value, word) [value] = word,
#include <libsched/changes.def>
    };
    return api_changes_word(words, sizeof words / sizeof *words, call);
}

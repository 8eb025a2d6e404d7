/* check_contention.c -- see check_contention.h. Cost: O(kinds squared). */
#include "model/check/check_contention.h"

#include "model/shapes/work_kind.h"

/* True if a slow-down is in its range where both kinds exist, and 0 elsewhere; and if bits say
 * which pairs exceed the bound. */
static int numbers_are_sound(const struct contention_table *t) {
    for (uint32_t a = 0; a < CONTENTION_KINDS_MAX; a++) {
        uint32_t barred = 0;
        for (uint32_t b = 0; b < CONTENTION_KINDS_MAX; b++) {
            uint32_t here = t->milli[a][b], there = t->milli[b][a];
            if (a < t->n && b < t->n ? here < CONTENTION_MILLI_NONE || here > CONTENTION_MILLI_MAX
                                     : here != 0)
                return 0;
            if (t->most && (here > t->most || there > t->most)) barred |= 1u << b;
        }
        if (t->barred[a] != barred) return 0;
    }
    return 1;
}

/* True if a bound of the table is 0 (none), or a slow-down. */
static int is_factor(uint32_t milli) {
    return milli == 0 || (milli >= CONTENTION_MILLI_NONE && milli <= CONTENTION_MILLI_MAX);
}

static int kinds_are_sound(const struct contention_table *t) {
    for (uint32_t a = 0; a < CONTENTION_KINDS_MAX; a++) {
        const char *name = t->name[a], *end = memchr(name, 0, CONTENTION_NAME_BYTES);
        if (!end || (a < t->n) != (end > name)) return 0;
        for (const char *p = end; p < name + CONTENTION_NAME_BYTES; p++)
            if (*p) return 0;
        if (a > 0 && a < t->n && strcmp(t->name[a - 1], name) >= 0) return 0;
    }
    return 1;
}

int32_t check_contention(struct check *c) {
    const struct columns *k = c->k;
    const struct contention_table *t = work_kinds(k);
    if (!t) return LSCHED_OK;
    if (text_len(k, (uint32_t)(meta(k, M_CONTENTION) - 1)) != sizeof *t)
        return check_fail(c, "the table of slow-downs has %u bytes; expected %zu",
                          text_len(k, (uint32_t)(meta(k, M_CONTENTION) - 1)), sizeof *t);
    if (t->n == 0 || t->n > CONTENTION_KINDS_MAX || t->others > t->n || t->alone > 1 ||
        !is_factor(t->most) || !is_factor(t->avoid) || !kinds_are_sound(t) || !numbers_are_sound(t))
        return check_fail(c, "the table of slow-downs is not one that a policy can have");
    return LSCHED_OK;
}

/* free_start.c -- see free_start.h. */
#include "algorithms/support/free_start.h"

#include <string.h>

#include "base/sort.h"

void free_start_close(struct free_start *f, const lsched_algorithm_env *env) {
    free_counts_close(&f->counts, env);
    env_free(env, f->turns, f->cap_turns * sizeof *f->turns);
    memset(f, 0, sizeof *f);
}

int32_t free_start_is_now(struct free_start *f, const struct free_timeline *r, uint32_t map,
                          int64_t length, const struct free_timeline_amount *need, uint32_t tasks) {
    struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
    return c ? free_spans_is_now(&c->spans, r->now, length, tasks) : LSCHED_E_NOMEM;
}

int32_t free_start_find(struct free_start *f, const struct free_timeline *r, uint32_t map,
                        int64_t length, const struct free_timeline_amount *need, uint32_t tasks,
                        int64_t *start) {
    struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
    if (!c) return LSCHED_E_NOMEM;
    *start = free_spans_start(&c->spans, r->now, length, tasks);
    return LSCHED_OK;
}

/* ---- the longest run from now on ---- */

#define TURN_BEFORE(of, a, b) ((a).at < (b).at)
SORT_STABLE(sort_turns, struct free_start_turn, const void *, TURN_BEFORE)

int32_t free_start_longest(struct free_start *f, const struct free_timeline *r, uint32_t map,
                           const struct free_timeline_amount *need, uint32_t tasks,
                           int64_t *longest) {
    struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
    struct free_spans_cursor at = {0, 0};
    const struct free_spans_item *i;
    int64_t have = 0;
    uint32_t n = 0;
    *longest = 0;
    if (!c) return LSCHED_E_NOMEM;
    while ((i = free_spans_next(&c->spans.ups, 0, &at)) && i->key <= r->now) {
        int64_t weight = c->spans.spans[i->span].weight;
        c->spans.steps++;
        if (weight == 0 || i->other <= r->now) continue;
        have += weight;
        if (i->other == FREE_TIMELINE_FOREVER) continue;
        /* twice the number of turns, because the sort needs scratch memory */
        if (!ENV_ROOM(r->env, f->turns, f->cap_turns, 2 * (n + 1ull))) return LSCHED_E_NOMEM;
        f->turns[n++] = (struct free_start_turn){i->other, weight};
    }
    if (have < (int64_t)tasks) return LSCHED_OK;
    *longest = FREE_TIMELINE_FOREVER;
    if (n == 0) return LSCHED_OK; /* without turns, f->turns can be NULL */
    sort_turns(NULL, f->turns, f->turns + n, n);
    for (uint32_t j = 0; j < n; j++) {
        have -= f->turns[j].tasks;
        if (have >= (int64_t)tasks) continue;
        *longest = f->turns[j].at - r->now;
        return LSCHED_OK;
    }
    return LSCHED_OK;
}

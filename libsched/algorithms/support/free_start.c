/* free_start.c -- see free_start.h. */
#include "algorithms/support/free_start.h"

#include <string.h>

#include "base/sort.h"

void free_start_close(struct free_start *f, const lsched_algorithm_env *env) {
    free_counts_close(&f->counts, env);
    env_free(env, f->turns, f->cap_turns * sizeof *f->turns);
    memset(f, 0, sizeof *f);
}

/* ---- bins that share one profile ---- */

/* The steps of the only profile, and what a bin must have free if all tasks are to fit: columns and
 * least amounts. n_steps: 0 if the map has no bin. */
struct free_start_lone {
    const struct free_timeline_step *steps;
    uint32_t n_steps, n, column[FREE_TIMELINE_KINDS];
    int64_t least[FREE_TIMELINE_KINDS];
};

/* Returns 1 if all bins share one profile, else 0. */
static int lone_open(const struct free_timeline *r, uint32_t map,
                     const struct free_timeline_amount *need, uint32_t tasks,
                     struct free_start_lone *l) {
    l->n_steps = l->n = 0;
    if (r->n_live != 1) return 0;
    const struct free_timeline_profile *p = &r->profiles[r->live[0]];
    int64_t each = ((int64_t)tasks + p->n_bins - 1) / p->n_bins;
    if (!free_timeline_has(r, map, r->live[0])) return 1;
    for (uint32_t k = 0; k < r->n_kinds && each > 0; k++) {
        if (need->of[k] <= 0) continue;
        if (need->of[k] > FREE_TIMELINE_ALL / each) return 1; /* more than any bin has */
        l->column[l->n] = k;
        l->least[l->n++] = need->of[k] * each;
    }
    l->steps = r->pool + p->first;
    l->n_steps = p->n;
    return 1;
}

static inline int lone_fits(const struct free_start_lone *l, uint32_t step) {
    const struct free_timeline_amount *free = &l->steps[step].free;
    for (uint32_t i = 0; i < l->n; i++)
        if (free->of[l->column[i]] < l->least[i]) return 0;
    return 1;
}

/* Returns the number of the step that is now. */
static uint32_t lone_now(const struct free_start_lone *l, int64_t now) {
    uint32_t i = 0;
    while (i + 1 < l->n_steps && l->steps[i + 1].at <= now) i++;
    return i;
}

/* Returns the earliest start of a run of `length`, or FREE_TIMELINE_FOREVER. */
static int64_t lone_start(const struct free_start_lone *l, int64_t now, int64_t length) {
    int64_t from = FREE_TIMELINE_FOREVER; /* since then, the tasks fit */
    for (uint32_t i = lone_now(l, now); i < l->n_steps; i++) {
        int64_t at = l->steps[i].at > now ? l->steps[i].at : now;
        if (from < at && at - from >= length) break;
        if (!lone_fits(l, i))
            from = FREE_TIMELINE_FOREVER;
        else if (from == FREE_TIMELINE_FOREVER)
            from = at;
    }
    return from;
}

/* Returns for how long the tasks fit from now on, as free_start_longest. */
static int64_t lone_longest(const struct free_start_lone *l, int64_t now) {
    uint32_t i = lone_now(l, now);
    if (l->n_steps == 0 || !lone_fits(l, i)) return 0;
    while (++i < l->n_steps)
        if (!lone_fits(l, i)) return l->steps[i].at - now;
    return FREE_TIMELINE_FOREVER;
}

/* ---- questions ---- */

int32_t free_start_is_now(struct free_start *f, const struct free_timeline *r, uint32_t map,
                          int64_t length, const struct free_timeline_amount *need, uint32_t tasks) {
    struct free_start_lone lone;
    if (lone_open(r, map, need, tasks, &lone)) return lone_start(&lone, r->now, length) == r->now;
    struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
    return c ? free_spans_is_now(&c->spans, r->now, length, tasks) : LSCHED_E_NOMEM;
}

int32_t free_start_find(struct free_start *f, const struct free_timeline *r, uint32_t map,
                        int64_t length, const struct free_timeline_amount *need, uint32_t tasks,
                        int64_t *start) {
    struct free_start_lone lone;
    if (lone_open(r, map, need, tasks, &lone)) {
        *start = lone_start(&lone, r->now, length);
        return LSCHED_OK;
    }
    struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
    if (!c) return LSCHED_E_NOMEM;
    *start = free_spans_start(&c->spans, r->now, length, tasks);
    return LSCHED_OK;
}

int32_t free_start_choices(struct free_start *f, const struct free_timeline *r, uint32_t map,
                           int64_t start, int64_t length, const struct free_timeline_amount *need,
                           uint32_t most, struct free_counts_choice **list, uint32_t *cap,
                           uint32_t *n) {
    struct free_start_lone lone;
    *n = 0;
    if (!lone_open(r, map, need, 1, &lone)) {
        struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
        return c ? free_counts_choices(c, r, start, length, most, list, cap, n) : LSCHED_E_NOMEM;
    }
    uint32_t profile = r->live[0], room = 0;
    if (lone.n_steps && r->profiles[profile].lowest != BIN_HEAP_NONE)
        room = free_timeline_profile_count(r, profile, start, length, need, most);
    if (room == 0) return LSCHED_OK;
    if (!ENV_ROOM(r->env, *list, *cap, 1)) return LSCHED_E_NOMEM;
    (*list)[(*n)++] = (struct free_counts_choice){room, profile};
    return LSCHED_OK;
}

/* ---- the longest run from now on ---- */

#define TURN_BEFORE(of, a, b) ((a).at < (b).at)
SORT_STABLE(sort_turns, struct free_start_turn, const void *, TURN_BEFORE)

int32_t free_start_longest(struct free_start *f, const struct free_timeline *r, uint32_t map,
                           const struct free_timeline_amount *need, uint32_t tasks,
                           int64_t *longest) {
    struct free_start_lone lone;
    if (lone_open(r, map, need, tasks, &lone)) {
        *longest = lone_longest(&lone, r->now);
        return LSCHED_OK;
    }
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

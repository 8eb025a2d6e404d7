/* free_start.c -- see free_start.h. */
#include "algorithms/support/free_start.h"

#include <string.h>

#include "base/sort.h"

void free_start_close(struct free_start *f, const lsched_algorithm_env *env) {
    free_counts_close(&f->counts, env);
    env_free(env, f->turns, f->cap_turns * sizeof *f->turns);
    env_free(env, f->times, f->cap_times * sizeof *f->times);
    env_free(env, f->least, f->cap_least * sizeof *f->least);
    memset(f, 0, sizeof *f);
}

static int32_t counts_fit_now(const struct free_counts *c, int64_t now, int64_t length,
                              uint32_t tasks) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->n_active && sum < tasks; i++)
        sum += c->classes[c->active[i]].n_bins *
               free_counts_least(c, c->active[i], now, length, tasks);
    return sum >= tasks;
}

int32_t free_start_is_now(struct free_start *f, const struct free_timeline *r, uint32_t map,
                          int64_t length, const struct free_timeline_amount *need, uint32_t tasks) {
    const struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
    return c ? counts_fit_now(c, r->now, length, tasks) : LSCHED_E_NOMEM;
}

/* ---- one task ---- */

/* Returns the earliest start of a single task in a bin of the class, if it is before `most`; else
 * `most`. The earliest start is now, or the begin of a step behind one in which the task does not
 * fit. */
static int64_t class_start(const struct free_counts *c, uint32_t class, int64_t now, int64_t length,
                           int64_t most) {
    const struct free_counts_class *k = &c->classes[class];
    const struct free_counts_step *s = c->pool + k->first;
    int64_t start = now;
    for (uint32_t i = 0; i < k->n && s[i].at < free_timeline_end(start, length); i++) {
        if (s[i].fits) continue;
        if (i + 1 == k->n) return most;
        start = s[i + 1].at;
        if (start >= most) return most;
    }
    return start;
}

/* ---- several tasks ---- */

#define TURN_BEFORE(of, a, b) ((a).at < (b).at)
SORT_STABLE(sort_turns, struct free_start_turn, const void *, TURN_BEFORE)

/* Lists the times at which the number of tasks that fit in a bin can change, in ascending order.
 * These are two sorts of times: the begin of each step, and for each step the earliest start whose
 * run would reach into the step. */
static uint32_t class_times(const struct free_counts_step *s, uint32_t steps, int64_t now,
                            int64_t length, int64_t *times) {
    uint32_t i = 0, j = 0, n = 0;
    while (i < steps || j < steps) {
        int64_t end = j < steps && length != FREE_TIMELINE_FOREVER && s[j].at - now >= length
                          ? s[j].at - length + 1
                          : now;
        if (j < steps && (i == steps || end <= s[i].at)) {
            if (end > now && (n == 0 || times[n - 1] < end)) times[n++] = end;
            j++;
        } else {
            if (n == 0 || times[n - 1] < s[i].at) times[n++] = s[i].at;
            i++;
        }
    }
    return n;
}

/* Adds the turns of a class. A start at a time needs room in all steps that its run touches. These
 * steps are a window that only moves forward from time to time. `least` holds the steps of the
 * window that have fewer tasks than all later ones, so the first of them has the least. */
static int32_t class_turns(struct free_start *f, const struct free_timeline *r,
                           const struct free_counts *c, uint32_t class, int64_t length,
                           uint32_t tasks, uint32_t *n) {
    const struct free_counts_class *k = &c->classes[class];
    const struct free_counts_step *s = c->pool + k->first;
    /* the sort needs scratch memory of the size of the turns */
    if (!ENV_ROOM(r->env, f->turns, f->cap_turns, 2 * (*n + 2ull * k->n)) ||
        !ENV_ROOM(r->env, f->times, f->cap_times, 2ull * k->n) ||
        !ENV_ROOM(r->env, f->least, f->cap_least, k->n))
        return LSCHED_E_NOMEM;
    uint32_t m = class_times(s, k->n, r->now, length, f->times), last = 0;
    uint32_t first = 0, end = 0, from = 0, to = 0; /* least[from .. to); steps first .. end - 1 */
    for (uint32_t i = 0; i < m; i++) {
        int64_t until = free_timeline_end(f->times[i], length);
        while (first + 1 < k->n && s[first + 1].at <= f->times[i]) first++;
        for (; end < k->n && (s[end].at < until || end <= first); end++) {
            while (to > from && s[f->least[to - 1]].fits >= s[end].fits) to--;
            f->least[to++] = end;
        }
        while (f->least[from] < first) from++;
        uint32_t count = s[f->least[from]].fits < tasks ? s[f->least[from]].fits : tasks;
        if (count == last) continue;
        f->turns[(*n)++] =
            (struct free_start_turn){f->times[i], ((int64_t)count - last) * (int64_t)k->n_bins};
        last = count;
    }
    return LSCHED_OK;
}

static int32_t find_several(struct free_start *f, const struct free_timeline *r,
                            const struct free_counts *c, int64_t length, uint32_t tasks,
                            int64_t *start) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_active; i++) {
        int32_t rc = class_turns(f, r, c, c->active[i], length, tasks, &n);
        if (rc != LSCHED_OK) return rc;
    }
    if (n == 0) return LSCHED_OK; /* without turns, f->turns can be NULL */
    sort_turns(NULL, f->turns, f->turns + n, n);
    int64_t have = 0;
    for (uint32_t i = 0; i < n; i++) {
        have += f->turns[i].change;
        if (have < (int64_t)tasks || (i + 1 < n && f->turns[i + 1].at == f->turns[i].at)) continue;
        *start = f->turns[i].at;
        return LSCHED_OK;
    }
    return LSCHED_OK;
}

int32_t free_start_find(struct free_start *f, const struct free_timeline *r, uint32_t map,
                        int64_t length, const struct free_timeline_amount *need, uint32_t tasks,
                        int64_t *start) {
    const struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
    if (!c) return LSCHED_E_NOMEM;
    *start = r->now;
    if (counts_fit_now(c, r->now, length, tasks)) return LSCHED_OK;
    *start = FREE_TIMELINE_FOREVER;
    if (tasks > 1) return find_several(f, r, c, length, tasks, start);
    for (uint32_t i = 0; i < c->n_active; i++)
        *start = class_start(c, c->active[i], r->now, length, *start);
    return LSCHED_OK;
}

/* ---- the longest run from now on ---- */

/* Lists the times from which on fewer tasks fit in the bins of the class, and returns the number
 * that fits now. There must be room for the class's steps. */
static int64_t class_losses(struct free_start *f, const struct free_counts *c, uint32_t class,
                            uint32_t tasks, uint32_t *n) {
    const struct free_counts_class *k = &c->classes[class];
    const struct free_counts_step *s = c->pool + k->first;
    int64_t bins = (int64_t)k->n_bins;
    uint32_t now = s[0].fits < tasks ? s[0].fits : tasks, left = now;
    for (uint32_t i = 1; i < k->n && left; i++) {
        if (s[i].fits >= left) continue;
        f->turns[(*n)++] = (struct free_start_turn){s[i].at, ((int64_t)s[i].fits - left) * bins};
        left = s[i].fits;
    }
    return now * bins;
}

int32_t free_start_longest(struct free_start *f, const struct free_timeline *r, uint32_t map,
                           const struct free_timeline_amount *need, uint32_t tasks,
                           int64_t *longest) {
    const struct free_counts *c = free_counts_collect(&f->counts, r, map, need);
    int64_t have = 0;
    uint32_t n = 0;
    *longest = 0;
    if (!c) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < c->n_active; i++) {
        uint32_t steps = c->classes[c->active[i]].n;
        /* twice the number of turns, because the sort needs scratch memory */
        if (!ENV_ROOM(r->env, f->turns, f->cap_turns, 2 * ((uint64_t)n + steps)))
            return LSCHED_E_NOMEM;
        have += class_losses(f, c, c->active[i], tasks, &n);
    }
    if (have < (int64_t)tasks) return LSCHED_OK;
    *longest = FREE_TIMELINE_FOREVER;
    if (n == 0) return LSCHED_OK; /* without turns, f->turns can be NULL */
    sort_turns(NULL, f->turns, f->turns + n, n);
    for (uint32_t i = 0; i < n; i++) {
        have += f->turns[i].change;
        if (have >= (int64_t)tasks) continue;
        *longest = f->turns[i].at - r->now;
        return LSCHED_OK;
    }
    return LSCHED_OK;
}

/* free_start.c -- see free_start.h. */
#include "algorithms/support/free_start.h"

#include "base/sort.h"

void free_start_close(struct free_start *f, const lsched_algorithm_env *env) {
    env_free(env, f->turns, f->cap_turns * sizeof *f->turns);
    env_free(env, f->times, f->cap_times * sizeof *f->times);
    env_free(env, f->fits, f->cap_fits * sizeof *f->fits);
    env_free(env, f->least, f->cap_least * sizeof *f->least);
    *f = (struct free_start){NULL, NULL, NULL, NULL, 0, 0, 0, 0};
}

int free_start_is_now(const struct free_timeline *r, uint32_t map, int64_t length,
                      const struct free_timeline_amount *need, uint32_t tasks) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n_live && sum < tasks; i++)
        if (free_timeline_has(r, map, r->live[i]))
            sum += (uint64_t)r->profiles[r->live[i]].n_bins *
                   free_timeline_profile_count(r, r->live[i], r->now, length, need, tasks);
    return sum >= tasks;
}

/* ---- one task ---- */

/* Returns the earliest start of a single task in a bin of the profile, if it is before `most`; else
 * `most`. The earliest start is now, or the begin of a step behind one in which the task does not
 * fit. */
static int64_t profile_start(const struct free_timeline *r, const struct free_timeline_profile *p,
                             int64_t length, const struct free_timeline_amount *need,
                             int64_t most) {
    const struct free_timeline_step *s = r->pool + p->first;
    int64_t start = r->now;
    for (uint32_t i = 0; i < p->n && s[i].at < free_timeline_end(start, length); i++) {
        if (free_timeline_fits(r, &s[i].free, need, 1)) continue;
        if (i + 1 == p->n) return most;
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
static uint32_t profile_times(const struct free_timeline *r, const struct free_timeline_profile *p,
                              int64_t length, int64_t *times) {
    const struct free_timeline_step *s = r->pool + p->first;
    uint32_t i = 0, j = 0, n = 0;
    while (i < p->n || j < p->n) {
        int64_t end = j < p->n && length != FREE_TIMELINE_FOREVER && s[j].at - r->now >= length
                          ? s[j].at - length + 1
                          : r->now;
        if (j < p->n && (i == p->n || end <= s[i].at)) {
            if (end > r->now && (n == 0 || times[n - 1] < end)) times[n++] = end;
            j++;
        } else {
            if (n == 0 || times[n - 1] < s[i].at) times[n++] = s[i].at;
            i++;
        }
    }
    return n;
}

/* Adds the turns of a profile. A start at a time needs room in all steps that its run touches.
 * These steps are a window that only moves forward from time to time. `least` holds the steps of
 * the window that have fewer tasks than all later ones, so the first of them has the least. */
static int32_t profile_turns(struct free_start *f, const struct free_timeline *r, uint32_t profile,
                             int64_t length, const struct free_timeline_amount *need,
                             uint32_t tasks, uint32_t *n) {
    const struct free_timeline_profile *p = &r->profiles[profile];
    const struct free_timeline_step *s = r->pool + p->first;
    /* the sort needs scratch memory of the size of the turns */
    if (!ENV_ROOM(r->env, f->turns, f->cap_turns, 2 * (*n + 2ull * p->n)) ||
        !ENV_ROOM(r->env, f->times, f->cap_times, 2ull * p->n) ||
        !ENV_ROOM(r->env, f->fits, f->cap_fits, p->n) ||
        !ENV_ROOM(r->env, f->least, f->cap_least, p->n))
        return LSCHED_E_NOMEM;
    uint32_t m = profile_times(r, p, length, f->times), last = 0;
    uint32_t first = 0, end = 0, from = 0, to = 0; /* least[from .. to); steps first .. end - 1 */
    for (uint32_t i = 0; i < p->n; i++) f->fits[i] = free_timeline_fits(r, &s[i].free, need, tasks);
    for (uint32_t i = 0; i < m; i++) {
        int64_t until = free_timeline_end(f->times[i], length);
        while (first + 1 < p->n && s[first + 1].at <= f->times[i]) first++;
        for (; end < p->n && (s[end].at < until || end <= first); end++) {
            while (to > from && f->fits[f->least[to - 1]] >= f->fits[end]) to--;
            f->least[to++] = end;
        }
        while (f->least[from] < first) from++;
        uint32_t count = f->fits[f->least[from]];
        if (count == last) continue;
        f->turns[(*n)++] =
            (struct free_start_turn){f->times[i], ((int64_t)count - last) * p->n_bins};
        last = count;
    }
    return LSCHED_OK;
}

static int32_t find_several(struct free_start *f, const struct free_timeline *r, uint32_t map,
                            int64_t length, const struct free_timeline_amount *need, uint32_t tasks,
                            int64_t *start) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_live; i++) {
        if (!free_timeline_has(r, map, r->live[i])) continue;
        int32_t rc = profile_turns(f, r, r->live[i], length, need, tasks, &n);
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
    *start = FREE_TIMELINE_FOREVER;
    if (free_start_is_now(r, map, length, need, tasks)) {
        *start = r->now;
        return LSCHED_OK;
    }
    if (tasks > 1) return find_several(f, r, map, length, need, tasks, start);
    for (uint32_t i = 0; i < r->n_live; i++)
        if (free_timeline_has(r, map, r->live[i]))
            *start = profile_start(r, &r->profiles[r->live[i]], length, need, *start);
    return LSCHED_OK;
}

/* ---- the longest run from now on ---- */

/* Lists the times from which on fewer tasks fit in the bins of the profile, and returns the number
 * that fits now. */
static int64_t profile_losses(struct free_start *f, const struct free_timeline *r,
                              const struct free_timeline_profile *p,
                              const struct free_timeline_amount *need, uint32_t tasks,
                              uint32_t *n) {
    const struct free_timeline_step *s = r->pool + p->first;
    uint32_t now = free_timeline_fits(r, &s[0].free, need, tasks), left = now;
    for (uint32_t i = 1; i < p->n && left; i++) {
        uint32_t count = free_timeline_fits(r, &s[i].free, need, left);
        if (count == left) continue;
        f->turns[(*n)++] = (struct free_start_turn){s[i].at, ((int64_t)count - left) * p->n_bins};
        left = count;
    }
    return (int64_t)now * p->n_bins;
}

int32_t free_start_longest(struct free_start *f, const struct free_timeline *r, uint32_t map,
                           const struct free_timeline_amount *need, uint32_t tasks,
                           int64_t *longest) {
    int64_t have = 0;
    uint32_t n = 0;
    *longest = 0;
    for (uint32_t i = 0; i < r->n_live; i++) {
        if (!free_timeline_has(r, map, r->live[i])) continue;
        const struct free_timeline_profile *p = &r->profiles[r->live[i]];
        /* twice the number of turns, because the sort needs scratch memory */
        if (!ENV_ROOM(r->env, f->turns, f->cap_turns, 2 * ((uint64_t)n + p->n)))
            return LSCHED_E_NOMEM;
        have += profile_losses(f, r, p, need, tasks, &n);
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

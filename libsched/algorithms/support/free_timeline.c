/* free_timeline.c -- see free_timeline.h. */
#include "algorithms/support/free_timeline.h"

#include <string.h>

#include "base/sort.h"

/* A change, at the time `at`, of the number of tasks that fit in all bins together. Changes are
 * summed up in order of time. */
struct free_timeline_turn {
    int64_t at;
    int64_t change;
};

void free_timeline_open(struct free_timeline *r, const lsched_algorithm_env *env) {
    memset(r, 0, sizeof *r);
    r->env = env;
}

void free_timeline_close(struct free_timeline *r) {
    env_free(r->env, r->bins, r->cap_bins * sizeof *r->bins);
    env_free(r->env, r->pool, r->cap_pool * sizeof *r->pool);
    env_free(r->env, r->turns, r->cap_turns * sizeof *r->turns);
    free_timeline_open(r, r->env);
}

void free_timeline_clear(struct free_timeline *r, int64_t now, uint32_t n_kinds) {
    r->now = now;
    r->n_kinds = n_kinds;
    r->n_bins = r->n_pool = 0;
}

/* Makes room for one more step in the bin's block. If the block is full, the bin gets a block of
 * twice the size at the end of the pool. */
static int32_t step_room(struct free_timeline *r, struct free_timeline_bin *b) {
    if (b->n < b->cap) return LSCHED_OK;
    uint32_t cap = b->cap ? 2 * b->cap : 4;
    if (!ENV_ROOM(r->env, r->pool, r->cap_pool, (uint64_t)r->n_pool + cap)) return LSCHED_E_NOMEM;
    memcpy(r->pool + r->n_pool, r->pool + b->first, b->n * sizeof *r->pool);
    b->first = r->n_pool;
    b->cap = cap;
    r->n_pool += cap;
    return LSCHED_OK;
}

int32_t free_timeline_add(struct free_timeline *r, uint32_t node,
                          const struct free_timeline_amount *free) {
    if (!ENV_ROOM(r->env, r->bins, r->cap_bins, r->n_bins + 1ull)) return LSCHED_E_NOMEM;
    struct free_timeline_bin *b = &r->bins[r->n_bins];
    *b = (struct free_timeline_bin){node, r->n_pool, 0, 0};
    if (step_room(r, b) != LSCHED_OK) return LSCHED_E_NOMEM;
    r->pool[b->first] = (struct free_timeline_step){r->now, *free};
    b->n = 1;
    r->n_bins++;
    return LSCHED_OK;
}

int32_t free_timeline_reset(struct free_timeline *r, uint32_t bin,
                            const struct free_timeline_amount *free) {
    struct free_timeline_bin *b = &r->bins[bin];
    r->pool[b->first] = (struct free_timeline_step){r->now, *free};
    b->n = 1;
    return LSCHED_OK;
}

int free_timeline_is_sound(const struct free_timeline *r, uint32_t bin) {
    const struct free_timeline_bin *b = &r->bins[bin];
    for (uint32_t i = b->first; i < b->first + b->n; i++)
        for (uint32_t k = 0; k < r->n_kinds; k++)
            if (r->pool[i].free.of[k] < 0) return 0;
    return 1;
}

/* Returns the index of the bin's step that begins at this time. If there is no such step, the
 * function adds it. Returns UINT32_MAX if there is no memory. */
static uint32_t step_at(struct free_timeline *r, struct free_timeline_bin *b, int64_t at) {
    uint32_t i = b->n;
    while (i > 0 && r->pool[b->first + i - 1].at >= at) i--;
    if (i < b->n && r->pool[b->first + i].at == at) return i;
    if (step_room(r, b) != LSCHED_OK) return UINT32_MAX;
    struct free_timeline_step *s = r->pool + b->first;
    memmove(s + i + 1, s + i, (b->n - i) * sizeof *s);
    s[i] = s[i - 1]; /* i > 0, because the first step begins now */
    s[i].at = at;
    b->n++;
    return i;
}

int32_t free_timeline_take(struct free_timeline *r, uint32_t bin, int64_t from, int64_t to,
                           const struct free_timeline_amount *amount, int64_t times) {
    struct free_timeline_bin *b = &r->bins[bin];
    if (from < r->now) from = r->now;
    if (from >= to) return LSCHED_OK;
    uint32_t i = step_at(r, b, from), end = to == FREE_TIMELINE_FOREVER ? 0 : step_at(r, b, to);
    if (i == UINT32_MAX || end == UINT32_MAX) return LSCHED_E_NOMEM;
    if (to == FREE_TIMELINE_FOREVER) end = b->n;
    for (struct free_timeline_step *s = r->pool + b->first; i < end; i++)
        for (uint32_t k = 0; k < r->n_kinds; k++) s[i].free.of[k] -= amount->of[k] * times;
    return LSCHED_OK;
}

int64_t free_timeline_end(int64_t from, int64_t length) {
    return length > LSCHED_AMOUNT_MAX - from ? FREE_TIMELINE_FOREVER : from + length;
}

static uint32_t fits_times(const struct free_timeline *r, const struct free_timeline_amount *free,
                           const struct free_timeline_amount *need, uint32_t most) {
    for (uint32_t k = 0; k < r->n_kinds && most; k++) {
        if (need->of[k] <= 0) continue;
        if (free->of[k] < need->of[k]) return 0;
        if (free->of[k] / most < need->of[k]) most = (uint32_t)(free->of[k] / need->of[k]);
    }
    return most;
}

uint32_t free_timeline_count(const struct free_timeline *r, uint32_t bin, int64_t from,
                             int64_t length, const struct free_timeline_amount *need,
                             uint32_t most) {
    const struct free_timeline_bin *b = &r->bins[bin];
    const struct free_timeline_step *s = r->pool + b->first;
    int64_t to = free_timeline_end(from, length);
    uint32_t i = b->n - 1;
    while (i > 0 && s[i].at > from) i--;
    for (; i < b->n && most && s[i].at < to; i++) most = fits_times(r, &s[i].free, need, most);
    return most;
}

/* ---- the earliest start ---- */

#define TURN_BEFORE(of, a, b) ((a).at < (b).at)
SORT_STABLE(sort_turns, struct free_timeline_turn, const void *, TURN_BEFORE)

/* Lists the times at which the number of tasks that fit in a bin can change, in ascending order.
 * These are two sorts of times: the begin of each step, and for each step the earliest start whose
 * run would reach into the step. */
static uint32_t bin_times(const struct free_timeline *r, const struct free_timeline_bin *b,
                          int64_t length, int64_t *times) {
    const struct free_timeline_step *s = r->pool + b->first;
    uint32_t i = 0, j = 0, n = 0;
    while (i < b->n || j < b->n) {
        int64_t end = j < b->n && length != FREE_TIMELINE_FOREVER && s[j].at - r->now >= length
                          ? s[j].at - length + 1
                          : r->now;
        if (j < b->n && (i == b->n || end <= s[i].at)) {
            if (end > r->now && (n == 0 || times[n - 1] < end)) times[n++] = end;
            j++;
        } else {
            if (n == 0 || times[n - 1] < s[i].at) times[n++] = s[i].at;
            i++;
        }
    }
    return n;
}

static int32_t bin_turns(struct free_timeline *r, uint32_t bin, int64_t length,
                         const struct free_timeline_amount *need, uint32_t tasks, uint32_t *n) {
    const struct free_timeline_bin *b = &r->bins[bin];
    /* The sort needs scratch memory of the size of the turns, therefore twice the number of turns.
     * The times of this bin are also stored there for a moment, behind the turns. */
    if (!ENV_ROOM(r->env, r->turns, r->cap_turns, 2 * ((uint64_t)*n + 2ull * b->n) + b->n))
        return LSCHED_E_NOMEM;
    int64_t *times = (int64_t *)(void *)(r->turns + *n + 2ul * b->n);
    uint32_t m = bin_times(r, b, length, times), last = 0;
    for (uint32_t i = 0; i < m; i++) {
        uint32_t count = free_timeline_count(r, bin, times[i], length, need, tasks);
        if (count == last) continue;
        r->turns[(*n)++] = (struct free_timeline_turn){times[i], (int64_t)count - last};
        last = count;
    }
    return LSCHED_OK;
}

/* Returns the earliest start of a single task in a bin, if it is before `most`; else `most`. The
 * earliest start is now, or the begin of a step behind one in which the task does not fit. */
static int64_t bin_start(const struct free_timeline *r, const struct free_timeline_bin *b,
                         int64_t length, const struct free_timeline_amount *need, int64_t most) {
    const struct free_timeline_step *s = r->pool + b->first;
    int64_t start = r->now;
    for (uint32_t i = 0; i < b->n && s[i].at < free_timeline_end(start, length); i++) {
        if (fits_times(r, &s[i].free, need, 1)) continue;
        if (i + 1 == b->n) return most;
        start = s[i + 1].at;
        if (start >= most) return most;
    }
    return start;
}

/* Finds the start of a single task: the earliest start of all bins. This case needs no sums over
 * bins and no sort. */
static void find_one(const struct free_timeline *r, const uint8_t *allowed, int64_t length,
                     const struct free_timeline_amount *need, int64_t *start) {
    for (uint32_t b = 0; b < r->n_bins; b++)
        if (allowed[b]) *start = bin_start(r, &r->bins[b], length, need, *start);
}

int32_t free_timeline_find(struct free_timeline *r, const uint8_t *allowed, int64_t length,
                           const struct free_timeline_amount *need, uint32_t tasks,
                           int64_t *start) {
    uint64_t sum = 0;
    uint32_t n = 0;
    *start = FREE_TIMELINE_FOREVER;
    for (uint32_t b = 0; b < r->n_bins && sum < tasks; b++)
        if (allowed[b]) sum += free_timeline_count(r, b, r->now, length, need, tasks);
    if (sum >= tasks) {
        *start = r->now;
        return LSCHED_OK;
    }
    if (tasks == 1) {
        find_one(r, allowed, length, need, start);
        return LSCHED_OK;
    }
    for (uint32_t b = 0; b < r->n_bins; b++) {
        int32_t rc = allowed[b] ? bin_turns(r, b, length, need, tasks, &n) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
    }
    if (n == 0) return LSCHED_OK; /* without turns, r->turns can be NULL */
    sort_turns(NULL, r->turns, r->turns + n, n);
    int64_t have = 0;
    for (uint32_t i = 0; i < n; i++) {
        have += r->turns[i].change;
        if (have < (int64_t)tasks || (i + 1 < n && r->turns[i + 1].at == r->turns[i].at)) continue;
        *start = r->turns[i].at;
        return LSCHED_OK;
    }
    return LSCHED_OK;
}

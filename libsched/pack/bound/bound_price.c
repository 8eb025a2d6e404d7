/*
 * bound_price.c -- see bound_price.h. For each candidate, the list of labels is merged with a
 * second list, which has each label with the candidate added. Both lists are sorted by descending
 * promise, because adding the candidate changes every promise by the same gain. When the next
 * candidate begins in a later cell, the earlier cells end. The capacity that was free in them
 * counts no more, and the list is sorted again. Cost per candidate: labels x comparisons for
 * dominance, which are few and usually stop at the first dimension.
 */
#include "pack/bound/bound_price.h"

#include "base/sort.h"

#include <string.h>

enum { COMPARE_MOST = 96, WISH_ROUNDS = 12 };

void pricer_new(struct pricer *pr, uint32_t candidates, uint32_t dims, int with_excludes,
                struct pack_arena *arena) {
    uint64_t n = candidates, slots = 2 * (uint64_t)PRICE_LABELS + 2;
    uint64_t words = (n + 63) / 64;
    pr->room_n = candidates;
    pr->room_labels = PRICE_LABELS;
    pr->has_excludes = (uint8_t)with_excludes;
    pr->capacity = pack_take(arena, dims, sizeof *pr->capacity);
    pr->amount = pack_take(arena, n * dims, sizeof *pr->amount);
    pr->first = pack_take(arena, n, sizeof *pr->first);
    pr->value = pack_take(arena, n, sizeof *pr->value);
    pr->excludes = pack_take(arena, with_excludes ? n * words : 0, sizeof *pr->excludes);
    pr->gain = pack_take(arena, n, sizeof *pr->gain);
    pr->gains = pack_take(arena, with_excludes ? words : 0, sizeof *pr->gains);
    pr->suffix = pack_take(arena, n + 1, sizeof *pr->suffix);
    pr->lambda = pack_take(arena, dims, sizeof *pr->lambda);
    pr->wish = pack_take(arena, dims, sizeof *pr->wish);
    pr->best_wish = pack_take(arena, dims, sizeof *pr->best_wish);
    pr->promise = pack_take(arena, slots, sizeof *pr->promise);
    pr->worth = pack_take(arena, slots, sizeof *pr->worth);
    pr->load = pack_take(arena, slots * dims, sizeof *pr->load);
    pr->members = pack_take(arena, slots * words, sizeof *pr->members);
    pr->barred = pack_take(arena, with_excludes ? slots * words : 0, sizeof *pr->barred);
    pr->is_new = pack_take(arena, slots, sizeof *pr->is_new);
    pr->list = pack_take(arena, slots, sizeof *pr->list);
    pr->merged = pack_take(arena, slots, sizeof *pr->merged);
    pr->unused = pack_take(arena, slots, sizeof *pr->unused);
    pr->dead = pack_take(arena, slots, sizeof *pr->dead);
}

void pricer_open(struct pricer *pr) {
    pr->words = (pr->n + 63) / 64;
    for (uint32_t d = 0; d < pr->dims; d++)
        pr->wish[d] = (double)PRICE_ONE / ((double)pr->capacity[d] * pr->dims);
}

/* ---- lambda ---- */

/* Returns the value of the Lagrangian relaxation for the multipliers `wish`, and writes its slope
 * to `slope`. */
static double relaxed(const struct pricer *pr, double *slope) {
    double sum = 0;
    for (uint32_t d = 0; d < pr->dims; d++) {
        slope[d] = pr->capacity[d];
        sum += pr->wish[d] * pr->capacity[d];
    }
    for (uint32_t i = 0; i < pr->n; i++) {
        const int32_t *a = pr->amount + (uint64_t)i * pr->dims;
        double gain = (double)pr->value[i];
        for (uint32_t d = 0; d < pr->dims; d++) gain -= pr->wish[d] * a[d];
        if (gain <= 0) continue;
        sum += gain;
        for (uint32_t d = 0; d < pr->dims; d++) slope[d] -= a[d];
    }
    return sum;
}

/* Improves lambda by a few steps of gradient descent. The length of a step follows Polyak's rule,
 * with the threshold as the target value. */
static void find_lambda(struct pricer *pr) {
    double slope[PRICE_DIMS], least = 0;
    for (uint32_t round = 0; round < WISH_ROUNDS; round++) {
        double sum = relaxed(pr, slope), norm = 0;
        if (round == 0 || sum < least) {
            least = sum;
            memcpy(pr->best_wish, pr->wish, pr->dims * sizeof *pr->wish);
        }
        for (uint32_t d = 0; d < pr->dims; d++) norm += slope[d] * slope[d];
        if (norm <= 0 || sum <= (double)pr->threshold) break;
        double step = (sum - (double)pr->threshold) / norm;
        for (uint32_t d = 0; d < pr->dims; d++) {
            pr->wish[d] -= step * slope[d];
            if (pr->wish[d] < 0) pr->wish[d] = 0;
        }
    }
    memcpy(pr->wish, pr->best_wish, pr->dims * sizeof *pr->wish);
    for (uint32_t d = 0; d < pr->dims; d++) {
        /* limit lambda so that lambda x capacity is at most 64 x PRICE_ONE */
        double most = (double)PRICE_ONE * 64;
        pr->lambda[d] = (int64_t)(pr->wish[d] < most ? pr->wish[d] : most);
        if (pr->capacity[d] > 0 && pr->lambda[d] > PRICE_ONE * 64 / pr->capacity[d])
            pr->lambda[d] = PRICE_ONE * 64 / pr->capacity[d];
    }
}

void pricer_start(struct pricer *pr, int64_t threshold, uint32_t beam, struct pack_meter *m) {
    pr->threshold = threshold;
    pr->beam = beam < pr->room_labels ? beam : pr->room_labels;
    pr->over = 0;
    pr->at = 0;
    pr->dim = 0;
    find_lambda(pr);
    pr->suffix[pr->n] = 0;
    if (pr->has_excludes) memset(pr->gains, 0, pr->words * sizeof *pr->gains);
    for (uint32_t i = pr->n; i-- > 0;) {
        const int32_t *a = pr->amount + (uint64_t)i * pr->dims;
        int64_t gain = pr->value[i];
        for (uint32_t d = 0; d < pr->dims; d++) gain -= pr->lambda[d] * a[d];
        pr->gain[i] = gain;
        if (pr->has_excludes && gain > 0) pr->gains[i / 64] |= UINT64_C(1) << i % 64;
        pr->suffix[i] = pr->suffix[i + 1] + (gain > 0 ? gain : 0);
    }
    pr->n_unused = pr->n_dead = 0;
    for (uint32_t s = 2 * pr->room_labels + 2; s-- > 1;) pr->unused[pr->n_unused++] = s;
    pr->list[0] = 0;
    pr->n_list = 1;
    pr->worth[0] = pr->promise[0] = 0;
    memset(pr->load, 0, pr->dims * sizeof *pr->load);
    memset(pr->members, 0, pr->words * sizeof *pr->members);
    if (pr->has_excludes) memset(pr->barred, 0, pr->words * sizeof *pr->barred);
    for (uint32_t d = 0; d < pr->dims; d++)
        pr->promise[0] += pr->lambda[d] * (int64_t)pr->capacity[d];
    m->done += 8 + (uint64_t)(WISH_ROUNDS + 1) * pr->n * pr->dims / 32;
}

/* ---- labels ---- */

/* True if label a is at least as good as label b, whatever candidates from `next` on are added. */
static int beats(const struct pricer *pr, uint32_t a, uint32_t b, uint32_t next) {
    if (pr->worth[a] < pr->worth[b]) return 0;
    const int32_t *x = pr->load + (uint64_t)a * pr->dims, *y = pr->load + (uint64_t)b * pr->dims;
    for (uint32_t d = pr->dim; d < pr->dims; d++)
        if (x[d] > y[d]) return 0;
    if (!pr->has_excludes) return 1;
    const uint64_t *v = pr->barred + (uint64_t)a * pr->words;
    const uint64_t *w = pr->barred + (uint64_t)b * pr->words;
    for (uint32_t k = next / 64; k < pr->words; k++) {
        uint64_t to_come = k == next / 64 ? ~UINT64_C(0) << next % 64 : ~UINT64_C(0);
        if (v[k] & ~w[k] & to_come) return 0;
    }
    return 1;
}

/* True if one of the last kept labels is at least as good as this label. If by_new is true, the
 * label is compared only with new labels, because old labels were compared with each other
 * before. */
static int is_beaten(const struct pricer *pr, uint32_t slot, uint32_t n_kept, uint32_t next,
                     int by_new, uint64_t *compared) {
    uint32_t left = COMPARE_MOST;
    for (uint32_t k = n_kept; k-- > 0 && left > 0; left--) {
        if (by_new && !pr->is_new[pr->merged[k]]) continue;
        ++*compared;
        if (beats(pr, pr->merged[k], slot, next)) return 1;
    }
    return 0;
}

/* Makes a new label, in a free slot: label `from` with candidate i added. Returns its slot;
 * UINT32_MAX if the candidate does not fit. */
static uint32_t extend(struct pricer *pr, uint32_t from, uint32_t i) {
    const int32_t *a = pr->amount + (uint64_t)i * pr->dims;
    const int32_t *x = pr->load + (uint64_t)from * pr->dims;
    if (pr->has_excludes && (pr->barred[(uint64_t)from * pr->words + i / 64] >> i % 64 & 1))
        return UINT32_MAX;
    for (uint32_t d = pr->dim; d < pr->dims; d++)
        if (x[d] + a[d] > pr->capacity[d]) return UINT32_MAX;
    uint32_t slot = pr->unused[--pr->n_unused];
    int32_t *y = pr->load + (uint64_t)slot * pr->dims;
    for (uint32_t d = pr->dim; d < pr->dims; d++) y[d] = x[d] + a[d];
    uint64_t *set = pr->members + (uint64_t)slot * pr->words;
    memcpy(set, pr->members + (uint64_t)from * pr->words, pr->words * sizeof *set);
    set[i / 64] |= UINT64_C(1) << i % 64;
    pr->worth[slot] = pr->worth[from] + pr->value[i];
    pr->promise[slot] = pr->promise[from] + pr->gain[i];
    pr->is_new[slot] = 1;
    if (!pr->has_excludes) return slot;
    for (uint32_t w = 0; w < pr->words; w++)
        pr->barred[(uint64_t)slot * pr->words + w] =
            pr->barred[(uint64_t)from * pr->words + w] | pr->excludes[(uint64_t)i * pr->words + w];
    return slot;
}

static int bound_price_is_before(const struct pricer *pr, uint32_t a, uint32_t b) {
    return pr->promise[a] != pr->promise[b] ? pr->promise[a] > pr->promise[b] : a < b;
}

SORT_IN_PLACE(sort_labels, uint32_t, const struct pricer *, bound_price_is_before)

/* Ends the dimensions before `to`. Free capacity in these dimensions no longer counts in the
 * promise of a label, and labels that differ only in them become equal. */
static uint64_t close_dims(struct pricer *pr, uint32_t to) {
    uint64_t compared = pr->n_list;
    for (uint32_t k = 0; k < pr->n_list; k++) {
        uint32_t s = pr->list[k];
        for (uint32_t d = pr->dim; d < to; d++)
            pr->promise[s] -=
                pr->lambda[d] * (pr->capacity[d] - pr->load[(uint64_t)s * pr->dims + d]);
    }
    pr->dim = to;
    sort_labels(pr, pr->list, pr->n_list);
    uint32_t n = 0;
    for (uint32_t k = 0; k < pr->n_list; k++) {
        uint32_t s = pr->list[k];
        if (pr->promise[s] + pr->suffix[pr->at] <= pr->threshold ||
            is_beaten(pr, s, n, pr->at, 0, &compared))
            pr->unused[pr->n_unused++] = s;
        else
            pr->merged[n++] = s;
    }
    uint32_t *t = pr->list;
    pr->list = pr->merged;
    pr->merged = t;
    pr->n_list = n;
    return compared;
}

/* Returns an upper bound of the promise that candidates from `next` on can add to a label. If
 * has_excludes, candidates that the label excludes do not count. */
static int64_t tail_of(const struct pricer *pr, uint32_t slot, uint32_t next, uint64_t *compared) {
    if (!pr->has_excludes) return pr->suffix[next];
    const uint64_t *barred = pr->barred + (uint64_t)slot * pr->words;
    int64_t sum = 0;
    for (uint32_t w = next / 64; w < pr->words; w++) {
        uint64_t open = pr->gains[w] & ~barred[w];
        if (w == next / 64) open &= ~UINT64_C(0) << next % 64;
        for (; open; open &= open - 1, ++*compared)
            sum += pr->gain[w * 64 + (uint32_t)__builtin_ctzll(open)];
    }
    return sum;
}

/* Raises `over` to the greatest possible value of the labels that are lost because the list is
 * full: the old labels from index `old` on, and the labels from index `from` on with candidate i
 * added. */
static void drop_rest(struct pricer *pr, uint32_t old, uint32_t from, uint32_t i,
                      uint64_t *compared) {
    for (; old < pr->n_list; old++) {
        int64_t promise = pr->promise[pr->list[old]] + tail_of(pr, pr->list[old], i + 1, compared);
        if (promise > pr->threshold && promise > pr->over) pr->over = promise;
        /* the labels are sorted; therefore the first one has the greatest promise */
        if (!pr->has_excludes) break;
    }
    for (; from < pr->n_list; from++) {
        int64_t promise = pr->promise[pr->list[from]] + pr->gain[i] +
                          tail_of(pr, pr->list[from], i + 1, compared);
        if (promise > pr->threshold && promise > pr->over) pr->over = promise;
        if (!pr->has_excludes) break;
    }
}

/* Merges two lists into `merged`: the labels without candidate i, and the labels with candidate i
 * added. */
static uint64_t merge(struct pricer *pr, uint32_t i) {
    uint32_t old = 0, from = 0, n = 0;
    uint64_t compared = 0;
    while (old < pr->n_list || from < pr->n_list) {
        int64_t of_old = old < pr->n_list ? pr->promise[pr->list[old]] : INT64_MIN;
        int64_t of_new = from < pr->n_list ? pr->promise[pr->list[from]] + pr->gain[i] : INT64_MIN;
        int64_t promise = (of_old >= of_new ? of_old : of_new) + pr->suffix[i + 1];
        if (promise <= pr->threshold) break;
        if (n == pr->beam) {
            drop_rest(pr, old, from, i, &compared);
            break;
        }
        int is_old = of_old >= of_new;
        uint32_t slot = is_old ? pr->list[old++] : extend(pr, pr->list[from++], i);
        compared++;
        if (slot == UINT32_MAX) continue;
        int hopeless = pr->has_excludes &&
                       pr->promise[slot] + tail_of(pr, slot, i + 1, &compared) <= pr->threshold;
        /* a dropped old label keeps its slot until the end of the merge, because candidate i can
         * still be added to it */
        if (!hopeless && !is_beaten(pr, slot, n, i + 1, is_old, &compared))
            pr->merged[n++] = slot;
        else if (is_old)
            pr->dead[pr->n_dead++] = slot;
        else
            pr->unused[pr->n_unused++] = slot;
    }
    while (old < pr->n_list) pr->unused[pr->n_unused++] = pr->list[old++];
    while (pr->n_dead > 0) pr->unused[pr->n_unused++] = pr->dead[--pr->n_dead];
    uint32_t *t = pr->list;
    pr->list = pr->merged;
    pr->merged = t;
    pr->n_list = n;
    return compared;
}

int pricer_step(struct pricer *pr, struct pack_meter *m) {
    if (pr->at >= pr->n) return 0;
    uint64_t compared = 1;
    uint32_t i = pr->at;
    if (pr->first[i] > pr->dim) compared += close_dims(pr, pr->first[i]);
    for (uint32_t k = 0; k < pr->n_list; k++) pr->is_new[pr->list[k]] = 0;
    if (pr->value[i] > 0) compared += merge(pr, i);
    pr->at++;
    m->done += 1 + compared / 4;
    m->states += pr->n_list;
    return pr->at < pr->n;
}

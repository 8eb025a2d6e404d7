/* queue_sibling.c -- see queue_sibling.h. */
#include "algorithms/share_quota/queue_sibling.h"

#include "base/sort.h"

static int larger_remainder(const struct sibling *all, uint32_t a, uint32_t b) {
    const struct sibling *x = &all[a], *y = &all[b];
    if (x->over != y->over) return x->over > y->over;
    if (x->parts != y->parts) return x->parts > y->parts;
    return a < b;
}

SORT_IN_PLACE(sort_by_remainder, uint32_t, const struct sibling *, larger_remainder)

void sibling_deal(struct sibling *all, uint32_t *rows, uint32_t n, int64_t amount, quota_u128 sum,
                  int64_t step) {
    int64_t left = amount, portion = 0;
    quota_u128 parts = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct sibling *s = &all[rows[i]];
        if (i == 0 || s->share != all[rows[i - 1]].share) { /* most siblings have equal weights */
            quota_u128 part = (quota_u128)(uint64_t)amount * s->share;
            portion = (int64_t)(part / sum);
            parts = part % sum;
        }
        int64_t target = s->claim + portion;
        int64_t whole = target - target % step;
        if (whole < s->claim) whole = s->claim;
        s->parts = parts;
        s->over = target - whole;
        left -= whole - s->claim;
        s->claim = whole;
    }
    if (left == 0) return;
    if (!sort_by_remainder_is_done(all, rows, n)) sort_by_remainder(all, rows, n);
    for (uint32_t i = 0; i < n && left > 0; i++) {
        struct sibling *s = &all[rows[i]];
        int64_t piece = step - s->claim % step;
        if (piece > s->want - s->claim) piece = s->want - s->claim;
        if (piece > left) piece = left;
        s->claim += piece;
        left -= piece;
    }
}

/* horizon.c -- see horizon.h. */
#include "forecast/series/horizon.h"

#include <string.h>

#include "forecast/numbers/short_float.h"

/* The constants were chosen on the public series of docs/forecasts.md, and are the same for all.
 * */
#define HYSTERESIS  0.95
#define MIDDLE_STEP 0.005 /* weight of the newest loss, once there are more than 1 / weight */
#define BOUND_STEP  0.01
#define OFFSET_STEP 0.3  /* of the mean loss of the expert */
#define TAIL_STEP   0.8  /* of a tail, for a miss; a hit moves it back as often as misses are due */
#define TAIL_LEAST  0.35 /* of the stated tail */
#define TAIL_MOST   2.5
#define NO_BASE     (-1.0f)
enum { WEIGHT = 64, RESIDUAL_HALF = 384, JUDGED_FOR_TAILS = 20 };
enum { OVERLAP_HALF = 12 }; /* added for each forecast that waits: those that overlap say less */
enum { RUN_KNOWN = 4 };     /* horizons after which residuals know of a run of equal values */

const double horizon_tail_levels[TAILS] = {0.1, 0.05, 0.01};

static struct log_hist horizon_hist(const struct horizon *h) {
    struct horizon *own = (struct horizon *)(uintptr_t)h; /* readers do not write */
    return (struct log_hist){.above = own->residual,
                             .zero = own->residual + RESIDUAL_BUCKETS,
                             .below = own->residual + RESIDUAL_BUCKETS + 1,
                             .buckets = RESIDUAL_BUCKETS,
                             .per_octave = 3,
                             .top = &own->residual_top,
                             .total = &own->residual_total};
}

void horizon_begin(struct horizon *h, uint32_t slots) {
    double damp = 0.0, power = 1.0;
    memset(h, 0, sizeof *h);
    h->slots = slots;
    for (uint32_t i = 0; i < slots && power > 1e-9; i++) damp += power *= EXPERT_DAMP;
    h->damp = (float)damp;
    h->residual_top = LOG_HIST_TOP_MIN;
    for (uint32_t i = 0; i < TAILS; i++) h->tails[i] = (float)horizon_tail_levels[i];
    horizon_forget(h);
}

void horizon_forget(struct horizon *h) {
    h->n_pending = 0;
    h->latest_base = 0;
    for (uint32_t i = 0; i < BASES; i++) h->bases[i] = NO_BASE;
}

int horizon_repeats(const struct horizon *h, uint32_t repeats, double tail) {
    return repeats / RUN_KNOWN < h->slots && repeats > tail * ((double)repeats + h->slots);
}

double horizon_bound(const struct horizon *h, const double value[EXPERTS], uint32_t repeats) {
    double bound = value[h->bound] + h->offset[h->bound];
    if (bound < value[EXPERT_LAST] && horizon_repeats(h, repeats, 1.0 - UPPER_LEVEL))
        bound = value[EXPERT_LAST];
    return bound < 0.0 ? 0.0 : bound;
}

/* Returns how many slots there are from one forecast that is kept to the next, if `kept` of a
 * horizon are. */
static uint32_t horizon_stride(const struct horizon *h, uint32_t kept) {
    return (h->slots + kept - 1) / kept;
}

static void horizon_remember_base(struct horizon *h, uint32_t slot, double bound) {
    uint32_t stride = horizon_stride(h, BASES), at = slot / stride, passed = at - h->latest_base;
    for (uint32_t i = 0; i < passed && i < BASES; i++) h->bases[(at - i) % BASES] = NO_BASE;
    h->latest_base = at;
    if (slot % stride == 0) h->bases[at % BASES] = (float)bound;
}

static void horizon_remember_experts(struct horizon *h, uint32_t slot,
                                     const double value[EXPERTS]) {
    if (slot % horizon_stride(h, PENDING) != 0 || h->n_pending == PENDING) return;
    struct remembered *r = &h->pending[(h->oldest + h->n_pending) % PENDING];
    r->slot = slot + h->slots;
    r->last = (float)value[EXPERT_LAST];
    for (uint32_t i = 0; i < EXPERTS_MORE; i++)
        r->more[i] = short_float_signed_make(value[EXPERT_LAST + 1 + i] - r->last);
    h->n_pending++;
}

void horizon_remember(struct horizon *h, uint32_t slot, const double value[EXPERTS],
                      uint32_t repeats) {
    horizon_remember_base(h, slot, horizon_bound(h, value, repeats));
    horizon_remember_experts(h, slot, value);
}

/* Returns the expert with the least loss, or the present one if none is better by 5 %. */
static uint32_t horizon_best(const float *loss, uint32_t n, uint32_t now) {
    uint32_t best = now;
    for (uint32_t i = 0; i < n; i++)
        if (loss[i] < loss[best]) best = i;
    return loss[best] < HYSTERESIS * loss[now] ? best : now;
}

static double pinball(double over, double tail) {
    return over > 0.0 ? (1.0 - tail) * over : -tail * over;
}

static double horizon_step(const struct horizon *h, double least) {
    double step = 1.0 / (h->chosen + 1.0); /* a plain mean at first */
    return step > least ? step : least;
}

static double horizon_remembered(const struct remembered *r, uint32_t expert) {
    if (expert == EXPERT_LAST) return r->last;
    double value = r->last + short_float_signed_value(r->more[expert - EXPERT_LAST - 1]);
    return value < 0.0 ? 0.0 : value;
}

static void horizon_judge_experts(struct horizon *h, const struct remembered *r, double value) {
    double middle_step = horizon_step(h, MIDDLE_STEP), bound_step = horizon_step(h, BOUND_STEP);
    double tail = 1.0 - UPPER_LEVEL;
    for (uint32_t i = 0; i < EXPERTS; i++) {
        double error = value - horizon_remembered(r, i), over = error - h->offset[i];
        double loss = pinball(over, tail), size = error < 0.0 ? -error : error;
        loss = h->bound_loss[i] + bound_step * (loss - h->bound_loss[i]);
        h->bound_loss[i] = (float)loss;
        h->offset[i] =
            (float)(h->offset[i] + OFFSET_STEP * loss * (over > 0.0 ? UPPER_LEVEL : -tail));
        if (i < EXPERT_MIDDLES)
            h->middle_loss[i] =
                (float)(h->middle_loss[i] + middle_step * (size - h->middle_loss[i]));
    }
    h->bound = horizon_best(h->bound_loss, EXPERTS, h->bound);
    h->middle = horizon_best(h->middle_loss, EXPERT_MIDDLES, h->middle);
    /* the plainest forecast needs no hysteresis to come back */
    if (h->middle_loss[EXPERT_LAST] <= h->middle_loss[h->middle]) h->middle = EXPERT_LAST;
    if (h->chosen < UINT32_MAX) h->chosen++;
}

/* A value above the level makes the tail smaller, others make it larger. */
static void horizon_judge_tails(struct horizon *h, const struct log_hist *hist, double residual) {
    double above = log_hist_weight_above(hist, residual);
    double all = h->residual_total + (double)WEIGHT;
    for (uint32_t i = 0; i < TAILS; i++) {
        double level = horizon_tail_levels[i];
        int missed = above < h->tails[i] * all;
        double tail = h->tails[i] + TAIL_STEP * level * (missed ? level - 1.0 : level);
        if (tail < TAIL_LEAST * level) tail = TAIL_LEAST * level;
        if (tail > TAIL_MOST * level) tail = TAIL_MOST * level;
        h->tails[i] = (float)tail;
    }
}

/* Halves the weights of residuals: when there are 8, 16, 32 ... of them, because those of the
 * first forecasts say little, and later once in each half-life. */
static void horizon_age(struct horizon *h, const struct log_hist *hist) {
    uint32_t n = h->judged, waiting = h->slots / horizon_stride(h, BASES);
    int is_early = n >= 8 && n < RESIDUAL_HALF && (n & (n - 1)) == 0;
    if (++h->residual_age < RESIDUAL_HALF + OVERLAP_HALF * waiting && !is_early) return;
    log_hist_halve(hist);
    h->residual_age = 0;
}

/* Judges the bound that was formed for this slot, if there is one. */
static void horizon_judge_base(struct horizon *h, uint32_t slot, double value) {
    struct log_hist hist = horizon_hist(h);
    uint32_t stride = horizon_stride(h, BASES), from = slot - h->slots, at = from / stride;
    if (slot < h->slots || from % stride != 0 || at > h->latest_base) return;
    double base = h->bases[at % BASES];
    if (base < 0.0) return; /* there was no value at that slot */
    if (h->judged >= JUDGED_FOR_TAILS) horizon_judge_tails(h, &hist, value - base);
    horizon_age(h, &hist);
    log_hist_add(&hist, value - base, WEIGHT);
    if (h->judged < UINT32_MAX) h->judged++;
}

void horizon_judge(struct horizon *h, uint32_t slot, double value) {
    horizon_judge_base(h, slot, value);
    while (h->n_pending > 0 && h->pending[h->oldest].slot <= slot) {
        const struct remembered *r = &h->pending[h->oldest];
        if (r->slot == slot) horizon_judge_experts(h, r, value); /* otherwise its slot was a gap */
        h->oldest = (h->oldest + 1) % PENDING;
        h->n_pending--;
    }
}

/* The corrected tail: linear between the levels that are judged, and 0.5 and 0. A level has no
 * larger tail than the one before it, so that quantiles do not cross. */
static double horizon_tail(const struct horizon *h, double tail) {
    double above = 0.5, above_tail = 0.5;
    for (uint32_t i = 0; i < TAILS; i++) {
        double level = horizon_tail_levels[i];
        double own = h->tails[i] < above_tail ? h->tails[i] : above_tail;
        if (tail >= level) return own + (tail - level) / (above - level) * (above_tail - own);
        above = level;
        above_tail = own;
    }
    return tail / above * above_tail;
}

double horizon_residual(const struct horizon *h, double tail) {
    struct log_hist hist = horizon_hist(h);
    if (h->residual_total == 0) return 0.0;
    double own = tail >= 0.5 ? tail : horizon_tail(h, tail);
    double weight = own * (h->residual_total + (double)WEIGHT);
    /* with fewer residuals than the tail needs, the greatest of them is all that is known */
    return log_hist_at_tail(&hist, weight > WEIGHT ? weight - 0.5 * WEIGHT : 0.5 * WEIGHT);
}

/* horizon.c -- see horizon.h. */
#include "forecast/series/horizon.h"

#include <string.h>

#include "base/fixed.h"

/* The constants were chosen on the public series of docs/forecasts.md, and are the same for all.
 * */
#define HYSTERESIS  0.95
#define MIDDLE_STEP 0.005 /* weight of the newest loss, once there are more than 1 / weight */
#define BOUND_STEP  0.01
#define OFFSET_STEP 0.4  /* of the mean loss of the expert */
#define TAIL_STEP   0.2  /* of a tail, for a miss; a hit moves it back as often as misses are due */
#define TAIL_LEAST  0.25 /* of the stated tail */
#define TAIL_MOST   2.5
#define HALF_TAIL   0.378 /* ln 2 / (1 + 1/2 + 1/3) */
enum { WEIGHT = 64, RESIDUAL_HALF = 384, JUDGED_FOR_TAILS = 20 };

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
    h->stride = (slots + PENDING - 1) / PENDING;
    for (uint32_t i = 0; i < slots && power > 1e-9; i++) damp += power *= EXPERT_DAMP;
    h->damp = (float)damp;
    h->residual_top = LOG_HIST_TOP_MIN;
    for (uint32_t i = 0; i < TAILS; i++) h->tails[i] = (float)horizon_tail_levels[i];
}

double horizon_bound(const struct horizon *h, const double value[EXPERTS]) {
    double bound = value[h->bound] + h->offset[h->bound];
    return bound < 0.0 ? 0.0 : bound;
}

void horizon_remember(struct horizon *h, uint32_t slot, const double value[EXPERTS]) {
    if (slot % h->stride != 0 || h->n_pending == PENDING) return;
    struct remembered *r = &h->pending[(h->oldest + h->n_pending) % PENDING];
    r->slot = slot + h->slots;
    for (uint32_t i = 0; i < EXPERTS; i++) r->value[i] = (float)value[i];
    r->upper = (float)horizon_bound(h, value);
    h->n_pending++;
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
    double step = 1.0 / (h->judged + 1.0); /* a plain mean at first */
    return step > least ? step : least;
}

static void horizon_judge_experts(struct horizon *h, const struct remembered *r, double value) {
    double middle_step = horizon_step(h, MIDDLE_STEP), bound_step = horizon_step(h, BOUND_STEP);
    double tail = 1.0 - UPPER_LEVEL;
    for (uint32_t i = 0; i < EXPERTS; i++) {
        double error = value - r->value[i], over = error - h->offset[i];
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
    uint32_t n = h->judged;
    int is_early = n >= 8 && n < RESIDUAL_HALF && (n & (n - 1)) == 0;
    if (++h->residual_age < RESIDUAL_HALF && !is_early) return;
    log_hist_halve(hist);
    h->residual_age = 0;
}

void horizon_judge(struct horizon *h, uint32_t slot, double value) {
    struct log_hist hist = horizon_hist(h);
    while (h->n_pending > 0 && h->pending[h->oldest].slot <= slot) {
        const struct remembered *r = &h->pending[h->oldest];
        if (r->slot == slot) { /* otherwise its slot was a gap */
            double residual = value - r->upper;
            horizon_judge_experts(h, r, value);
            if (h->judged >= JUDGED_FOR_TAILS) horizon_judge_tails(h, &hist, residual);
            horizon_age(h, &hist);
            log_hist_add(&hist, residual, WEIGHT);
            if (h->judged < UINT32_MAX) h->judged++;
        }
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
    if (weight >= WEIGHT) return log_hist_at_tail(&hist, weight - 0.5 * WEIGHT);
    /* Fewer residuals than the tail needs: the tail goes on as an exponential one. Of its samples,
     * the first is 1 + 1/2 + 1/3 times the scale above the fourth, and a half of a tail is ln 2
     * times the scale further out. */
    double first = log_hist_at_tail(&hist, 0.5 * WEIGHT);
    double fourth = log_hist_at_tail(&hist, 3.5 * WEIGHT);
    return first + (first - fourth) * HALF_TAIL * fixed_log2(WEIGHT / weight);
}

/*
 * horizon.h -- what a series knows about one horizon: which expert is best at it, and how far the
 * values were above what was forecast.
 *
 * Two rings hold what waits for its slot to close. `pending` has the values of all experts, for
 * six slots of a horizon; the choice between experts needs no more. `bases` has the bound alone,
 * for 24 slots: the tail of its residuals needs as many as fit, because a series has few
 * stretches of a long horizon that do not overlap.
 *
 * Two choices are made: the expert with the least absolute error, for the expected value, and the
 * expert with the least pinball loss at UPPER_LEVEL, for the upper bound. Both losses decay
 * exponentially, and the chosen expert stays until another is better by 5 %. (Cesa-Bianchi, Lugosi,
 * "Prediction, learning, and games", 2006, chapter 2, for the choice by past loss; Koenker, Bassett
 * 1978 for the pinball loss.)
 *
 * For the upper bound, each expert has an offset, which follows the UPPER_LEVEL quantile of its
 * residuals by steps in the direction of the gradient of the pinball loss (Gibbs, Candes 2021;
 * Angelopoulos, Candes, Tibshirani, "Conformal PID control", 2023, section 2.1). The residuals of
 * the chosen bound are in a decayed histogram; its quantiles are those of split conformal forecasts
 * (Vovk, Gammerman, Shafer 2005; Papadopoulos et al. 2002). `tails` corrects them while coverage
 * drifts: adaptive conformal inference (Gibbs, Candes, "Adaptive conformal inference under
 * distribution shift", NeurIPS 2021). Only residuals of slots that have closed are used.
 *
 * A value that has come again r times comes again in h slots with a chance of about r / (r + h)
 * (the rule of succession: Laplace 1774). As long as this is more than the risk and the run is too
 * short for residuals to know of it, a bound is not below that value: residuals of a long horizon
 * learn of a run only h slots after it began.
 *
 * What always holds: a base is the bound that was formed at its slot, and is judged once or never.
 * Cost: remember() and judge() O(experts + buckets), upper() O(buckets).
 */
#ifndef LIBSCHED_FORECAST_HORIZON_H
#define LIBSCHED_FORECAST_HORIZON_H

#include "forecast/experts/experts.h"

enum { RESIDUAL_BUCKETS = 27, PENDING = 6, BASES = 24, TAILS = 3 };

struct remembered {
    uint32_t slot;               /* for which slot */
    float last;                  /* value of EXPERT_LAST */
    uint16_t more[EXPERTS_MORE]; /* what the others have more, as signed short floats */
};

struct horizon {
    uint32_t slots;  /* length of the horizon */
    float damp;      /* see experts_at() */
    uint32_t judged; /* number of bounds that were judged; stays at its largest value */
    uint32_t chosen; /* the same for the values of the experts */
    uint32_t oldest, n_pending;
    uint32_t middle, bound; /* the chosen experts */
    float middle_loss[EXPERT_MIDDLES], bound_loss[EXPERTS], offset[EXPERTS];
    float tails[TAILS]; /* weight above the levels of horizon_tail_levels, as a part of 1 */
    int32_t residual_top;
    uint32_t residual_total, residual_age;
    uint16_t residual[2 * RESIDUAL_BUCKETS + 1]; /* above, zero, below */
    struct remembered pending[PENDING];
    uint32_t latest_base; /* every ceil(slots / BASES) slots are one base; number of the latest */
    float bases[BASES];   /* below 0: none */
};

#define UPPER_LEVEL 0.95
extern const double horizon_tail_levels[TAILS]; /* 0.1, 0.05, 0.01 */

void horizon_begin(struct horizon *h, uint32_t slots);
/* Remembers the values of the experts, and the bound, for slot + h->slots, if it is time to do so.
 * Slots come in ascending order. `repeats`: how often the latest value came again. */
void horizon_remember(struct horizon *h, uint32_t slot, const double value[EXPERTS],
                      uint32_t repeats);
/* Judges the forecast for this slot, whose value is now known, and forgets those before it. */
void horizon_judge(struct horizon *h, uint32_t slot, double value);
/* Forgets all that waits for its slot; slots can begin at 0 again. */
void horizon_forget(struct horizon *h);
/* The bound of the chosen expert at UPPER_LEVEL, without the correction by residuals. */
double horizon_bound(const struct horizon *h, const double value[EXPERTS], uint32_t repeats);
/* True if the latest value is to be expected again with more than the chance `tail`. */
int horizon_repeats(const struct horizon *h, uint32_t repeats, double tail);
/* What is added to the bound, so that the part `tail` of values lies above the sum. */
double horizon_residual(const struct horizon *h, double tail);

#endif

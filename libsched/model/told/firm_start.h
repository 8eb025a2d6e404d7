/*
 * firm_start.h -- firm starts: a waiting job that has one starts no later than its planned start,
 * unless the change feed tells why not.
 *
 * BUNDLE.FIRM says that the planned start of a bundle (PLAN_AT, PLAN_NODE) is firm. A bundle with a
 * firm start has one job. What always holds: a firm start ends only with the start of the job
 * (firm_start_keep), or with one record LSCHED_CHANGE_FIRM_LOST (firm_start_lose). The functions
 * that move a bundle call them (bundle.c), so no caller can forget a record.
 *
 * A cycle can make several plans. A firm start that it gives is new until the cycle ends: nobody
 * has been told, so it ends without a record, and the next plan of the cycle makes it anew.
 *
 * Why no second time: a plan that moves the start earlier also moves the time that is firm.
 */
#ifndef LIBSCHED_FIRM_START_H
#define LIBSCHED_FIRM_START_H

#include "model/store/columns.h"

/* Values of BUNDLE.FIRM. Between two cycles, no bundle has FIRM_START_NEW. */
enum { FIRM_START_NONE = 0, FIRM_START_SET = 1, FIRM_START_NEW = 2 };

static inline int firm_start_is(const struct columns *k, uint32_t bundle) {
    return k->c[C_BUNDLE_FIRM].u8[bundle] != FIRM_START_NONE;
}
/* True if an earlier cycle came at or after the firm start, so that a start now is late. The clock
 * alone makes no start late: it can be set, and no job starts without a cycle. */
static inline int firm_start_is_missed(const struct columns *k, uint32_t bundle, int64_t now) {
    int64_t at = k->c[C_BUNDLE_PLAN_AT].i64[bundle];
    return at < now && at <= (int64_t)meta(k, M_CYCLED);
}
/* Ends the firm start of a bundle, and notes why unless it is new: LSCHED_BECAUSE_*. The caller has
 * called undo_room(). */
void firm_start_lose(struct columns *k, uint32_t bundle, uint32_t because);
/* Ends the firm start of a bundle, if it has one, because its job has a place. A start that comes
 * after the first cycle at or after the firm time is noted: that cycle ended before it came to the
 * job. */
void firm_start_keep(struct columns *k, uint32_t bundle);
/* Ends a cycle that has given firm starts: they are new no more. Cost: O(bundles). Error:
 * LSCHED_E_NOMEM. */
int32_t firm_starts_end_cycle(struct columns *k);

#endif

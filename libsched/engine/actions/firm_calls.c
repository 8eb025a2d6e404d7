/*
 * firm_calls.c -- see firm_calls.h.
 *
 * A firm start is a mark of a bundle (model/told/firm_start.h). While an action has set its job
 * aside, the list of such jobs keeps the mark (plan_calls.c).
 *
 * Cost: list() is O(bundles + n log n) for n firm starts, the other calls are O(log bundles).
 */
#include "engine/actions/firm_calls.h"

#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "engine/actions/act_state.h"
#include "engine/rights/victim_right.h"
#include "engine/state/transaction.h"
#include "engine/waits/pass.h"
#include "model/jobs/bundle.h"
#include "model/told/firm_start.h"

#if !defined(LSCHED_NO_PACK)

static int firm_before(const struct columns *k, const lsched_firm_start *a,
                       const lsched_firm_start *b) {
    return a->at_us != b->at_us ? a->at_us < b->at_us : job_before(k, a->job, b->job);
}
#define FIRM_BEFORE(of, a, b) firm_before((of), &(a), &(b))
SORT_STABLE(sort_firm, lsched_firm_start, const struct columns *, FIRM_BEFORE)

static int firm_in_line(const struct columns *k, uint32_t b) {
    return row_is_live(k, T_BUNDLE, b) && k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE &&
           firm_start_is(k, b);
}

/* Ends a firm start that a cycle has missed, because that cycle ended before the action, and one
 * that an earlier plan of this cycle has given. Returns 1 if the start is still firm. */
static int firm_still_is(lsched_cycle *cy, uint32_t b) {
    int is_new = cy->k->c[C_BUNDLE_FIRM].u8[b] == FIRM_START_NEW;
    if (!is_new && !firm_start_is_missed(cy->k, b, cy->now)) return 1;
    firm_start_lose(cy->k, b, LSCHED_BECAUSE_BUDGET);
    return 0;
}

static int32_t firm_list(lsched_cycle *cy, const lsched_firm_start **list, uint32_t *n) {
    struct columns *k = cy->k;
    uint32_t count = 0;
    if (cy->victims || cy->act->n_deferred) return LSCHED_E_INVAL;
    cy->turn.job = NO_ROW;
    cy->act->keeps_firm = 1;
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++) {
        if (!firm_in_line(k, b)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (!firm_still_is(cy, b)) continue;
        /* twice, because the sort needs room */
        if (!VEC_ROOM(k->alloc, cy->act->firm, cy->act->cap_firm, 2 * (count + 1ull)))
            return LSCHED_E_NOMEM;
        int64_t at = k->c[C_BUNDLE_PLAN_AT].i64[b];
        uint32_t node = (uint32_t)k->c[C_BUNDLE_PLAN_NODE].u64[b];
        if (!row_is_live(k, T_NODE, node) ||
            id_make(k, LSCHED_KIND_NODE, node) != k->c[C_BUNDLE_PLAN_NODE].u64[b])
            node = NO_ROW;
        cy->act->firm[count++] = (lsched_firm_start){.size = sizeof(lsched_firm_start),
                                                     .job = bundle_head(k, b),
                                                     .node = node,
                                                     .at_us = at > cy->now ? at : cy->now};
    }
    if (count) sort_firm(k, cy->act->firm, cy->act->firm + count, count);
    *list = cy->act->firm;
    *n = count;
    return victim_right_guaranteed_kinds(k) == 0;
}

static int32_t firm_take(lsched_cycle *cy, uint32_t job) {
    if (cy->turn.job != NO_ROW || cy->victims || !row_is_live(cy->k, T_JOB, job) ||
        cy->k->c[C_JOB_BUNDLE].u32[job] == NO_ROW ||
        !firm_in_line(cy->k, cy->k->c[C_JOB_BUNDLE].u32[job]))
        return LSCHED_E_INVAL;
    cy->act->deal.n_full = 0;
    cy->act->allowed.job = NO_ROW;
    gang_domains_forget(&cy->act->pins);
    act_take_up(cy, job);
    return 1;
}

static int32_t firm_lose(lsched_cycle *cy, uint32_t job, uint32_t because) {
    struct columns *k = cy->k;
    if (!act_job_valid(cy, job) || cy->decisions.n_fresh != cy->turn.fresh_mark)
        return LSCHED_E_INVAL;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (cy->spend.stop) return 0;
    if (!firm_start_is(k, b)) return 1;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    firm_start_lose(k, b, because);
    cy->turn.mark = undo_mark(k); /* what the job does next can be undone without this */
    return 1;
}

static int32_t firm_grant(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    if (!row_is_live(k, T_JOB, job) || cy->turn.job != NO_ROW) return LSCHED_E_INVAL;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (b == NO_ROW || k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_PARKED ||
        k->c[C_BUNDLE_LIST].u8[b] != PARKED_PLAN || k->c[C_BUNDLE_PLAN_NODE].u64[b] == 0 ||
        k->c[C_BUNDLE_JOBS].u32[b] != 1)
        return 0; /* the budget has ended, and the job stays in line */
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (firm_start_is(k, b)) return 1;
    cy->pass->ended++; /* the next cycle need not ask again */
    cy->act->gives_firm = 1;
    set_u8(k, C_BUNDLE_FIRM, b, FIRM_START_NEW);
    return 1;
}

static int32_t firm_look(lsched_cycle *cy, uint64_t units) {
    act_spend(cy, units);
    cy->pass->repeats += units;
    return !cy->spend.stop;
}

const lsched_act_firm firm_calls = {.size = sizeof(lsched_act_firm),
                                    .list = firm_list,
                                    .take = firm_take,
                                    .lose = firm_lose,
                                    .grant = firm_grant,
                                    .look = firm_look};
#endif

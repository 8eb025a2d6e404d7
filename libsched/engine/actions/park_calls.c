/*
 * park_calls.c -- see park_calls.h.
 *
 * A job that a plan over time can describe waits in the list of planned bundles, also if no start
 * of it is known. Its wait ends with more than room for one of its tasks: each change of an end, a
 * node that comes back, or a plan of another job can make a start known. The list of planned
 * bundles wakes for all of these, and call_plan_begin wakes it in each cycle that plans. Jobs of a
 * bundle that run no shorter wait together: where a job has no start, a longer one has none.
 */
#include "engine/actions/park_calls.h"

#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/victims/evict_park.h"
#include "engine/actions/plan_calls.h"
#include "engine/actions/put_off.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "engine/state/length_lines.h"
#include "engine/state/transaction.h"
#include "engine/victims/evict_wake.h"
#include "engine/waits/cure.h"
#include "engine/waits/pass.h"
#include "model/jobs/bundle.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/retry.h"

#define STEPS_ASIDE_MAX 16u

/* True if the job whose transaction was cut off by the end of the cycle must be parked. Normally
 * such a job stays first in line, because the next cycle has more work units for it (pass.h). But
 * if the bound on decisions is too small for the job alone, or if the job is interrupted again and
 * again, it would keep all other jobs waiting for ever. Therefore such a job is parked. */
static int steps_aside(const lsched_cycle *cy) {
    if (cy->flags & LSCHED_PLAN_INTERRUPTED) return pass_gives_up(cy);
    return cy->spend.full && cy->counts.steps_aside < STEPS_ASIDE_MAX &&
           cy->counts.jobs_tried == cy->counts.steps_aside + cy->counts.looked_at + 1;
}

static void step_aside(lsched_cycle *cy) {
    cy->turn.why =
        (struct diagnosis){.code = LSCHED_WAIT_BUDGET, .shape = NO_ROW, .limiting = NO_ROW};
    /* why.need is the budget of work units and why.have the bound on decisions that were too small
     * for the job. After interrupts, neither was too small, therefore they are INT64_MAX. */
    int cut = (cy->flags & LSCHED_PLAN_INTERRUPTED) != 0;
    cy->turn.why.need = cut || cy->spend.budget > INT64_MAX ? INT64_MAX : (int64_t)cy->spend.budget;
    cy->turn.why.have = cut ? INT64_MAX : (int64_t)cy->spend.decisions_max;
    if (cy->victims) cy->victims->why_code = LSCHED_NO_VICTIM_BUDGET;
    cy->spend.stop = cut;
    cy->spend.full = 0;
    cy->counts.steps_aside++;
}

/* Returns the list in which the job is to be parked, and sets *of to the owner of the list. A job
 * that has no rules itself and is kept off places by those of others can have a start when their
 * work ends, or when its end becomes known, as any other job that a plan describes. A job that a
 * limit keeps out is not planned, so its wait ends with the limit. A job that an allowance refused,
 * too, wakes also with the queues, in case another place needs the allowance alone; so
 * does a job that a guarantee or lending refused. */
static uint32_t park_list(const lsched_cycle *cy, uint32_t job, uint32_t *of) {
    int saw_room = cy->turn.saw_room || cy->victims;
    uint32_t list = cure_list(cy->k, job, &cy->turn.why, saw_room, of), code = cy->turn.why.code;
    if (list == PARKED_SHAPE && (cy->turn.allowed_at || cy->turn.shares)) {
        *of = 0;
        list = PARKED_ANY;
    }
    int by_rules = list == PARKED_RULES && code == LSCHED_WAIT_RULES;
    if ((list != PARKED_SHAPE && list != PARKED_ANY && !by_rules) || code == LSCHED_WAIT_LIMIT ||
        code == LSCHED_WAIT_QUOTA || code == LSCHED_WAIT_SUPPLY || code == LSCHED_WAIT_ALLOWANCE ||
        !plan_calls_could(cy, job))
        return list;
    *of = 0;
    return PARKED_PLAN;
}

/* Sets *shorter to 1 if a job of the bundle is expected to run for less time than this job, or can
 * have to wait for reasons of its own. Such a job can have a start although this one has none. */
static int32_t has_shorter(lsched_cycle *cy, uint32_t job, int *shorter) {
    struct columns *k = cy->k;
    int32_t rc = length_lines_sync(&cy->c->lengths, k);
    if (rc != LSCHED_OK) return rc;
    uint32_t first = length_lines_shortest(&cy->c->lengths, k->c[C_JOB_BUNDLE].u32[job]);
    *shorter = first != NO_ROW &&
               (length_lines_alone(k, first) || job_length(k, first) < job_length(k, job));
    return LSCHED_OK;
}

/* Gives the job a bundle for itself if its wait reason possibly does not hold for the other jobs of
 * its bundle, or for an equal job that comes later and would join the bundle. */
static int32_t part_from_others(lsched_cycle *cy, uint32_t job, uint32_t list) {
    struct columns *k = cy->k;
    /* jobs of one shape can have different labels, which affinity rules of other jobs can name */
    int differs = hook_nodes_may_differ(cy) || retry_avoids(k, job) != NO_ROW ||
                  cy->turn.allowed_at ||
                  (cy->turn.why.code == LSCHED_WAIT_RULES && k->c[C_JOB_LABELS].u32[job] != NO_ROW);
    if (k->c[C_BUNDLE_JOB].u32[k->c[C_JOB_BUNDLE].u32[job]] != NO_ROW) return LSCHED_OK;
    int32_t rc = list == PARKED_PLAN && !differs ? has_shorter(cy, job, &differs) : LSCHED_OK;
    return rc == LSCHED_OK && differs ? job_isolate(k, job) : rc;
}

static struct park_reason park_why(const lsched_cycle *cy) {
    const struct columns *k = cy->k;
    const struct diagnosis *w = &cy->turn.why;
    struct park_reason why = {w->code, w->kind, w->group,    w->need,
                              w->have, w->able, w->limiting, cy->turn.shares};
    if (w->code == LSCHED_WAIT_LIMIT && kind_is_part(k, w->kind)) {
        struct resource_part_amount a = resource_part_get(k, w->limiting, w->kind);
        why.need = w->need - a.used;
        why.have = a.limit_now - a.used;
    } else if (kind_is_part(k, w->kind)) {
        /* why.kind is a resource part that an earlier try of the job set; it does not belong to
         * this reason */
        why.kind = LSCHED_ANY_RESOURCE;
    }
    return why;
}

int32_t call_park(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    if (!act_job_valid(cy, job)) return LSCHED_E_INVAL;
    evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
    if (cy->spend.stop && !steps_aside(cy)) {
        cy->turn.job = NO_ROW;
        return LSCHED_OK;
    }
    cy->pass->ended++;
    cy->turn.why = act_reason(cy);
    int untried = evict_found(cy, job);
    if (cy->spend.stop) step_aside(cy);
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = evict_park_alone(cy, job);
    if (rc < 0) return rc;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    cy->turn.job = NO_ROW;
    if (rc == 1 || evict_park(cy, b)) return put_off_parked(cy, b);
    uint32_t of, list = park_list(cy, job, &of);
    if (rc == LSCHED_OK) rc = part_from_others(cy, job, list);
    if (rc != LSCHED_OK) return rc;
    b = k->c[C_JOB_BUNDLE].u32[job];
    struct park_reason why = park_why(cy);
    if (list == PARKED_PLAN)
        bundle_park_no_start(k, b, &why);
    else
        bundle_park(k, b, list, of, &why);
    cure_note(k, b, &cy->turn.why, cy->turn.allowed_at);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    if (untried && evict_wake_cures(k, b, cy->victims->reason)) evict_tell_untried(cy, b);
    return put_off_parked(cy, b);
}

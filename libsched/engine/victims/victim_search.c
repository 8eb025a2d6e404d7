/* victim_search.c -- see victim_search.h. */
#include "engine/victims/victim_search.h"

#include "engine/victims/evict_wake.h"
#include "engine/rights/part_quota.h"
#include "engine/victims/victim_absence.h"
#include "engine/victims/victim_bounds.h"
#include "engine/rights/victim_excess.h"
#include "engine/rights/victim_last.h"
#include "engine/victims/victim_nodes.h"
#include "engine/victims/victim_order.h"
#include "engine/rights/victim_right.h"
#include "engine/victims/victim_rivals.h"
#include "engine/victims/victim_saved.h"
#include "engine/victims/victim_set.h"
#include "engine/rights/victim_shares.h"
#include "engine/rights/victim_side.h"
#include "engine/rights/victim_verdict.h"
#include "model/jobs/stops.h"
#include "model/demand/job_counts.h"

/* ---- memory ---- */

void victim_search_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct alloc *a = cy->k->alloc;
    if (!h) return;
    victim_verdict_close(cy);
    part_quota_close(cy);
    victim_order_close(cy);
    victim_last_close(cy);
    victim_shares_close(cy);
    victim_excess_close(cy);
    victim_bounds_close(cy);
    victim_right_close(cy);
    victim_saved_close(cy);
    victim_nodes_close(cy);
    victim_set_close(cy);
    victim_rivals_close(cy);
    evict_wake_close(cy);
    alloc_free(a, h->due.job, h->due.cap * sizeof *h->due.job);
    alloc_free(a, h->victims, h->cap_victims * sizeof *h->victims);
    alloc_free(a, h, sizeof *h);
    cy->victims = NULL;
}

int32_t victim_search_open(struct lsched_cycle *cy, uint32_t reason) {
    struct victim_search *h = alloc_zero(cy->k->alloc, sizeof *h);
    if (!h) return LSCHED_E_NOMEM;
    cy->victims = h;
    h->reason = reason;
    h->job = h->found_of = h->set_of.node = h->jobshape = h->move.mover = NO_ROW;
    h->nodes.shape = h->cheapest.node = h->limits.cheapest_of = NO_ROW;
    h->pin_stamp = 1;
    int32_t rc = victim_right_open(cy);
    if (rc == LSCHED_OK) rc = evict_wake_open(cy);
    if (rc == LSCHED_OK) rc = part_quota_open(cy);
    if (rc == LSCHED_OK) rc = victim_absence_next(cy);
    if (rc != LSCHED_OK) victim_search_close(cy);
    return rc;
}

int32_t victim_search_open_for_none(struct lsched_cycle *cy, uint32_t reason) {
    int32_t rc = view_update_ranked(&cy->c->view, cy->k, cy->now);
    if (rc == LSCHED_OK) rc = victim_search_open(cy, reason);
    if (rc == LSCHED_OK) rc = victim_nodes_ready(cy);
    if (rc != LSCHED_OK) return rc;
    cy->victims->stamp = 1;
    cy->victims->until = cy->victims->later = LSCHED_NEVER_US;
    cy->turn.job = NO_ROW;
    cy->turn.later = 1;
    return LSCHED_OK;
}

/* ---- context ---- */

/* Derives from need[] which resource kinds count, and how far each queue of the path is from its
 * entitlement. */
static void look_at_need(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    uint32_t needed = 0;
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++)
        if (h->need[r] > 0) needed |= 1u << r;
    h->kinds = victim_right_kinds(h->guaranteed, needed);
    h->kinds_before |= h->kinds;
    victim_side_look(cy);
}

static void look_at_path(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    h->kinds_before = 0;
    h->n_path = 0;
    for (uint32_t q = h->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            h->before[h->n_path][r] = k->c[C_QUEUE_USED + r].i64[q];
        h->path[h->n_path++] = q;
    }
    look_at_need(cy);
}

/* Ends the exclusion of pinned jobs: each node can be tried again, and the work of all jobs can be
 * chosen. */
static void forget_pinned(struct victim_search *h) {
    h->pin_stamp += h->n_pinned > 0;
    if (h->by_unit) h->nodes.built = 0;
    h->n_pinned = 0;
    h->by_unit = 0;
}

/* The search treats the jobs of one bundle alike and uses one context for them, because they have
 * the same queue, the same job shape and the same missing tasks. A job that has a bundle for
 * itself alone (C_BUNDLE_JOB) has a context of its own. */
void victim_search_begin_job(struct lsched_cycle *cy, uint32_t job) {
    struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job], queue = k->c[C_JOB_QUEUE].u32[job],
             shape = k->c[C_JOB_SHAPE].u32[job];
    int stopped = stops_stand(k, job);
    int alone = k->c[C_BUNDLE_JOB].u32[b] != NO_ROW, is_planned = evict_wake_was_planned(cy, b);
    int same = h->job != NO_ROW && h->stopped == stopped && !alone && !h->alone &&
               h->is_planned == is_planned && h->queue == queue && h->jobshape == shape &&
               h->priority == k->c[C_JOB_RANK].i32[job] &&
               h->below_minimum == !job_satisfied(k, job) && cy->policy.look < 2;
    forget_pinned(h);
    victim_nodes_exclude_none(cy);
    h->set_of.node = NO_ROW;
    h->job = job;
    h->alone = alone;
    h->is_planned = is_planned;
    h->stopped = stopped;
    h->n_victims = h->n_units = h->move.next = 0;
    if (h->way) h->nodes.built = 0;
    h->way = 0;
    h->limits.charge_max = 0;
    h->limits.from_others = 0;
    h->limits.supplies_of = NO_ROW;
    h->beyond = 0;
    h->unpaid = h->n_unpaid = 0;
    h->chose = 0;
    h->why_code = LSCHED_NO_VICTIM_NO_FIT;
    h->why_queue = NO_ROW;
    h->why_kind = 0;
    h->why_need = h->why_have = 0;
    h->until = h->later = LSCHED_NEVER_US;
    memset(h->need, 0, sizeof h->need);
    job_least_need(k, job, h->need);
    if (!same) {
        h->stamp++;
        h->queue = queue;
        h->jobshape = shape;
        h->priority = k->c[C_JOB_RANK].i32[job];
        h->below_minimum = !job_satisfied(k, job);
        h->lacks_guarantee = h->may_guarantee = h->places_read = 0;
        h->saves.context = h->saves.serial;
        h->nodes.built = 0;
    }
    if (h->stood) memset(h->standing, 0, (h->n_path + 1ul) * sizeof *h->standing);
    h->stood = 0;
    look_at_path(cy);
}

void victim_search_need_again(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    int64_t need[KINDS_MAX] = {0};
    job_least_need(cy->k, h->job, need);
    if (memcmp(need, h->need, sizeof need) == 0) return;
    memcpy(h->need, need, sizeof need);
    h->nodes.built = 0;
    /* before[] is not computed again, because growth counts from the start of the job's turn */
    look_at_need(cy);
}

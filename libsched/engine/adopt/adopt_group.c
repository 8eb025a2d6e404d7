/* adopt_group.c -- see adopt_group.h. */
#include "engine/adopt/adopt_group.h"

#include "engine/adopt/adopt_own.h"
#include "engine/adopt/adopt_victims.h"
#include "engine/adopt/adopt_withdrawn.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/topology/start_blocks.h"
#include "engine/victims/victim_search.h"
#include "engine/waits/nominations.h"
#include "engine/waits/pass.h"
#include "engine/waits/refusal_wait.h"
#include "model/told/decision.h"
#include "model/jobs/job.h"
#include "model/jobs/job_cost.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/retry.h"
#include "model/jobs/task_row.h"
#include "model/store/steps.h"

/* ---- the objects of a decision ---- */

/* Finds the row of an object that the clone's plan names. Returns 1; 0 if the object is gone, or is
 * another one here. */
static int32_t find_row(struct adopt_try *t, size_t i, lsched_id id, uint64_t word, uint32_t *row) {
    const struct columns *k = t->cy->k;
    int job = LSCHED_ID_KIND(id) == LSCHED_KIND_JOB;
    uint32_t table = job ? T_JOB : T_NODE, slot = (uint32_t)id,
             gen = (uint32_t)(id >> 32) & LIMIT_GENERATION_MAX,
             gone = job ? LSCHED_ADOPTION_JOB_GONE : LSCHED_ADOPTION_NODE_GONE;
    if (slot >= table_rows(k, table)) return adopt_try_drop(t, i, LSCHED_ADOPTION_NOT_SHARED, 0);
    uint32_t last = k->c[job ? C_JOB_GEN : C_NODE_GEN].u32[slot];
    int live = row_is_live(k, table, slot);
    /* a free row has the generation that it gives next */
    if (gen > last || (gen == last && !live))
        return adopt_try_drop(t, i, LSCHED_ADOPTION_NOT_SHARED, 0);
    if (gen < last) return adopt_try_drop(t, i, gone, id);
    if (plan_origin_word(k, k->c[job ? C_JOB_NAME : C_NODE_NAME].u32[slot]) != word)
        return adopt_try_drop(t, i, LSCHED_ADOPTION_NOT_SHARED, 0);
    *row = slot;
    return 1;
}

static int32_t find_objects(struct adopt_try *t) {
    for (size_t i = t->group->first; i < t->end; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        const struct plan_names *n = &t->from->origin.names[i];
        uint32_t row;
        int32_t rc = find_row(t, i, adopt_try_inside(t, d->job), n->job, &row);
        if (rc == 1) rc = find_row(t, i, adopt_try_inside(t, d->node), n->node, &row);
        if (rc == 1 && d->to_node)
            rc = find_row(t, i, adopt_try_inside(t, d->to_node), n->to_node, &row);
        if (rc != 1) return rc;
    }
    return 1;
}

/* ---- what the group is ---- */

/* Finds the job that the group is for, and the reason for which work stops or moves. */
static void read_group(struct adopt_try *t) {
    uint32_t preempts = 0, reclaims = 0;
    t->job = NO_ROW;
    for (size_t i = t->group->first; i < t->end; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        t->kinds |= 1u << d->kind;
        if (d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE) {
            if (t->job == NO_ROW) t->job = adopt_try_row(t, d->job);
            continue;
        }
        t->reason = d->reason;
        t->victims++;
        preempts += d->reason == LSCHED_FOR_PREEMPT;
        reclaims += d->reason == LSCHED_FOR_RECLAIM;
    }
    /* the job that benefits has its places in the same group, before those of moved tasks */
    for (size_t i = t->group->first; i < t->end; i++)
        if (t->from->decisions[i].for_job) t->job = adopt_try_row(t, t->from->decisions[i].for_job);
    t->both = preempts && reclaims;
    if (t->both) t->reason = LSCHED_FOR_RECLAIM;
}

/* ---- decisions that this cycle has made already ---- */

static uint32_t made_here(const lsched_cycle *cy, uint32_t task) {
    const struct adoption *a = cy->adopt;
    uint32_t d = cy->k->c[C_TASK_DECISION].u32[task];
    uint32_t first = 0, end = a->n_before;
    while (d != NO_ROW && first < end) {
        uint32_t middle = first + (end - first) / 2;
        steps_add(cy->k, 1);
        if (a->before[middle] == d) return d;
        if (a->before[middle] < d)
            first = middle + 1;
        else
            end = middle;
    }
    return NO_ROW;
}

/* Handles a placement of a task that is nominated here, too. Such a task is placed when its room is
 * free, and then before the walk. Returns 1 if the cycle has placed all tasks of the group in that
 * way, -1 if the group is of another kind; 0 if the room is not free. */
static int32_t seated(struct adopt_try *t) {
    const struct columns *k = t->cy->k;
    for (size_t i = t->group->first; i < t->end; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        if (d->kind != LSCHED_DECIDE_PLACE) return -1;
        uint32_t task = task_find(k, adopt_try_row(t, d->job), d->task_index);
        if (task == NO_ROW) return -1;
        uint32_t made = made_here(t->cy, task);
        if (made == NO_ROW && k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_NOMINATED) return -1;
        if (made == NO_ROW || k->c[C_TASK_NODE].u32[task] != adopt_try_row(t, d->node) ||
            k->c[C_DECISION_KIND].u8[made] != LSCHED_DECIDE_PLACE)
            return adopt_try_drop(t, i, LSCHED_ADOPTION_OWN, adopt_try_inside(t, d->job));
        adopt_try_note(t, i, made);
        t->group->group = k->c[C_DECISION_GROUP].u64[made];
    }
    return 1;
}

/* ---- the job ---- */

static int32_t job_waits(struct adopt_try *t) {
    struct lsched_cycle *cy = t->cy;
    const struct columns *k = cy->k;
    int64_t until;
    size_t at = t->group->first;
    lsched_id id = id_make(k, LSCHED_KIND_JOB, t->job);
    uint32_t cost = k->c[C_JOB_COST].u32[t->job];
    if (job_is_held_back(k, t->job) || retry_until(k, t->job, cy->now) ||
        (cost != NO_ROW && refusal_job_until(k, t->job, cy->now)) ||
        evict_blocks_growth(cy, t->job, &until) || k->c[C_JOB_PHASE].u8[t->job] == JOB_REFUSED)
        return adopt_try_drop(t, at, LSCHED_ADOPTION_JOB_WAITS, id);
    for (size_t i = at; i < t->end; i++) { /* a held job is not moved */
        const lsched_decision *d = &t->from->decisions[i];
        uint32_t moved = d->kind == LSCHED_DECIDE_MIGRATE ? adopt_try_row(t, d->job) : NO_ROW;
        if (moved != NO_ROW && job_is_held_back(k, moved))
            return adopt_try_drop(t, i, LSCHED_ADOPTION_JOB_WAITS,
                                  id_make(k, LSCHED_KIND_JOB, moved));
    }
    return k->c[C_JOB_PHASE].u8[t->job] == JOB_QUEUED
               ? 1
               : adopt_try_drop(t, at, LSCHED_ADOPTION_JOB_CHANGED, id);
}

/* Makes the job the current one, as call_next_job() does. Its bundle wakes: what kept it from
 * starting before need not hold any more. */
static int32_t take_up(struct adopt_try *t) {
    lsched_cycle *cy = t->cy;
    uint32_t b = cy->k->c[C_JOB_BUNDLE].u32[t->job];
    int32_t rc = undo_room(cy->k);
    if (rc != LSCHED_OK) return rc;
    cy->act->deal.n_full = 0;
    cy->act->allowed.job = NO_ROW;
    gang_domains_forget(&cy->act->pins);
    act_take_up(cy, t->job);
    bundle_wake(cy->k, b);
    return 1;
}

/* Stops the victims and places the job, in the order of the plan: which room a task finds on
 * its node depends on what was stopped before. */
static int32_t stop_and_place(struct adopt_try *t) {
    int32_t rc = t->stops_first ? adopt_victims_rest(t, t->end) : 1;
    size_t stopped = t->group->first;
    for (size_t i = t->group->first; i < t->end && rc == 1; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        int places = d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE;
        if (!places || adopt_try_row(t, d->job) != t->job) continue;
        if (i > stopped) rc = adopt_victims_rest(t, i);
        stopped = i + 1;
        if (rc == 1) rc = adopt_try_place(t, i, t->job);
        /* what the clone took back in the end can have been the room of this task */
        if (rc != 0 || !t->victims) continue;
        rc = adopt_victims_rest(t, t->end);
        if (rc == 1) rc = adopt_try_place(t, i, t->job);
    }
    return rc == 1 && t->victims ? adopt_victims_rest(t, t->end) : rc;
}

/* ---- keep ---- */

int32_t adopt_group_keep(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    if (!job_satisfied(k, job) || evict_grows(cy) || !act_fits_bound(cy) || act_is_cut(cy) ||
        !nominations_end_in_time(cy))
        return 0;
    int32_t rc = evict_keep_turn(cy, job);
    if (rc == LSCHED_E_STATE) return 0;
    if (rc == LSCHED_OK) rc = share_update(&cy->c->share, k, queue);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Keeps the group if it is whole. */
static int32_t keep_group(struct adopt_try *t, int probe) {
    lsched_cycle *cy = t->cy;
    size_t last = t->end - 1;
    lsched_id id = id_make(cy->k, LSCHED_KIND_JOB, t->job);
    if (cy->spend.stop || !act_fits_bound(cy))
        return adopt_try_drop(t, last, LSCHED_ADOPTION_BUDGET, 0);
    int32_t rc = job_satisfied(cy->k, t->job);
    if (rc == 1) rc = start_blocks_whole(&cy->act->pins, cy->k, t->job, cy->turn.group_serial);
    if (rc != 1) return rc < 0 ? rc : adopt_try_drop(t, last, LSCHED_ADOPTION_GANG, id);
    /* an eviction unit can have tasks now that the plan does not have */
    if (cy->decisions.n_fresh - cy->turn.fresh_mark != t->group->count || evict_grows(cy))
        return adopt_try_drop(t, last, LSCHED_ADOPTION_PROTECTED, id);
    if (probe) return 1;
    t->group->group = cy->turn.group_serial;
    rc = adopt_group_keep(cy, t->job);
    return rc != 0 ? rc : adopt_try_drop(t, last, LSCHED_ADOPTION_PROTECTED, id);
}

/* ---- a group ---- */

static void roll_back(struct adopt_try *t) {
    lsched_cycle *cy = t->cy;
    if (cy->victims) cy->victims->move.on = 0;
    evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
    t->group->group = 0;
    for (size_t i = t->group->first; i < t->end; i++) cy->adopt->became[i].row = NO_ROW;
}

/* Tries the group with the entitlement tested in one way. */
static int32_t try_way(struct adopt_try *t, uint32_t way, int probe) {
    lsched_cycle *cy = t->cy;
    int32_t rc = take_up(t);
    cy->turn.later = t->victims > 0;
    if (rc == 1 && t->victims) rc = adopt_try_choose(t);
    if (rc == 1) rc = adopt_victims_begin(t, way);
    if (rc == 1) rc = adopt_withdrawn_take(t);
    if (rc == 1) rc = stop_and_place(t);
    if (rc == 1) rc = adopt_victims_move(t);
    if (rc == 1) rc = keep_group(t, probe);
    if (rc == 0 || (rc == 1 && probe)) roll_back(t);
    cy->turn.job = NO_ROW;
    cy->turn.later = 0;
    return rc;
}

static int32_t try_each_way(struct adopt_try *t, int probe) {
    static const uint32_t ways[] = {0, VICTIM_ON_CREDIT, VICTIM_GUARANTEE_ON_CREDIT};
    uint32_t n = t->victims && t->reason == LSCHED_FOR_RECLAIM ? 3 : 1;
    int32_t rc = adopt_victims_open(t);
    if (rc != 1) return rc;
    rc = 0;
    for (uint32_t w = 0; w < n && rc == 0; w++) {
        /* only what rights forbid can be allowed in another way */
        if (w && !t->withdraws && t->group->result != LSCHED_ADOPTION_PROTECTED) break;
        t->stops_first = 0;
        rc = try_way(t, ways[w], probe);
        if (rc != 0 || t->group->result != LSCHED_ADOPTION_PROTECTED || !t->victims) continue;
        /* the clone can have stopped all of them before it placed the first task, which raises the
         * use of the queue */
        t->stops_first = 1;
        rc = try_way(t, ways[w], probe);
    }
    if (rc == 1) adopt_try_drop(t, 0, LSCHED_ADOPTION_APPLIED, 0);
    return rc;
}

/* Tries the group as it is, then with what the clone withdrew for it. If neither can be, the reason
 * is that of the first try, or that the cycle stops. */
static int32_t try_group(struct adopt_try *t, int probe) {
    int32_t rc = try_each_way(t, probe);
    lsched_adopted_group before = *t->group;
    if (rc != 0 || t->cy->spend.stop) return rc;
    if (adopt_withdrawn_find(t)) rc = try_each_way(t, probe);
    if (rc != 0) return rc;
    *t->group = before;
    return t->cy->spend.stop ? adopt_try_drop(t, t->end - 1, LSCHED_ADOPTION_BUDGET, 0) : 0;
}

int32_t adopt_group(lsched_cycle *cy, uint32_t i, int probe) {
    struct adoption *a = cy->adopt;
    lsched_adopted_group *g = &a->groups[i];
    struct adopt_try t = {.cy = cy, .from = a->from, .group = g, .end = g->first + g->count};
    if (cy->spend.stop) return adopt_try_drop(&t, g->first, LSCHED_ADOPTION_BUDGET, 0);
    act_spend(cy, g->count);
    int32_t rc = find_objects(&t);
    if (rc != 1) return rc;
    read_group(&t);
    rc = seated(&t);
    if (rc >= 0) return rc;
    if (!decision_kinds_allow(cy, t.kinds))
        return adopt_try_drop(&t, g->first, LSCHED_ADOPTION_NOT_ASKED, 0);
    if (adopt_own_is(a->from, g)) return adopt_own_group(&t);
    rc = job_waits(&t);
    if (rc == 1) rc = try_group(&t, probe);
    if (rc == 1 && !probe) a->ran = 0; /* an action that ran after this group ran again */
    return rc;
}

/* evict_calls.c -- see evict_calls.h. */
#include "engine/evictions/evict_calls.h"

#include <string.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "base/times.h"
#include "engine/actions/act_index.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/victims/evict_park.h"
#include "engine/cheapest/cheapest_node.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/queues/queue_rules.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/actions/charge_search.h"
#include "engine/rights/part_quota.h"
#include "engine/victims/victim_bounds.h"
#include "engine/victims/victim_nodes.h"
#include "engine/victims/victim_order.h"
#include "engine/rights/victim_right.h"
#include "engine/victims/victim_saved.h"
#include "engine/victims/victim_search.h"
#include "engine/victims/victim_set.h"
#include "engine/rights/victim_side.h"
#include "engine/victims/victim_supplies.h"
#include "engine/waits/refusal_wait.h"
#include "model/budgets/eviction_count.h"
#include "model/devices/device.h"
#include "model/store/steps.h"
#include "model/supplies/supply.h"

/* largest number of node evaluations in the victim search for one job */
#define SEARCH_WORK_MAX UINT64_C(200000)
#define EXCLUDED_MAX    64u /* largest number of excluded nodes, and of pinned jobs, for one job */

int32_t call_look(lsched_cycle *cy, uint32_t when) {
    if (when > LSCHED_LOOK_LATER) return LSCHED_E_INVAL;
    if (when == LSCHED_LOOK_LATER && meta(cy->k, M_LEAVING) + meta(cy->k, M_NOMINATED) == 0 &&
        !cy->victims)
        return 0;
    if (when == LSCHED_LOOK_LATER && !decision_kinds_allow(cy, 1u << LSCHED_DECIDE_NOMINATE))
        return 0;
    cy->turn.later = when == LSCHED_LOOK_LATER;
    return 1;
}

int32_t call_untried(lsched_cycle *cy, uint32_t job) {
    if (!act_job_valid(cy, job) || !cy->victims) return LSCHED_E_INVAL;
    return evict_is_untried(cy, cy->k->c[C_JOB_BUNDLE].u32[job]);
}

/* ---- whether a job may evict ---- */

static int refuse(lsched_cycle *cy, uint32_t code, int64_t until) {
    cy->victims->why_code = code;
    if (until < cy->victims->until) cy->victims->until = until;
    return 0;
}

static int64_t delay_of(const lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (c != NO_ROW && k->c[C_COST_DELAY].i64[c]) return k->c[C_COST_DELAY].i64[c];
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        if (k->c[C_QUEUE_PREEMPT_DELAY].i64[q]) return k->c[C_QUEUE_PREEMPT_DELAY].i64[q];
    return cycle_eviction(cy)->preemption_delay_us;
}

static int waited_long_enough(lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    int64_t delay = delay_of(cy, job), since = k->c[C_JOB_SUBMIT].i64[job];
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (delay <= 0) return 1;
    if (c != NO_ROW && k->c[C_COST_EVICTED_AT].i64[c] > since)
        since = k->c[C_COST_EVICTED_AT].i64[c];
    return cy->now - since >= delay ? 1
                                    : refuse(cy, LSCHED_NO_VICTIM_DELAY, time_after(since, delay));
}

/* In reclaim, tests whether the job's own queue stays within its entitlement with the job. If the
 * queue does not, stores the queue, the resource kind and the amounts in the why_* fields. */
static int within_share(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    if (h->reason != LSCHED_FOR_RECLAIM || h->both || h->share_ok[0] || part_quota_entitled(cy))
        return 1;
    h->why_queue = h->queue;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (!(h->kinds >> r & 1)) continue;
        int64_t right = victim_right(cy, h->queue, r, 0),
                used = k->c[C_QUEUE_USED + r].i64[h->queue];
        if (right == LSCHED_UNLIMITED || used + h->need[r] <= right) continue;
        h->why_kind = r;
        h->why_need = h->need[r];
        h->why_have = right > used ? right - used : 0;
        break;
    }
    return refuse(cy, LSCHED_NO_VICTIM_SHARE, LSCHED_NEVER_US);
}

/* Returns 1 if the proofs leave it open whether victims can help the current job, 0 if no victims
 * can, or a negative error code. */
static int32_t could_help(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    /* jobs of the same context share the result; a cold search repeats a "no" */
    if (h->told.stamp != h->stamp || (cy->c->searches_cold && !h->told.possible)) {
        /* A verdict lowers h->until only when it is computed. A cold search that repeats proofs of
         * its context forgets the verdicts first, so that it finds the same times again. */
        if (h->told.stamp == h->stamp) h->stamp++;
        int was_possible = cheapest_node_prove_anew(cy);
        uint32_t code = h->why_code;
        h->told.stamp = h->stamp;
        act_spend(cy, 1);
        h->told.possible = (int8_t)victim_bounds_possible(cy);
        if (cy->spend.stop) return 0;
        if (was_possible && h->told.possible == 0) {
            h->told.possible = 1;
            h->why_code = code;
            h->why_kind = 0;
            h->why_need = h->why_have = 0;
        }
        /* The proof found too few possible victims, but some jobs are protected only by their
         * minimum run time and can be evicted from h->until on. */
        if (h->told.possible == 0 && h->until != LSCHED_NEVER_US)
            h->why_code = LSCHED_NO_VICTIM_MIN_RUNTIME;
        h->told.code = h->why_code;
        h->told.kind = h->why_kind;
        h->told.need = h->why_need;
        h->told.have = h->why_have;
        h->told.until = h->until;
        h->told.later = h->later;
    } else {
        cy->c->searches_skipped += !h->told.possible;
    }
    h->why_code = h->told.code;
    h->why_kind = h->told.kind;
    h->why_need = h->told.need;
    h->why_have = h->told.have;
    if (h->told.until < h->until) h->until = h->told.until;
    if (h->told.later < h->later) h->later = h->told.later;
    if (h->told.possible) victim_saved_begin(cy);
    return h->told.possible;
}

int evict_calls_permit(lsched_cycle *cy, uint32_t job) {
    struct victim_search *h = cy->victims;
    if ((cy->k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NEVER_PREEMPTS) || hook_jobs_stops(cy, job))
        return refuse(cy, LSCHED_NO_VICTIM_NEVER, LSCHED_NEVER_US);
    /* for a job with alternatives, call_find_victims checks the entitlement of each alternative */
    int chooses = jobshape_chooses(cy->k, h->jobshape);
    if (!waited_long_enough(cy, job) || (!chooses && !within_share(cy))) return 0;
    if (refusal_wait_room_comes(cy->k, job))
        return refuse(cy, LSCHED_NO_VICTIM_REFUSED, refusal_wait_of_nominations(cy->k, job).until);
    if (h->reason != LSCHED_FOR_CONSOLIDATE && evict_left(cy) == 0)
        return refuse(cy, LSCHED_NO_VICTIM_RATE, eviction_count_next_hour(cy->now));
    return 1;
}

int32_t call_may_evict(lsched_cycle *cy, uint32_t job) {
    if (!act_job_valid(cy, job) || !cy->victims) return LSCHED_E_INVAL;
    struct victim_search *h = cy->victims;
    victim_search_begin_job(cy, job);
    evict_note_found(cy, job);
    h->work_left = SEARCH_WORK_MAX;
    if (!evict_calls_permit(cy, job)) return 0;
    int32_t rc = h->told.stamp == h->stamp && !h->told.possible ? 0 : cheapest_node_find(cy);
    if (rc != 0 || cy->spend.stop) return rc;
    return could_help(cy);
}

/* ---- victims ---- */

/* Returns the struct ask of the leaf group, or NULL if no victims can be sought for it. The
 * arguments must be valid, and the action must have called may_evict for a job before. */
static const struct ask *may_ask(lsched_cycle *cy, uint32_t job, uint32_t group) {
    return cy->victims && cy->victims->job != NO_ROW ? act_leaf(cy, job, group) : NULL;
}

static int charge_can_be(lsched_cycle *cy, const struct ask *a, int64_t gpu) {
    return queue_rules_allow_evicting(cy, a, gpu) && victim_right_keeps(cy, gpu);
}

/* Returns the largest charge of one more task that the queues allow, in milli-GPUs; 0 if they allow
 * every charge that a task of the shape can have, or none. */
static uint32_t charge_most(lsched_cycle *cy, const struct ask *a) {
    const struct diagnosis why = cy->turn.why;
    uint32_t least = 0, more = cy->k->c[C_SHAPE_DEVICES].u32[a->shape] * DEVICE_WHOLE;
    if (!shape_charge_varies(cy->k, a->shape) || charge_can_be(cy, a, more) ||
        !charge_can_be(cy, a, shape_least_milli(cy->k, a->shape)))
        more = 0;
    BISECT_LAST(least, more, middle, charge_can_be(cy, a, middle));
    cy->turn.why = why;
    return least;
}

/* Finds the cheapest node where the charge of the task is within what its queues allow, and
 * where the victims set free what lend limits keep from it and what supplies lack for it. If
 * there is none, finds the cheapest of all nodes: work below a limit, or elsewhere, can stop,
 * too (call_relieve). */
static int32_t best_within(lsched_cycle *cy, const struct ask *a, uint32_t domain, uint32_t *node) {
    struct victim_limits *l = &cy->victims->limits;
    l->charge_max = charge_most(cy, a);
    l->lacks = l->from_others = 0;
    l->supplies = 0;
    l->supplies_of = NO_ROW;
    int32_t rc = victim_nodes_best(cy, a, domain, node);
    int others = l->lacks || l->supplies;
    if (rc != 0 || cy->spend.stop || (l->charge_max == 0 && !others)) return rc;
    l->charge_max = 0;
    l->from_others = others;
    return victim_nodes_best(cy, a, domain, node);
}

/* Returns the bit of the alternative that the job has chosen now; 0 if it has no alternatives,
 * or if several of its groups have. */
static uint32_t alternative_bit(lsched_cycle *cy) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    uint32_t bit = 0;
    if (!jobshape_chooses(k, h->jobshape)) return 0;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[h->jobshape]; g++) {
        if (k->c[C_GROUP_N_ALTERNATIVES].u32[group_row(k, h->jobshape, g)] < 2) continue;
        const struct ask *a = bit ? NULL : act_group(cy, h->job, g);
        if (!a) return 0;
        bit = 1u << a->alternative;
    }
    return bit;
}

/* Computes the job's side for the chosen alternative. Returns 0 if the credit of this alternative
 * could not be ended before. */
static int side_lets_seek(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    if (h->reason != LSCHED_FOR_RECLAIM) return 1;
    victim_side_look(cy);
    if (!jobshape_chooses(cy->k, h->jobshape)) return 1;
    if (!victim_on_credit(h)) h->beyond |= victim_side_beyond(cy, NULL) > 0;
    return !(h->unpaid && h->unpaid & alternative_bit(cy));
}

int32_t call_find_victims(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t domain,
                          uint32_t *node) {
    const struct ask *a = may_ask(cy, job, group);
    if (!a) return LSCHED_E_INVAL;
    if (domain != NO_ROW && !row_is_live(cy->k, T_DOMAIN, domain)) return LSCHED_E_INVAL;
    act_spend(cy, 1);
    if (cy->spend.stop) return 0;
    if (jobshape_chooses(cy->k, cy->victims->jobshape)) {
        victim_search_need_again(cy);
        if (!within_share(cy)) return 0;
    }
    if (!side_lets_seek(cy)) return 0;
    int32_t rc = victim_nodes_ready(cy);
    if (rc == LSCHED_OK && cheapest_node_holds(cy, a, domain)) {
        *node = cy->victims->cheapest.node;
        rc = 1;
    } else if (rc == LSCHED_OK) {
        rc = best_within(cy, a, domain, node);
    }
    if (rc == 1) cy->victims->chose = 1;
    if (rc == 0 && cy->victims->work_left == 0) {
        cy->victims->why_code = LSCHED_NO_VICTIM_BUDGET;
        cy->counts.cut++;
    } else if (rc == 0 && cy->victims->until != LSCHED_NEVER_US &&
               cy->victims->why_code == LSCHED_NO_VICTIM_NO_FIT) {
        cy->victims->why_code = LSCHED_NO_VICTIM_MIN_RUNTIME;
    }
    return rc;
}

static uint8_t state_of(const lsched_cycle *cy, uint32_t task) {
    return row_is_live(cy->k, T_TASK, task) ? cy->k->c[C_TASK_STATE].u8[task] : LSCHED_TASK_NONE;
}

static const struct victim_unit *unit_in_order(const struct victim_set *set, uint32_t order) {
    for (uint32_t i = 0; i < set->n; i++)
        if (set->unit[i].chosen == order) return &set->unit[i];
    return NULL;
}

/* Finds the set of victims on the node, unless the latest search found it. */
static int32_t renew_set(lsched_cycle *cy, uint32_t node, uint32_t shape) {
    int32_t rc = victim_nodes_ready(cy);
    int rivals = meta(cy->k, M_EXCLUSIVE) != 0;
    return rc == LSCHED_OK && !victim_set_is_found(cy, node, shape, rivals)
               ? victim_set_find(cy, node, shape, rivals)
               : rc;
}

/* Evicts victims on the node. The engine itself computes the set of victims for this node, or has
 * just computed it to find the node; no argument of the action says which tasks are evicted. */
int32_t call_evict_on(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t node) {
    const struct ask *a = may_ask(cy, job, group);
    if (!a || !row_is_live(cy->k, T_NODE, node)) return LSCHED_E_INVAL;
    struct victim_search *h = cy->victims;
    uint32_t tasks = 0;
    if (h->reason == LSCHED_FOR_RECLAIM) victim_side_look(cy);
    int32_t rc = renew_set(cy, node, a->shape);
    if (rc != LSCHED_OK) return rc;
    if (h->set.key.impossible || cy->spend.stop) return 0;
    uint64_t left =
        h->reason == LSCHED_FOR_CONSOLIDATE ? cycle_eviction(cy)->moves_max : evict_left(cy);
    if (h->n_victims + h->set.key.tasks > left) {
        if (h->reason != LSCHED_FOR_CONSOLIDATE)
            refuse(cy, LSCHED_NO_VICTIM_RATE, eviction_count_next_hour(cy->now));
        return 0;
    }
    if (cy->decisions.n_fresh - cy->turn.fresh_mark + h->set.key.tasks >=
        cy->spend.decisions_left) {
        act_is_full(cy);
        return 0;
    }
    act_spend(cy, h->set.key.tasks);
    if (cy->spend.stop) return 0;
    for (uint32_t order = 1; order <= h->set.n && rc == LSCHED_OK; order++) {
        const struct victim_unit *u = unit_in_order(&h->set, order);
        if (!u) continue;
        /* the nomination can have been withdrawn already, together with another nomination of its
         * gang */
        if (u->nominated && state_of(cy, u->task) != LSCHED_TASK_NOMINATED) continue;
        rc = evict_and_requeue(cy, u);
        tasks++;
    }
    /* computes the job's side again, because charge_allow reads it next */
    if (h->reason == LSCHED_FOR_RECLAIM) victim_side_look(cy);
    return rc == LSCHED_OK ? (int32_t)tasks : rc;
}

/* ---- room below a limit ---- */

/* True if the policy's evictions per hour and the bound on decisions allow that so many more tasks
 * are stopped. */
static int may_stop_more(lsched_cycle *cy, uint32_t tasks) {
    if (cy->decisions.n_fresh - cy->turn.fresh_mark + tasks >= cy->spend.decisions_left)
        act_is_full(cy);
    if (cy->spend.stop) return 0;
    return cy->victims->n_victims + tasks <= evict_left(cy) ||
           refuse(cy, LSCHED_NO_VICTIM_RATE, eviction_count_next_hour(cy->now));
}

/* Evicts the cheapest of the units that are wanted and allowed to be evicted, on any node.
 * Returns 1, 0 if there is none, or a negative error code. */
static int32_t evict_wanted(lsched_cycle *cy, const struct victim_wanted *of) {
    struct victim_unit u = {0};
    if (!may_stop_more(cy, 1)) return 0;
    int32_t rc = victim_nodes_ready(cy);
    if (rc == LSCHED_OK) rc = victim_order_cheapest(cy, of, &u);
    if (rc != 1) return rc;
    if (u.tasks > 1 && !may_stop_more(cy, u.tasks)) return 0; /* the unit is a whole gang */
    rc = evict_and_requeue(cy, &u);
    return rc == LSCHED_OK ? 1 : rc;
}

/* The relief of one task: the units that were evicted for it. anywhere: 1 if work was asked for
 * that need not be below a queue of the job. */
struct relief {
    const struct ask *ask;
    int32_t units;
    int anywhere;
};

static int32_t relieve_by(lsched_cycle *cy, struct relief *r, const struct victim_wanted *of) {
    if (cy->victims->reason == LSCHED_FOR_RECLAIM) victim_side_look(cy);
    int32_t rc = evict_wanted(cy, of);
    r->units += rc == 1;
    return rc;
}

/* Says which work can cure the refusal of the task by a rule of its queues: by a limit, by
 * lending of another queue, or by a supply of the whole cluster. Returns 0 if none can. The
 * guarantee reserve names the queue of the job: it is kept for another job, and who takes the
 * place of other work would delay that job, too. */
static int wants_for_rules(const lsched_cycle *cy, const struct ask *a, struct victim_wanted *of) {
    const struct diagnosis *w = &cy->turn.why;
    *of = (struct victim_wanted){NO_ROW, 0, NO_ROW};
    if (w->code == LSCHED_WAIT_LIMIT || w->code == LSCHED_WAIT_LENDING) of->kind = w->kind;
    if (w->code == LSCHED_WAIT_LIMIT) of->queue = w->limiting;
    if (w->code == LSCHED_WAIT_SUPPLY) of->place = victim_supplies_lowest(cy->k, NO_ROW, a->shape);
    return (of->queue != NO_ROW && of->kind < KINDS_MAX) || of->place != NO_ROW ||
           (w->code == LSCHED_WAIT_LENDING && w->limiting != a->queue);
}

/* Evicts units until the rules of the job's queues allow one more task. Returns 1, 0 if they
 * cannot, or a negative error code. Work anywhere is asked for only if a node has room for the
 * task. */
static int32_t relieve_rules(lsched_cycle *cy, struct relief *r) {
    struct victim_wanted of;
    while (!queue_rules_allow_charge(cy, r->ask, charge_wanted(cy, r->ask), 1)) {
        if (!wants_for_rules(cy, r->ask, &of)) return 0;
        if (of.queue == NO_ROW && !r->anywhere) {
            struct search_index *x;
            uint32_t node;
            int32_t rc = act_best(cy, r->ask, &x, &node);
            if (rc != LSCHED_OK || node == NO_ROW) return rc;
            r->anywhere = 1;
        }
        int32_t rc = relieve_by(cy, r, &of);
        /* a smaller charge, on other devices, can be allowed now */
        if (rc == 0) return queue_rules_allow(cy, r->ask, 1);
        if (rc < 0) return rc;
    }
    return 1;
}

/* Returns the first node with room for the task, in the order of their marks, that is not
 * unsupplied; NO_ROW if there is none. */
static uint32_t free_node_supplied(const lsched_cycle *cy, const struct search_index *x) {
    const struct columns *k = cy->k;
    uint32_t first = NO_ROW;
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++)
        if (x->score[node] != SEARCH_LEAST && !cy->victims->nodes.unsupplied[node] &&
            (first == NO_ROW || x->mark[node] < x->mark[first]))
            first = node;
    return first;
}

/* Leaves all nodes below the place out. */
static void leave_out(lsched_cycle *cy, uint32_t place) {
    steps_add(cy->k, table_rows(cy->k, T_NODE));
    for (uint32_t node = 0; node < table_rows(cy->k, T_NODE); node++)
        if (supply_place_is_above(cy->k, place, node)) cy->victims->nodes.unsupplied[node] = 1;
}

/* Evicts units until all places above the node have enough of each supply. Returns as
 * relieve_rules() does; *place is the place that was relieved last. */
static int32_t relieve_node(lsched_cycle *cy, struct relief *r, uint32_t node, uint32_t *place) {
    struct victim_wanted of = {NO_ROW, 0, NO_ROW};
    for (int32_t rc = 1; rc == 1;) {
        of.place = victim_supplies_lowest(cy->k, node, r->ask->shape);
        if (of.place == NO_ROW) return 1;
        *place = of.place;
        rc = relieve_by(cy, r, &of);
        if (rc != 1) return rc;
    }
    return 0;
}

/* Evicts units until the domains of a node with room have enough of each supply. If the work in one
 * domain is not enough, the others are tried one after the other. Returns as relieve_rules() does.
 */
static int32_t relieve_domains(lsched_cycle *cy, struct relief *r) {
    struct search_index *x;
    size_t mark = undo_mark(cy->k);
    uint32_t fresh = cy->decisions.n_fresh, nodes = table_rows(cy->k, T_NODE);
    int32_t units = r->units, rc;
    if (!victim_supplies_short(cy->k, r->ask->shape) || nodes == 0) return 1;
    rc = victim_nodes_ready(cy);
    if (rc != LSCHED_OK) return rc;
    memset(cy->victims->nodes.unsupplied, 0, cy->victims->nodes.cap);
    for (int first = 1;; first = 0) {
        uint32_t place = NO_ROW;
        rc = act_index(cy, r->ask, &x);
        if (rc != LSCHED_OK || cy->spend.stop) return rc;
        act_spend(cy, nodes);
        uint32_t node = free_node_supplied(cy, x);
        if (node == NO_ROW) return first;
        r->anywhere = 1;
        rc = relieve_node(cy, r, node, &place);
        if (rc != 0 || cy->spend.stop) return rc;
        evict_roll_back(cy, mark, fresh);
        r->units = units;
        leave_out(cy, place);
    }
}

/* Work anywhere can set free what another queue does not lend, and work anywhere in a domain
 * what its supply lacks. So where no node has room, no such work is chosen here: the victims
 * that make room on a node give that back, too. For the same reason the evictions are undone if
 * they are not enough: then victims on the right node can still be. */
int32_t call_relieve(lsched_cycle *cy, uint32_t job, uint32_t group) {
    struct relief r = {.ask = may_ask(cy, job, group)};
    if (!r.ask) return LSCHED_E_INVAL;
    size_t mark = undo_mark(cy->k);
    uint32_t fresh = cy->decisions.n_fresh;
    if (cy->victims->reason == LSCHED_FOR_CONSOLIDATE) return 0;
    int32_t rc = relieve_rules(cy, &r);
    if (rc == 1) rc = relieve_domains(cy, &r);
    if (rc == 0 && r.anywhere) {
        evict_roll_back(cy, mark, fresh);
        return 0;
    }
    return rc < 0 ? rc : r.units;
}

/* Ends the credit of a reclaim, which placed the job although its queues were above their
 * entitlement. As long as a queue on the job's path is above its entitlement, the cheapest unit
 * below this queue is evicted. Returns 1 when no queue of the path is above its entitlement, 0 if
 * further evictions are not allowed. */
int32_t call_pay_rights(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    if (!h) return LSCHED_E_INVAL;
    for (;;) {
        uint32_t queue = victim_side_short(cy), way = h->way;
        if (queue == NO_ROW) return 1;
        h->way = 0;
        int32_t rc = evict_wanted(cy, &(struct victim_wanted){queue, 0, NO_ROW});
        h->way = way;
        if (rc == 0) h->unpaid |= alternative_bit(cy);
        if (rc != 1) return rc;
    }
}

/* ---- other ways ---- */

/* Pins each job that has a victim without a new place. When by_unit is set, the search no longer
 * chooses the work of pinned jobs. Returns the number of jobs that were not pinned before the
 * call. */
static uint32_t pin_homeless(lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint32_t before = h->n_pinned;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        struct victim_job *j = victim_job_at(h, h->victims[i].job);
        uint32_t d = k->c[C_TASK_DECISION].u32[h->victims[i].task];
        steps_add(k, 1);
        if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_MIGRATE || j->pinned == h->pin_stamp)
            continue;
        j->pinned = h->pin_stamp;
        h->n_pinned++;
    }
    return h->n_pinned - before;
}

/* Pins the jobs with a victim that found no new place and, unless by_unit is set, excludes the
 * nodes on which this transaction made room. Returns 1 if the search can try other nodes or units,
 * 0 if not. */
int32_t call_exclude(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    if (!h) return LSCHED_E_INVAL;
    if (h->nodes.n_excluded >= EXCLUDED_MAX || h->n_pinned >= EXCLUDED_MAX) return 0;
    h->set_of.node = NO_ROW;
    uint32_t pinned = pin_homeless(cy);
    if (h->by_unit) return pinned > 0;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t node = cy->k->c[C_TASK_NODE].u32[h->victims[i].task];
        h->nodes.n_excluded += !h->nodes.excluded[node];
        h->nodes.excluded[node] = 1;
    }
    return h->n_victims > 0;
}

/* Starts a second search (by_unit) for a consolidation that has no candidate node left: all nodes
 * become candidates again, but work of pinned jobs is not chosen. */
static int32_t look_by_unit(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    if (h->by_unit || h->n_pinned == 0 || cy->spend.stop || h->work_left == 0) return 0;
    victim_nodes_exclude_none(cy);
    h->by_unit = 1;
    h->nodes.built = 0;
    return 1;
}

/* Returns 1 if the attempt that has failed found places for an alternative whose credit it could
 * not end. Then the same way is tried again with the other alternatives. */
static int has_other_alternatives(struct victim_search *h) {
    uint32_t n = bits_count(h->unpaid);
    if (n == h->n_unpaid) return 0;
    h->n_unpaid = n;
    h->nodes.built = 0;
    return 1;
}

/* Begins the next way (bits VICTIM_*) that can help. Returns 0 if there is none. */
static int begin_next_way(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    h->unpaid = h->n_unpaid = 0;
    uint32_t gang = h->below_minimum && cy->k->c[C_JOBSHAPE_TASKS_MIN].u32[h->jobshape] > 1;
    uint32_t credit = h->beyond || victim_side_beyond(cy, NULL) > 0;
    uint32_t ways = (gang ? VICTIM_LARGEST : 0) | (credit ? VICTIM_ON_CREDIT : 0) |
                    (h->lacks_guarantee && h->may_guarantee ? VICTIM_GUARANTEE_ON_CREDIT : 0),
             way = h->way + 1;
    /* VICTIM_LARGEST changes only the order of units. If the last search had no choice between
     * units or nodes, the result would be the same. */
    if (!h->chose && way == (h->way | VICTIM_LARGEST)) way++;
    while (way & ~ways && way < VICTIM_WAYS) way++;
    if (way >= VICTIM_WAYS) return 0;
    h->way = way;
    h->chose = 0;
    h->nodes.built = 0;
    return 1;
}

/* Chooses another way (bits VICTIM_*) of seeking victims for the job. The ways on credit are for
 * jobs whose side is above its entitlement, or for which a unit was refused only because their
 * side is above its guarantee. */
int32_t call_another_way(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    if (!h || h->job == NO_ROW) return LSCHED_E_INVAL;
    if (h->reason == LSCHED_FOR_CONSOLIDATE) return look_by_unit(cy);
    if (cheapest_node_give_up(cy)) {
        h->work_left = SEARCH_WORK_MAX;
        return could_help(cy);
    }
    if (h->reason != LSCHED_FOR_RECLAIM || cy->spend.stop || h->work_left == 0 ||
        h->why_code == LSCHED_NO_VICTIM_RATE)
        return 0;
    victim_side_look(cy);
    return has_other_alternatives(h) || begin_next_way(cy);
}

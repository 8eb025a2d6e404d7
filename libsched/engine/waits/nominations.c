/*
 * nominations.c -- serves nominations at the beginning of a cycle.
 *
 * Before all other steps, nominations that refusals made useless are withdrawn (refusal_wait.h),
 * and nominations whose supply will not come (supply_claims.h). Then nominated tasks take room that
 * came free, task by task; each nomination becomes a place decision of this plan. If a gang is
 * below its minimum without its nominated tasks, none of these tasks takes room before enough of
 * them fit for the minimum. Each job is tried once in a cycle.
 *
 * After that, nominations are withdrawn that an absence bars when their room is free
 * (nodes/absence.h), and overdue tasks are handled. A releasing task is overdue if it should have
 * been gone a grace time ago. It then counts as stuck: nothing is planned on its room any more, and
 * nominations that counted on this room are withdrawn. A nomination is overdue, and is withdrawn,
 * if its planned time passed a grace time ago.
 *
 * At the end, evictions that no nomination needs any more are withdrawn.
 *
 * There is no search: only nodes that gained room are read. All task rows are read only when a
 * task is overdue or when refusals changed, and all open decisions while nodes are to leave.
 */
#include "engine/waits/nominations.h"
#include "engine/state/transaction.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/waits/exclusive_wait.h"
#include "engine/waits/refusal_wait.h"
#include "engine/waits/supply_claims.h"
#include "engine/waits/pass.h"
#include "model/told/change_feed.h"
#include "model/shapes/daily_demand.h"
#include "model/jobs/releasing.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"
#include "model/jobs/decision_reject.h"
#include "model/jobs/nominated_tasks.h"
#include "model/absences/job_absence.h"
#include "model/nodes/absence.h"
#include "model/reservations/reservation.h"
#include "model/told/change_feed.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/devices/device_select_mig.h"
#include "model/queues/queue.h"
#include "model/supplies/supply.h"
#include "model/store/steps.h"
#include "engine/state/withdraw_decision.h"

/* ---- releasing and nominated tasks that are overdue ---- */

static int64_t due_at(const struct columns *k, uint32_t t) {
    uint8_t state = k->c[C_TASK_STATE].u8[t];
    if (state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t]) {
        uint32_t d = k->c[C_TASK_DECISION].u32[t];
        /* a task that writes a checkpoint has not been told to stop */
        int writes = d != NO_ROW && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT;
        return writes ? LSCHED_NEVER_US : k->c[C_TASK_RELEASE_AT].i64[t];
    }
    if (state == LSCHED_TASK_NOMINATED)
        return k->c[C_DECISION_AT].i64[k->c[C_TASK_DECISION].u32[t]];
    return LSCHED_NEVER_US;
}

static int32_t overdue(struct lsched_cycle *cy, uint32_t t) {
    struct columns *k = cy->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED)
        return withdraw_decision(cy, t, LSCHED_BECAUSE_TIME);
    releasing_stuck(k, t);
    rc = node_trim_nominations(k, k->c[C_TASK_NODE].u32[t], cy->now, withdraw_decision_note, cy);
    return rc == LSCHED_OK && cy->decisions.out_of_memory ? LSCHED_E_NOMEM : rc;
}

/* Handles the tasks in this state that are due by `by`. Lowers *next to the first of the others. */
static int32_t overdue_in(struct lsched_cycle *cy, uint8_t state, int64_t by, int64_t *next) {
    struct columns *k = cy->k;
    steps_add(k, table_rows(k, T_TASK));
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        if (!row_is_live(k, T_TASK, t) || k->c[C_TASK_STATE].u8[t] != state) continue;
        int64_t at = due_at(k, t);
        if (at == LSCHED_NEVER_US) continue;
        if (at <= by) {
            int32_t rc = overdue(cy, t);
            if (rc != LSCHED_OK) return rc;
        } else if (*next == 0 || at < *next) {
            *next = at > 0 ? at : 1;
        }
    }
    return LSCHED_OK;
}

/* Nominations go first: a task that does not stop withdraws others, and the order of rows must not
 * say for which reason. */
static int32_t look_for_overdue(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int64_t grace = cycle_eviction(cy)->grace_us, next = 0, first = (int64_t)meta(k, M_FUTURE_NEXT);
    if (first == 0 || cy->now - grace < first) return LSCHED_OK;
    int32_t rc = overdue_in(cy, LSCHED_TASK_NOMINATED, cy->now - grace, &next);
    if (rc == LSCHED_OK) rc = overdue_in(cy, LSCHED_TASK_RELEASING, cy->now - grace, &next);
    if (rc == LSCHED_OK) set_meta(k, M_FUTURE_NEXT, (uint64_t)next);
    return rc;
}

int64_t nominations_room_at(const struct columns *k, uint32_t job, uint32_t shape, uint32_t node) {
    int64_t at = supply_claims_at(k, node, shape),
            apart = exclusive_wait_until(k, job, shape, node);
    if (at < apart) at = apart;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t] &&
            k->c[C_TASK_RELEASE_AT].i64[t] > at)
            at = k->c[C_TASK_RELEASE_AT].i64[t];
    return at;
}

/* True if an absence bars the nominated task at the time `at`, or when its job has left its old
 * places if that is later. */
static int is_absent(const struct columns *k, uint32_t task, int64_t at) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], job = k->c[C_TASK_JOB].u32[task];
    return job_absence_bars(k, node, job_absence_own(k, job, at), job);
}

/* Returns the first time after `now` at which an absence bars a task of the job that starts on the
 * node at once; LSCHED_NEVER_US: it does so now, or none comes. */
static int64_t barred_from(const struct columns *k, uint32_t job, uint32_t node, int64_t now) {
    struct absence next;
    int64_t length = job_absence_length(k, job);
    if (length == LSCHED_NEVER_US || !absence_next(k, node, now, &next)) return LSCHED_NEVER_US;
    int64_t from = next.leaves - length + 1;
    return from > now ? from : LSCHED_NEVER_US;
}

/* True if an absence bars a nomination of the job at its time, or at the time `at` if that is later
 * and the nomination is of the decision group. Then lowers *next to barred_from(). */
static int is_absent_job(const struct columns *k, uint32_t job, uint64_t group, int64_t at,
                         int64_t *next) {
    const int64_t moved = job_absence_own(k, job, 0); /* when the job has left its old places */
    int absent = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED) continue;
            uint32_t d = k->c[C_TASK_DECISION].u32[t];
            int64_t own = k->c[C_DECISION_AT].i64[d];
            if (k->c[C_DECISION_GROUP].u64[d] == group && own < at) own = at;
            if (own < moved) own = moved;
            uint32_t node = k->c[C_TASK_NODE].u32[t];
            if (!job_absence_bars(k, node, own, job)) continue;
            int64_t from = barred_from(k, job, node, (int64_t)meta(k, M_NOW));
            if (from < *next) *next = from;
            absent = 1;
        }
    return absent;
}

int64_t nominations_barred_at(const struct columns *k) {
    int64_t first = LSCHED_NEVER_US, now = (int64_t)meta(k, M_SCHEDULED);
    if (!meta(k, M_ABSENCES) || !meta(k, M_NOMINATED)) return first;
    for (uint32_t d = (uint32_t)meta(k, M_OPEN_HEAD); d != NO_ROW;
         d = k->c[C_DECISION_NEXT].u32[d]) {
        int64_t at = k->c[C_DECISION_AT].i64[d];
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_NOMINATE) continue;
        uint32_t t = k->c[C_DECISION_TASK].u32[d], job = k->c[C_TASK_JOB].u32[t];
        at = job_absence_own(k, job, at > now ? at : now);
        uint32_t node = k->c[C_TASK_NODE].u32[t];
        if (reservation_admits(k, node, k->c[C_JOB_QUEUE].u32[job])) continue;
        if (is_absent(k, t, at)) return now;
        int64_t from = barred_from(k, job, node, at);
        if (from < first) first = from;
    }
    return first;
}

int nominations_end_in_time(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct job_marks *met = &cy->c->marks;
    int64_t at = cy->now, *next = &cy->pass->evict_next;
    int late = 0;
    if (!meta(k, M_ABSENCES)) return 1;
    for (uint32_t i = cy->turn.fresh_mark; i < cy->decisions.n_fresh; i++) {
        uint32_t d = cy->decisions.fresh[i];
        if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_NOMINATE &&
            k->c[C_DECISION_AT].i64[d] > at)
            at = k->c[C_DECISION_AT].i64[d];
    }
    job_marks_begin(met);
    for (uint32_t i = cy->turn.fresh_mark; i < cy->decisions.n_fresh; i++) {
        uint32_t job = k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[cy->decisions.fresh[i]]];
        if (job_marks_first(met, job))
            late |= is_absent_job(k, job, cy->turn.group_serial, at, next);
    }
    return !late;
}

/* Returns the end of the nominations of one decision group among the fresh decisions, and sets *at
 * to the latest time at which the room of one of them is expected. */
static uint32_t nominations_group(const struct lsched_cycle *cy, uint32_t first, int64_t *at) {
    const struct columns *k = cy->k;
    uint64_t group = k->c[C_DECISION_GROUP].u64[cy->decisions.fresh[first]];
    *at = 0;
    for (; first < cy->decisions.n_fresh; first++) {
        uint32_t d = cy->decisions.fresh[first];
        if (k->c[C_DECISION_GROUP].u64[d] != group) break;
        if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_NOMINATE &&
            k->c[C_DECISION_AT].i64[d] > *at)
            *at = k->c[C_DECISION_AT].i64[d];
    }
    return first;
}

int32_t nominations_end_cycle(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    for (uint32_t i = 0, end; i < cy->decisions.n_fresh; i = end) {
        int64_t at;
        end = nominations_group(cy, i, &at);
        for (; i < end; i++) {
            uint32_t d = cy->decisions.fresh[i];
            if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_NOMINATE ||
                k->c[C_DECISION_AT].i64[d] == at)
                continue;
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            set_i64(k, C_DECISION_AT, d, at);
            touch_task(k, k->c[C_DECISION_TASK].u32[d]);
        }
    }
    return LSCHED_OK;
}

/* ---- room that came free ---- */

/* True if the places of supplies above the node have enough left for a task that starts now. */
static int nomination_is_supplied(const struct columns *k, uint32_t node, uint32_t shape) {
    return !shape_n_supplies(k, shape) || (supply_cluster_has(k, shape, 1, SUPPLY_NOW, NULL) &&
                                           supply_domains_have(k, shape, node, SUPPLY_NOW, NULL));
}

/* Returns 1 if the room of the task's nomination is free now. Sets *hold to the nominated devices
 * if these are free, else to other free devices of the same node. During the check, the nomination
 * itself does not count as use of the node. */
static int has_come_free(struct columns *k, uint32_t task, int64_t now, struct hold *hold) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = task_shape(k, task);
    struct hold claimed = task_hold(k, task);
    *hold = claimed;
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY ||
        job_absence_bars(k, node, now, k->c[C_TASK_JOB].u32[task]) ||
        refusal_stops_nomination(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]], shape, node))
        return 0;
    size_t mark = undo_mark(k);
    node_coming(k, node, shape, &claimed, 1, -1);
    /* the running tasks say which network cards are in use; the nominated task must not count */
    set_u16(k, C_TASK_NICS, task, 0);
    int fits = node_fits(k, node, shape) && nomination_is_supplied(k, node, shape);
    if (fits && !device_select_allows(k, node, shape, DEVICE_NOW, &claimed))
        fits = device_select_cheapest(k, node, shape, DEVICE_NOW, NULL, hold) &&
               hold_milli(k, node, shape, hold) <= hold_milli(k, node, shape, &claimed);
    if (fits && k->c[C_SHAPE_MIG_SLICES].u8[shape]) device_select_mig_renew(k, node, shape, hold);
    undo_rollback(k, mark);
    return fits;
}

/* Returns 1 if no other task breaks a required anti-affinity rule of this task, or breaks its own
 * rule because of this task. Such another task can still be releasing in the domain, or can have
 * started in the domain since the nomination. */
static int32_t is_clear(struct lsched_cycle *cy, uint32_t task) {
    struct columns *k = cy->k;
    struct affinity_rules rules;
    struct ask a;
    if (!affinity_rules_asked(k, task_shape(k, task))) return 1;
    ask_open(&a, k, k->c[C_TASK_JOB].u32[task],
             k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]]);
    int32_t rc = affinity_rules_open(&rules, &cy->c->affinity, k, &a, 0);
    return rc == LSCHED_OK ? affinity_rules_is_clear(&rules, k, task) : rc;
}

static int32_t seat(struct lsched_cycle *cy, uint32_t task) {
    uint32_t decision;
    struct hold hold;
    if (!has_come_free(cy->k, task, cy->now, &hold)) return 0;
    int32_t rc = is_clear(cy, task);
    if (rc <= 0) return rc;
    rc = task_seat(cy->k, task, &hold, cy->now, &decision);
    if (rc == LSCHED_OK) rc = cycle_fresh_add(cy, decision);
    return rc == LSCHED_OK ? 1 : rc;
}

static int32_t seat_job(struct lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK || job_releasing(k, job)) return rc;
    size_t mark = undo_mark(k);
    uint32_t fresh = cy->decisions.n_fresh;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED) continue;
            rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            rc = seat(cy, t);
            if (rc < 0) return rc;
        }
    }
    if (job_stands(k, job)) return LSCHED_OK;
    /* the free room is not enough for the gang's minimum: the gang keeps waiting */
    undo_rollback(k, mark);
    cy->decisions.n_fresh = fresh;
    return LSCHED_OK;
}

/* Places the nominated tasks of a node, job by job. A job whose tasks were tried before in this
 * walk is not tried again: what was placed since takes room, and gives none. Placing a task does
 * not change the order of the node's list of tasks, so the loop over the list can continue. */
static int32_t seat_node(struct lsched_cycle *cy, uint32_t node) {
    struct columns *k = cy->k;
    if (k->c[C_NODE_FUTURE].u32[node] == 0) return LSCHED_OK;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED ||
            !job_marks_first(&cy->c->marks, k->c[C_TASK_JOB].u32[t]))
            continue;
        int32_t rc = seat_job(cy, k->c[C_TASK_JOB].u32[t]);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* True if the free amounts of the node are large enough for the nominated task. Devices are not
 * checked. For a task with daily demand, nothing is checked and the result is 1. */
static int may_be_free(const struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    if (shape_is_daily(k, task_shape(k, task))) return 1;
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++)
        if (task_amount(k, task, r) > k->c[C_NODE_FREE + r].i64[node]) return 0;
    return 1;
}

/* The function changes nothing, not even for the time of the check. Therefore the node scores that
 * searches keep stay valid. */
int nominations_wait_for_nobody(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED && !may_be_free(k, t)) return 0;
        }
    return 1;
}

/* An action that evicts only nominates tasks, and never places them. The nominated room can
 * nevertheless be free already: `allocate` has not run yet, or the victims ran on other nodes and
 * were evicted only to bring a queue's use below a limit. A node whose room is free already does
 * not gain room later. Therefore the function marks the node as grown, and the next cycle looks at
 * the node. */
int32_t nominations_look_again(struct lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            struct hold hold;
            steps_add(k, 1);
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED &&
                has_come_free(k, t, cy->now, &hold))
                node_grew(k, k->c[C_TASK_NODE].u32[t]);
        }
    }
    return LSCHED_OK;
}

/* ---- evictions that are no longer needed ---- */

/* True if the decision group of this eviction still has a placement or nomination for the job for
 * which the task is evicted. */
static int has_taker(const struct columns *k, uint32_t decision) {
    uint64_t group = k->c[C_DECISION_GROUP].u64[decision],
             for_job = k->c[C_DECISION_FOR_JOB].u64[decision];
    for (int side = 0; side < 2; side++) {
        uint32_t link = side ? C_DECISION_PREV : C_DECISION_NEXT;
        for (uint32_t d = k->c[link].u32[decision];
             d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == group; d = k->c[link].u32[d]) {
            uint32_t t = k->c[C_DECISION_TASK].u32[d];
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RELEASING &&
                id_make(k, LSCHED_KIND_JOB, k->c[C_TASK_JOB].u32[t]) == for_job)
                return 1;
        }
    }
    return 0;
}

/* The latest result of has_taker. Decisions of one group are next to each other in the list of
 * open decisions, therefore remembering one result is enough. */
struct taker_known {
    uint64_t group, for_job;
    int known, has;
};

/* True if the decision is an eviction, a move or a CHECKPOINT that no job needs any more and that
 * the orchestrator has not begun to carry out. */
static int is_needless(const struct columns *k, uint32_t d, struct taker_known *t) {
    uint32_t kind = k->c[C_DECISION_KIND].u8[d];
    uint64_t group = k->c[C_DECISION_GROUP].u64[d], for_job = k->c[C_DECISION_FOR_JOB].u64[d];
    if (!decision_stops(kind) || for_job == 0 || !decision_is_pending(k, d)) return 0;
    if (!t->known || t->group != group || t->for_job != for_job)
        *t = (struct taker_known){group, for_job, 1, has_taker(k, d)};
    return !t->has;
}

/* True if the queues stay within their limits although the victims keep running. The function
 * checks the queue of each decision in cy->decisions.withdrawn, from index `notes` on. */
static int within_limits_again(const struct lsched_cycle *cy, uint32_t notes) {
    uint32_t last = NO_ROW;
    for (uint32_t i = notes; i < cy->decisions.n_withdrawn; i++) {
        uint32_t queue = cy->decisions.withdrawn[i].queue;
        if (queue != last && queue_above_limits(cy->k, queue)) return 0;
        last = queue;
    }
    return 1;
}

/* Withdraws the eviction and its decision group, and returns 1. Returns 0 and changes nothing if
 * the victims can no longer keep running within the limits of their queues, because another job
 * has started since. */
static int32_t withdraw_eviction(struct lsched_cycle *cy, uint32_t d) {
    struct columns *k = cy->k;
    size_t mark = undo_mark(k);
    uint32_t notes = cy->decisions.n_withdrawn;
    withdraw_decision_note(cy, d, k->c[C_DECISION_GEN].u32[d]);
    uint32_t why = change_feed_because(k, LSCHED_BECAUSE_NEEDLESS);
    int32_t rc = decision_reject(k, d, cy->now, withdraw_decision_note, cy);
    change_feed_because(k, why);
    if (rc != LSCHED_OK) return rc;
    if (within_limits_again(cy, notes)) return 1;
    undo_rollback(k, mark);
    cy->decisions.n_withdrawn = notes;
    return 0;
}

/* Goes once through the list of open decisions. After a withdrawal, the loop continues behind the
 * last decision that stays. Sets *n to the number of withdrawn evictions. */
static int32_t withdraw_once(struct lsched_cycle *cy, uint32_t *n) {
    struct columns *k = cy->k;
    struct taker_known taker = {0, 0, 0, 0};
    uint32_t kept = NO_ROW, gen = 0, d = (uint32_t)meta(k, M_OPEN_HEAD);
    uint64_t needed = 0; /* latest decision group whose evictions must stay */
    *n = 0;
    while (d != NO_ROW) {
        steps_add(k, 1);
        uint64_t group = k->c[C_DECISION_GROUP].u64[d];
        int needless = group != needed && is_needless(k, d, &taker);
        int32_t rc = needless ? withdraw_eviction(cy, d) : 0;
        if (rc < 0) return rc;
        if (rc == 0) {
            if (needless) needed = group;
            kept = d;
            gen = k->c[C_DECISION_GEN].u32[d];
            d = k->c[C_DECISION_NEXT].u32[d];
            continue;
        }
        ++*n;
        taker.known = 0;
        int stays = kept != NO_ROW && row_is_live(k, T_DECISION, kept) &&
                    k->c[C_DECISION_GEN].u32[kept] == gen;
        d = stays ? k->c[C_DECISION_NEXT].u32[kept] : (uint32_t)meta(k, M_OPEN_HEAD);
    }
    return LSCHED_OK;
}

/* Withdraws evictions that the orchestrator has not settled, if the nomination that needed them is
 * lost, or has become a placement without them. The victims keep running. One withdrawal can
 * withdraw other decisions, and their evictions are then needless, too. Therefore the loop runs
 * until no eviction is needless. */
static int32_t withdraw_needless(struct lsched_cycle *cy) {
    uint32_t n = 1;
    while (n > 0) {
        int32_t rc = withdraw_once(cy, &n);
        if (rc != LSCHED_OK) return rc;
    }
    set_meta(cy->k, M_CLAIM_LOST, 0);
    return cy->decisions.out_of_memory ? LSCHED_E_NOMEM : LSCHED_OK;
}

/* Withdraws the nominations that an absence bars at the time at which their room should be free: a
 * node is to leave that was to stay, or the room comes later than was expected. */
static int32_t withdraw_absent(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    uint32_t kept = NO_ROW, gen = 0, d = (uint32_t)meta(k, M_OPEN_HEAD);
    if (!meta(k, M_ABSENCES) || !meta(k, M_NOMINATED)) return LSCHED_OK;
    while (d != NO_ROW) {
        int64_t at = k->c[C_DECISION_AT].i64[d];
        steps_add(k, 1);
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_NOMINATE ||
            !is_absent(k, k->c[C_DECISION_TASK].u32[d], at > cy->now ? at : cy->now)) {
            kept = d;
            gen = k->c[C_DECISION_GEN].u32[d];
            d = k->c[C_DECISION_NEXT].u32[d];
            continue;
        }
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK)
            rc = withdraw_decision(cy, k->c[C_DECISION_TASK].u32[d], LSCHED_BECAUSE_TIME);
        if (rc != LSCHED_OK) return rc;
        int stays = kept != NO_ROW && row_is_live(k, T_DECISION, kept) &&
                    k->c[C_DECISION_GEN].u32[kept] == gen;
        d = stays ? k->c[C_DECISION_NEXT].u32[kept] : (uint32_t)meta(k, M_OPEN_HEAD);
    }
    return LSCHED_OK;
}

/* Places nominated tasks on nodes that gained room, in the order of the names of the nodes. If any
 * job has anti-affinity rules, or if a place has more left of a supply, the function then goes
 * through all nodes, because a task that left one node can have kept a nomination on another node
 * waiting. */
static int32_t seat_nominations(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    const struct view_cache *v = &cy->c->view;
    int32_t rc = view_update_ranked(&cy->c->view, k, cy->now);
    if (rc == LSCHED_OK) rc = job_marks_reserve(&cy->c->marks, k);
    job_marks_begin(&cy->c->marks);
    for (uint32_t all = 0; all < (meta(k, M_APART) || meta(k, M_SUPPLY_NEWS) ? 2u : 1u); all++)
        for (uint32_t i = 0; i < v->n_ranked && rc == LSCHED_OK && meta(k, M_NOMINATED); i++)
            if (all || k->c[C_NODE_GREW].u8[v->by_rank[i]]) rc = seat_node(cy, v->by_rank[i]);
    return rc;
}

/* Withdraws what is needless, and nominations whose supply will not come, until nothing more is to
 * be withdrawn: a victim that runs on takes its supplies again. */
static int32_t withdraw_vain(struct lsched_cycle *cy) {
    for (uint32_t n = 1; n > 0;) {
        int32_t rc = meta(cy->k, M_CLAIM_LOST) ? withdraw_needless(cy) : LSCHED_OK;
        if (rc == LSCHED_OK) rc = supply_claims_trim(cy, &n);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

int32_t nominations_serve(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (meta(k, M_NOMINATED) + meta(k, M_LEAVING) == 0) {
        set_meta(k, M_CLAIM_LOST, 0);
        set_meta(k, M_FUTURE_NEXT, 0);
        return LSCHED_OK;
    }
    uint32_t n;
    rc = refusal_wait_nominations(cy);
    if (rc == LSCHED_OK) rc = supply_claims_trim(cy, &n);
    /* Nominated tasks are placed before nominations are withdrawn that are overdue, or that an
     * absence bars when their room is expected. The room of such a nomination can be free already:
     * it came earlier than expected, or the orchestrator runs cycles seldom. */
    if (rc == LSCHED_OK && meta(k, M_NOMINATED) &&
        (meta(k, M_GREW_HEAD) != NO_ROW || meta(k, M_SUPPLY_NEWS)))
        rc = seat_nominations(cy);
    if (rc == LSCHED_OK) rc = withdraw_absent(cy);
    if (rc == LSCHED_OK) rc = look_for_overdue(cy);
    return rc == LSCHED_OK ? withdraw_vain(cy) : rc;
}

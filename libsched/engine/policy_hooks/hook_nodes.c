/*
 * hook_nodes.c -- see hook_nodes.h.
 *
 * A score of a policy is rounded to a multiple of 2^-20 before it is compared. Therefore the last
 * bit of a double does not change any decision. If there is no hook `score`, or the hook is off
 * in this cycle, the placement strategy computes the scores.
 */
#include <assert.h>

#include "base/hash.h"
#include "engine/state/transaction.h"
#include "engine/state/cycle_state.h"
#include "engine/policy_hooks/hook_merit.h"
#include "engine/policy_hooks/hook_strategy.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/device_select_mig.h"
#include "model/devices/device_select.h"
#include "model/jobs/refusal.h"
#include "model/demand/job_counts.h"
#include "model/absences/job_absence.h"
#include "model/reservations/reservation.h"
#include "model/nodes/node.h"
#include "model/store/steps.h"
#include "engine/policy_hooks/hook_nodes.h"

/* ---- score and filter for a search ---- */

/* Scores nodes for tasks that ask for MIG instances. The strategy also gets task->mig_loss, which
 * has one number for each node. */
static int32_t score_instances(struct lsched_cycle *cy, uint32_t shape, lsched_task_shape *task,
                               const uint32_t *nodes, size_t n, int64_t *scores) {
    enum { AT_ONCE = 128 };
    int64_t loss[AT_ONCE];
    int32_t rc = LSCHED_OK;
    task->mig_loss = loss;
    task->mig_profiles = MIG_PROFILES_EVEN;
    for (size_t i = 0; i < n && rc == LSCHED_OK; i += AT_ONCE) {
        size_t m = n - i < AT_ONCE ? n - i : AT_ONCE;
        for (size_t j = 0; j < m; j++) {
            uint64_t lost = device_select_mig_loss(cy->k, nodes[i + j], shape);
            loss[j] = lost > INT32_MAX ? INT32_MAX : (int64_t)lost;
        }
        rc = cy->policy.place->score(cy->policy.place_self, cycle_view(cy), task, nodes + i, m,
                                     scores + i);
    }
    task->mig_loss = NULL; /* the array `loss` exists only during this call */
    return rc;
}

/* Scores nodes for tasks whose demand follows the time of day. The function is needed because
 * each node charges such a task a different amount. */
static int32_t score_daily(struct lsched_cycle *cy, uint32_t shape, lsched_task_shape *task,
                           const uint32_t *nodes, size_t n, int64_t *scores) {
    const struct columns *k = cy->k;
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; i < n && rc == LSCHED_OK; i++) {
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (daily_demand_row(k, C_SHAPE_DAY, shape, r) != NO_ROW)
                task->request[r] = daily_demand_charge(k, nodes[i], shape, r);
        rc = k->c[C_SHAPE_MIG_SLICES].u8[shape]
                 ? score_instances(cy, shape, task, nodes + i, 1, scores + i)
                 : cy->policy.place->score(cy->policy.place_self, cycle_view(cy), task, nodes + i,
                                           1, scores + i);
    }
    return rc;
}

static int32_t score_by_strategy(void *user, const struct search_key *key, const uint32_t *nodes,
                                 size_t n, int64_t *scores) {
    struct lsched_cycle *cy = user;
    if (!cy->policy.place ||
        /* without a strategy all scores are equal, so the node's name decides */
        !cy->policy.place->score) {
        memset(scores, 0, n * sizeof *scores);
        return LSCHED_OK;
    }
    int daily = shape_is_daily(cy->k, key->shape);
    if (!daily && !cy->k->c[C_SHAPE_MIG_SLICES].u8[key->shape]) {
        view_task_shape_renew(cy->k, key->shape, &cy->policy.scored);
        return cy->policy.place->score(cy->policy.place_self, cycle_view(cy), &cy->policy.scored,
                                       nodes, n, scores);
    }
    lsched_task_shape task;
    view_task_shape(cy->k, key->shape, &task);
    return daily ? score_daily(cy, key->shape, &task, nodes, n, scores)
                 : score_instances(cy, key->shape, &task, nodes, n, scores);
}

int32_t hook_nodes_score(struct lsched_cycle *cy, const struct search_key *key, uint32_t node,
                         int64_t *score) {
    cy->c->search.scored++;
    steps_add(cy->k, 1);
    int32_t rc = score_by_strategy(cy, key, &node, 1, score);
    if (rc == LSCHED_OK && *score == SEARCH_LEAST) ++*score;
    return rc;
}

static int32_t score_by_policy(void *user, const struct search_key *key, const uint32_t *nodes,
                               size_t n, int64_t *scores) {
    struct lsched_cycle *cy = user;
    struct hook_call h;
    double out[256];
    (void)key;
    hook_begin(cy, &h);
    for (size_t i = 0; i < n; i += 256) {
        size_t m = n - i < 256 ? n - i : 256;
        int32_t rc = h.ops->score(h.self, &h.view, cy->turn.job, nodes + i, m, out, &h.err);
        if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_SCORE, rc, &h.err);
        for (size_t j = 0; j < m; j++) scores[i + j] = hook_round(out[j]);
    }
    return LSCHED_OK;
}

/* Scores nodes for a task that can start only when releasing tasks are gone. Nodes where the task
 * can start now have the highest scores. Among other nodes, the node with the least unused room
 * after the placement has the highest score; unused devices count more than unused cores.
 * Therefore a task without devices avoids nodes with devices. */
static int32_t score_by_tightness(void *user, const struct search_key *key, const uint32_t *nodes,
                                  size_t n, int64_t *scores) {
    const struct columns *k = ((struct lsched_cycle *)user)->k;
    for (size_t i = 0; i < n; i++) {
        int64_t gpu = k->c[C_NODE_FREE + LSCHED_GPU].i64[nodes[i]] +
                      k->c[C_NODE_COMING + LSCHED_GPU].i64[nodes[i]];
        int64_t cpu = k->c[C_NODE_FREE + LSCHED_CPU].i64[nodes[i]] +
                      k->c[C_NODE_COMING + LSCHED_CPU].i64[nodes[i]];
        int64_t rest = cpu < 0 ? 0 : cpu < (INT64_C(1) << 32) - 1 ? cpu : (INT64_C(1) << 32) - 1;
        scores[i] = -(gpu << 32) - rest;
        /* the task can start on this node now */
        if (node_fits(k, nodes[i], key->shape)) scores[i] += INT64_C(1) << 56;
    }
    return LSCHED_OK;
}

static int32_t keep_by_policy(void *user, const struct search_key *key, const uint32_t *nodes,
                              size_t n, uint8_t *keep) {
    struct lsched_cycle *cy = user;
    struct hook_call h;
    (void)key;
    hook_begin(cy, &h);
    int32_t rc = h.ops->filter(h.self, &h.view, cy->turn.job, nodes, n, keep, &h.err);
    return rc == LSCHED_OK ? rc : hook_fail(cy, LSCHED_HOOK_FILTER, rc, &h.err);
}

static uint64_t policy_spent(void *user) {
    const struct lsched_cycle *cy = user;
    const struct policy *p = &cy->c->policy.policy;
    return p->ops->instructions_spent(p->self);
}

static int32_t policy_charge(void *user, uint64_t instructions) {
    struct lsched_cycle *cy = user;
    lsched_error err = LSCHED_ERROR_INIT;
    int by_score = hook_on(cy, LSCHED_HOOK_SCORE);
    const struct policy *p = &cy->c->policy.policy;
    int32_t rc = p->ops->charge(p->self, by_score ? POLICY_HOOK_SCORE : POLICY_HOOK_FILTER,
                                instructions, &err);
    return rc == LSCHED_OK
               ? rc
               : hook_fail(cy, by_score ? LSCHED_HOOK_SCORE : LSCHED_HOOK_FILTER, rc, &err);
}

static uint64_t work_left(const void *user) {
    const struct lsched_cycle *cy = user;
    return cy->spend.budget - cy->spend.spent;
}

static void spend_work(void *user, uint64_t units) {
    act_spend(user, units);
}

static struct search_scorer plain_scorer(lsched_cycle *cy) {
    return (struct search_scorer){.user = cy,
                                  .score = score_by_strategy,
                                  .interrupted = hook_interrupted,
                                  .units_left = work_left,
                                  .spend = spend_work};
}

/* Filters nodes if the task's queue, or a queue above, has reached its limit of a resource part.
 * The function excludes the nodes that have too few devices for the task outside of this resource
 * part. The policy's filter is called first. */
static int32_t keep_within_models(void *user, const struct search_key *key, const uint32_t *nodes,
                                  size_t n, uint8_t *keep) {
    struct lsched_cycle *cy = user;
    int32_t rc = LSCHED_OK;
    if (hook_on(cy, LSCHED_HOOK_FILTER))
        rc = keep_by_policy(user, key, nodes, n, keep);
    else
        memset(keep, 1, n);
    /* room that evictions make is not here yet (victim_limits.h) */
    for (size_t i = 0; rc == LSCHED_OK && !cy->turn.lists_all && i < n; i++)
        if (keep[i] && !act_fits_within(cy, nodes[i], key->shape)) keep[i] = 0;
    return rc;
}

/* Filters the nodes that leave before a task of the job would surely end. A task that is to be
 * nominated starts when its room is free. What else excludes nodes is asked first. */
static int32_t keep_present(void *user, const struct search_key *key, const uint32_t *nodes,
                            size_t n, uint8_t *keep) {
    struct lsched_cycle *cy = user;
    int32_t rc = LSCHED_OK;
    if (key->shortage)
        rc = keep_within_models(user, key, nodes, n, keep);
    else if (hook_on(cy, LSCHED_HOOK_FILTER))
        rc = keep_by_policy(user, key, nodes, n, keep);
    else
        memset(keep, 1, n);
    if (rc != LSCHED_OK || cy->turn.lists_all) return rc;
    uint32_t job = cy->turn.job;
    int64_t own = key->later ? job_absence_own(cy->k, job, cy->now) : cy->now;
    for (size_t i = 0; i < n; i++) {
        int64_t at = key->later ? job_absence_later(cy->k, nodes[i], own) : own;
        if (keep[i] && job_absence_bars(cy->k, nodes[i], at, job)) keep[i] = 0;
    }
    return LSCHED_OK;
}

static int sees_shape_only(uint32_t f) {
    /* These fields are sums over all groups of a job; two jobs with the same task shape can have
     * different sums. */
    return f == POLICY_F_JOB_CPU || f == POLICY_F_JOB_MEMORY || f == POLICY_F_JOB_GPU ||
           f == POLICY_F_JOB_GPU_MEMORY;
}

static int depth_of_field(uint32_t f) {
    const struct policy_field_info *info = &policy_field_infos[f];
    if (info->object == POLICY_QUEUE)
        return info->scope == POLICY_SCOPE_STATE || info->scope == POLICY_SCOPE_NOW ? 2 : 1;
    if (info->object != POLICY_JOB || sees_shape_only(f)) return 0;
    return f == POLICY_F_JOB_TASKS_PLACED ? 3 : f == POLICY_F_JOB_QUEUE ? 1 : 2;
}

/* Returns which data the hook reads, as a number; a larger number includes the data of the
 * smaller ones.
 * 0: only the shape of the task.
 * 1: the queue of the job.
 * 2: the job itself, or the time.
 * 3: data that change with each placed task of the job. */
static int depth_of_look(const struct lsched_cycle *cy, enum policy_hook hook) {
    const struct policy_desc *d = &cy->c->policy.policy.desc;
    if (!hook_on(cy, UINT32_C(1) << hook)) return 0;
    int depth = d->uses_now[hook] ? 2 : 0;
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        if (!(d->fields_read[hook][f / 64] >> (f % 64) & 1)) continue;
        int of_field = depth_of_field(f);
        if (of_field > depth) depth = of_field;
    }
    return depth;
}

int hook_nodes_may_differ(const struct lsched_cycle *cy) {
    return (cy->policy.look >= 2 || cy->policy.look_placement >= 2) &&
           (cy->turn.saw_room || cy->victims);
}

/* True if the value of the field is a word by which jobs are compared. A name and a time of
 * submission differ for nearly all jobs, so an index of their values would serve one job. */
static int is_compared(uint32_t f) {
    const struct policy_field_info *info = &policy_field_infos[f];
    return (info->type == POLICY_NUMBER || info->type == POLICY_BOOL) &&
           info->scope != POLICY_SCOPE_NOW && f != POLICY_F_JOB_SUBMITTED;
}

/* Finds the fields whose values decide, with the shape and the queue, what the hooks answer for a
 * job. */
static void find_values(struct lsched_cycle *cy) {
    const struct policy_desc *d = &cy->c->policy.policy.desc;
    static const enum policy_hook hooks[] = {POLICY_HOOK_FILTER, POLICY_HOOK_SCORE};
    memset(&cy->policy.values, 0, sizeof cy->policy.values);
    if (cy->policy.look == 0) return;
    cy->policy.values.is_known = cy->policy.look == 2;
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        int is_read = 0, depth = depth_of_field(f);
        for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
            is_read |= hook_on(cy, UINT32_C(1) << hooks[i]) &&
                       (d->fields_read[hooks[i]][f / 64] >> (f % 64) & 1);
        if (!is_read) continue;
        cy->policy.values.by_queue |= depth == 1;
        if (depth < 2) continue;
        if (policy_field_infos[f].object != POLICY_JOB || !is_compared(f) ||
            cy->policy.values.n == SEARCH_VALUES_MAX)
            cy->policy.values.is_known = 0;
        else
            cy->policy.values.fields[cy->policy.values.n++] = f;
    }
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (hook_on(cy, UINT32_C(1) << hooks[i]) && d->uses_now[hooks[i]])
            cy->policy.values.is_known = 0;
}

/* Adds to the key what the hooks `filter` and `score` read of the job. */
static void note_look(struct lsched_cycle *cy, const struct ask *a, struct search_key *key) {
    int is_known = cy->policy.values.is_known;
    if (cy->policy.look >= 1 && (!is_known || cy->policy.values.by_queue)) key->queue = a->queue;
    if (cy->policy.look >= 2 && !is_known) key->job = a->job;
    if (cy->policy.look == 3) key->placed = job_count(cy->k, a->job).placed;
    if (!is_known) return;
    struct hook_call h;
    hook_begin(cy, &h);
    for (uint32_t i = 0; i < cy->policy.values.n; i++) {
        union policy_value value;
        uint32_t f = cy->policy.values.fields[i];
        h.view.fill(h.view.engine, (enum policy_field)f, &a->job, 1, &value);
        if (policy_field_infos[f].type == POLICY_BOOL)
            key->values[i] = value.boolean != 0;
        else
            memcpy(&key->values[i], &value.number, sizeof value.number);
    }
    key->n_values = cy->policy.values.n;
}

/* If the limits of queues leave too little of a resource part, lets the search exclude the nodes
 * on which the task would need it. */
static void note_shortage(struct lsched_cycle *cy, const struct ask *a, struct search_key *key,
                          struct search_scorer *scorer) {
    resource_part_find_short(cy->k, a->queue, a->shape, &cy->turn.model_short);
    if (cy->turn.model_short.n == 0) return;
    key->shortage = resource_part_short_hash(&cy->turn.model_short);
    scorer->keep = keep_within_models;
    cy->turn.why.model_short = 1;
}

/* If absences keep the job from nodes, lets the search exclude these nodes. Their set is a part of
 * the key: jobs with the same set share an index, which lasts until the set changes. Reservations
 * that admit the job make the set smaller, so which these are is a part of the key. In a search
 * for room that comes later, each node has a time of its own (job_absence_later()), so the length
 * of the job and the time at which it has left its old places are a part of the key, too. */
static void note_absences(struct lsched_cycle *cy, struct search_key *key,
                          struct search_scorer *scorer) {
    uint64_t barred = absence_line_nodes(&cy->c->absences, cy->k, cy->now,
                                         job_absence_length(cy->k, cy->turn.job));
    if (key->later) {
        int64_t own = job_absence_own(cy->k, cy->turn.job, cy->now);
        barred = hash_mix(barred, (uint64_t)job_absence_length(cy->k, cy->turn.job));
        if (own > cy->now) barred = hash_mix(barred, (uint64_t)own);
        barred |= 1;
    }
    if (!barred) return;
    uint64_t held = reservation_held(cy->k, cy->k->c[C_JOB_QUEUE].u32[cy->turn.job]);
    if (held) barred = hash_mix(barred, held) | 1;
    if (key->job == NO_ROW && key->n_values < SEARCH_VALUES_MAX)
        key->values[key->n_values++] = barred;
    else
        key->job = cy->turn.job;
    scorer->keep = keep_present;
    scorer->by_state = 0;
}

void hook_nodes_look(struct lsched_cycle *cy) {
    int filter = depth_of_look(cy, POLICY_HOOK_FILTER),
        score = depth_of_look(cy, POLICY_HOOK_SCORE);
    cy->policy.look = filter > score ? filter : score;
    find_values(cy);
    if (meta(cy->k, M_ABSENCES) && cy->policy.look < 2) {
        /* the nodes that leave differ by job; they are a value of the key (note_absences) */
        cy->policy.look = 2;
        cy->policy.values.is_known = 1;
    }
    cy->policy.look_placement = depth_of_look(cy, POLICY_HOOK_PLACEMENT);
}

/* True if a search for room that comes later has the same key as one for room that is free now,
 * apart from that. */
static int asks_plainly(const struct lsched_cycle *cy, const struct ask *a) {
    return !hook_on(cy, LSCHED_HOOK_SCORE | LSCHED_HOOK_PLACEMENT) &&
           resource_part_count(cy->k) == 0 && !refusal_known(cy->k, a->queue, a->shape, 0);
}

int32_t hook_nodes_search(struct lsched_cycle *cy, const struct ask *a, struct search_key *key,
                          struct search_scorer *scorer) {
    const struct columns *k = cy->k;
    assert(ask_is_fresh(a, k));
    cy->policy.group = a->group;
    int32_t rc = hook_placement(cy);
    if (rc != LSCHED_OK) return rc;
    *key = (struct search_key){k->c[C_SHAPE_SERIAL].u64[a->shape],
                               a->shape,
                               NO_ROW,
                               NO_ROW,
                               0,
                               cy->turn.later,
                               0,
                               cy->turn.charge_max,
                               0,
                               0,
                               0,
                               {0}};
    if (refusal_known(k, a->queue, a->shape, (int)cy->turn.later)) key->queue = a->queue;
    note_look(cy, a, key);
    *scorer = plain_scorer(cy);
    /* Scores depend on what the strategy prepared. A hook that reads a queue also depends on values
     * that can change when k->structure increases. Both numbers only increase, so an equal sum
     * means that both are equal. */
    scorer->version = cy->policy.place_slot ? cy->policy.place_slot->epoch : 0;
    if (cy->policy.look >= 1 && (!cy->policy.values.is_known || cy->policy.values.by_queue))
        scorer->version += k->structure;
    int of_library = !cy->policy.place_slot || !cy->policy.place_slot->of_host;
    if (cy->turn.later) { /* placement strategies consider only the room that is free now */
        scorer->score = score_by_tightness;
        scorer->by_state = of_library && asks_plainly(cy, a);
    } else if (hook_on(cy, LSCHED_HOOK_SCORE)) {
        scorer->score = score_by_policy;
    } else {
        scorer->by_state = of_library;
    }
    if (scorer->score == score_by_strategy && hook_on(cy, LSCHED_HOOK_PLACEMENT))
        key->strategy = (uint32_t)(cy->policy.place_slot - cy->c->algorithms) + 1;
    if (scorer->score == score_by_policy) key->hooks |= LSCHED_HOOK_SCORE;
    if (hook_on(cy, LSCHED_HOOK_FILTER)) {
        scorer->keep = keep_by_policy;
        key->hooks |= LSCHED_HOOK_FILTER;
    }
    if (scorer->keep || scorer->score == score_by_policy) {
        scorer->spent = policy_spent;
        scorer->charge = policy_charge;
    }
    if (resource_part_count(k) != 0) note_shortage(cy, a, key, scorer);
    if (meta(k, M_ABSENCES)) note_absences(cy, key, scorer);
    hook_merit_note(cy, key, scorer);
    return LSCHED_OK;
}

/* speed_up_calls.c -- see speed_up_calls.h. */
#include "engine/upkeep/speed_up_calls.h"

#include "base/sort.h"
#include "base/times.h"
#include "base/vec.h"
#include "base/wide.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/actions/place_calls.h"
#include "engine/actions/plan_calls.h"
#include "engine/actions/replace_calls.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/policy_hooks/hook_merit.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/rights/checkpoints.h"
#include "engine/rights/victim_candidate.h"
#include "engine/rights/victim_verdict.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/upkeep/defrag_calls.h"
#include "engine/victims/victim_search.h"
#include "engine/waits/nominations.h"
#include "engine/waits/pass.h"
#include "model/demand/job_counts.h"
#include "model/devices/device_select.h"
#include "model/jobs/bundle.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/nodes/node.h"
#include "model/store/steps.h"

#if !defined(LSCHED_NO_PACK)

/* A job that would gain more than a move costs, if its best devices were free. */
struct slow_job {
    uint32_t job, task;
    uint32_t kind;  /* of its work in the table of speeds, from 1 on */
    uint32_t milli; /* speed of its slowest device */
    int64_t left;   /* of its expected run time */
    int64_t stop;   /* time until it has left its place */
    int64_t price;
    int64_t gain; /* time saved on the best model of the table */
};

struct speed_up {
    lsched_cycle *cy;
    int64_t price, stay;
    struct slow_job *list; /* memory for 2 n elements, because the sort needs as many again */
    uint32_t n, cap;
    uint8_t *waits;   /* by row of the task shape: 1 if a task of it waits */
    uint32_t *wanted; /* the shapes of which a task waits */
    uint32_t *node;   /* nodes on which no waiting task could run, by rank */
    uint32_t n_nodes, cap_nodes, n_wanted, cap_waits;
};

/* ---- what a job gains ---- */

/* Returns the time that a job with `left` to run on devices of speed `slow` saves on others. */
static int64_t saved_us(int64_t left, uint32_t slow, uint32_t fast) {
    if (fast <= slow) return 0;
    return (int64_t)wide_mul_div((uint64_t)left, fast - slow, fast, INT64_MAX);
}

/* Returns the greatest speed that the table has for the kind. A model that it lacks has 1.0. */
static uint32_t fastest_of(const struct speed_table *t, uint32_t kind) {
    uint32_t most = SPEED_MILLI_NONE;
    for (uint32_t m = 0; m < t->n_models; m++)
        if (t->milli[kind - 1][m] > most) most = t->milli[kind - 1][m];
    return most;
}

/* Sets s->stop, and s->price: for how long the job does not get on if its task moves. */
static void set_price(const struct speed_up *f, struct slow_job *s) {
    const lsched_cycle *cy = f->cy;
    const struct columns *k = cy->k;
    uint32_t c = k->c[C_JOB_COST].u32[s->job];
    int64_t lost = victim_verdict_work_lost(cy, s->job, k->c[C_TASK_START].i64[s->task]);
    s->stop = time_after_at_most(job_cost_release(k, s->job, cycle_eviction(cy)->release_us),
                                 checkpoints_time(cy, s->job, LSCHED_FOR_SPEED));
    s->price = time_after_at_most(VICTIM_STOP_COST_US + f->price, lost);
    s->price = time_after_at_most(s->price, s->stop);
    if (c != NO_ROW) s->price = time_after_at_most(s->price, k->c[C_COST_RESTART].i64[c]);
}

/* Returns the only task that the job holds, if it runs; else NO_ROW. */
static uint32_t only_task(const struct columns *k, uint32_t job) {
    struct job_counts n = job_count(k, job);
    if (n.placed != 1 || n.running != 1 || job_releasing(k, job)) return NO_ROW;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RUNNING)
                return k->c[C_TASK_DECISION].u32[t] == NO_ROW ? t : NO_ROW;
    return NO_ROW;
}

/* True if amounts and devices describe the task, so that it can be placed alone. */
static int speed_up_is_plain(const struct columns *k, uint32_t job, uint32_t shape) {
    return k->c[C_SHAPE_DEVICES].u32[shape] && !k->c[C_SHAPE_MIG_SLICES].u8[shape] &&
           !affinity_rules_asked(k, shape) && plan_says_all(k, k->c[C_JOB_SHAPE].u32[job]);
}

/* Fills *s and returns 1 if the job may move, and would gain by it on the best model. If it may
 * move later, asks for a cycle at that time. */
static int is_slow(struct speed_up *f, uint32_t job, struct slow_job *s) {
    lsched_cycle *cy = f->cy;
    const struct columns *k = cy->k;
    const struct policy *p = &cy->c->policy.policy;
    struct victim_unit u;
    uint32_t task = only_task(k, job);
    if (task == NO_ROW || job_is_held_back(k, job) || hook_jobs_stops(cy, job)) return 0;
    uint32_t shape = task_shape(k, task);
    int64_t length = job_length(k, job), since = k->c[C_TASK_SINCE].i64[task];
    *s = (struct slow_job){.job = job, .task = task};
    s->kind = speed_up_is_plain(k, job, shape) ? hook_merit_kind(p, k, shape, NULL) : 0;
    if (s->kind == 0 || length == LSCHED_NEVER_US) return 0;
    struct hold hold = task_hold(k, task);
    s->milli = hook_merit_slowest(cy, k->c[C_TASK_NODE].u32[task], s->kind, &hold);
    s->left = time_after(since, length) - cy->now;
    set_price(f, s);
    if (s->left <= 0) return 0;
    s->gain = saved_us(s->left, s->milli, fastest_of(&p->desc.speeds, s->kind));
    if (s->gain <= s->price) return 0;
    int64_t from = time_after(k->c[C_TASK_START].i64[task], f->stay);
    if (from > cy->now && from < cy->pass->evict_next) cy->pass->evict_next = from;
    return from <= cy->now && victim_candidate_of(cy, task, &u);
}

static int gains_first(const struct columns *k, const struct slow_job *a,
                       const struct slow_job *b) {
    return a->gain != b->gain ? a->gain > b->gain : job_before(k, a->job, b->job);
}
#define GAINS_FIRST(of, a, b) gains_first((of), &(a), &(b))
SORT_STABLE(sort_slow, struct slow_job, const struct columns *, GAINS_FIRST)

/* Lists the jobs that could gain, the greatest gain first. */
static int32_t list_slow(struct speed_up *f) {
    struct columns *k = f->cy->k;
    for (uint32_t job = 0; job < table_rows(k, T_JOB) && !f->cy->spend.stop; job++) {
        struct slow_job s;
        steps_add(k, 1);
        if (!row_is_live(k, T_JOB, job) || k->c[C_JOB_LEAVES].u32[job] == NO_ROW) continue;
        act_spend(f->cy, 1);
        if (!is_slow(f, job, &s)) continue;
        /* twice, because the sort needs room */
        if (!VEC_ROOM(k->alloc, f->list, f->cap, 2 * (f->n + 1ull))) return LSCHED_E_NOMEM;
        f->list[f->n++] = s;
    }
    if (f->n > 1) sort_slow(k, f->list, f->list + f->n, f->n);
    return LSCHED_OK;
}

/* ---- nodes that nobody waits for ---- */

/* Lists the shapes of the tasks of a job that waits. */
static void want_tasks_of(struct speed_up *f, uint32_t job) {
    const struct columns *k = f->cy->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        steps_add(k, 1);
        if (k->c[C_GROUP_CHILDREN].u32[row]) continue;
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
            uint32_t shape = group_alternative(k, row, a);
            if (!f->waits[shape]) f->wanted[f->n_wanted++] = shape;
            f->waits[shape] = 1;
        }
    }
}

/* Lists the shapes of all tasks that wait: those of jobs in line, of jobs that the policy does not
 * admit yet, and of jobs that come back when their tasks have left. */
static void list_wanted(struct speed_up *f) {
    const struct columns *k = f->cy->k;
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++)
        if (row_is_live(k, T_BUNDLE, b)) want_tasks_of(f, bundle_head(k, b));
    for (uint32_t job = 0; job < table_rows(k, T_JOB); job++) {
        uint8_t phase = row_is_live(k, T_JOB, job) ? k->c[C_JOB_PHASE].u8[job] : JOB_FULL;
        if (phase == JOB_NEW || phase == JOB_REFUSED || phase == JOB_RELEASING)
            want_tasks_of(f, job);
    }
}

static int is_waited_for(const struct speed_up *f, uint32_t node) {
    const struct columns *k = f->cy->k;
    for (uint32_t i = 0; i < f->n_wanted; i++) {
        steps_add(k, 1);
        if (node_able(k, node, f->wanted[i])) return 1;
    }
    return 0;
}

static int32_t list_nodes(struct speed_up *f) {
    struct columns *k = f->cy->k;
    const struct view_cache *v = &f->cy->c->view;
    f->cap_waits = table_rows(k, T_SHAPE);
    f->cap_nodes = v->n_ranked;
    if (f->cap_nodes == 0 || f->cap_waits == 0) return LSCHED_OK;
    f->waits = alloc_zero(k->alloc, f->cap_waits);
    f->wanted = alloc_new(k->alloc, f->cap_waits * sizeof *f->wanted);
    f->node = alloc_new(k->alloc, f->cap_nodes * sizeof *f->node);
    if (!f->waits || !f->wanted || !f->node) return LSCHED_E_NOMEM;
    list_wanted(f);
    for (uint32_t i = 0; i < v->n_ranked && !f->cy->spend.stop; i++) {
        uint32_t node = v->by_rank[i];
        act_spend(f->cy, 1);
        if (k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY && k->c[C_NODE_N_DEVICES].u8[node] &&
            !is_waited_for(f, node))
            f->node[f->n_nodes++] = node;
    }
    return LSCHED_OK;
}

/* ---- a move ---- */

/* A place for the task: the best one has the greatest worth, then the least rank. */
struct faster_place {
    int64_t worth;
    uint32_t at; /* index in speed_up.node */
    struct hold hold;
};

/* True if all tasks that leave the node are gone when the mover has left its own place. */
static int is_left_by(const struct columns *k, uint32_t node, int64_t at) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RELEASING) continue;
        steps_add(k, 1);
        if (k->c[C_TASK_STUCK].u8[t] || k->c[C_TASK_RELEASE_AT].i64[t] > at) return 0;
    }
    return 1;
}

/* Chooses devices of the node that nobody has and nobody is promised when the mover arrives. */
static int has_devices(const struct speed_up *f, const struct slow_job *s, uint32_t node,
                       struct hold *hold) {
    const struct columns *k = f->cy->k;
    uint32_t shape = task_shape(k, s->task);
    return node_able(k, node, shape) && node_fits_later(k, node, shape) &&
           device_select(k, node, shape, DEVICE_LATER, NULL, hold) &&
           (device_select_allows(k, node, shape, DEVICE_NOW, hold) ||
            is_left_by(k, node, time_after(f->cy->now, s->stop)));
}

/* Finds the best place after *p in the order of places in which the job gains more than it pays.
 * Returns 1 and replaces *p, or returns 0. */
static int next_place(const struct speed_up *f, const struct slow_job *s, struct faster_place *p) {
    const lsched_cycle *cy = f->cy;
    const struct columns *k = cy->k;
    uint32_t own = k->c[C_TASK_NODE].u32[s->task];
    int64_t here = hook_merit_worth(cy, own, s->milli);
    struct faster_place best = {.worth = here, .at = NO_ROW};
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        uint32_t node = f->node[i];
        struct hold hold;
        steps_add(k, 1);
        if (node == own || !has_devices(f, s, node, &hold)) continue;
        uint32_t fast = hook_merit_slowest(cy, node, s->kind, &hold);
        int64_t worth = hook_merit_worth(cy, node, fast);
        int is_after = worth < p->worth || (worth == p->worth && i > p->at);
        if (is_after && worth > best.worth && saved_us(s->left, s->milli, fast) > s->price)
            best = (struct faster_place){worth, i, hold};
    }
    if (best.at == NO_ROW) return 0;
    *p = best;
    return 1;
}

/* Stops the task and places it anew, in the transaction. Returns 1 if the task has the place. */
static int32_t move_to(lsched_cycle *cy, const struct slow_job *s, uint32_t node,
                       const struct hold *hold) {
    struct columns *k = cy->k;
    struct victim_unit u;
    uint32_t job = NO_ROW, group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[s->task]];
    if (!victim_candidate_of(cy, s->task, &u)) return 0;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = evict_and_requeue(cy, &u);
    if (rc == LSCHED_OK) rc = call_next_victim(cy, &job);
    if (rc <= 0) return rc;
    int32_t seat = call_place_as(cy, job, group, node, hold);
    if (seat < 0) return seat;
    rc = call_move_end(cy);
    return rc < 0 ? rc : seat == 1 && rc == 1;
}

/* Keeps the move, and says what it is for. */
static int32_t keep_move(lsched_cycle *cy) {
    struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < h->n_victims; i++)
        set_u8(k, C_DECISION_REASON, k->c[C_TASK_DECISION].u32[h->victims[i].task],
               LSCHED_FOR_SPEED);
    rc = evict_commit(cy);
    if (rc != LSCHED_OK) return rc;
    evict_keep_group(cy);
    return 1;
}

/* Moves the job to the best place that takes it, if there is one. */
static int32_t speed_up_job(struct speed_up *f, const struct slow_job *s) {
    enum { PLACES = 4 }; /* a place that is refused for a rule is rare */
    lsched_cycle *cy = f->cy;
    struct faster_place p = {.worth = INT64_MAX, .at = NO_ROW};
    for (uint32_t i = 0; i < PLACES && !cy->spend.stop && next_place(f, s, &p); i++) {
        act_spend(cy, 1 + f->n_nodes / 8);
        int32_t rc = defrag_open(cy);
        if (rc != LSCHED_OK) return rc;
        cy->victims->stamp++; /* earlier moves count in disruption budgets */
        rc = move_to(cy, s, f->node[p.at], &p.hold);
        if (rc < 0) return rc;
        if (rc == 1 && act_fits_bound(cy) && !act_is_cut(cy) && nominations_end_in_time(cy))
            return keep_move(cy);
        evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
    }
    return 0;
}

static int32_t speed_up_all(struct speed_up *f) {
    int32_t rc = list_nodes(f);
    if (rc == LSCHED_OK && f->n_nodes) rc = list_slow(f);
    for (uint32_t i = 0; rc >= 0 && i < f->n && !f->cy->spend.stop && evict_left(f->cy); i++)
        rc = speed_up_job(f, &f->list[i]);
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t call_speed_up(lsched_cycle *cy, int64_t price_us, int64_t stay_us) {
    struct alloc *alloc = cy->k->alloc;
    struct speed_up f = {.cy = cy, .price = price_us, .stay = stay_us};
    if (cy->victims || price_us < 0 || stay_us < 0) return LSCHED_E_INVAL;
    /* while starts are put off (put_off.h), it is not known which nodes this cycle will use */
    if (cy->c->policy.policy.desc.speeds.n == 0 || cy->spend.stop ||
        meta(cy->k, M_PUT_OFF_HEAD) != NO_ROW || !hook_lets_evict(cy) ||
        hook_on(cy, LSCHED_HOOK_FILTER) || !decision_kinds_allow(cy, KINDS_TO_MOVE))
        return LSCHED_OK;
    int32_t rc = victim_search_open_for_none(cy, LSCHED_FOR_CONSOLIDATE);
    if (rc == LSCHED_OK) rc = speed_up_all(&f);
    alloc_free(alloc, f.list, f.cap * sizeof *f.list);
    alloc_free(alloc, f.node, f.cap_nodes * sizeof *f.node);
    alloc_free(alloc, f.waits, f.cap_waits);
    alloc_free(alloc, f.wanted, f.cap_waits * sizeof *f.wanted);
    if (rc < 0) return rc;
    victim_search_close(cy);
    cy->turn.later = 0;
    return LSCHED_OK;
}

#endif

/* victim_bounds.c -- see victim_bounds.h. */
#include "engine/victims/victim_bounds.h"

#include "base/amounts.h"
#include "engine/state/transaction.h"
#include "engine/rights/part_quota.h"
#include "engine/rights/victim_candidate.h"
#include "engine/rights/victim_excess.h"
#include "engine/victims/victim_nodes.h"
#include "engine/rights/victim_right.h"
#include "engine/rights/victim_shares.h"
#include "engine/rights/victim_verdict.h"
#include "model/queues/user_queue.h"
#include "model/shapes/daily_demand.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/store/steps.h"
#include "model/jobs/refusal.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"

struct proof {
    struct lsched_cycle *cy;
    /* [queue x KINDS_MAX]: upper bound of the amounts that can be evicted in and below the queue */
    int64_t *take;
    /* [queue x KINDS_MAX]: amounts of the largest eviction unit in and below the queue */
    int64_t *unit;
    int64_t *domain; /* [domain]: number of tasks of the leaf group that fit in the domain */
    uint32_t queues, domains;
    /* 1 if the share algorithm has no guarantees, and work of other queues could be evicted */
    int others;
};

/* Allocates the arrays of the proofs. asks_queues: 1 if work of queues can be evicted. If it is 0,
 * the arrays by queue are not allocated, because there can be many queues. */
static int32_t proof_open(struct proof *p, struct lsched_cycle *cy, int asks_queues) {
    struct alloc *a = cy->k->alloc;
    memset(p, 0, sizeof *p);
    p->cy = cy;
    p->queues = asks_queues ? table_rows(cy->k, T_QUEUE) : 0;
    p->domains = table_rows(cy->k, T_DOMAIN);
    p->take = alloc_zero(a, (p->queues * 2ul * KINDS_MAX + p->domains + 1) * sizeof *p->take);
    if (!p->take) return LSCHED_E_NOMEM;
    p->unit = p->take + (size_t)p->queues * KINDS_MAX;
    p->domain = p->unit + (size_t)p->queues * KINDS_MAX;
    steps_add(cy->k, p->queues); /* the sums are cleared */
    return LSCHED_OK;
}

static void proof_close(struct proof *p) {
    alloc_free(p->cy->k->alloc, p->take,
               (p->queues * 2ul * KINDS_MAX + p->domains + 1) * sizeof *p->take);
}

/* ---- the job's own queue ---- */

/* Returns 0 if the job's own queue certainly has no work that can be evicted for the job: neither
 * work of lower priority, nor work of equal priority that yields. Returns 1 if the queue could have
 * such work, or LSCHED_E_NOMEM. */
static int32_t own_may_give(struct lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    struct lowest_work *lowest = &cy->c->lowest;
    uint32_t q = queue_real(cy->k, h->queue);
    if (cy->c->searches_cold) lowest_work_drop(lowest, cy->k);
    int32_t rc = lowest_work_sync(lowest, cy->k);
    if (rc != LSCHED_OK) return rc;
    return lowest_work_of(lowest, cy->k, q, 0) < h->priority ||
           lowest_work_of(lowest, cy->k, q, 1) <= h->priority;
}

/* ---- amounts ---- */

/* Returns the largest number of tasks of the leaf group that can be evicted. */
static uint32_t leaf_may_lose(struct lsched_cycle *cy, uint32_t leaf) {
    const struct columns *k = cy->k;
    uint32_t job = k->c[C_LEAF_JOB].u32[leaf], running = k->c[C_LEAF_RUNNING].u32[leaf];
    if (running == 0) return 0;
    const struct victim_job *j = victim_verdict(cy, job);
    if (j->verdict == VERDICT_NONE) return 0;
    if (j->verdict == VERDICT_ALL || k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]] > 1)
        return running;
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], k->c[C_LEAF_GROUP].u32[leaf]);
    uint32_t held = k->c[C_LEAF_PLACED].u32[leaf] + k->c[C_LEAF_DONE].u32[leaf],
             min = k->c[C_GROUP_MIN].u32[row];
    uint32_t spare = held > min ? held - min : 0;
    return spare < running ? spare : running;
}

/* Returns an upper bound of the amount of resource kind r that n tasks of the leaf group are
 * charged. If the charge differs between tasks, the bound is the charge of all tasks of the leaf
 * group. */
static int64_t leaf_take(const struct columns *k, uint32_t leaf, uint32_t shape, uint32_t n,
                         uint32_t r) {
    return (r == LSCHED_GPU && shape_charge_varies(k, shape)) || k->c[C_LEAF_SIZED].u32[leaf]
               ? leaf_amount(k, leaf, r)
               : k->c[C_SHAPE_REQ + r].i64[shape] * (int64_t)n;
}

/* ---- share algorithms without guarantees ---- */

void victim_bounds_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct victim_others *o = &h->others;
    size_t rows = h->cap_queues + 1ul;
    alloc_free(cy->k->alloc, o->dominant, o->dominant ? rows * sizeof *o->dominant : 0);
    alloc_free(cy->k->alloc, o->take, o->take ? rows * 2 * KINDS_MAX * sizeof *o->take : 0);
}

static void count_until(struct victim_others *o, uint32_t queue, int64_t until) {
    if (queue == o->until_of || until < o->until[0]) {
        if (queue != o->until_of) o->until[1] = o->until[0];
        if (until < o->until[0]) o->until[0] = until;
        o->until_of = queue;
    } else if (until < o->until[1]) {
        o->until[1] = until;
    }
}

/* Updates the smallest amounts that an eviction unit of the leaf group's queue holds. They are the
 * amounts of one task, because a unit holds at least one task of one leaf group. */
static void count_least(struct lsched_cycle *cy, uint32_t leaf, uint32_t shape) {
    const struct columns *k = cy->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[k->c[C_LEAF_JOB].u32[leaf]];
    int64_t *least = cy->victims->others.least + (size_t)queue * KINDS_MAX;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t one = k->c[C_SHAPE_REQ + r].i64[shape];
        if (r == LSCHED_GPU && shape_charge_varies(k, shape)) one = 0;
        if (k->c[C_LEAF_SIZED].u32[leaf]) one = 0;
        if (least[0] == 0 || one < least[r]) least[r] = one;
    }
    least[0] = 1;
}

static void count_given(struct lsched_cycle *cy, uint32_t leaf) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint32_t job = k->c[C_LEAF_JOB].u32[leaf];
    uint32_t queue = queue_real(k, k->c[C_JOB_QUEUE].u32[job]);
    act_spend(cy, 1 + k->c[C_LEAF_RUNNING].u32[leaf]);
    h->until = h->later = LSCHED_NEVER_US;
    uint32_t n = leaf_may_lose(cy, leaf), shape = leaf_shape(k, job, k->c[C_LEAF_GROUP].u32[leaf]);
    if (h->until != LSCHED_NEVER_US) count_until(&h->others, queue, h->until);
    if (h->later < h->others.later) h->others.later = h->later;
    int64_t *take = h->others.take + (size_t)queue * KINDS_MAX,
            *all = h->others.take + (size_t)h->cap_queues * KINDS_MAX;
    for (uint32_t r = 1; n && r < meta(k, M_N_KINDS); r++) {
        int64_t more = leaf_take(k, leaf, shape, n, r);
        take[r] = amount_sum(take[r], more);
        all[r] = amount_sum(all[r], more);
    }
    if (n) count_least(cy, leaf, shape);
}

/* Computes the amounts that can be evicted from each queue, as for a waiting job that belongs to
 * no queue. */
static void find_given(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    struct victim_others *o = &h->others;
    uint32_t job = h->job, queue = h->queue, stamp = h->stamp;
    int64_t until = h->until, later = h->later;
    int stopped = h->stopped;
    memset(o->take, 0, (h->cap_queues + 1ul) * 2 * KINDS_MAX * sizeof *o->take);
    o->until[0] = o->until[1] = o->later = LSCHED_NEVER_US;
    o->until_of = NO_ROW;
    h->job = h->queue = NO_ROW;
    h->stopped = 0;
    /* These stamps count down from the largest value and the stamps of contexts count up,
     * therefore no context uses the same stamp. */
    h->stamp = --o->stamp;
    steps_add(k, table_rows(k, T_LEAF));
    for (uint32_t l = 0; l < table_rows(k, T_LEAF) && !cy->spend.stop; l++)
        if (row_is_live(k, T_LEAF, l)) count_given(cy, l);
    h->job = job;
    h->queue = queue;
    h->stopped = stopped;
    h->stamp = stamp;
    h->until = until;
    h->later = later;
}

/* Computes the data about all queues in victim_others, once per action and again after each
 * transaction that is kept. Cost: O(queues + leaves). */
static int32_t find_others(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct victim_others *o = &h->others;
    size_t rows = h->cap_queues + 1ul;
    if (o->known) return LSCHED_OK;
    if (!o->dominant) o->dominant = alloc_new(cy->k->alloc, rows * sizeof *o->dominant);
    if (!o->take) o->take = alloc_new(cy->k->alloc, rows * 2 * KINDS_MAX * sizeof *o->take);
    if (!o->dominant || !o->take) return LSCHED_E_NOMEM;
    o->least = o->take + rows * KINDS_MAX;
    steps_add(cy->k, 4 * rows);
    act_spend(cy, table_live(cy->k, T_QUEUE));
    find_given(cy);
    victim_shares_find(cy, o->least, o->dominant);
    o->known = !cy->spend.stop;
    return LSCHED_OK;
}

/* True if some queue beside the job's path is large enough that work could be evicted from it: its
 * dominant share, without the smallest amounts that can be evicted from it, is at least that of
 * the path's queue beside it with the job. Evictions make a queue smaller, and only evictions that
 * pass this test themselves make the job's side smaller. Therefore, if no queue is large enough
 * now, no work can be evicted. */
static int others_may_give(const struct lsched_cycle *cy) {
    return victim_shares_above(cy, cy->victims->others.dominant);
}

/* Stores in total[] the sum of the amounts that can be evicted from all queues except the job's
 * own. */
static void sum_others(struct lsched_cycle *cy, int64_t *total) {
    struct victim_search *h = cy->victims;
    const struct victim_others *o = &h->others;
    uint32_t own = queue_real(cy->k, h->queue);
    const int64_t *all = o->take + (size_t)h->cap_queues * KINDS_MAX,
                  *mine = o->take + (size_t)own * KINDS_MAX;
    int64_t until = o->until[own == o->until_of];
    if (until < h->until) h->until = until;
    /* A sum that amount_sum() has limited to LSCHED_AMOUNT_MAX is still an upper bound, but
     * nothing can be subtracted from it. */
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++)
        total[r] = all[r] == LSCHED_AMOUNT_MAX ? all[r] : all[r] - mine[r];
}

static void count_leaf(struct proof *p, uint32_t leaf) {
    const struct columns *k = p->cy->k;
    act_spend(p->cy, 1 + k->c[C_LEAF_RUNNING].u32[leaf]);
    uint32_t n = leaf_may_lose(p->cy, leaf) + p->cy->k->c[C_LEAF_NOMINATED].u32[leaf],
             job = k->c[C_LEAF_JOB].u32[leaf], queue = k->c[C_JOB_QUEUE].u32[job];
    if (n == 0) return;
    uint32_t shape = leaf_shape(k, job, k->c[C_LEAF_GROUP].u32[leaf]);
    int64_t *take = p->take + (size_t)queue * KINDS_MAX,
            *unit = p->unit + (size_t)queue * KINDS_MAX;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t whole = 0;
        take[r] = amount_sum(take[r], leaf_take(k, leaf, shape, n, r));
        for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
            whole = amount_sum(whole, leaf_amount(k, l, r));
        if (whole > unit[r]) unit[r] = whole;
    }
}

/* Limits the queue's entry in `take`. Work of the queue can be evicted only while the queue is
 * above its entitlement (with guarantee_only, its guarantee) of some resource kind that counts. If
 * the queue is above it in one kind only, the excess in this kind limits the amount of this kind
 * that can be evicted. */
static void cap_queue(struct proof *p, uint32_t q, int guarantee_only) {
    const struct columns *k = p->cy->k;
    const struct victim_search *h = p->cy->victims;
    int64_t *take = p->take + (size_t)q * KINDS_MAX, *unit = p->unit + (size_t)q * KINDS_MAX;
    uint32_t n = 0, kind = 0;
    int64_t above = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (!(h->kinds >> r & 1)) continue;
        int64_t right = victim_right(p->cy, q, r, guarantee_only);
        int64_t used = k->c[C_QUEUE_USED + r].i64[q] - h->pending[(size_t)q * KINDS_MAX + r];
        if (used <= right) continue;
        n++;
        kind = r;
        above = used - right;
    }
    if (n == 0) memset(take, 0, KINDS_MAX * sizeof *take);
    if (n == 1 && unit[kind] > 0 && take[kind] > amount_sum(above - 1, unit[kind]))
        take[kind] = amount_sum(above - 1, unit[kind]);
}

/* Returns the level of the queue's parent in the job's path, n_path if the queue has no parent.
 * Returns NO_ROW if the queue itself is on the path, or if its parent is not on the path. */
static uint32_t leaves_path_at(const struct lsched_cycle *cy, uint32_t q) {
    const struct victim_search *h = cy->victims;
    uint32_t parent = cy->k->c[C_QUEUE_PARENT].u32[q],
             found = parent == NO_ROW ? h->n_path : NO_ROW;
    for (uint32_t i = 0; i < h->n_path; i++) {
        if (h->path[i] == q) return NO_ROW;
        if (h->path[i] == parent) found = i;
    }
    return found;
}

static void add_kinds(const struct columns *k, int64_t *into, const int64_t *more) {
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) into[r] = amount_sum(into[r], more[r]);
}

/* Sums the amounts that can be evicted from each branch beside the job's path. The amounts of a
 * child queue are limited first and then added to the amounts of its parent. */
static void sum_branches(struct proof *p, int capped) {
    struct lsched_cycle *cy = p->cy;
    const struct columns *k = cy->k;
    int whole_path = cycle_eviction(cy)->protection == POLICY_PROTECT_PATH;
    for (uint32_t i = 0; i < table_live(k, T_QUEUE); i++) {
        uint32_t q = cy->c->share.order[i], parent = k->c[C_QUEUE_PARENT].u32[q];
        int top = leaves_path_at(cy, q) != NO_ROW;
        if (capped && (whole_path || top) && !victim_right_is_own(cy, q)) cap_queue(p, q, 1);
        if (top || parent == NO_ROW) continue;
        add_kinds(k, p->take + (size_t)parent * KINDS_MAX, p->take + (size_t)q * KINDS_MAX);
        int64_t *unit = p->unit + (size_t)parent * KINDS_MAX;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (p->unit[(size_t)q * KINDS_MAX + r] > unit[r])
                unit[r] = p->unit[(size_t)q * KINDS_MAX + r];
    }
}

/* Adds to total[] the amounts that can be evicted from all queues together. Branches that leave
 * the job's path at a low level come first, because evictions in these branches lower the use of
 * the path's queues above. These queues can then be entitled to evict from the branches at higher
 * levels. */
static void sum_queues(struct proof *p, int64_t *total) {
    struct lsched_cycle *cy = p->cy;
    struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    int capped = h->reason == LSCHED_FOR_RECLAIM && h->has_amounts && !part_quota_entitled(cy);
    /* another alternative than the one that is chosen now can need less, or more */
    int chooses = jobshape_chooses(k, h->jobshape);
    steps_add(k, (2 + h->n_path) * table_live(k, T_QUEUE));
    /* if work of the job's own queue is evicted, the queue can become entitled to a resource
     * part */
    if (h->both && h->quota.pending) capped = 0;
    sum_branches(p, capped);
    /* the job's own queue has no child queues, because it has jobs */
    if (h->reason == LSCHED_FOR_PREEMPT || h->both)
        add_kinds(k, total, p->take + (size_t)h->queue * KINDS_MAX);
    for (uint32_t level = 0; level <= h->n_path; level++) {
        int open = !capped || level == 0 || chooses;
        if (!open && !victim_excess_curable(cy, level - 1, 0, total)) return;
        int guaranteed = open || victim_excess_curable(cy, level - 1, 1, total);
        h->may_guarantee |= guaranteed && level > 0 && (chooses || !h->guarantee[level - 1]);
        int64_t here[KINDS_MAX] = {0};
        for (uint32_t i = 0; i < table_live(k, T_QUEUE); i++) {
            uint32_t q = cy->c->share.order[i];
            if (leaves_path_at(cy, q) != level) continue;
            if (!guaranteed && !victim_right_is_own(cy, q)) cap_queue(p, q, 0);
            add_kinds(k, here, p->take + (size_t)q * KINDS_MAX);
        }
        add_kinds(k, total, here);
    }
}

/* True if both the job's own queue and other queues could have work that can be evicted. If only
 * one of them has, this search would repeat the search of reclaim or of preempt. For a job in a
 * user queue, the result is always 1, because the work of the other users is in sibling branches
 * and is not counted separately. */
static int gives_both(const struct proof *p, const int64_t *total) {
    const struct columns *k = p->cy->k;
    const struct victim_search *h = p->cy->victims;
    int own = queue_real(k, h->queue) != h->queue, others = own;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t mine = p->take[(size_t)h->queue * KINDS_MAX + r];
        own |= mine > 0;
        others |= total[r] > mine;
    }
    return own && others;
}

/* True if the amounts that the whole job needs are not fixed: a task has alternatives, or a group
 * needs only some of its children and the job's leaf groups have different task shapes. */
static int has_choice(const struct columns *k, uint32_t jobshape) {
    uint32_t first = group_row(k, jobshape, 0), shape = NO_ROW;
    int choice = 0, mixed = 0;
    if (jobshape_chooses(k, jobshape)) return 1;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t children = k->c[C_GROUP_CHILDREN].u32[first + g],
                 s = k->c[C_GROUP_SHAPE].u32[first + g];
        choice |= children && k->c[C_GROUP_MIN].u32[first + g] < children;
        if (s == NO_ROW) continue;
        mixed |= shape != NO_ROW && s != shape;
        shape = s;
    }
    return choice && mixed;
}

/* True if the job can need less of the resource kind than h->need says: with another alternative
 * the GPU charge can be smaller, and the peak of a daily demand can fall on hours
 * in which other tasks demand little. */
static int may_need_less(const struct columns *k, uint32_t jobshape, uint32_t kind) {
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
            uint32_t shape = group_alternative(k, row, a);
            if (kind == LSCHED_GPU && a > 0) return 1;
            if (daily_demand_row(k, C_SHAPE_DAY, shape, kind) != NO_ROW) return 1;
        }
    }
    return 0;
}

static int amounts_suffice(struct proof *p) {
    struct lsched_cycle *cy = p->cy;
    struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    int64_t total[KINDS_MAX] = {0};
    const int64_t *idle;
    if (cy->c->searches_cold) idle_amounts_drop(&cy->c->idle, cy->k);
    int32_t rc = idle_amounts_get(&cy->c->idle, cy->k, &idle);
    if (rc != LSCHED_OK) return rc;
    if (p->queues) {
        steps_add(k, table_rows(k, T_LEAF));
        for (uint32_t l = 0; l < table_rows(k, T_LEAF) && !cy->spend.stop; l++)
            if (row_is_live(k, T_LEAF, l)) count_leaf(p, l);
        act_spend(cy, table_live(k, T_QUEUE));
        sum_queues(p, total);
    }
    if (p->others) sum_others(cy, total);
    if (cy->spend.stop) return 1;
    if (h->both && !gives_both(p, total)) return 0;
    if (has_choice(k, h->jobshape)) return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (h->need[r] <= amount_sum(total[r], idle[r]) || may_need_less(k, h->jobshape, r))
            continue;
        h->why_code = h->reason == LSCHED_FOR_RECLAIM && h->has_amounts
                          ? LSCHED_NO_VICTIM_PROTECTED
                          : LSCHED_NO_VICTIM_IMPOSSIBLE;
        h->why_kind = r;
        h->why_need = h->need[r] - idle[r];
        h->why_have = total[r];
        return 0;
    }
    return 1;
}

/* ---- places ---- */

/* Returns how many tasks of the shape the node could hold if everything were evicted that is
 * allowed to be evicted. */
static int64_t node_holds(struct lsched_cycle *cy, uint32_t node, uint32_t shape) {
    const struct columns *k = cy->k;
    struct daily_room amount[KINDS_MAX];
    int64_t milli[LSCHED_DEVICES_PER_NODE_MAX], most = INT32_MAX, parts = 0;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        daily_room_of(k, node, r, DEVICE_LATER, &amount[r]);
    for (uint32_t i = 0; i < n; i++) milli[i] = device_milli_free(k, first + i, DEVICE_LATER);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct victim_unit u;
        act_spend(cy, 1);
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        steps_add(k, 1);
        int may = state == LSCHED_TASK_RUNNING
                      ? victim_verdict(cy, k->c[C_TASK_JOB].u32[t])->verdict != VERDICT_NONE
                      : state == LSCHED_TASK_NOMINATED && victim_candidate_of(cy, t, &u);
        if (!may) continue;
        uint32_t s = task_shape(k, t);
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (r != LSCHED_GPU)
                daily_room_add(k, s, r, k->c[C_SHAPE_REQ + r].i64[s], 1, &amount[r]);
        DEVICE_SET_EACH(m, task_device_set(k, t)) {
            uint32_t i = m.at;
            milli[i] += device_milli_need(k, first + i, s);
        }
    }
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t fit = r == LSCHED_GPU ? most : daily_room_count(k, shape, r, &amount[r]);
        most = fit < most ? fit : most; /* for GPUs, the devices below decide */
    }
    uint32_t devices = k->c[C_SHAPE_DEVICES].u32[shape];
    if (devices == 0) return most;
    for (uint32_t i = 0; i < n; i++)
        parts += milli[i] > 0 ? milli[i] / device_milli_need(k, first + i, shape) : 0;
    return parts / devices < most ? parts / devices : most;
}

/* Returns the most tasks of the group that can be placed: in the best domain of the required
 * level, or on all nodes. If the group is spread, each domain of the spread counts at most as many
 * tasks as the spread allows in a domain. Each node counts at most as many tasks as the group may
 * have on one node. */
static int64_t most_in_one(struct proof *p, uint32_t group, uint32_t shape) {
    struct lsched_cycle *cy = p->cy;
    const struct columns *k = cy->k;
    uint32_t jobshape = cy->victims->jobshape, row = group_row(k, jobshape, group), tree;
    uint32_t level = jobshape_required_level(k, jobshape, group, &tree),
             spread = k->c[C_GROUP_SPREAD].u32[row], own = k->c[C_GROUP_TOPOLOGY].u32[row],
             node_max = k->c[C_GROUP_NODE_MAX].u32[row];
    int64_t all = 0, best = 0;
    memset(p->domain, 0, p->domains * sizeof *p->domain);
    steps_add(k, table_rows(k, T_NODE) + (uint64_t)p->domains);
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && !cy->spend.stop; n++) {
        act_spend(cy, 1);
        if (!cy->c->view.node_ready[n] || !node_able(k, n, shape) ||
            refusal_by_node(k, cy->victims->queue, shape, n, 1))
            continue;
        int64_t c = node_holds(cy, n, shape);
        if (node_max && c > node_max) c = node_max;
        uint32_t d = spread != NO_ROW  ? domain_of_node(k, own, n, spread)
                     : level != NO_ROW ? domain_of_node(k, tree, n, level)
                                       : NO_ROW;
        if (spread != NO_ROW && d != NO_ROW) {
            int64_t max = k->c[C_GROUP_SPREAD_MAX].u32[row], was = p->domain[d];
            p->domain[d] = was + c > max ? max : was + c;
            all = amount_sum(all, p->domain[d] - was);
        } else if (spread == NO_ROW) {
            if (d != NO_ROW) p->domain[d] = amount_sum(p->domain[d], c);
            all = amount_sum(all, c);
        }
    }
    if (level == NO_ROW || spread != NO_ROW) return all;
    for (uint32_t d = 0; d < p->domains; d++)
        if (p->domain[d] > best) best = p->domain[d];
    return best;
}

static int places_suffice(struct proof *p) {
    struct lsched_cycle *cy = p->cy;
    struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX], n = k->c[C_JOBSHAPE_N_GROUPS].u32[h->jobshape];
    if (!h->below_minimum || has_choice(k, h->jobshape)) return 1;
    job_lacks(k, h->job, lacks);
    for (uint32_t g = 0; g < n; g++) {
        if (lacks[g] == 0) continue;
        h->places_read = 1;
        int64_t most = most_in_one(p, g, leaf_shape(k, h->job, g));
        if (most >= lacks[g] || cy->spend.stop) continue;
        h->why_code = LSCHED_NO_VICTIM_IMPOSSIBLE;
        h->why_kind = 0;
        h->why_need = lacks[g];
        h->why_have = most;
        return 0;
    }
    return 1;
}

/* Compares amounts although entitlements have proved that no queue may lose work, so that a test
 * can compare the two proofs. The verdicts have a stamp of their own (find_given) and lower no
 * time, because without this comparison they would not be computed. */
static int32_t amounts_again(struct proof *p) {
    struct victim_search *h = p->cy->victims;
    uint32_t stamp = h->stamp;
    int64_t until = h->until, later = h->later;
    h->stamp = --h->others.stamp;
    int32_t rc = amounts_suffice(p);
    h->stamp = stamp;
    h->until = until;
    h->later = later;
    return rc;
}

/* Tries the proofs. others: 1 if work of other queues could be evicted, under a share algorithm
 * without guarantees. asks: 1 if all tasks are to be read. none: 1 if entitlements prove that no
 * queue may lose work. */
static int32_t bounds_suffice(struct lsched_cycle *cy, int32_t others, int asks, int none) {
    struct proof p;
    int32_t rc = proof_open(&p, cy, asks);
    if (rc != LSCHED_OK) return rc;
    p.others = others && others_may_give(cy);
    if (asks) rc = victim_nodes_ready(cy);
    if (rc == LSCHED_OK) rc = none && asks ? amounts_again(&p) : amounts_suffice(&p);
    int32_t ready = rc == 1 ? victim_nodes_ready(cy) : LSCHED_OK;
    if (rc == 1) rc = ready == LSCHED_OK ? places_suffice(&p) : ready;
    proof_close(&p);
    if (rc == 0) cy->counts.proven++;
    return rc;
}

/* Under a share algorithm without guarantees: returns 1 if work of other queues could be evicted,
 * and finds the amounts. */
static int32_t others_give(struct lsched_cycle *cy) {
    int32_t may = victim_shares_may_give(cy);
    if (may != 1) return may;
    int32_t rc = victim_nodes_ready(cy);
    if (rc == LSCHED_OK) rc = find_others(cy);
    if (rc != LSCHED_OK) return rc;
    /* a search that is not cold has asked for this proof above */
    int32_t whole = cy->c->searches_cold ? victim_shares_whole_gives(cy) : may;
    if (whole <= 0) return whole < 0 ? whole : 1; /* no time makes a queue large enough */
    /* a unit that is protected until a time can be the one that makes its queue large enough */
    struct victim_search *h = cy->victims;
    int64_t until = h->others.until[queue_real(cy->k, h->queue) == h->others.until_of];
    if (h->others.later < until) until = h->others.later;
    if (until < h->later) h->later = until;
    return 1;
}

int32_t victim_bounds_possible(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    int own = h->reason == LSCHED_FOR_PREEMPT || h->both;
    int shares = h->reason == LSCHED_FOR_RECLAIM && !own && !h->has_amounts;
    int32_t none = victim_excess_none(cy);
    if (none < 0) return none;
    int skips = none && !cy->c->searches_cold;
    cy->c->searches_skipped += (uint64_t)skips;
    if (skips && h->both) {
        cy->counts.proven++;
        return 0;
    }
    int32_t gives = own      ? own_may_give(cy)
                    : shares ? others_give(cy)
                             : h->reason != LSCHED_FOR_CONSOLIDATE;
    if (gives < 0 || cy->spend.stop) return gives;
    if (h->both && !gives) return 0; /* the job's own queue has no victims */
    return bounds_suffice(cy, shares && gives, gives && !shares && !skips, none);
}

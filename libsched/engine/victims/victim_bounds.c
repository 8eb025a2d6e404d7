/*
 * victim_bounds.c -- cheap proofs that no victims can help a job, tried before the victim search
 * begins.
 *
 * Amounts: the first proof adds up the amounts that are free or come free, and the most that may be
 * taken from each queue. A queue gives units only while it is above its entitlement. Therefore it
 * gives less than its excess plus one unit, and its parent gives no more than the parent's own
 * excess plus one unit. Places: the second proof counts how many tasks of a leaf group each node
 * could hold with everything evicted that may be evicted. If the leaf group needs one domain, it
 * sums the count per domain; if the leaf group is spread, it limits the count per domain. Both
 * results are upper bounds, therefore a 0 is a proof. Cost: O(nodes + tasks + queues), with a work
 * unit charged for each; no heap and no undo. A cycle that is stopped on the way has proved
 * nothing. If only the job's own queue may give and it has nothing to give, the cost is O(nodes):
 * with many waiting queues and users, each waiting job costs one look at the nodes. The same holds
 * under a share algorithm without guarantees: what all queues hold that may be evicted, and the
 * largest queues, are computed once per action and again after a transaction that is kept.
 */
#include "base/amounts.h"
#include "base/wide.h"
#include "engine/state/transaction.h"
#include "engine/victims/victim_parts.h"
#include "model/shapes/daily_demand.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/store/steps.h"
#include "model/jobs/refusal.h"

struct proof {
    struct lsched_cycle *y;
    int64_t *take;   /* [queue x KINDS_MAX]: upper bound of what may be taken below the queue */
    int64_t *unit;   /* [queue x KINDS_MAX]: largest eviction unit below the queue */
    int64_t *domain; /* tasks that each domain can hold */
    uint32_t queues, domains;
    /* 1 if the amounts of other queues count, under a share algorithm without guarantees */
    int others;
};

/* Allocates the sums. Those by queue are allocated only if queues can give something, because
 * there may be many queues. */
static int32_t proof_open(struct proof *p, struct lsched_cycle *y, int asks_queues) {
    struct alloc *a = y->k->alloc;
    memset(p, 0, sizeof *p);
    p->y = y;
    p->queues = asks_queues ? table_rows(y->k, T_QUEUE) : 0;
    p->domains = table_rows(y->k, T_DOMAIN);
    p->take = alloc_zero(a, (p->queues * 2ul * KINDS_MAX + p->domains + 1) * sizeof *p->take);
    if (!p->take) return LSCHED_E_NOMEM;
    p->unit = p->take + (size_t)p->queues * KINDS_MAX;
    p->domain = p->unit + (size_t)p->queues * KINDS_MAX;
    steps_add(y->k, p->queues); /* the sums are cleared */
    return LSCHED_OK;
}

static void proof_close(struct proof *p) {
    alloc_free(p->y->k->alloc, p->take,
               (p->queues * 2ul * KINDS_MAX + p->domains + 1) * sizeof *p->take);
}

/* ---- the job's own queue ---- */

/* True if the job can hold more tasks of the leaf group than it needs, or can spare a group. */
static int may_have_surplus(const struct columns *k, uint32_t leaf) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[k->c[C_LEAF_JOB].u32[leaf]];
    uint32_t row = group_row(k, shape, k->c[C_LEAF_GROUP].u32[leaf]);
    return k->c[C_JOBSHAPE_N_GROUPS].u32[shape] > 1 ||
           k->c[C_GROUP_MAX].u32[row] > k->c[C_GROUP_MIN].u32[row];
}

/* Finds the lowest priorities by queue, once per action, in O(leaves + queues). Evictions within
 * the action can only raise them, and what the action places cannot be evicted in it. Therefore
 * they stay lower bounds. */
static int32_t find_lowest(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    if (h->lowest || h->cap_queues == 0) return LSCHED_OK;
    h->lowest = alloc_new(k->alloc, h->cap_queues * 2ul * sizeof *h->lowest);
    if (!h->lowest) return LSCHED_E_NOMEM;
    for (size_t i = 0; i < h->cap_queues * 2ul; i++) h->lowest[i] = INT32_MAX;
    steps_add(k, table_rows(k, T_LEAF) + h->cap_queues);
    act_spend(y, table_live(k, T_LEAF));
    for (uint32_t l = 0; l < table_rows(k, T_LEAF); l++) {
        if (!row_is_live(k, T_LEAF, l)) continue;
        if (k->c[C_LEAF_RUNNING].u32[l] + k->c[C_LEAF_NOMINATED].u32[l] == 0) continue;
        uint32_t job = k->c[C_LEAF_JOB].u32[l];
        int32_t *at = &h->lowest[2ul * victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[job])],
                priority = k->c[C_JOB_PRIORITY].i32[job];
        if (priority < at[0]) at[0] = priority;
        if (priority < at[1] && may_have_surplus(k, l)) at[1] = priority;
    }
    return LSCHED_OK;
}

/* True if work of the job's own queue may be evicted for the job: work of lower priority, or
 * surplus of equal priority. A 0 is certain, a 1 is not. */
static int own_may_give(const struct lsched_cycle *y) {
    const struct victim_search *h = y->search;
    uint32_t q = victim_rules_real_queue(y->k, h->queue);
    if (q >= h->cap_queues) return 1;
    return h->lowest[2ul * q] < h->priority || h->lowest[2ul * q + 1] <= h->priority;
}

/* ---- amounts ---- */

/* Returns the largest number of tasks of the leaf group that may be evicted. */
static uint32_t leaf_may_lose(struct lsched_cycle *y, uint32_t leaf) {
    const struct columns *k = y->k;
    uint32_t job = k->c[C_LEAF_JOB].u32[leaf], running = k->c[C_LEAF_RUNNING].u32[leaf];
    if (running == 0) return 0;
    const struct victim_job *j = victim_rules_judge(y, job);
    if (j->verdict == VERDICT_NONE) return 0;
    if (j->verdict == VERDICT_ALL || k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]] > 1)
        return running;
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], k->c[C_LEAF_GROUP].u32[leaf]);
    uint32_t held = k->c[C_LEAF_PLACED].u32[leaf] + k->c[C_LEAF_DONE].u32[leaf],
             min = k->c[C_GROUP_MIN].u32[row];
    uint32_t spare = held > min ? held - min : 0;
    return spare < running ? spare : running;
}

/* Returns an upper bound of what n tasks of the leaf group are charged. If the charge differs
 * between the tasks, it is the charge of all of them. */
static int64_t leaf_take(const struct columns *k, uint32_t leaf, uint32_t shape, uint32_t n,
                         uint32_t r) {
    return r == LSCHED_GPU && shape_charge_varies(k, shape)
               ? leaf_amount(k, leaf, r)
               : k->c[C_SHAPE_REQ + r].i64[shape] * (int64_t)n;
}

/* ---- share algorithms without guarantees ---- */

void victim_bounds_close(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    struct victim_others *o = &h->others;
    size_t rows = h->cap_queues + 1ul;
    alloc_free(y->k->alloc, o->dominant, o->dominant ? rows * sizeof *o->dominant : 0);
    alloc_free(y->k->alloc, o->take, o->take ? rows * 2 * KINDS_MAX * sizeof *o->take : 0);
}

static void count_dominant(struct victim_dominant *d, uint32_t queue, int64_t share) {
    if (d->queue == NO_ROW || share > d->most) {
        if (d->queue != NO_ROW) d->next = d->most;
        d->queue = queue;
        d->most = share;
    } else if (share > d->next) {
        d->next = share;
    }
}

/* Finds the largest dominant shares of the children of each queue, each computed without the least
 * that can be evicted from that child. Children with nothing to give do not count. */
static void find_dominant(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    struct victim_others *o = &h->others;
    for (uint32_t q = 0; q <= h->cap_queues; q++)
        o->dominant[q] = (struct victim_dominant){INT64_MIN, INT64_MIN, NO_ROW};
    /* the order has children before parents */
    for (uint32_t i = 0; i < table_live(k, T_QUEUE); i++) {
        uint32_t q = y->c->share.order[i], parent = k->c[C_QUEUE_PARENT].u32[q];
        int64_t *least = o->least + (size_t)q * KINDS_MAX, gone[KINDS_MAX] = {0};
        if (least[0] == 0) continue;
        int64_t *up = parent == NO_ROW ? NULL : o->least + (size_t)parent * KINDS_MAX;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            gone[r] = -least[r];
            if (up && (up[0] == 0 || least[r] < up[r])) up[r] = least[r];
        }
        if (up) up[0] = 1;
        count_dominant(&o->dominant[parent == NO_ROW ? h->cap_queues : parent], q,
                       victim_rules_dominant(y, q, gone, NULL, NULL));
    }
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

/* Updates the least amounts that an eviction unit of the queue holds: a unit holds at least one
 * task of one leaf group. */
static void count_least(struct lsched_cycle *y, uint32_t leaf, uint32_t shape) {
    const struct columns *k = y->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[k->c[C_LEAF_JOB].u32[leaf]];
    int64_t *least = y->search->others.least + (size_t)queue * KINDS_MAX;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t one = k->c[C_SHAPE_REQ + r].i64[shape];
        if (r == LSCHED_GPU && shape_charge_varies(k, shape)) one = 0;
        if (least[0] == 0 || one < least[r]) least[r] = one;
    }
    least[0] = 1;
}

static void count_given(struct lsched_cycle *y, uint32_t leaf) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    uint32_t job = k->c[C_LEAF_JOB].u32[leaf];
    uint32_t queue = victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[job]);
    act_spend(y, 1 + k->c[C_LEAF_RUNNING].u32[leaf]);
    h->until = LSCHED_NEVER_US;
    uint32_t n = leaf_may_lose(y, leaf), shape = leaf_shape(k, job, k->c[C_LEAF_GROUP].u32[leaf]);
    if (h->until != LSCHED_NEVER_US) count_until(&h->others, queue, h->until);
    int64_t *take = h->others.take + (size_t)queue * KINDS_MAX,
            *all = h->others.take + (size_t)h->cap_queues * KINDS_MAX;
    for (uint32_t r = 1; n && r < meta(k, M_N_KINDS); r++) {
        int64_t more = leaf_take(k, leaf, shape, n, r);
        take[r] = amount_sum(take[r], more);
        all[r] = amount_sum(all[r], more);
    }
    if (n) count_least(y, leaf, shape);
}

/* Computes what each queue can give, judged as for a job of no queue. */
static void find_given(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    struct victim_others *o = &h->others;
    uint32_t job = h->job, queue = h->queue, stamp = h->stamp;
    int64_t until = h->until;
    int stopped = h->stopped;
    memset(o->take, 0, (h->cap_queues + 1ul) * 2 * KINDS_MAX * sizeof *o->take);
    o->until[0] = o->until[1] = LSCHED_NEVER_US;
    o->until_of = NO_ROW;
    h->job = h->queue = NO_ROW;
    h->stopped = 0;
    h->stamp = --o->stamp; /* stamps count down from the largest value, which no context uses */
    steps_add(k, table_rows(k, T_LEAF));
    for (uint32_t l = 0; l < table_rows(k, T_LEAF) && !y->stop; l++)
        if (row_is_live(k, T_LEAF, l)) count_given(y, l);
    h->job = job;
    h->queue = queue;
    h->stopped = stopped;
    h->stamp = stamp;
    h->until = until;
}

/* Computes the data about all queues, once per action and again after a transaction that is kept.
 * Cost: O(queues + leaves). */
static int32_t find_others(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    struct victim_others *o = &h->others;
    size_t rows = h->cap_queues + 1ul;
    if (o->known) return LSCHED_OK;
    if (!o->dominant) o->dominant = alloc_new(y->k->alloc, rows * sizeof *o->dominant);
    if (!o->take) o->take = alloc_new(y->k->alloc, rows * 2 * KINDS_MAX * sizeof *o->take);
    if (!o->dominant || !o->take) return LSCHED_E_NOMEM;
    o->least = o->take + rows * KINDS_MAX;
    steps_add(y->k, 4 * rows);
    act_spend(y, table_live(y->k, T_QUEUE));
    find_given(y);
    find_dominant(y);
    o->known = !y->stop;
    return LSCHED_OK;
}

/* True if a queue beside the job's path would be, without the least that can be evicted from it,
 * at least as large as the path's side would be with the job. Evictions make a queue smaller, and
 * they shrink the job's side only if they were allowed themselves. Therefore no work may be
 * evicted if no branch is as large. */
static int others_may_give(const struct lsched_cycle *y) {
    const struct victim_search *h = y->search;
    if (!y->c->share.ops->dominant) return 0;
    if (jobshape_chooses(y->k, h->jobshape)) return 1; /* another alternative may need less */
    for (uint32_t i = 0; i < h->n_path; i++) {
        uint32_t parent = i + 1 < h->n_path ? h->path[i + 1] : h->cap_queues;
        const struct victim_dominant *d = &h->others.dominant[parent];
        int64_t most = d->queue == h->path[i] ? d->next : d->most;
        if (h->dominant_after[i] < INT64_MAX && most >= h->dominant_after[i]) return 1;
    }
    return 0;
}

/* Sums what all queues except the job's own can give. */
static void sum_others(struct lsched_cycle *y, int64_t *total) {
    struct victim_search *h = y->search;
    const struct victim_others *o = &h->others;
    uint32_t own = victim_rules_real_queue(y->k, h->queue);
    const int64_t *all = o->take + (size_t)h->cap_queues * KINDS_MAX,
                  *mine = o->take + (size_t)own * KINDS_MAX;
    int64_t until = o->until[own == o->until_of];
    if (until < h->until) h->until = until;
    /* a sum cut off at LSCHED_AMOUNT_MAX is still an upper bound */
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++)
        total[r] = all[r] == LSCHED_AMOUNT_MAX ? all[r] : all[r] - mine[r];
}

static void count_leaf(struct proof *p, uint32_t leaf) {
    const struct columns *k = p->y->k;
    act_spend(p->y, 1 + k->c[C_LEAF_RUNNING].u32[leaf]);
    uint32_t n = leaf_may_lose(p->y, leaf) + p->y->k->c[C_LEAF_NOMINATED].u32[leaf],
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

/* Limits what the queue can give. The queue gives while it is above its entitlement in some kind
 * that counts. If it is above in one kind only, its excess limits what it gives of that kind. */
static void cap_queue(struct proof *p, uint32_t q, int guarantee_only) {
    const struct columns *k = p->y->k;
    const struct victim_search *h = p->y->search;
    int64_t *take = p->take + (size_t)q * KINDS_MAX, *unit = p->unit + (size_t)q * KINDS_MAX;
    uint32_t n = 0, kind = 0;
    int64_t above = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (!(h->kinds >> r & 1)) continue;
        int64_t right = victim_rules_right(p->y, q, r, guarantee_only);
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

/* Returns the level in the job's path of the queue's parent, where the queue's branch leaves
 * the path; n_path for a root queue. NO_ROW if the queue is on the path itself, or its parent
 * is not. */
static uint32_t leaves_path_at(const struct lsched_cycle *y, uint32_t q) {
    const struct victim_search *h = y->search;
    uint32_t parent = y->k->c[C_QUEUE_PARENT].u32[q], found = parent == NO_ROW ? h->n_path : NO_ROW;
    for (uint32_t i = 0; i < h->n_path; i++) {
        if (h->path[i] == q) return NO_ROW;
        if (h->path[i] == parent) found = i;
    }
    return found;
}

static void add_kinds(const struct columns *k, int64_t *into, const int64_t *more) {
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) into[r] = amount_sum(into[r], more[r]);
}

/* Sums the branches beside the path: the amount of each child is limited first and then added to
 * its parent. */
static void sum_branches(struct proof *p, int capped) {
    struct lsched_cycle *y = p->y;
    const struct columns *k = y->k;
    int whole_path = cycle_eviction(y)->protection == POLICY_PROTECT_PATH;
    for (uint32_t i = 0; i < table_live(k, T_QUEUE); i++) {
        uint32_t q = y->c->share.order[i], parent = k->c[C_QUEUE_PARENT].u32[q];
        int top = leaves_path_at(y, q) != NO_ROW;
        if (capped && (whole_path || top) && !victim_rules_is_own(y, q)) cap_queue(p, q, 1);
        if (top || parent == NO_ROW) continue;
        add_kinds(k, p->take + (size_t)parent * KINDS_MAX, p->take + (size_t)q * KINDS_MAX);
        int64_t *unit = p->unit + (size_t)parent * KINDS_MAX;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (p->unit[(size_t)q * KINDS_MAX + r] > unit[r])
                unit[r] = p->unit[(size_t)q * KINDS_MAX + r];
    }
}

/* True if evicting all candidates below a queue of the path could bring that queue within its
 * entitlement. */
static int could_be_within(const struct lsched_cycle *y, uint32_t level, int guarantee_only,
                           const int64_t *below) {
    const struct victim_search *h = y->search;
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++)
        if ((h->kinds >> r & 1) && h->over[level][guarantee_only][r] > 0 &&
            h->over[level][guarantee_only][r] > below[r])
            return 0;
    return 1;
}

/* Sums what all queues together can give. Branches that leave the path at a low level come
 * first: what they give lowers the use of the queues above, which may then take from the
 * branches above. */
static void sum_queues(struct proof *p, int64_t *total) {
    struct lsched_cycle *y = p->y;
    struct victim_search *h = y->search;
    const struct columns *k = y->k;
    int capped = h->reason == LSCHED_FOR_RECLAIM && h->has_amounts && !victim_parts_entitled(y);
    steps_add(k, (2 + h->n_path) * table_live(k, T_QUEUE));
    /* with its own work evicted, the job may also be entitled to a resource part */
    if (h->both && h->parts_pending) capped = 0;
    sum_branches(p, capped);
    /* the job's own queue: a queue with jobs has no children */
    if (h->reason == LSCHED_FOR_PREEMPT || h->both)
        add_kinds(k, total, p->take + (size_t)h->queue * KINDS_MAX);
    for (uint32_t level = 0; level <= h->n_path; level++) {
        if (capped && level > 0 && !could_be_within(y, level - 1, 0, total)) return;
        int guaranteed = !capped || level == 0 || could_be_within(y, level - 1, 1, total);
        h->may_guarantee |= guaranteed && level > 0 && !h->guarantee[level - 1];
        int64_t here[KINDS_MAX] = {0};
        for (uint32_t i = 0; i < table_live(k, T_QUEUE); i++) {
            uint32_t q = y->c->share.order[i];
            if (leaves_path_at(y, q) != level) continue;
            if (!guaranteed && !victim_rules_is_own(y, q)) cap_queue(p, q, 0);
            add_kinds(k, here, p->take + (size_t)q * KINDS_MAX);
        }
        add_kinds(k, total, here);
    }
}

/* True if both kinds of victims (of the own queue and of others) can give something; otherwise the
 * search would repeat an earlier one. Work of other users of the queue is in branches of its own,
 * therefore such work may exist. */
static int gives_both(const struct proof *p, const int64_t *total) {
    const struct columns *k = p->y->k;
    const struct victim_search *h = p->y->search;
    int own = victim_rules_real_queue(k, h->queue) != h->queue, others = own;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t mine = p->take[(size_t)h->queue * KINDS_MAX + r];
        own |= mine > 0;
        others |= total[r] > mine;
    }
    return own && others;
}

static void free_later(const struct lsched_cycle *y, int64_t *total) {
    const struct columns *k = y->k;
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!y->c->view.node_ready[n]) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t f = k->c[C_NODE_FREE + r].i64[n] + k->c[C_NODE_COMING + r].i64[n];
            if (f > 0) total[r] = amount_sum(total[r], f);
        }
    }
}

/* True if a group needs only some of its children, or if a task has alternatives: then the need of
 * the whole job is not one number. */
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

/* True if the GPU amount that the job is charged depends on where its tasks are placed. */
static int charge_varies(const struct columns *k, uint32_t jobshape) {
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++)
            if (a > 0 || shape_charge_varies(k, group_alternative(k, row, a))) return 1;
    }
    return 0;
}

static int is_daily(const struct columns *k, uint32_t jobshape, uint32_t kind) {
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++)
            if (daily_demand_row(k, C_SHAPE_DAY, group_alternative(k, row, a), kind) != NO_ROW)
                return 1;
    }
    return 0;
}

static int amounts_suffice(struct proof *p) {
    struct lsched_cycle *y = p->y;
    struct victim_search *h = y->search;
    const struct columns *k = y->k;
    int64_t total[KINDS_MAX] = {0}, idle[KINDS_MAX] = {0};
    act_spend(y, table_live(k, T_NODE));
    free_later(y, idle);
    if (p->queues) {
        steps_add(k, table_rows(k, T_LEAF));
        for (uint32_t l = 0; l < table_rows(k, T_LEAF) && !y->stop; l++)
            if (row_is_live(k, T_LEAF, l)) count_leaf(p, l);
        act_spend(y, table_live(k, T_QUEUE));
        sum_queues(p, total);
    }
    if (p->others) sum_others(y, total);
    if (y->stop) return 1;
    if (h->both && !gives_both(p, total)) return 0;
    if (has_choice(k, h->jobshape)) return 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (h->need[r] <= amount_sum(total[r], idle[r])) continue;
        /* on other devices, the job may need less */
        if (r == LSCHED_GPU && charge_varies(k, h->jobshape)) continue;
        /* the peak of a daily demand may fall where the demand of other tasks is low */
        if (is_daily(k, h->jobshape, r)) continue;
        h->why_code = h->reason == LSCHED_FOR_RECLAIM && h->has_amounts ? LSCHED_EVICT_PROTECTED
                                                                        : LSCHED_EVICT_IMPOSSIBLE;
        h->why_kind = r;
        h->why_need = h->need[r] - idle[r];
        h->why_have = total[r];
        return 0;
    }
    return 1;
}

/* ---- places ---- */

/* Returns how many tasks of the shape the node could hold with everything evicted that may be
 * evicted. */
static int64_t node_holds(struct lsched_cycle *y, uint32_t node, uint32_t shape) {
    const struct columns *k = y->k;
    struct daily_room amount[KINDS_MAX];
    int64_t milli[LSCHED_DEVICES_PER_NODE_MAX] = {0}, most = INT32_MAX, parts = 0;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        daily_room_of(k, node, r, DEVICE_LATER, &amount[r]);
    for (uint32_t i = 0; i < n; i++) milli[i] = device_milli_free(k, first + i, DEVICE_LATER);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct victim_unit u;
        act_spend(y, 1);
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        steps_add(k, 1);
        int may = state == LSCHED_TASK_RUNNING
                      ? victim_rules_judge(y, k->c[C_TASK_JOB].u32[t])->verdict != VERDICT_NONE
                      : state == LSCHED_TASK_NOMINATED && victim_unit_of(y, t, &u);
        if (!may) continue;
        uint32_t s = task_shape(k, t);
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (r != LSCHED_GPU)
                daily_room_add(k, s, r, k->c[C_SHAPE_REQ + r].i64[s], 1, &amount[r]);
        for (uint32_t m = k->c[C_TASK_MASK].u16[t]; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            milli[i] += device_milli_need(k, first + i, s);
        }
    }
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t fit = r == LSCHED_GPU ? most : daily_room_count(k, shape, r, &amount[r]);
        most = fit < most ? fit : most; /* for GPUs, the devices decide */
    }
    uint32_t devices = k->c[C_SHAPE_DEVICES].u32[shape];
    if (devices == 0) return most;
    for (uint32_t i = 0; i < n; i++)
        parts += milli[i] > 0 ? milli[i] / device_milli_need(k, first + i, shape) : 0;
    return parts / devices < most ? parts / devices : most;
}

static uint32_t victim_bounds_required_level(const struct columns *k, uint32_t jobshape,
                                             uint32_t group, uint32_t *topology) {
    for (uint32_t g = group;; g = k->c[C_GROUP_PARENT].u32[group_row(k, jobshape, g)]) {
        uint32_t row = group_row(k, jobshape, g), level = k->c[C_GROUP_REQUIRED].u32[row];
        *topology = k->c[C_GROUP_TOPOLOGY].u32[row];
        if (level != NO_ROW || g == 0) return level;
    }
}

/* Returns the most tasks of the group that can be placed: in the best domain of the required
 * level, or on all nodes. If the group is spread, each domain of the spread counts at most its
 * bound. */
static int64_t most_in_one(struct proof *p, uint32_t group, uint32_t shape) {
    struct lsched_cycle *y = p->y;
    const struct columns *k = y->k;
    uint32_t jobshape = y->search->jobshape, row = group_row(k, jobshape, group), tree;
    uint32_t level = victim_bounds_required_level(k, jobshape, group, &tree),
             spread = k->c[C_GROUP_SPREAD].u32[row], own = k->c[C_GROUP_TOPOLOGY].u32[row];
    int64_t all = 0, best = 0;
    memset(p->domain, 0, p->domains * sizeof *p->domain);
    steps_add(k, table_rows(k, T_NODE) + (uint64_t)p->domains);
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && !y->stop; n++) {
        act_spend(y, 1);
        if (!y->c->view.node_ready[n] || !node_able(k, n, shape) ||
            refusal_by_node(k, y->search->queue, shape, n, 1))
            continue;
        int64_t c = node_holds(y, n, shape);
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
    struct lsched_cycle *y = p->y;
    struct victim_search *h = y->search;
    const struct columns *k = y->k;
    uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX], n = k->c[C_JOBSHAPE_N_GROUPS].u32[h->jobshape];
    if (!h->below_minimum || has_choice(k, h->jobshape)) return 1;
    job_lacks(k, h->job, lacks);
    for (uint32_t g = 0; g < n; g++) {
        if (lacks[g] == 0) continue;
        int64_t most = most_in_one(p, g, leaf_shape(k, h->job, g));
        if (most >= lacks[g] || y->stop) continue;
        h->why_code = LSCHED_EVICT_IMPOSSIBLE;
        h->why_kind = 0;
        h->why_need = lacks[g];
        h->why_have = most;
        return 0;
    }
    return 1;
}

int32_t victim_bounds_possible(struct lsched_cycle *y) {
    struct proof p;
    struct victim_search *h = y->search;
    int own = h->reason == LSCHED_FOR_PREEMPT || h->both;
    int shares = h->reason == LSCHED_FOR_RECLAIM && !own && !h->has_amounts;
    int32_t rc = own ? find_lowest(y) : shares ? find_others(y) : LSCHED_OK;
    if (rc != LSCHED_OK || y->stop) return rc;
    int asks = h->reason != LSCHED_FOR_CONSOLIDATE && !shares && (!own || own_may_give(y));
    if (h->both && !asks) return 0; /* one of the two kinds of victims is missing */
    rc = proof_open(&p, y, asks);
    if (rc != LSCHED_OK) return rc;
    p.others = shares && others_may_give(y);
    rc = amounts_suffice(&p) && places_suffice(&p);
    proof_close(&p);
    if (rc == 0) y->proven++;
    return rc;
}

/* cheapest_node.c -- see cheapest_node.h. */
#include "engine/cheapest/cheapest_node.h"

#include "base/binary_heap.h"
#include "base/wide.h"
#include "engine/cheapest/cheapest_branch.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/indexes/spread_limit.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/state/transaction.h"
#include "engine/rights/first_victim.h"
#include "engine/rights/victim_candidate.h"
#include "engine/rights/victim_excess.h"
#include "engine/victims/victim_key.h"
#include "engine/victims/victim_nodes.h"
#include "engine/rights/victim_protect.h"
#include "engine/victims/victim_search.h"
#include "engine/victims/victim_set.h"
#include "engine/rights/victim_shares.h"
#include "engine/rights/victim_verdict.h"
#include "model/allowances/allowance.h"
#include "model/demand/job_counts.h"
#include "model/jobs/refusal.h"
#include "model/nodes/node.h"
#include "model/shapes/daily_demand.h"
#include "model/store/steps.h"

/* The next task of a class, in the heap of the class. */
struct front {
    struct victim_key bound; /* what a set of victims with the task costs at least */
    uint32_t branch, class, at, task;
};

/* A walk over the tasks of all classes together, the cheapest first. */
struct task_walk {
    struct lsched_cycle *cy;
    const struct running_work *work;
    struct cheapest_branch *branch;
    struct front *front; /* a heap */
    uint32_t n_branches, n, cap, tasks;
    uint32_t n_seen, seen[CHEAPEST_NODES_MAX]; /* the nodes whose victims were computed */
    uint32_t best;                             /* the cheapest of them, or NO_ROW */
    struct victim_key key;                     /* what the victims on `best` cost */
};

/* ---- what a job is asked ---- */

/* True if a search can find a node only by evictions: no ready node has room for the task, also
 * after running evictions. */
static int32_t nodes_are_full(struct lsched_cycle *cy, const struct ask *a) {
    const struct columns *k = cy->k;
    struct search_key key;
    struct search_scorer scorer;
    struct search_index *x;
    const int64_t *idle;
    int32_t rc = idle_amounts_get(&cy->c->idle, cy->k, &idle);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_SHAPE_REQ + r].i64[a->shape] > idle[r]) return 1;
    rc = hook_nodes_search(cy, a, &key, &scorer);
    if (rc != LSCHED_OK || !key.later || key.charge_max || key.shortage) return rc;
    rc = search_get(&cy->c->search, cy->k, &cy->c->view, &key, &scorer, &x);
    return rc == LSCHED_OK ? search_best(x) == NO_ROW : rc;
}

/* True if the needs of the task depend on the node or on the time of day. */
static int needs_vary(const struct columns *k, uint32_t shape) {
    int vary = shape_charge_varies(k, shape);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        vary |= daily_demand_row(k, C_SHAPE_DAY, shape, r) != NO_ROW;
    return vary;
}

/* Returns the only leaf group of which the current job lacks a task, and lacks only one; NO_ROW if
 * it lacks more. */
static uint32_t lacks_one(const struct lsched_cycle *cy) {
    uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX], sum = 0, group = NO_ROW;
    const struct victim_search *h = cy->victims;
    job_lacks(cy->k, h->job, lacks);
    for (uint32_t g = 0; g < cy->k->c[C_JOBSHAPE_N_GROUPS].u32[h->jobshape]; g++) {
        if (lacks[g] == 0) continue;
        sum += lacks[g];
        group = g;
    }
    return sum == 1 ? group : NO_ROW;
}

/* True if the search and the policy are such that the bounds of this file hold. */
static int walk_serves(const struct lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    return h->reason == LSCHED_FOR_RECLAIM && !h->both && h->way == 0 && h->below_minimum &&
           !h->quota.pending && h->n_victims == 0 && h->n_units == 0 && !cy->c->searches_cold &&
           cy->turn.later && undo_mark(cy->k) == cy->turn.mark && !hook_has_victims(cy) &&
           !hook_on(cy, LSCHED_HOOK_FILTER | LSCHED_HOOK_SCORE | LSCHED_HOOK_PLACEMENT) &&
           !refusals_any(cy->k) && !jobshape_chooses(cy->k, h->jobshape) &&
           h->cheapest.declined != h->stamp;
}

/* Returns what is asked if the walk can serve the job, otherwise NULL. */
static const struct ask *plain_ask(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    uint32_t tree, group = walk_serves(cy) ? lacks_one(cy) : NO_ROW;
    if (group == NO_ROW) return NULL;
    const struct ask *a = act_leaf(cy, cy->victims->job, group);
    if (!a || spread_limit_asked(k, a) || affinity_rules_asked(k, a->shape) ||
        jobshape_required_level(k, a->jobshape, group, &tree) != NO_ROW || needs_vary(k, a->shape))
        return NULL;
    return a;
}

/* ---- bounds ---- */

/* Returns what the eviction of the task costs at least. */
static int64_t least_cost(const struct lsched_cycle *cy, const struct running_class *c,
                          const struct running_task *t) {
    uint32_t how = cycle_eviction(cy)->victims;
    int64_t ran = cy->now > t->started ? cy->now - t->started : 0;
    if (how == POLICY_VICTIMS_FEWEST) return 1;
    if (how == POLICY_VICTIMS_NEWEST) return ran;
    if (c->sort == RUNNING_NOMINATED) return 0;
    wide_i128 us = VICTIM_STOP_COST_US + (wide_i128)(c->sort == RUNNING_PLAIN ? ran : 0),
              cost = us * c->weight / 1000000;
    return cost > INT64_MAX / 65536 ? INT64_MAX / 65536 : (int64_t)cost;
}

static int front_before(const struct task_walk *w, const struct front *a, const struct front *b) {
    const uint64_t *mark = w->work->mark;
    if (victim_key_before(&a->bound, &b->bound)) return 1;
    if (victim_key_before(&b->bound, &a->bound)) return 0;
    uint32_t x = w->work->task[a->task].node, y = w->work->task[b->task].node;
    return x != y ? mark[x] < mark[y] : a->task < b->task;
}

#define FRONT_BEFORE(w, a, b) front_before(w, &(a), &(b))
HEAP_DEFINE(front, struct front, const struct task_walk *, FRONT_BEFORE, HEAP_NO_INDEX)

/* Adds the task at this place of the heap of the class, if there is one. */
static void add_front(struct task_walk *w, uint32_t branch, uint32_t class, uint32_t at) {
    const struct running_class *c = &w->work->class[class];
    if (at >= c->n) return;
    const struct running_task *t = &w->work->task[c->heap[at]];
    struct front f = {.branch = branch, .class = class, .at = at, .task = c->heap[at]};
    f.bound = (struct victim_key){.ordinary = !first_victim_may_be(w->cy, c),
                                  .priority = t->priority,
                                  .over = w->branch[branch].over,
                                  .cost = least_cost(w->cy, c, t),
                                  .tasks = 1,
                                  .started = t->started,
                                  .submitted = t->submitted};
    front_add(w, w->front, &w->n, f);
}

/* ---- the walk ---- */

/* True if the task can be part of a set of victims. */
static int may_go(const struct task_walk *w, const struct front *f) {
    struct lsched_cycle *cy = w->cy;
    struct victim_unit u;
    steps_add(cy->k, 1);
    act_spend(cy, 1);
    return victim_candidate_of(cy, f->task, &u) &&
           (w->branch[f->branch].eased || victim_protect_allow(cy, &u, NULL) != SIDE_NONE);
}

static int was_seen(const struct task_walk *w, uint32_t node) {
    for (uint32_t i = 0; i < w->n_seen; i++)
        if (w->seen[i] == node) return 1;
    return 0;
}

/* Computes the victims on the node. Keeps the node if they cost less than those on all nodes
 * before. */
static int32_t walk_look(struct task_walk *w, uint32_t node, uint32_t shape) {
    struct lsched_cycle *cy = w->cy;
    struct victim_search *h = cy->victims;
    const uint64_t *mark = w->work->mark;
    w->seen[w->n_seen++] = node;
    h->nodes.kept[node] = 1;
    int32_t rc = victim_set_find(cy, node, shape, 0);
    if (rc != LSCHED_OK || cy->spend.stop || h->set.key.impossible) return rc;
    if (w->best == NO_ROW || victim_key_before(&h->set.key, &w->key) ||
        (!victim_key_before(&w->key, &h->set.key) && mark[node] < mark[w->best])) {
        w->best = node;
        w->key = h->set.key;
    }
    return LSCHED_OK;
}

/* True if no task that is still to come can be part of a cheaper set than that on the best node. */
static int is_sure(const struct task_walk *w) {
    const struct front *f = &w->front[0];
    if (w->best == NO_ROW || w->n == 0) return 1;
    if (victim_key_before(&f->bound, &w->key)) return 0;
    return victim_key_before(&w->key, &f->bound) ||
           w->work->mark[w->work->task[f->task].node] > w->work->mark[w->best];
}

/* Returns 1 if the cheapest node is known, 0 if not, or a negative error code. */
static int32_t walk_on(struct task_walk *w, const struct ask *a) {
    struct lsched_cycle *cy = w->cy;
    const struct columns *k = cy->k;
    while (w->n > 0 && (w->best == NO_ROW || !is_sure(w))) {
        struct front f = front_take(w, w->front, &w->n);
        uint32_t node = w->work->task[f.task].node;
        if (++w->tasks > CHEAPEST_TASKS_MAX || cy->spend.stop) return 0;
        add_front(w, f.branch, f.class, 2 * f.at + 1);
        add_front(w, f.branch, f.class, 2 * f.at + 2);
        if (!cy->c->view.node_ready[node] || was_seen(w, node) || !may_go(w, &f) ||
            !node_able(k, node, a->shape))
            continue;
        if (w->n_seen == CHEAPEST_NODES_MAX) return 0;
        int32_t rc = walk_look(w, node, a->shape);
        if (rc != LSCHED_OK) return rc;
    }
    return w->best != NO_ROW && !cy->spend.stop;
}

static int32_t walk_open(struct task_walk *w, struct lsched_cycle *cy) {
    struct alloc *a = cy->k->alloc;
    *w = (struct task_walk){.cy = cy, .work = &cy->c->running, .best = NO_ROW};
    w->cap = cy->c->running.n + CHEAPEST_TASKS_MAX + 1;
    w->branch = alloc_new(a, (table_rows(cy->k, T_QUEUE) + 1ul) * sizeof *w->branch);
    w->front = alloc_new(a, w->cap * sizeof *w->front);
    if (!w->branch || !w->front) return LSCHED_E_NOMEM;
    w->n_branches = cheapest_branch_list(cy, w->branch);
    act_spend(cy, w->n_branches);
    for (uint32_t i = 0; i < w->n_branches; i++)
        for (uint32_t c = w->work->first[w->branch[i].queue]; c; c = w->work->class[c - 1].next) {
            steps_add(cy->k, 1);
            add_front(w, i, c - 1, 0);
        }
    return LSCHED_OK;
}

static void walk_close(struct task_walk *w) {
    struct alloc *a = w->cy->k->alloc;
    alloc_free(a, w->branch,
               w->branch ? (table_rows(w->cy->k, T_QUEUE) + 1ul) * sizeof *w->branch : 0);
    alloc_free(a, w->front, w->front ? w->cap * sizeof *w->front : 0);
}

/* ---- the call ---- */

/* Returns 0 if entitlements or shares prove that no queue may lose work. */
static int32_t any_may_give(struct lsched_cycle *cy) {
    if (!cy->victims->has_amounts) return victim_shares_may_give(cy);
    int32_t none = victim_excess_none(cy);
    return none < 0 ? none : !none;
}

/* Brings all that the walk reads up to date. */
static int32_t get_ready(struct lsched_cycle *cy) {
    struct lsched_cluster *c = cy->c;
    int32_t rc = view_update_ranked(&c->view, cy->k, cy->now);
    if (rc == LSCHED_OK) rc = running_work_sync(&c->running, cy->k, &c->view.nodes);
    if (rc == LSCHED_OK && !cy->victims->has_amounts) rc = lowest_work_sync(&c->lowest, cy->k);
    return rc == LSCHED_OK ? victim_nodes_ready(cy) : rc;
}

void cheapest_node_keep(struct lsched_cycle *cy) {
    struct lsched_cluster *c = cy->c;
    if (c->speculates || running_work_is_near(&c->running, cy->k)) return;
    /* without memory there is no index, and the next search makes it */
    if (view_update_ranked(&c->view, cy->k, cy->now) == LSCHED_OK)
        (void)running_work_sync(&c->running, cy->k, &c->view.nodes);
}

static int32_t cheapest_node_walk(struct lsched_cycle *cy, const struct ask *a) {
    struct running_found *f = &cy->victims->cheapest;
    struct task_walk w;
    int32_t rc = walk_open(&w, cy);
    if (rc == LSCHED_OK) rc = walk_on(&w, a);
    if (rc == 1) {
        f->job = a->job;
        f->shape = a->shape;
        f->node = w.best;
        f->mark = undo_mark(cy->k);
        f->seen = cy->k->touch.next;
    }
    walk_close(&w);
    return rc;
}

/* Walks, and leaves nothing behind of what the verdicts and sets of the walk note about the job:
 * the search of all nodes must find out the same as without the walk. Therefore the verdicts have
 * a stamp of their own, as in victim_bounds.c. */
static int32_t walk_apart(struct lsched_cycle *cy, const struct ask *a) {
    struct victim_search *h = cy->victims;
    uint64_t work = h->work_left;
    int64_t until = h->until, later = h->later;
    uint32_t stamp = h->stamp;
    int lacks = h->lacks_guarantee, chose = h->chose;
    h->stamp = --h->others.stamp;
    int32_t rc = cheapest_node_walk(cy, a);
    h->stamp = stamp;
    h->until = until;
    h->later = later;
    h->work_left = work;
    h->lacks_guarantee = lacks;
    h->chose = chose;
    h->set_of.node = NO_ROW;
    h->nodes.built = 0;
    return rc;
}

int32_t cheapest_node_find(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    h->cheapest.node = NO_ROW;
    /* if a job is searched for twice in its turn, the first search is not that of an earlier job */
    int again = h->cheapest.served == h->stamp && h->cheapest.job == h->job;
    const struct ask *a = plain_ask(cy);
    int32_t rc = a ? any_may_give(cy) : 0;
    if (rc != 1 || cy->spend.stop) return rc < 0 ? rc : 0;
    rc = get_ready(cy);
    if (rc == LSCHED_OK) rc = nodes_are_full(cy, a);
    if (rc == 1) rc = walk_apart(cy, a);
    if (rc == 0) h->cheapest.declined = h->stamp;
    if (rc != 1) return rc;
    cy->c->nodes_walked++;
    if (!again) h->cheapest.served_before = h->cheapest.served;
    h->cheapest.served = h->stamp;
    h->cheapest.lacks = (uint8_t)h->lacks_guarantee;
    return rc;
}

int cheapest_node_holds(const struct lsched_cycle *cy, const struct ask *a, uint32_t domain) {
    const struct running_found *f = &cy->victims->cheapest;
    return f->node != NO_ROW && f->job == a->job && f->shape == a->shape && domain == NO_ROW &&
           cy->victims->way == 0 && f->mark == undo_mark(cy->k) && f->seen == cy->k->touch.next;
}

int cheapest_node_give_up(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct running_found *f = &h->cheapest;
    if (f->node == NO_ROW || f->job != h->job) return 0;
    f->node = NO_ROW;
    f->served = f->served_before;
    /* the attempt looked at the job's side with its victims evicted, and noted what they lacked */
    victim_search_begin_job(cy, h->job);
    h->lacks_guarantee = f->lacks;
    f->declined = f->given_up = h->stamp;
    return 1;
}

int cheapest_node_prove_anew(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    int served = h->cheapest.served == h->stamp;
    if (!served && h->cheapest.given_up != h->stamp) return 0;
    h->cheapest.declined = ++h->stamp;
    return served;
}

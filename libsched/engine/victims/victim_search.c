/* victim_search.c -- see victim_search.h. This file has the context of a job, and the search for
 * the cheapest set of victims on one node. */
#include "engine/victims/victim_search.h"

#include "base/vec.h"
#include "engine/state/transaction.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/victims/victim_order.h"
#include "engine/victims/victim_last.h"
#include "engine/victims/victim_parts.h"
#include "engine/victims/victim_room.h"
#include "engine/victims/victim_side.h"
#include "model/jobs/releasing.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"
#include "model/jobs/stops.h"

/* ---- memory ---- */

void victim_search_close(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    struct alloc *a = y->k->alloc;
    if (!h) return;
    alloc_free(a, h->jobs, h->cap_jobs * sizeof *h->jobs);
    victim_parts_close(y);
    victim_order_close(y);
    victim_last_close(y);
    alloc_free(a, h->pending, h->cap_queues * sizeof(int64_t) * KINDS_MAX);
    victim_bounds_close(y);
    alloc_free(a, h->lowest, h->cap_queues * 2ul * sizeof *h->lowest);
    alloc_free(a, h->key, h->cap_nodes * sizeof *h->key);
    alloc_free(a, h->heap, h->cap_nodes * 2ul * sizeof *h->heap);
    alloc_free(a, h->kept, h->cap_nodes * 2ul);
    alloc_free(a, h->held, h->cap_held * sizeof *h->held);
    alloc_free(a, h->due, h->cap_due * sizeof *h->due);
    alloc_free(a, h->victims, h->cap_victims * sizeof *h->victims);
    alloc_free(a, h->woken_code, h->cap_woken * 2ul);
    alloc_free(a, h, sizeof *h);
    y->search = NULL;
}

/* Work that is placed or nominated and has not started is the last that its queue took above its
 * entitlement, and it cannot be evicted. Running work of the queue must not be evicted in its
 * place, or two queues would evict each other in turn for ever. Nominations that may themselves be
 * taken away are not counted. */
int victim_search_is_pending(const struct columns *k, uint32_t decision) {
    uint32_t t = k->c[C_DECISION_TASK].u32[decision], job = k->c[C_TASK_JOB].u32[t];
    uint8_t state = k->c[C_TASK_STATE].u8[t];
    /* made by the current action: not pending */
    if (k->c[C_DECISION_GROUP].u64[decision] > meta(k, M_PASS_GROUP)) return 0;
    if (state == LSCHED_TASK_RELEASING || state == LSCHED_TASK_RUNNING ||
        (k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE))
        return 0;
    return state != LSCHED_TASK_NOMINATED ||
           k->c[C_DECISION_STATE].u8[decision] != LSCHED_DECISION_CONFIRMED;
}

static void victim_search_count_pending(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    for (uint32_t d = (uint32_t)meta(k, M_OPEN_HEAD); d != NO_ROW;
         d = k->c[C_DECISION_NEXT].u32[d]) {
        uint32_t t = k->c[C_DECISION_TASK].u32[d], job = k->c[C_TASK_JOB].u32[t];
        steps_add(k, 1);
        if (!victim_search_is_pending(k, d)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t amount = task_amount(k, t, r);
            for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; amount && q != NO_ROW;
                 q = k->c[C_QUEUE_PARENT].u32[q])
                h->pending[(size_t)q * KINDS_MAX + r] += amount;
        }
    }
}

uint32_t victim_search_guaranteed_kinds(const struct columns *k) {
    uint32_t kinds = 0;
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (k->c[C_QUEUE_QUOTA_NOW + r].i64[q] > 0) kinds |= 1u << r;
    }
    return kinds;
}

int32_t victim_search_open(struct lsched_cycle *y, uint32_t reason) {
    struct alloc *a = y->k->alloc;
    struct victim_search *h = alloc_zero(a, sizeof *h);
    if (!h) return LSCHED_E_NOMEM;
    y->search = h;
    h->reason = reason;
    h->job = h->found_of = NO_ROW;
    h->pin_stamp = 1;
    h->jobshape = NO_ROW;
    h->shape = NO_ROW;
    h->mover = NO_ROW;
    h->cap_jobs = table_rows(y->k, T_JOB);
    h->cap_nodes = table_rows(y->k, T_NODE);
    h->cap_woken = table_rows(y->k, T_BUNDLE);
    h->cap_queues = table_rows(y->k, T_QUEUE);
    if (h->cap_queues) h->pending = alloc_zero(a, h->cap_queues * sizeof(int64_t) * KINDS_MAX);
    h->has_amounts = y->c->share.ops->amounts != NULL;
    if (h->cap_jobs) h->jobs = alloc_zero(a, h->cap_jobs * sizeof *h->jobs);
    if (h->cap_nodes) {
        h->key = alloc_new(a, h->cap_nodes * sizeof *h->key);
        h->heap = alloc_new(a, h->cap_nodes * 2ul * sizeof *h->heap);
        h->kept = alloc_zero(a, h->cap_nodes * 2ul);
        h->excluded = h->kept ? h->kept + h->cap_nodes : NULL;
        h->place = h->heap ? h->heap + h->cap_nodes : NULL;
    }
    if (h->cap_woken) h->woken_code = alloc_zero(a, h->cap_woken * 2ul);
    if ((h->cap_jobs && !h->jobs) || (h->cap_queues && !h->pending) ||
        (h->cap_nodes && (!h->key || !h->heap || !h->kept)) || (h->cap_woken && !h->woken_code) ||
        victim_parts_open(y) != LSCHED_OK) {
        victim_search_close(y);
        return LSCHED_E_NOMEM;
    }
    h->woken_list = h->woken_code ? h->woken_code + h->cap_woken : NULL;
    h->guaranteed = victim_search_guaranteed_kinds(y->k);
    if (reason == LSCHED_FOR_RECLAIM)
        victim_search_count_pending(y); /* the other actions do not test protection */
    return LSCHED_OK;
}

/* ---- context ---- */

/* Derives from need[] which resource kinds count, and what the queues of the path may take. */
static void look_at_need(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    uint32_t needed = 0;
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++)
        if (h->need[r] > 0) needed |= 1u << r;
    h->kinds = h->guaranteed & needed ? h->guaranteed & needed : needed;
    h->kinds_before |= h->kinds;
    victim_side_look(y);
}

static void look_at_path(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    const struct columns *k = y->k;
    h->kinds_before = 0;
    h->n_path = 0;
    for (uint32_t q = h->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            h->before[h->n_path][r] = k->c[C_QUEUE_USED + r].i64[q];
        h->path[h->n_path++] = q;
    }
    look_at_need(y);
}

static void victim_search_exclude_none(struct lsched_cycle *y);

/* The jobs of one bundle are equal to the search: they have the same queue, job shape and missing
 * tasks, so they share a context. A job that has a bundle to itself has a context of its own. */
int32_t victim_search_begin_job(struct lsched_cycle *y, uint32_t job) {
    struct victim_search *h = y->search;
    const struct columns *k = y->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job], queue = k->c[C_JOB_QUEUE].u32[job],
             shape = k->c[C_JOB_SHAPE].u32[job];
    int stopped = stops_stand(k, job);
    int same = h->job != NO_ROW && h->stopped == stopped && k->c[C_BUNDLE_JOB].u32[b] == NO_ROW &&
               h->queue == queue && h->jobshape == shape &&
               h->priority == k->c[C_JOB_PRIORITY].i32[job] &&
               h->below_minimum == !job_satisfied(k, job) && y->look < 2;
    victim_search_exclude_none(y);
    h->job = job;
    h->stopped = stopped;
    h->n_victims = h->n_units = h->next_move = 0;
    if (h->way) h->built = 0;
    h->way = 0;
    h->chose = 0;
    h->why_code = LSCHED_EVICT_NO_FIT;
    h->why_queue = NO_ROW;
    h->why_kind = 0;
    h->why_need = h->why_have = 0;
    h->until = LSCHED_NEVER_US;
    memset(h->need, 0, sizeof h->need);
    job_next_need(k, job, h->need);
    if (!same) {
        h->stamp++;
        h->queue = queue;
        h->jobshape = shape;
        h->priority = k->c[C_JOB_PRIORITY].i32[job];
        h->below_minimum = !job_satisfied(k, job);
        h->lacks_guarantee = h->may_guarantee = 0;
        h->built = 0;
    }
    if (h->reason == LSCHED_FOR_RECLAIM) memset(h->standing, 0, sizeof h->standing);
    look_at_path(y);
    return LSCHED_OK;
}

void victim_search_need_again(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    int64_t need[KINDS_MAX] = {0};
    job_next_need(y->k, h->job, need);
    if (memcmp(need, h->need, sizeof need) == 0) return;
    memcpy(h->need, need, sizeof need);
    h->built = 0;
    look_at_need(y); /* before[] stays: growth counts from where the job's turn began */
}

static void victim_search_exclude_none(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    if (h->n_pinned) h->pin_stamp++;
    if (h->n_excluded || h->by_unit) h->built = 0;
    h->n_pinned = 0;
    h->by_unit = 0;
    if (h->n_excluded == 0) return;
    memset(h->excluded, 0, h->cap_nodes);
    h->n_excluded = 0;
}

/* ---- one node ---- */

/* True if the task belongs to the eviction unit, which is a group or a single task. */
static int unit_has(const struct columns *k, const struct victim_unit *u, uint32_t task) {
    if (u->group == NO_ROW) return u->task == task;
    if (k->c[C_TASK_JOB].u32[task] != u->job) return 0;
    uint32_t g = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]],
             shape = k->c[C_JOB_SHAPE].u32[u->job];
    while (g > u->group) g = k->c[C_GROUP_PARENT].u32[group_row(k, shape, g)];
    return g == u->group;
}

/* Links the node's tasks by job, so that an eviction unit can be taken out or put back without
 * reading the tasks of other jobs. */
static int32_t list_held(struct lsched_cycle *y, uint32_t node) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    h->n_held = 0;
    h->held_stamp++;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING &&
            k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED)
            continue;
        if (!VEC_ROOM(k->alloc, h->held, h->cap_held, h->n_held + 1)) return LSCHED_E_NOMEM;
        struct victim_job *j = &h->jobs[k->c[C_TASK_JOB].u32[t]];
        uint32_t next = j->held_stamp == h->held_stamp ? j->held : NO_ROW;
        j->held_stamp = h->held_stamp;
        j->held = h->n_held;
        h->held[h->n_held++] = (struct victim_held){t, next, 0};
    }
    return LSCHED_OK;
}

static void put_all_back(struct lsched_cycle *y, uint32_t node, uint32_t shape,
                         struct victim_room *m) {
    for (uint32_t i = 0; i < y->search->n_held; i++) y->search->held[i].out = 0;
    steps_add(y->k, y->search->n_held);
    victim_room_of(y->k, node, shape, m);
}

/* Takes the eviction unit out of the node's room (sign 1), or puts it back (sign -1). A task that
 * belongs to several chosen units is taken out once. */
static void take_out(const struct lsched_cycle *y, uint32_t node, const struct victim_unit *u,
                     int sign, struct victim_room *m) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    const struct victim_job *j = &h->jobs[u->job];
    uint32_t i = j->held_stamp == h->held_stamp ? j->held : NO_ROW;
    for (; i != NO_ROW; i = h->held[i].next) {
        struct victim_held *t = &h->held[i];
        steps_add(k, 1);
        if (!unit_has(k, u, t->task)) continue;
        if (t->out == (sign > 0 ? 0u : 1u)) victim_room_add(k, node, t->task, sign, m);
        t->out += (uint32_t)sign;
        if (u->group == NO_ROW) return;
    }
}

/* True if the two eviction units are equal in everything that is compared before the excess of
 * their sides over the entitlement. */
static int victim_search_unit_ties(const struct lsched_cycle *y, const struct victim_unit *a,
                                   const struct victim_unit *b) {
    uint32_t how = cycle_eviction(y)->victims;
    return a->crosses == b->crosses && a->priority == b->priority && a->cost == b->cost &&
           (how != POLICY_VICTIMS_FEWEST || a->tasks == b->tasks) &&
           (how != POLICY_VICTIMS_NEWEST || a->started == b->started);
}

int victim_search_unit_before(const struct lsched_cycle *y, const struct victim_unit *a,
                              const struct victim_unit *b) {
    uint32_t how = cycle_eviction(y)->victims;
    if (a->crosses != b->crosses) return a->crosses < b->crosses;
    if (a->priority != b->priority) return a->priority < b->priority;
    if (how == POLICY_VICTIMS_FEWEST && a->tasks != b->tasks) return a->tasks < b->tasks;
    if (how == POLICY_VICTIMS_NEWEST && a->started != b->started) return a->started > b->started;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->over != b->over) return a->over < b->over;
    if (a->started != b->started) return a->started > b->started;
    const struct columns *k = y->k;
    int64_t x = k->c[C_JOB_SUBMIT].i64[a->job], z = k->c[C_JOB_SUBMIT].i64[b->job];
    if (x != z) return x > z;
    x = k->c[C_QUEUE_CREATED].i64[a->queue];
    z = k->c[C_QUEUE_CREATED].i64[b->queue];
    if (x != z) return x > z;
    int c = text_compare(k, k->c[C_JOB_NAME].u32[a->job], k->c[C_JOB_NAME].u32[b->job]);
    if (c != 0) return c > 0;
    return k->c[C_TASK_INDEX].u32[a->task] > k->c[C_TASK_INDEX].u32[b->task];
}

/* Inserts an eviction unit into the sorted set. A group is in the set once, although each of
 * its tasks on the node yields it. Sorting by insertion is fast enough, because a node has few
 * units. */
static void insert(const struct lsched_cycle *y, struct victim_set *set,
                   const struct victim_unit *u) {
    uint32_t i = 0;
    if (set->n == VICTIM_UNITS_MAX) return;
    steps_add(y->k, set->n);
    while (i < set->n &&
           !(u->group != NO_ROW && set->unit[i].group == u->group && set->unit[i].job == u->job))
        i++;
    if (i < set->n) return;
    for (i = set->n++; i > 0 && victim_search_unit_before(y, u, &set->unit[i - 1]); i--)
        set->unit[i] = set->unit[i - 1];
    set->unit[i] = *u;
}

/* Collects the eviction units of the node, cheapest first. For each task that a gang can spare,
 * the set also has the larger units around it, for the case that the spare tasks are not enough. */
static void gather(struct lsched_cycle *y, uint32_t node, struct victim_set *set) {
    const struct columns *k = y->k;
    set->n = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW && !y->stop;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct victim_unit u;
        steps_add(k, 1);
        act_spend(y, 1);
        if (!victim_unit_of(y, t, &u)) continue;
        insert(y, set, &u);
        while (!u.nominated && u.group != 0 && victim_rules_larger_unit(y, &u)) insert(y, set, &u);
    }
}

static void fill_candidate(const struct lsched_cycle *y, const struct victim_unit *u,
                           struct policy_candidate *c) {
    const struct columns *k = y->k;
    uint32_t cost = k->c[C_JOB_COST].u32[u->job];
    int64_t amount[KINDS_MAX];
    *c = (struct policy_candidate){
        .job = u->job, .queue = u->queue, .tasks = u->tasks, .whole = u->group == 0};
    victim_unit_amounts(k, u, amount);
    c->cpu_milli = amount[LSCHED_CPU];
    c->memory_bytes = amount[LSCHED_MEMORY];
    c->gpu_milli = amount[LSCHED_GPU];
    c->runtime_us = y->now > u->started ? y->now - u->started : 0;
    c->lost_us = victim_rules_work_lost(y, u->job, u->started);
    c->restart_us = cost == NO_ROW ? 0 : k->c[C_COST_RESTART].i64[cost];
    c->disruptions = cost == NO_ROW ? 0 : k->c[C_COST_DISRUPTIONS].u32[cost];
}

/* Replaces the engine's costs by those of the policy's hook `victim`, which alone order the
 * eviction units then. */
static int32_t ask_policy(struct lsched_cycle *y, struct victim_set *set) {
    struct policy_candidate c[VICTIM_UNITS_MAX] = {{0}};
    int64_t costs[VICTIM_UNITS_MAX];
    struct victim_unit units[VICTIM_UNITS_MAX];
    uint32_t n = set->n;
    for (uint32_t i = 0; i < n; i++) fill_candidate(y, &set->unit[i], &c[i]);
    int32_t rc = hook_victims(y, y->search->job, c, n, costs);
    if (rc != LSCHED_OK) return rc;
    memcpy(units, set->unit, n * sizeof *units);
    set->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (costs[i] == HOOK_NEVER) continue;
        units[i].cost = costs[i];
        units[i].priority = 0;
        units[i].crosses = 0;
        insert(y, set, &units[i]);
    }
    return LSCHED_OK;
}

/* Returns what the eviction unit holds, in thousandths of what the job needs. */
static int64_t part_held(const struct lsched_cycle *y, const struct victim_unit *u) {
    int64_t amount[KINDS_MAX], sum = 0;
    victim_unit_amounts(y->k, u, amount);
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++) sum += victim_side_part(y, r, amount[r]);
    return sum;
}

static struct victim_key key_of(const struct lsched_cycle *y, const struct victim_set *set) {
    struct victim_key key = {.priority = INT32_MIN};
    if (victim_side_lends(y)) key.beyond = victim_side_beyond(y, set);
    uint32_t how = cycle_eviction(y)->victims;
    int is_by_policy = hook_has_victims(y);
    steps_add(y->k, set->n);
    for (uint32_t i = 0; i < set->n; i++) {
        const struct victim_unit *u = &set->unit[i];
        if (!u->chosen) continue;
        if (y->search->way & VICTIM_LARGEST) key.small -= part_held(y, u);
        if (!key.crosses && !is_by_policy) key.crosses = victim_rules_cross(y, u, set);
        if (u->priority > key.priority || key.tasks == 0) key.priority = u->priority;
        if (key.tasks == 0 || u->over_first < key.over) key.over = u->over_first;
        int64_t cost = how == POLICY_VICTIMS_FEWEST ? (int64_t)u->tasks
                       : how == POLICY_VICTIMS_NEWEST
                           ? (y->now > u->started ? y->now - u->started : 0)
                           : u->cost;
        int64_t submitted = y->k->c[C_JOB_SUBMIT].i64[u->job];
        if (key.tasks == 0 || u->started < key.started) key.started = u->started;
        if (key.tasks == 0 || submitted < key.submitted) key.submitted = submitted;
        key.cost = key.cost > INT64_MAX - cost ? INT64_MAX : key.cost + cost;
        key.tasks += u->tasks;
    }
    return key;
}

int victim_search_key_before(const struct victim_key *a, const struct victim_key *b) {
    if (a->impossible != b->impossible) return a->impossible < b->impossible;
    if (a->beyond != b->beyond) return a->beyond < b->beyond;
    if (a->small != b->small) return a->small < b->small;
    if (a->crosses != b->crosses) return a->crosses < b->crosses;
    if (a->priority != b->priority) return a->priority < b->priority;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->tasks != b->tasks) return a->tasks < b->tasks;
    if (a->over != b->over) return a->over < b->over;
    if (a->started != b->started) return a->started > b->started;
    return a->submitted > b->submitted;
}

/* True if the job keeps its minimum without the chosen eviction units and without this group.
 * A job can be able to spare each of two subgroups alone, but not both together. */
static int stands_without(const struct columns *k, const struct victim_set *set,
                          const struct victim_unit *u) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[u->job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape],
             first = group_row(k, shape, 0), count[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    for (uint32_t g = n; g-- > 0;) {
        int gone = g == u->group;
        uint32_t have = count[g];
        if (k->c[C_GROUP_CHILDREN].u32[first + g] == 0) have = job_leaf_stands(k, u->job, g);
        for (uint32_t i = 0; i < set->n; i++) {
            const struct victim_unit *o = &set->unit[i];
            if (!o->chosen || o->job != u->job) continue;
            gone |= o->group == g;
            if (o->group == NO_ROW && !o->nominated && have > 0)
                have -= k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[o->task]] == g;
        }
        int good = !gone && have >= k->c[C_GROUP_MIN].u32[first + g];
        if (g == 0) return good;
        if (good) count[k->c[C_GROUP_PARENT].u32[first + g]]++;
    }
    return 0;
}

/* True if the set would take a nomination and running tasks of one gang together, from different
 * leaf groups (with same_leaf, also from the same leaf). A nomination alone may be taken: the gang
 * rule then decides what else the gang loses. Together with running tasks, the tasks that still
 * run would be left below the minimum. */
static int victim_search_nominated_beside(const struct columns *k, const struct victim_set *set,
                                          const struct victim_unit *u, int same_leaf) {
    for (uint32_t i = 0; i < set->n; i++) {
        const struct victim_unit *o = &set->unit[i];
        if (!o->chosen || o->job != u->job || o->task == u->task || o->nominated == u->nominated)
            continue;
        if (same_leaf || k->c[C_TASK_LEAF].u32[o->task] != k->c[C_TASK_LEAF].u32[u->task]) return 1;
    }
    return 0;
}

/* True if the job can spare the eviction unit besides the chosen ones. The surplus tasks of one
 * leaf group are equal: as many of them may be chosen one by one as there are tasks above the
 * minimum. Nominations do not count as members of the gang, whether they are taken or stay. */
static int surplus_left(const struct columns *k, const struct victim_set *set,
                        const struct victim_unit *u) {
    if (u->group == 0 || (u->nominated && !victim_search_nominated_beside(k, set, u, 1))) return 1;
    if (victim_search_nominated_beside(k, set, u, u->group != NO_ROW)) return 0;
    if (u->group != NO_ROW) return stands_without(k, set, u);
    uint32_t leaf = k->c[C_TASK_LEAF].u32[u->task], g = k->c[C_LEAF_GROUP].u32[leaf],
             n = !u->nominated;
    for (uint32_t i = 0; i < set->n; i++) {
        const struct victim_unit *o = &set->unit[i];
        n += o->chosen && !o->nominated && o->group == NO_ROW && o->task != u->task &&
             k->c[C_TASK_LEAF].u32[o->task] == leaf;
    }
    return job_leaf_stands(k, u->job, g) >=
           n + k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[u->job], g)];
}

/* True if the eviction unit may be chosen now. The ground is stored in the unit. */
static int may_choose(struct lsched_cycle *y, const struct victim_set *set, struct victim_unit *u) {
    steps_add(y->k, set->n);
    act_spend(y, 1);
    if (y->stop) return 0;
    for (uint32_t i = 0; i < set->n && u->group == NO_ROW; i++)
        if (set->unit[i].chosen && set->unit[i].group != NO_ROW &&
            unit_has(y->k, &set->unit[i], u->task))
            return 0;
    if (y->search->reason != LSCHED_FOR_CONSOLIDATE && !surplus_left(y->k, set, u)) return 0;
    u->ground = (uint8_t)victim_rules_allow(y, u, set);
    return u->ground != SIDE_NONE;
}

/* Chooses the eviction unit. A chosen group replaces those of its tasks that were chosen one by
 * one. */
static void choose_unit(const struct lsched_cycle *y, uint32_t node, struct victim_set *set,
                        struct victim_unit *u, uint8_t order, struct victim_room *m) {
    u->chosen = order;
    take_out(y, node, u, 1, m);
    if (u->group == NO_ROW) return;
    steps_add(y->k, set->n);
    for (uint32_t i = 0; i < set->n; i++) {
        struct victim_unit *o = &set->unit[i];
        if (!o->chosen || o->group != NO_ROW || !unit_has(y->k, u, o->task)) continue;
        o->chosen = 0;
        take_out(y, node, o, -1, m);
    }
}

static void drop_unit(const struct lsched_cycle *y, uint32_t node, struct victim_unit *u,
                      struct victim_room *m) {
    u->chosen = 0;
    take_out(y, node, u, -1, m);
}

/* The order in which the eviction units of a set are tried. */
struct turn {
    uint32_t unit[VICTIM_UNITS_MAX]; /* indexes of the set */
    /* 1 if the eviction units belong to more than one side, so the excess of each side counts */
    int several;
};

/* Changes the order for another way of seeking victims (bits VICTIM_*): first the eviction units
 * whose eviction lowers the use of the job's own queues, or the units that hold most. */
static void turn_ways(const struct lsched_cycle *y, const struct victim_set *set, struct turn *t) {
    int64_t worth[VICTIM_UNITS_MAX];
    uint32_t way = y->search->way;
    for (uint32_t i = 0; i < set->n; i++) {
        const struct victim_unit *u = &set->unit[i];
        worth[i] = way & VICTIM_LARGEST ? part_held(y, u) : 0;
        if (victim_side_lends(y) && victim_side_helps(y, u)) worth[i] += INT64_MAX / 2;
    }
    for (uint32_t i = 1; i < set->n; i++) {
        uint32_t unit = t->unit[i], j = i;
        for (; j > 0 && worth[t->unit[j - 1]] < worth[unit]; j--) t->unit[j] = t->unit[j - 1];
        t->unit[j] = unit;
    }
    t->several = 0;
}

static void begin_turns(const struct lsched_cycle *y, struct victim_set *set, int from_end,
                        struct turn *t) {
    t->several = 0;
    for (uint32_t i = 0; i < set->n; i++) {
        struct victim_unit *u = &set->unit[i];
        u->chosen = 0;
        u->over = u->over_first;
        t->unit[i] = from_end ? set->n - 1 - i : i;
        t->several |= u->top != set->unit[0].top;
    }
    if (y->search->way) turn_ways(y, set, t);
}

/* Updates the order after an eviction unit was chosen, which left its side less above its
 * entitlement. Among the next units that are otherwise equal, the unit whose side is most above
 * its entitlement comes next. */
static void rank_again(const struct lsched_cycle *y, struct victim_set *set,
                       const struct victim_unit *went, uint32_t next, struct turn *t) {
    if (!t->several || next + 1 >= set->n) return;
    int32_t over = victim_rules_over_right(y, went->top, set);
    for (uint32_t i = 0; i < set->n; i++)
        if (set->unit[i].top == went->top) set->unit[i].over = over;
    uint32_t best = next;
    for (uint32_t i = next + 1; i < set->n; i++) {
        const struct victim_unit *u = &set->unit[t->unit[i]], *b = &set->unit[t->unit[best]];
        if (!victim_search_unit_ties(y, u, &set->unit[t->unit[next]])) break;
        if (victim_search_unit_before(y, u, b)) best = i;
    }
    uint32_t unit = t->unit[best];
    memmove(&t->unit[next + 1], &t->unit[next], (best - next) * sizeof t->unit[0]);
    t->unit[next] = unit;
}

/* Chooses eviction units in order until the task fits. A refused unit is tried again when a chosen
 * unit has lowered the use of the job's own queues towards their entitlement. Returns 1 if the
 * task fits. */
static int choose_enough(struct lsched_cycle *y, uint32_t node, struct victim_set *set,
                         int from_end, struct turn *t, struct victim_room *m) {
    /* each eviction unit can be chosen once by itself and once as part of a group */
    uint8_t order = 0;
    for (int again = 1; again && !y->stop;) {
        int refused = 0;
        again = 0;
        for (uint32_t j = 0; j < set->n && !again && !y->stop; j++) {
            struct victim_unit *u = &set->unit[t->unit[j]];
            if (u->chosen) continue;
            if (!may_choose(y, set, u)) {
                refused = 1;
                continue;
            }
            if (u->group != NO_ROW) act_spend(y, set->n);
            choose_unit(y, node, set, u, ++order, m);
            if (victim_room_holds(y->k, node, m)) return 1;
            again = refused && order < UINT8_MAX && victim_side_helps(y, u);
            if (!again && !from_end) rank_again(y, set, u, j + 1, t);
        }
    }
    return 0;
}

/* Returns the smallest position, from 1, that no chosen eviction unit of the set has. */
static uint8_t free_order(const struct victim_set *set) {
    uint8_t order = 0;
    for (uint32_t i = 0, taken = 1; taken; i = 0) {
        order++;
        for (taken = 0; i < set->n && !taken; i++) taken = set->unit[i].chosen == order;
    }
    return order;
}

/* True if unit s is part of u, a larger eviction unit of the same job, on the evaluated node. */
static int is_part(const struct columns *k, const struct victim_unit *u,
                   const struct victim_unit *s) {
    return s != u && s->job == u->job && !s->nominated && !s->chosen && s->group != u->group &&
           (s->group == NO_ROW || s->group > u->group) && unit_has(k, u, s->task);
}

/* Tries whether parts of unit u, which was put back, make enough room: what the job can spare is
 * evicted before the rest. Returns 1 if these parts are enough; the rest of the eviction unit then
 * runs on. */
static int choose_parts(struct lsched_cycle *y, uint32_t node, struct victim_set *set,
                        const struct victim_unit *u, struct victim_room *m) {
    const struct columns *k = y->k;
    uint8_t part[VICTIM_UNITS_MAX] = {0};
    steps_add(k, set->n);
    for (uint32_t i = 0; i < set->n && !y->stop; i++) {
        struct victim_unit *s = &set->unit[i];
        if (!is_part(k, u, s) || !may_choose(y, set, s)) continue;
        part[i] = 1;
        choose_unit(y, node, set, s, free_order(set), m);
        if (victim_room_holds(k, node, m)) break;
    }
    if (!y->stop && victim_room_holds(k, node, m) && victim_side_stands(y, set)) return 1;
    for (uint32_t i = 0; i < set->n; i++)
        if (part[i] && set->unit[i].chosen) drop_unit(y, node, &set->unit[i], m);
    return 0;
}

/* Chooses eviction units until the task fits. Then it puts back, the most expensive first, each
 * unit that is needed neither for the room nor for the entitlement to take the other units. *m:
 * the room of the node with no unit taken out. */
static int victim_search_choose(struct lsched_cycle *y, uint32_t node, struct victim_set *set,
                                int from_end, struct victim_room *m) {
    const struct columns *k = y->k;
    struct turn t;
    begin_turns(y, set, from_end, &t);
    if (!choose_enough(y, node, set, from_end, &t, m) || y->stop) return 0;
    for (uint32_t j = 0; j < set->n && !y->stop; j++) {
        struct victim_unit *u = &set->unit[t.unit[set->n - 1 - j]];
        if (!u->chosen) continue;
        act_spend(y, u->group == NO_ROW ? 1 : set->n);
        uint8_t was = u->chosen;
        drop_unit(y, node, u, m);
        if (victim_room_holds(k, node, m) &&
            !(victim_side_helps(y, u) && !victim_side_stands(y, set)))
            continue;
        if (u->group == NO_ROW || !choose_parts(y, node, set, u, m))
            choose_unit(y, node, set, u, was, m);
    }
    return 1;
}

static void keep_better(const struct lsched_cycle *y, struct victim_set *set, uint8_t *best,
                        struct victim_key *best_key) {
    struct victim_key key = key_of(y, set);
    if (!victim_search_key_before(&key, best_key)) return;
    *best_key = key;
    for (uint32_t i = 0; i < set->n; i++) {
        best[i] = set->unit[i].chosen;
        set->unit[i].best_ground = set->unit[i].ground;
    }
}

static uint32_t chosen_units(const struct victim_set *set, const uint8_t *best) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < set->n; i++) n += best[i] > 0;
    return n;
}

int32_t victim_search_evaluate(struct lsched_cycle *y, uint32_t node, uint32_t shape) {
    struct victim_search *h = y->search;
    struct victim_set *set = &h->set;
    const struct columns *k = y->k;
    uint8_t best[VICTIM_UNITS_MAX] = {0};
    struct victim_room m;
    steps_add(k, 1);
    set->n = 0;
    set->key = (struct victim_key){.priority = INT32_MAX, .impossible = 1};
    if (h->work_left) h->work_left--;
    act_spend(y, 1);
    if (h->n_excluded && h->excluded[node]) return LSCHED_OK;
    if (!h->kept[node] || k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY) return LSCHED_OK;
    victim_room_of(k, node, shape, &m);
    if (victim_room_holds(k, node, &m)) {
        set->key = (struct victim_key){.priority = INT32_MIN};
        return LSCHED_OK;
    }
    gather(y, node, set);
    h->chose |= set->n > 1;
    int32_t rc = hook_has_victims(y) && set->n ? ask_policy(y, set) : LSCHED_OK;
    if (rc != LSCHED_OK || set->n == 0) return rc;
    rc = list_held(y, node);
    if (rc != LSCHED_OK) return rc;
    if (victim_search_choose(y, node, set, 0, &m)) keep_better(y, set, best, &set->key);
    if (set->n > 1 && (set->key.impossible || chosen_units(set, best) > 1)) {
        for (uint32_t j = 0; j < set->n; j++) set->unit[j].chosen = 0;
        put_all_back(y, node, shape, &m);
        /* a single eviction unit can be enough and cost less */
        for (uint32_t i = 0; i < set->n && !y->stop; i++) {
            if (!may_choose(y, set, &set->unit[i])) continue;
            if (set->unit[i].group != NO_ROW) act_spend(y, set->n);
            choose_unit(y, node, set, &set->unit[i], 1, &m);
            if (victim_room_holds(k, node, &m)) keep_better(y, set, best, &set->key);
            drop_unit(y, node, &set->unit[i], &m);
        }
        if (set->key.impossible && !y->stop) {
            put_all_back(y, node, shape, &m);
            if (victim_search_choose(y, node, set, 1, &m)) keep_better(y, set, best, &set->key);
        }
    }
    if (y->stop) set->key.impossible = 1; /* the result is not known */
    if (set->key.impossible) return LSCHED_OK;
    for (uint32_t i = 0; i < set->n; i++) {
        set->unit[i].chosen = best[i];
        set->unit[i].ground = set->unit[i].best_ground;
    }
    return LSCHED_OK;
}

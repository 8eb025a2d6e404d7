/* victim_set.c -- see victim_set.h. */
#include "engine/victims/victim_set.h"

#include "base/vec.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/state/transaction.h"
#include "engine/rights/victim_candidate.h"
#include "engine/victims/victim_key.h"
#include "engine/victims/victim_limits.h"
#include "engine/victims/victim_rivals.h"
#include "engine/victims/victim_stay.h"
#include "engine/rights/victim_protect.h"
#include "engine/rights/victim_right.h"
#include "model/jobs/room_without.h"
#include "engine/rights/victim_side.h"
#include "engine/rights/victim_unit.h"
#include "engine/rights/victim_verdict.h"
#include "model/store/steps.h"
#include "model/demand/job_counts.h"

/* ---- the units of the node ---- */

/* Makes place for the eviction unit *u in a full set: the unit leaves that holds least of what the
 * job needs, be it *u. Returns 1 if *u comes in. So small units can never hide large ones. */
static int displace(const struct lsched_cycle *cy, struct victim_set *set, struct victim_unit *u) {
    const struct victim_unit *least = u;
    steps_add(cy->k, set->n);
    u->worth = victim_side_unit_part(cy, u);
    for (uint32_t i = 0; i < set->n; i++) {
        struct victim_unit *o = &set->unit[i];
        if (!set->is_measured) o->worth = victim_side_unit_part(cy, o);
        if (o->worth < least->worth) least = o;
    }
    set->is_measured = 1;
    if (least == u) return 0;
    uint32_t at = (uint32_t)(least - set->unit);
    set->n--;
    memmove(&set->unit[at], &set->unit[at + 1], (set->n - at) * sizeof *set->unit);
    return 1;
}

/* Inserts an eviction unit into the sorted set. A group is inserted only once, although each of
 * its tasks on the node leads to it. Sorting by insertion is fast enough, because a node has few
 * units. */
static int32_t insert(const struct lsched_cycle *cy, struct victim_set *set,
                      struct victim_unit *u) {
    uint32_t i = 0;
    steps_add(cy->k, set->n);
    while (i < set->n &&
           !(u->group != NO_ROW && set->unit[i].group == u->group && set->unit[i].job == u->job))
        i++;
    if (i < set->n) return LSCHED_OK;
    if (set->n == VICTIM_UNITS_MAX && !displace(cy, set, u)) return LSCHED_OK;
    if (!VEC_ROOM(cy->k->alloc, set->unit, set->cap, set->n + 1)) return LSCHED_E_NOMEM;
    for (i = set->n++; i > 0 && victim_key_unit_before(cy, u, &set->unit[i - 1]); i--)
        set->unit[i] = set->unit[i - 1];
    set->unit[i] = *u;
    return LSCHED_OK;
}

/* Adds the eviction unit of the task. If a gang can spare the task, the set also has the larger
 * units around it, because the tasks that the gang can spare are not always enough. whole: 1 if
 * jobs leave only with all their running tasks. */
static int32_t gather_of(struct lsched_cycle *cy, uint32_t task, int whole,
                         const struct victim_stay *stay, struct victim_set *set) {
    struct victim_unit u;
    steps_add(cy->k, 1);
    act_spend(cy, 1);
    if (!victim_candidate_of(cy, task, &u) || !victim_stay_allows(cy, stay, &u)) return LSCHED_OK;
    if (whole && !victim_candidate_whole(cy, &u)) return LSCHED_OK;
    int32_t rc = insert(cy, set, &u);
    while (rc == LSCHED_OK && !u.nominated && u.group != 0 && victim_candidate_larger(cy, &u))
        rc = insert(cy, set, &u);
    return rc;
}

/* Collects the eviction units of the node and of the rivals on other nodes, cheapest first. All
 * rivals must leave; if they are more tasks than a set has units, jobs leave whole. */
static int32_t gather(struct lsched_cycle *cy, uint32_t node, const struct victim_stay *stay,
                      struct victim_set *set) {
    const struct columns *k = cy->k;
    const struct victim_rivals *v = &cy->victims->rivals;
    int whole = v->n > VICTIM_UNITS_MAX;
    int32_t rc = LSCHED_OK;
    set->n = 0;
    set->is_measured = 0;
    for (uint32_t i = 0; i < v->n && rc == LSCHED_OK && !cy->spend.stop; i++)
        if (k->c[C_TASK_NODE].u32[v->task[i]] != node)
            rc = gather_of(cy, v->task[i], whole, stay, set);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
         t != NO_ROW && rc == LSCHED_OK && !cy->spend.stop; t = k->c[C_TASK_NODE_NEXT].u32[t])
        rc = gather_of(cy, t, whole, stay, set);
    return rc;
}

static void fill_candidate(const struct lsched_cycle *cy, const struct victim_unit *u,
                           struct policy_candidate *c) {
    const struct columns *k = cy->k;
    uint32_t cost = k->c[C_JOB_COST].u32[u->job];
    int64_t amount[KINDS_MAX];
    *c = (struct policy_candidate){
        .job = u->job, .queue = u->queue, .tasks = u->tasks, .whole = u->group == 0};
    victim_unit_amounts(k, u, amount);
    c->cpu_milli = amount[LSCHED_CPU];
    c->memory_bytes = amount[LSCHED_MEMORY];
    c->gpu_milli = amount[LSCHED_GPU];
    c->runtime_us = cy->now > u->started ? cy->now - u->started : 0;
    c->lost_us = victim_verdict_work_lost(cy, u->job, u->started);
    c->restart_us = cost == NO_ROW ? 0 : k->c[C_COST_RESTART].i64[cost];
    c->disruptions = cost == NO_ROW ? 0 : k->c[C_COST_DISRUPTIONS].u32[cost];
}

static void take_answer(struct victim_unit *u, int64_t cost) {
    u->cost = cost;
    u->priority = 0;
    u->crosses = 0;
}

/* Replaces the costs of the eviction units by the policy's, and sorts the units again. A unit that
 * the policy protects leaves the set. */
static int32_t take_answers(const struct lsched_cycle *cy, struct victim_set *set,
                            const int64_t *costs) {
    uint32_t n = set->n;
    int32_t rc = LSCHED_OK;
    set->n = 0;
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        struct victim_unit u = set->unit[i];
        if (costs[i] == HOOK_NEVER) continue;
        take_answer(&u, costs[i]);
        rc = insert(cy, set, &u);
    }
    return rc;
}

/* Replaces the costs of the eviction units by those that the policy's hook `victim` returns. From
 * then on, priorities and guarantees do not count in the order of the units. The settings "newest"
 * and "fewest" of `victims` still count before these costs. */
static int32_t ask_policy(struct lsched_cycle *cy, struct victim_set *set) {
    size_t c_bytes = set->n * sizeof(struct policy_candidate),
           cost_bytes = set->n * sizeof(int64_t);
    struct policy_candidate *c = alloc_zero(cy->k->alloc, c_bytes);
    int64_t *costs = alloc_zero(cy->k->alloc, cost_bytes);
    int32_t rc = c && costs ? LSCHED_OK : LSCHED_E_NOMEM;
    for (uint32_t i = 0; rc == LSCHED_OK && i < set->n; i++)
        fill_candidate(cy, &set->unit[i], &c[i]);
    if (rc == LSCHED_OK) rc = hook_victims(cy, cy->victims->job, c, set->n, costs);
    if (rc == LSCHED_OK) rc = take_answers(cy, set, costs);
    alloc_free(cy->k->alloc, c, c_bytes);
    alloc_free(cy->k->alloc, costs, cost_bytes);
    return rc;
}

int32_t victim_set_ask(struct lsched_cycle *cy, struct victim_unit *u) {
    struct policy_candidate c;
    int64_t cost;
    if (!hook_has_victims(cy)) return 1;
    fill_candidate(cy, u, &c);
    int32_t rc = hook_victims(cy, cy->victims->job, &c, 1, &cost);
    if (rc != LSCHED_OK) return rc;
    if (cost == HOOK_NEVER) return 0;
    take_answer(u, cost);
    return 1;
}

/* ---- taking units out of the node ---- */

static int32_t add_held(struct lsched_cycle *cy, struct victim_held task) {
    struct victim_here *here = &cy->victims->here;
    if (!VEC_ROOM(cy->k->alloc, here->task, here->cap, here->n + 1)) return LSCHED_E_NOMEM;
    struct victim_job *j = victim_job_at(cy->victims, cy->k->c[C_TASK_JOB].u32[task.task]);
    task.next = j->held_stamp == here->stamp ? j->held : NO_ROW;
    j->held_stamp = here->stamp;
    j->held = here->n;
    here->rivals += task.rival;
    here->task[here->n++] = task;
    return LSCHED_OK;
}

/* True if the task is a rival and therefore in the list already. */
static int is_listed(struct victim_search *h, uint32_t job, uint32_t task) {
    const struct victim_job *j = victim_job_at(h, job);
    uint32_t i = h->rivals.n && j->held_stamp == h->here.stamp ? j->held : NO_ROW;
    while (i != NO_ROW && h->here.task[i].task != task) i = h->here.task[i].next;
    return i != NO_ROW;
}

/* Links the tasks of the node, and its rivals on other nodes, by job. So an eviction unit can
 * be counted as evicted, or as running again, without reading the tasks of other jobs. */
static int32_t list_held(struct lsched_cycle *cy, uint32_t node) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    const struct victim_rivals *v = &h->rivals;
    int32_t rc = LSCHED_OK;
    h->here.n = h->here.rivals = 0;
    h->here.stamp++;
    for (uint32_t i = 0; i < v->n && rc == LSCHED_OK; i++)
        rc = add_held(cy, (struct victim_held){.task = v->task[i],
                                               .rival = 1,
                                               .away = k->c[C_TASK_NODE].u32[v->task[i]] != node});
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW && rc == LSCHED_OK;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING &&
            k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED)
            continue;
        if (!is_listed(h, k->c[C_TASK_JOB].u32[t], t))
            rc = add_held(cy, (struct victim_held){.task = t});
    }
    return rc;
}

static void put_all_back(struct lsched_cycle *cy, uint32_t node, uint32_t shape,
                         struct room_without *m) {
    for (uint32_t i = 0; i < cy->victims->here.n; i++) cy->victims->here.task[i].out = 0;
    cy->victims->here.rivals = cy->victims->rivals.n;
    steps_add(cy->k, cy->victims->here.n);
    room_without_of(cy->k, node, shape, m);
}

/* Counts the eviction unit as evicted in the room *m of the node (sign 1), or as running again
 * (sign -1). A task that belongs to several chosen units is counted once. */
static void take_out(const struct lsched_cycle *cy, uint32_t node, const struct victim_unit *u,
                     int sign, struct room_without *m) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    const struct victim_job *j = victim_job_at(h, u->job);
    uint32_t i = j->held_stamp == h->here.stamp ? j->held : NO_ROW;
    for (; i != NO_ROW; i = h->here.task[i].next) {
        struct victim_held *t = &h->here.task[i];
        steps_add(k, 1);
        if (!victim_unit_has(k, u, t->task)) continue;
        if (t->out == (sign > 0 ? 0u : 1u)) {
            if (!t->away) room_without_add(k, node, t->task, sign, m);
            h->here.rivals -= t->rival ? (uint32_t)sign : 0;
        }
        t->out += (uint32_t)sign;
        if (u->group == NO_ROW) return;
    }
}

/* True if the task fits on the node within the limits, and its rivals are gone. */
static int makes_room(const struct lsched_cycle *cy, uint32_t node, const struct victim_set *set,
                      const struct room_without *m) {
    return cy->victims->here.rivals == 0 && victim_limits_hold(cy, node, set, m);
}

/* ---- what a job can spare ---- */

/* True if the set with unit u would take a nomination and a running task of one gang together.
 * same_leaf: 0 if only a nomination and a running task of different leaf groups count. The set
 * must not take both, because the tasks of the gang that still run would be left below the
 * minimum. A nomination alone can be taken: the gang rule then decides which other tasks the gang
 * loses. */
static int nominated_beside(const struct columns *k, const struct victim_set *set,
                            const struct victim_unit *u, int same_leaf) {
    for (uint32_t i = 0; i < set->n; i++) {
        const struct victim_unit *o = &set->unit[i];
        if (!o->chosen || o->job != u->job || o->task == u->task || o->nominated == u->nominated)
            continue;
        if (same_leaf || k->c[C_TASK_LEAF].u32[o->task] != k->c[C_TASK_LEAF].u32[u->task]) return 1;
    }
    return 0;
}

/* True if the job can spare the eviction unit in addition to its chosen units. The tasks of one
 * leaf group are equal: as many of them can be chosen one by one as the leaf group runs above its
 * minimum. Nominated tasks do not count as members of the gang, neither the chosen ones nor the
 * others. */
static int surplus_left(const struct columns *k, const struct victim_set *set,
                        const struct victim_unit *u) {
    if (u->group == 0 || (u->nominated && !nominated_beside(k, set, u, 1))) return 1;
    if (nominated_beside(k, set, u, u->group != NO_ROW)) return 0;
    if (u->group != NO_ROW) return victim_unit_spared(k, set, u->job, u->group);
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

/* ---- choosing units ---- */

/* True if the eviction unit is allowed to be chosen in addition to the chosen units. Stores the
 * ground in the unit. */
static int may_choose(struct lsched_cycle *cy, const struct victim_set *set,
                      struct victim_unit *u) {
    steps_add(cy->k, set->n);
    act_spend(cy, 1 + set->n / VICTIM_UNITS_CHARGED);
    if (cy->spend.stop) return 0;
    for (uint32_t i = 0; i < set->n && u->group == NO_ROW; i++)
        if (set->unit[i].chosen && set->unit[i].group != NO_ROW &&
            victim_unit_has(cy->k, &set->unit[i], u->task))
            return 0;
    if (cy->victims->reason != LSCHED_FOR_CONSOLIDATE && !surplus_left(cy->k, set, u)) return 0;
    u->ground = (uint8_t)victim_protect_allow(cy, u, set);
    return u->ground != SIDE_NONE;
}

/* Chooses the eviction unit. A chosen group replaces those of its tasks that were chosen one by
 * one. */
static void choose_unit(const struct lsched_cycle *cy, uint32_t node, struct victim_set *set,
                        struct victim_unit *u, uint16_t order, struct room_without *m) {
    u->chosen = order;
    take_out(cy, node, u, 1, m);
    if (u->group == NO_ROW) return;
    steps_add(cy->k, set->n);
    for (uint32_t i = 0; i < set->n; i++) {
        struct victim_unit *o = &set->unit[i];
        if (!o->chosen || o->group != NO_ROW || !victim_unit_has(cy->k, u, o->task)) continue;
        o->chosen = 0;
        take_out(cy, node, o, -1, m);
    }
}

static void drop_unit(const struct lsched_cycle *cy, uint32_t node, struct victim_unit *u,
                      struct room_without *m) {
    u->chosen = 0;
    take_out(cy, node, u, -1, m);
}

/* The order in which the eviction units of a set are tried. */
struct turn {
    uint32_t *unit; /* victim_set.turn: indexes in victim_set.unit */
    /* 1 if the units have different `top` queues: then the excess of each unit's side decides
     * between units that are otherwise equal */
    int several;
};

/* Changes the order of the units for the present way of seeking victims (bits VICTIM_*). On
 * credit, the units come first whose eviction lowers the use of the queues on the job's path. With
 * VICTIM_LARGEST, units that hold more come before units that hold less. */
static void turn_ways(const struct lsched_cycle *cy, struct victim_set *set, struct turn *t) {
    struct victim_unit *units = set->unit;
    uint32_t way = cy->victims->way;
    for (uint32_t i = 0; i < set->n; i++) {
        struct victim_unit *u = &units[i];
        u->worth = way & VICTIM_LARGEST ? victim_side_unit_part(cy, u) : 0;
        if (victim_on_credit(cy->victims) && victim_side_helps(cy, u)) u->worth += INT64_MAX / 2;
    }
    for (uint32_t i = 1; i < set->n; i++) {
        uint32_t unit = t->unit[i], j = i;
        for (; j > 0 && units[t->unit[j - 1]].worth < units[unit].worth; j--)
            t->unit[j] = t->unit[j - 1];
        t->unit[j] = unit;
    }
    t->several = 0;
}

static void begin_turns(const struct lsched_cycle *cy, struct victim_set *set, int from_end,
                        struct turn *t) {
    *t = (struct turn){.unit = set->turn};
    for (uint32_t i = 0; i < set->n; i++) {
        struct victim_unit *u = &set->unit[i];
        u->chosen = 0;
        u->over = u->over_first;
        t->unit[i] = from_end ? set->n - 1 - i : i;
        t->several |= u->top != set->unit[0].top;
    }
    if (cy->victims->way) turn_ways(cy, set, t);
}

/* Updates the order after the unit `went` was chosen, because its side is now less far above its
 * entitlement. Among the units from position `next` on that are otherwise equal, the unit whose
 * side is farthest above its entitlement comes next. */
static void rank_again(const struct lsched_cycle *cy, struct victim_set *set,
                       const struct victim_unit *went, uint32_t next, struct turn *t) {
    if (!t->several || next + 1 >= set->n) return;
    int32_t over = victim_right_over(cy, went->top, set);
    for (uint32_t i = 0; i < set->n; i++)
        if (set->unit[i].top == went->top) set->unit[i].over = over;
    uint32_t best = next;
    for (uint32_t i = next + 1; i < set->n; i++) {
        const struct victim_unit *u = &set->unit[t->unit[i]], *b = &set->unit[t->unit[best]];
        if (!victim_key_unit_ties(cy, u, &set->unit[t->unit[next]])) break;
        if (victim_key_unit_before(cy, u, b)) best = i;
    }
    uint32_t unit = t->unit[best];
    memmove(&t->unit[next + 1], &t->unit[next], (best - next) * sizeof t->unit[0]);
    t->unit[next] = unit;
}

/* Chooses eviction units in order until the task fits. A refused unit is tried again after a
 * chosen unit has lowered the use of queues on the job's path. Returns 1 if the task fits. */
static int choose_enough(struct lsched_cycle *cy, uint32_t node, struct victim_set *set,
                         int from_end, struct turn *t, struct room_without *m) {
    /* `order` counts choices: a unit can be chosen once by itself and once as part of a group */
    uint16_t order = 0;
    for (int again = 1; again && !cy->spend.stop;) {
        int refused = 0;
        again = 0;
        for (uint32_t j = 0; j < set->n && !again && !cy->spend.stop; j++) {
            struct victim_unit *u = &set->unit[t->unit[j]];
            if (u->chosen) continue;
            if (!may_choose(cy, set, u)) {
                refused = 1;
                continue;
            }
            if (u->group != NO_ROW) act_spend(cy, set->n);
            choose_unit(cy, node, set, u, ++order, m);
            if (makes_room(cy, node, set, m)) return 1;
            again = refused && order < UINT16_MAX && victim_side_helps(cy, u);
            if (!again && !from_end) rank_again(cy, set, u, j + 1, t);
        }
    }
    return 0;
}

static int has_order(const struct victim_set *set, uint16_t order) {
    uint32_t i = 0;
    while (i < set->n && set->unit[i].chosen != order) i++;
    return i < set->n;
}

/* Returns the smallest position, from `order` on, that no chosen eviction unit of the set has. */
static uint16_t free_order(const struct victim_set *set, uint16_t order) {
    while (has_order(set, order)) order++;
    return order;
}

/* True if unit s is not chosen and lies inside unit u, a larger eviction unit of the same job. */
static int is_part(const struct columns *k, const struct victim_unit *u,
                   const struct victim_unit *s) {
    return s != u && s->job == u->job && !s->nominated && !s->chosen && s->group != u->group &&
           (s->group == NO_ROW || s->group > u->group) && victim_unit_has(k, u, s->task);
}

/* Tries whether smaller units inside unit u make enough room: tasks that the job can spare are
 * evicted before the whole unit. Before the call, the caller has put u back. Returns 1 if smaller
 * units are enough: they stay chosen, and the other tasks of u keep running. Otherwise returns 0
 * and chooses none of them. */
static int choose_parts(struct lsched_cycle *cy, uint32_t node, struct victim_set *set,
                        const struct victim_unit *u, struct room_without *m) {
    const struct columns *k = cy->k;
    uint16_t order = 1;
    steps_add(k, set->n);
    for (uint32_t i = 0; i < set->n; i++) set->unit[i].is_part = 0;
    for (uint32_t i = 0; i < set->n && !cy->spend.stop; i++) {
        struct victim_unit *s = &set->unit[i];
        if (!is_part(k, u, s) || !may_choose(cy, set, s)) continue;
        s->is_part = 1;
        order = free_order(set, order);
        choose_unit(cy, node, set, s, order, m);
        if (makes_room(cy, node, set, m)) break;
    }
    if (!cy->spend.stop && makes_room(cy, node, set, m) && victim_side_stands(cy, set)) return 1;
    for (uint32_t i = 0; i < set->n; i++)
        if (set->unit[i].is_part && set->unit[i].chosen) drop_unit(cy, node, &set->unit[i], m);
    return 0;
}

/* Chooses eviction units until the task fits. Then the function puts back each unit that is not
 * needed, the most expensive first. A unit is needed if the task does not fit without it, or if
 * another chosen unit would lose its ground without it. Before the call, *m is the room of the
 * node with no unit evicted. */
static int choose_needed(struct lsched_cycle *cy, uint32_t node, struct victim_set *set,
                         int from_end, struct room_without *m) {
    struct turn t;
    begin_turns(cy, set, from_end, &t);
    if (!choose_enough(cy, node, set, from_end, &t, m) || cy->spend.stop) return 0;
    for (uint32_t j = 0; j < set->n && !cy->spend.stop; j++) {
        struct victim_unit *u = &set->unit[t.unit[set->n - 1 - j]];
        if (!u->chosen) continue;
        act_spend(cy, u->group == NO_ROW ? 1 : set->n);
        uint16_t was = u->chosen;
        drop_unit(cy, node, u, m);
        if (makes_room(cy, node, set, m) &&
            !(victim_side_helps(cy, u) && !victim_side_stands(cy, set)))
            continue;
        if (u->group == NO_ROW || !choose_parts(cy, node, set, u, m))
            choose_unit(cy, node, set, u, was, m);
    }
    return 1;
}

/* ---- the cheapest set ---- */

static void keep_better(const struct lsched_cycle *cy, struct victim_set *set) {
    struct victim_key key = victim_key_of(cy, set);
    if (!victim_key_before(&key, &set->key)) return;
    set->key = key;
    for (uint32_t i = 0; i < set->n; i++) {
        set->unit[i].best = set->unit[i].chosen;
        set->unit[i].best_ground = set->unit[i].ground;
    }
}

static uint32_t best_units(const struct victim_set *set) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < set->n; i++) n += set->unit[i].best > 0;
    return n;
}

/* True if the unit is a task that is not enough alone, because it has too few devices, and nothing
 * else is to be learned from it: may_choose() can also note that the job lacks a guarantee. */
static int is_too_little(const struct lsched_cycle *cy, const struct victim_unit *u,
                         const struct room_without *m) {
    const struct victim_search *h = cy->victims;
    return u->group == NO_ROW && (h->lacks_guarantee || !h->may_guarantee) &&
           !room_without_could(cy->k, m, u->task);
}

/* Tries each eviction unit alone, because a single unit can be enough and cost less. Before the
 * call, *m is the room of the node with no unit evicted. */
static void try_single_units(struct lsched_cycle *cy, uint32_t node, struct victim_set *set,
                             struct room_without *m) {
    for (uint32_t i = 0; i < set->n && !cy->spend.stop; i++) {
        if (is_too_little(cy, &set->unit[i], m)) {
            act_spend(cy, 1);
            continue;
        }
        if (!may_choose(cy, set, &set->unit[i])) continue;
        if (set->unit[i].group != NO_ROW) act_spend(cy, set->n);
        choose_unit(cy, node, set, &set->unit[i], 1, m);
        if (makes_room(cy, node, set, m)) keep_better(cy, set);
        drop_unit(cy, node, &set->unit[i], m);
    }
}

/* Finds the cheapest of these sets: units chosen in their order, each unit alone, and units chosen
 * in reverse order. Before the call, *m is the room of the node with no unit evicted. */
static void try_orders(struct lsched_cycle *cy, uint32_t node, struct victim_set *set,
                       struct room_without *m) {
    uint32_t shape = m->shape;
    for (uint32_t j = 0; j < set->n; j++) set->unit[j].best = 0;
    if (choose_needed(cy, node, set, 0, m)) keep_better(cy, set);
    if (set->n > 1 && (set->key.impossible || best_units(set) > 1)) {
        for (uint32_t j = 0; j < set->n; j++) set->unit[j].chosen = 0;
        put_all_back(cy, node, shape, m);
        try_single_units(cy, node, set, m);
        if (set->key.impossible && !cy->spend.stop) {
            put_all_back(cy, node, shape, m);
            if (choose_needed(cy, node, set, 1, m)) keep_better(cy, set);
        }
    }
    if (cy->spend.stop) set->key.impossible = 1; /* a search that was stopped has no result */
    for (uint32_t i = 0; i < set->n && !set->key.impossible; i++) {
        set->unit[i].chosen = set->unit[i].best;
        set->unit[i].ground = set->unit[i].best_ground;
    }
}

/* Finds the cheapest set of the node's units that is allowed. Before the call, *m is the room of
 * the node with no unit evicted. */
static int32_t seek(struct lsched_cycle *cy, uint32_t node, const struct victim_stay *stay,
                    struct victim_set *set, struct room_without *m) {
    int32_t rc = gather(cy, node, stay, set);
    cy->victims->chose |= set->n > 1;
    if (rc == LSCHED_OK && hook_has_victims(cy) && set->n) rc = ask_policy(cy, set);
    if (rc == LSCHED_OK && !VEC_ROOM(cy->k->alloc, set->turn, set->cap_turn, set->n))
        rc = LSCHED_E_NOMEM;
    if (rc == LSCHED_OK && set->n > 0) rc = list_held(cy, node);
    if (rc == LSCHED_OK && set->n > 0) try_orders(cy, node, set, m);
    if (!set->key.impossible && !victim_stay_holds(cy, stay, set)) set->key.impossible = 1;
    return rc;
}

int32_t victim_set_find(struct lsched_cycle *cy, uint32_t node, uint32_t shape, int rivals) {
    struct victim_search *h = cy->victims;
    struct victim_set *set = &h->set;
    const struct columns *k = cy->k;
    struct room_without m;
    steps_add(k, 1);
    set->n = h->rivals.n = h->here.rivals = 0;
    h->set_of = (struct victim_found){node, shape, undo_mark(cy->k), k->touch.next, rivals};
    set->key = (struct victim_key){.priority = INT32_MAX, .impossible = 1};
    if (h->work_left) h->work_left--;
    act_spend(cy, 1);
    if (h->nodes.n_excluded && h->nodes.excluded[node]) return LSCHED_OK;
    if (!h->nodes.kept[node] || k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY) return LSCHED_OK;
    int32_t rc = rivals ? victim_rivals_find(cy, node, shape) : 1;
    if (rc != 1) return rc;
    victim_limits_look(cy, shape);
    room_without_of(k, node, shape, &m);
    const struct victim_stay stay = victim_stay_of(cy, node);
    uint32_t charge = 0;
    if (h->rivals.n == 0 && victim_limits_hold(cy, node, set, &m)) {
        if (!stay.late && !h->is_planned) set->key = (struct victim_key){.priority = INT32_MIN};
        return LSCHED_OK;
    }
    do {
        uint32_t next = victim_limits_next_charge(cy, node, shape, charge);
        if (charge && !next) break;
        if (charge) room_without_of(k, node, shape, &m);
        victim_limits_charge(cy, shape, charge = next);
        rc = seek(cy, node, &stay, set, &m);
    } while (rc == LSCHED_OK && charge && set->key.impossible && !cy->spend.stop);
    victim_limits_charge(cy, shape, 0);
    return rc;
}

int victim_set_is_found(const struct lsched_cycle *cy, uint32_t node, uint32_t shape, int rivals) {
    const struct victim_found *f = &cy->victims->set_of;
    return f->node == node && f->shape == shape && f->rivals == rivals &&
           f->mark == undo_mark(cy->k) && f->seen == cy->k->touch.next && cy->victims->nodes.built;
}

void victim_set_close(struct lsched_cycle *cy) {
    struct victim_here *here = &cy->victims->here;
    struct victim_set *set = &cy->victims->set;
    alloc_free(cy->k->alloc, here->task, here->cap * sizeof *here->task);
    alloc_free(cy->k->alloc, set->unit, set->cap * sizeof *set->unit);
    alloc_free(cy->k->alloc, set->turn, set->cap_turn * sizeof *set->turn);
}

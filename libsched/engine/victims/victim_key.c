/* victim_key.c -- see victim_key.h. */
#include "engine/victims/victim_key.h"

#include "engine/policy_hooks/hook_victims.h"
#include "engine/rights/victim_protect.h"
#include "engine/rights/victim_side.h"
#include "model/store/steps.h"

int victim_key_unit_ties(const struct lsched_cycle *cy, const struct victim_unit *a,
                         const struct victim_unit *b) {
    uint32_t how = cycle_eviction(cy)->victims;
    return a->crosses == b->crosses && a->ordinary == b->ordinary && a->priority == b->priority &&
           a->cost == b->cost && (how != POLICY_VICTIMS_FEWEST || a->tasks == b->tasks) &&
           (how != POLICY_VICTIMS_NEWEST || a->started == b->started);
}

int victim_key_unit_before(const struct lsched_cycle *cy, const struct victim_unit *a,
                           const struct victim_unit *b) {
    uint32_t how = cycle_eviction(cy)->victims;
    if (a->crosses != b->crosses) return a->crosses < b->crosses;
    if (a->ordinary != b->ordinary) return a->ordinary < b->ordinary;
    if (a->priority != b->priority) return a->priority < b->priority;
    if (how == POLICY_VICTIMS_FEWEST && a->tasks != b->tasks) return a->tasks < b->tasks;
    if (how == POLICY_VICTIMS_NEWEST && a->started != b->started) return a->started > b->started;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->over != b->over) return a->over < b->over;
    if (a->started != b->started) return a->started > b->started;
    const struct columns *k = cy->k;
    int64_t x = k->c[C_JOB_SUBMIT].i64[a->job], z = k->c[C_JOB_SUBMIT].i64[b->job];
    if (x != z) return x > z;
    x = k->c[C_QUEUE_CREATED].i64[a->queue];
    z = k->c[C_QUEUE_CREATED].i64[b->queue];
    if (x != z) return x > z;
    int c = text_compare(k, k->c[C_JOB_NAME].u32[a->job], k->c[C_JOB_NAME].u32[b->job]);
    if (c != 0) return c > 0;
    return k->c[C_TASK_INDEX].u32[a->task] > k->c[C_TASK_INDEX].u32[b->task];
}

struct victim_key victim_key_of(const struct lsched_cycle *cy, const struct victim_set *set) {
    struct victim_key key = {.priority = INT32_MIN};
    if (victim_on_credit(cy->victims)) key.beyond = victim_side_beyond(cy, set);
    const struct policy_eviction *eviction = cycle_eviction(cy);
    uint32_t how = eviction->victims;
    int is_by_policy = hook_has_victims(cy);
    steps_add(cy->k, set->n);
    for (uint32_t i = 0; i < set->n; i++) {
        const struct victim_unit *u = &set->unit[i];
        if (!u->chosen) continue;
        if (cy->victims->way & VICTIM_LARGEST) key.small -= victim_side_unit_part(cy, u);
        if (!key.crosses && !is_by_policy) key.crosses = victim_protect_cross(cy, u, set);
        if (u->ordinary) key.ordinary = 1;
        if (u->priority > key.priority || key.tasks == 0) key.priority = u->priority;
        if (key.tasks == 0 || u->over_first < key.over) key.over = u->over_first;
        int64_t cost = how == POLICY_VICTIMS_FEWEST ? (int64_t)u->tasks
                       : how == POLICY_VICTIMS_NEWEST
                           ? (cy->now > u->started ? cy->now - u->started : 0)
                           : u->cost;
        int64_t submitted = cy->k->c[C_JOB_SUBMIT].i64[u->job];
        if (key.tasks == 0 || u->started < key.started) key.started = u->started;
        if (key.tasks == 0 || submitted < key.submitted) key.submitted = submitted;
        key.cost = key.cost > INT64_MAX - cost ? INT64_MAX : key.cost + cost;
        key.tasks += u->tasks;
    }
    return key;
}

int victim_key_before(const struct victim_key *a, const struct victim_key *b) {
    if (a->impossible != b->impossible) return a->impossible < b->impossible;
    if (a->beyond != b->beyond) return a->beyond < b->beyond;
    if (a->small != b->small) return a->small < b->small;
    if (a->crosses != b->crosses) return a->crosses < b->crosses;
    if (a->ordinary != b->ordinary) return a->ordinary < b->ordinary;
    if (a->priority != b->priority) return a->priority < b->priority;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->tasks != b->tasks) return a->tasks < b->tasks;
    if (a->over != b->over) return a->over < b->over;
    if (a->started != b->started) return a->started > b->started;
    return a->submitted > b->submitted;
}

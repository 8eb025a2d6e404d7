/* explain_refresh.c -- see explain_refresh.h. */
#include "engine/explain/explain_refresh.h"

#include "engine/exclusions/explain_nodes.h"
#include "engine/explain/explain_places.h"
#include "engine/exclusions/explain_shortage.h"
#include "engine/exclusions/explain_supply.h"
#include "engine/explain/explain_allowance.h"
#include "engine/waits/refusal_wait.h"
#include "model/queues/queue.h"
#include "model/demand/job_counts.h"
#include "model/devices/resource_part.h"
#include "model/nodes/node.h"
#include "model/nodes/node_count.h"
#include "model/shapes/node_rules.h"

static void name_short(const struct columns *k, const struct shortage *s, lsched_waiting *w) {
    if (s->node == NO_ROW) return;
    w->near_node = id_make(k, LSCHED_KIND_NODE, s->node);
    uint32_t kind = explain_shortage_kind(s);
    if (kind == 0) return;
    w->kind = kind;
    if (w->code == LSCHED_WAIT_GANG && !job_satisfied(k, (uint32_t)w->job))
        return; /* for a gang below its minimum, need and have stay numbers of tasks */
    w->need = s->need[kind];
    w->have = s->have[kind];
}

static void explain_refresh_count_nodes(const struct columns *k, uint32_t shape,
                                        lsched_waiting *w) {
    struct node_counts m = explain_nodes_count(k, shape, 0);
    w->nodes_able = m.able;
    w->nodes_free = m.fit;
}

/* Counts how many tasks of a gang fit now. This is possible only for a gang with one leaf group.
 * Its tasks must have no alternatives, no rules about topology or other jobs, and no wishes for
 * links, NUMA nodes or network cards. For any other gang, only an attempt to place it gives the
 * number. */
static void explain_refresh_count_members(const struct columns *k, uint32_t shape,
                                          lsched_waiting *w) {
    uint32_t job = (uint32_t)w->job, jobshape = k->c[C_JOB_SHAPE].u32[job],
             row = group_row(k, jobshape, 0), tree;
    if (k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape] != 1 || job_satisfied(k, job) ||
        jobshape_chooses(k, jobshape) || group_is_spread(k, row) ||
        k->c[C_GROUP_N_SLICES].u8[row] ||
        jobshape_required_level(k, jobshape, 0, &tree) != NO_ROW ||
        (k->c[C_SHAPE_RULES].u8[shape] & RULES_OF_JOBS) || k->c[C_SHAPE_PICKY].u8[shape])
        return;
    int64_t fit = job_leaf_held(k, job, 0);
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && fit < w->need; n++)
        if (node_is_usable(k, n, shape)) fit += node_count_above(k, n, shape, DEVICE_NOW);
    w->have = fit < w->need ? fit : w->need;
}

/* Returns how much of the kind the tasks need that a gang of several groups lacks for its minimum.
 * The record has the need of one group; those before it fitted beside it in the attempt, and hold
 * nothing now. If the gang can choose among its groups, only an attempt says more. */
static int64_t need_of_groups(const struct columns *k, const lsched_waiting *w) {
    uint32_t job = (uint32_t)w->job, jobshape = k->c[C_JOB_SHAPE].u32[job],
             n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    int64_t need = 0;
    if (n == 1 || kind_is_part(k, w->kind) || job_satisfied(k, job) ||
        jobshape_chooses(k, jobshape))
        return w->need;
    for (uint32_t g = 0; g < n; g++) {
        uint32_t row = group_row(k, jobshape, g), least = k->c[C_GROUP_MIN].u32[row];
        if (k->c[C_GROUP_CHILDREN].u32[row]) {
            if (least < k->c[C_GROUP_CHILDREN].u32[row]) return w->need;
            continue;
        }
        int64_t each = k->c[C_SHAPE_REQ + w->kind].i64[group_shape(k, jobshape, g)];
        uint32_t held = job_leaf_held(k, job, g), lacks = least > held ? least - held : 0;
        if (lacks && each > (LSCHED_AMOUNT_MAX - need) / lacks) return LSCHED_AMOUNT_MAX;
        need += each * lacks;
    }
    return need > w->need ? need : w->need;
}

static void read_limit(const struct columns *k, lsched_waiting *w) {
    w->need = need_of_groups(k, w);
    struct resource_part_amount a = queue_limit(k, (uint32_t)w->limiting_queue, w->kind);
    if (a.limit_now > QUEUE_USED_MOST && !kind_is_part(k, w->kind) &&
        w->need > QUEUE_USED_MOST - a.used)
        a.limit_now = QUEUE_USED_MOST;
    w->have = a.limit_now == LSCHED_UNLIMITED ? a.limit_now : a.limit_now - a.used;
}

static void read_jobs(const struct columns *k, lsched_waiting *w) {
    uint32_t queue = (uint32_t)w->limiting_queue, most = k->c[C_QUEUE_JOBS_MAX].u32[queue];
    w->need = (int64_t)k->c[C_QUEUE_JOBS_HELD].u32[queue] + 1;
    w->have = most ? (int64_t)most : LSCHED_UNLIMITED;
}

/* Updates a record with LSCHED_WAIT_REFUSED. If no refusal keeps the job waiting any more and the
 * nodes that could hold the job have no room, the code changes to LSCHED_WAIT_ROOM. */
static void read_refused(const struct columns *k, lsched_waiting *w) {
    if (refusal_wait_of(k, (uint32_t)w->job, w->task_group).by != REFUSAL_WAIT_NONE) {
        refusal_wait_tell(k, w);
        return;
    }
    explain_refresh_count_nodes(k, waiting_shape(k, w), w);
    if (w->nodes_able == 0 || w->nodes_free) return;
    w->code = LSCHED_WAIT_ROOM;
    refusal_wait_tell(k, w);
}

void explain_refresh(const struct columns *k, lsched_waiting *w) {
    struct shortage s;
    if (w->code == LSCHED_WAIT_LIMIT) read_limit(k, w);
    if (w->code == LSCHED_WAIT_JOBS) read_jobs(k, w);
    if (w->code == LSCHED_WAIT_REFUSED) read_refused(k, w);
    if (w->code == LSCHED_WAIT_SUPPLY) explain_supply_refresh(k, w);
    if (w->code == LSCHED_WAIT_ALLOWANCE) explain_allowance_refresh(k, w);
    if (!waits_for_room(w->code) && w->code != LSCHED_WAIT_NEVER_FITS &&
        w->code != LSCHED_WAIT_FILTER && w->code != LSCHED_WAIT_RULES)
        return;
    if (w->code == LSCHED_WAIT_TOPOLOGY) explain_places_refresh(k, w);
    uint32_t shape = waiting_shape(k, w);
    int never = w->code == LSCHED_WAIT_NEVER_FITS, gang = w->code == LSCHED_WAIT_GANG;
    explain_refresh_count_nodes(k, shape, w);
    if (gang) explain_refresh_count_members(k, shape, w);
    if (!never && !gang && (w->code != LSCHED_WAIT_ROOM || w->nodes_free)) return;
    int at_once = gang && !job_satisfied(k, (uint32_t)w->job);
    explain_shortage_nearest(k, shape, never ? DEVICE_EMPTY : DEVICE_NOW, at_once, &s, NULL);
    name_short(k, &s, w);
}

int explain_refresh_is_over(const struct columns *k, const lsched_waiting *w) {
    switch (w->code) {
    case LSCHED_WAIT_NEVER_FITS: return w->nodes_able > 0;
    case LSCHED_WAIT_GANG: return w->have >= w->need && !job_satisfied(k, (uint32_t)w->job);
    case LSCHED_WAIT_ALLOWANCE:
    case LSCHED_WAIT_JOBS:
    case LSCHED_WAIT_SUPPLY:
    case LSCHED_WAIT_LIMIT: return w->have >= w->need;
    case LSCHED_WAIT_REFUSED:
        return w->near_node == 0 ? w->until_us == LSCHED_NEVER_US
                                 : w->until_us <= (int64_t)meta(k, M_NOW);
    default: return 0;
    }
}

/* explain_fresh.c -- see explain_fresh.h. */
#include "engine/explain/explain_fresh.h"

#include "engine/explain/explain_parts.h"
#include "engine/explain/explain_short.h"
#include "engine/waits/refused.h"
#include "model/devices/resource_part.h"
#include "model/nodes/node.h"
#include "model/nodes/node_count.h"
#include "model/shapes/node_rules.h"

static void name_short(const struct columns *k, const struct shortage *s, lsched_waiting *w) {
    if (s->node == NO_ROW) return;
    w->near_node = id_make(k, LSCHED_KIND_NODE, s->node);
    uint32_t kind = explain_short_kind(s);
    if (kind == 0) return;
    w->kind = kind;
    if (w->code == LSCHED_WAIT_GANG && !job_satisfied(k, (uint32_t)w->job))
        return; /* for a gang below its minimum, need and have count tasks */
    w->need = s->need[kind];
    w->have = s->have[kind];
}

static void explain_fresh_count_nodes(const struct columns *k, uint32_t shape, lsched_waiting *w) {
    w->nodes_able = 0;
    w->nodes_free = 0;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n) || !node_able(k, n, shape)) continue;
        w->nodes_able++;
        if (k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY) continue;
        w->nodes_free += (uint64_t)node_fits(k, n, shape);
    }
}

/* Counts how many tasks of a gang fit now. That is possible only for a gang with one leaf group
 * whose tasks have no alternatives, no rule about topology or other jobs, and no wish about what is
 * inside a node. For other gangs, only a placement attempt can tell. */
static void explain_fresh_count_members(const struct columns *k, uint32_t shape,
                                        lsched_waiting *w) {
    uint32_t job = (uint32_t)w->job, jobshape = k->c[C_JOB_SHAPE].u32[job],
             row = group_row(k, jobshape, 0), tree;
    if (k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape] != 1 || job_satisfied(k, job) ||
        jobshape_chooses(k, jobshape) || k->c[C_GROUP_SPREAD].u32[row] != NO_ROW ||
        k->c[C_GROUP_N_SLICES].u8[row] || required_level(k, jobshape, 0, &tree) != NO_ROW ||
        (k->c[C_SHAPE_RULES].u8[shape] & RULES_OF_JOBS) || k->c[C_SHAPE_PICKY].u8[shape])
        return;
    int64_t fit = job_leaf_held(k, job, 0);
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && fit < w->need; n++)
        if (row_is_live(k, T_NODE, n) && k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY &&
            node_able(k, n, shape))
            fit += node_count_above(k, n, shape, DEVICE_NOW);
    w->have = fit < w->need ? fit : w->need;
}

static void read_limit(const struct columns *k, lsched_waiting *w) {
    uint32_t q = (uint32_t)w->limiting_queue;
    if (kind_is_part(k, w->kind)) {
        struct resource_part_amount a = resource_part_get(k, q, w->kind);
        w->have = a.limit_now == LSCHED_UNLIMITED ? a.limit_now : a.limit_now - a.used;
        return;
    }
    int64_t limit = k->c[C_QUEUE_LIMIT_NOW + w->kind].i64[q];
    w->have = limit == LSCHED_UNLIMITED ? limit : limit - k->c[C_QUEUE_USED + w->kind].i64[q];
}

/* If other tasks took the room on the nodes that refused the job, the code changes to
 * LSCHED_WAIT_ROOM. */
static void read_refused(const struct columns *k, lsched_waiting *w) {
    if (refused_look(k, (uint32_t)w->job, w->task_group).by != REFUSED_NOT) {
        refused_tell(k, w);
        return;
    }
    explain_fresh_count_nodes(k, waiting_shape(k, w), w);
    if (w->nodes_able == 0 || w->nodes_free) return;
    w->code = LSCHED_WAIT_ROOM;
    refused_tell(k, w);
}

void explain_fresh_refresh(const struct columns *k, lsched_waiting *w) {
    struct shortage s;
    if (w->code == LSCHED_WAIT_LIMIT) read_limit(k, w);
    if (w->code == LSCHED_WAIT_REFUSED) read_refused(k, w);
    if (w->code != LSCHED_WAIT_ROOM && w->code != LSCHED_WAIT_GANG &&
        w->code != LSCHED_WAIT_NEVER_FITS && w->code != LSCHED_WAIT_FILTER &&
        w->code != LSCHED_WAIT_TOPOLOGY && w->code != LSCHED_WAIT_RULES)
        return;
    if (w->code == LSCHED_WAIT_TOPOLOGY) explain_places_refresh(k, w);
    uint32_t shape = waiting_shape(k, w);
    int never = w->code == LSCHED_WAIT_NEVER_FITS, gang = w->code == LSCHED_WAIT_GANG;
    explain_fresh_count_nodes(k, shape, w);
    if (gang) explain_fresh_count_members(k, shape, w);
    if (!never && !gang && (w->code != LSCHED_WAIT_ROOM || w->nodes_free)) return;
    int at_once = gang && !job_satisfied(k, (uint32_t)w->job);
    explain_short_nearest(k, shape, never ? DEVICE_EMPTY : DEVICE_NOW, at_once, &s, NULL);
    name_short(k, &s, w);
}

int explain_fresh_is_over(const struct columns *k, const lsched_waiting *w) {
    switch (w->code) {
    case LSCHED_WAIT_NEVER_FITS: return w->nodes_able > 0;
    case LSCHED_WAIT_GANG: return w->have >= w->need && !job_satisfied(k, (uint32_t)w->job);
    case LSCHED_WAIT_LIMIT: return w->have >= w->need;
    case LSCHED_WAIT_REFUSED:
        return w->near_node == 0 ? w->until_us == LSCHED_NEVER_US
                                 : w->until_us <= (int64_t)meta(k, M_NOW);
    default: return 0;
    }
}

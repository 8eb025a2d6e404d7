/*
 * explain_places.c -- which level of a topology tree keeps a job waiting, and which domain came
 * closest; explain_parts.h.
 *
 * Counted anew from the nodes, O(nodes + domains x levels) per kind of task: an explanation
 * speaks of the state as it is when it is asked for, which may be later than the cycle in which
 * the job was tried. Names of domains are paths, as racks of different rows may be called alike.
 */
#include "engine/explain_parts.h"
#include "model/domain.h"
#include "model/node.h"
#include "model/node_count.h"
#include "model/task.h"

/* The group whose level it is, and what it lacks. */
struct wish {
    uint32_t job, jobshape, group, tree, level;
    uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX];
    int64_t tasks; /* all that lack */
};

/* Tasks of one leaf that each domain can take, by row: in whole slices. */
static void count_rooms(const struct columns *k, const struct wish *w, uint32_t leaf,
                        int64_t *room) {
    uint32_t rows = table_rows(k, T_DOMAIN), row = group_row(k, w->jobshape, leaf),
             shape = group_shape(k, w->jobshape, leaf);
    memset(room, 0, rows * sizeof *room);
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        uint32_t d = row_is_live(k, T_NODE, n) ? k->c[C_NODE_DOMAIN0 + w->tree].u32[n] : NO_ROW;
        if (d == NO_ROW || k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY ||
            !node_able(k, n, shape) || !node_fits(k, n, shape))
            continue;
        room[d] += node_count_above(k, n, shape, DEVICE_NOW);
    }
    for (uint32_t level = k->c[C_TOPOLOGY_N_LEVELS].u32[w->tree]; level-- > 0;) {
        uint32_t whole = 1;
        for (uint32_t i = 0; i < k->c[C_GROUP_N_SLICES].u8[row]; i++)
            if (k->c[C_GROUP_SLICE_LEVEL0 + i].u32[row] == level)
                whole = k->c[C_GROUP_SLICE_TASKS0 + i].u32[row];
        for (uint32_t d = 0; d < rows; d++) {
            if (!row_is_live(k, T_DOMAIN, d) || k->c[C_DOMAIN_TOPOLOGY].u32[d] != w->tree ||
                k->c[C_DOMAIN_LEVEL].u32[d] != level)
                continue;
            room[d] -= room[d] % whole;
            if (level > 0) room[k->c[C_DOMAIN_PARENT].u32[d]] += room[d];
        }
    }
}

/* How many of the tasks that lack each domain could take, each kind of task for itself. */
static int64_t *count_fitting(const struct columns *k, const struct wish *w) {
    size_t rows = table_rows(k, T_DOMAIN) + 1ul;
    int64_t *fit = alloc_zero(k->alloc, 2 * rows * sizeof *fit);
    for (uint32_t g = w->group; fit && g < k->c[C_JOBSHAPE_N_GROUPS].u32[w->jobshape]; g++) {
        if (w->lacks[g] == 0) continue;
        count_rooms(k, w, g, fit + rows);
        for (size_t d = 0; d + 1 < rows; d++)
            fit[d] += fit[rows + d] < w->lacks[g] ? fit[rows + d] : w->lacks[g];
    }
    return fit;
}

static void free_fitting(const struct columns *k, int64_t *fit) {
    alloc_free(k->alloc, fit, 2 * (table_rows(k, T_DOMAIN) + 1ul) * sizeof *fit);
}

/* By their names from the widest level on. */
static int path_before(const struct columns *k, uint32_t a, uint32_t b) {
    uint32_t level = k->c[C_DOMAIN_LEVEL].u32[a];
    for (uint32_t l = 0; l <= level; l++) {
        uint32_t x = a, y = b;
        while (k->c[C_DOMAIN_LEVEL].u32[x] > l) x = k->c[C_DOMAIN_PARENT].u32[x];
        while (k->c[C_DOMAIN_LEVEL].u32[y] > l) y = k->c[C_DOMAIN_PARENT].u32[y];
        int c = text_compare(k, k->c[C_DOMAIN_NAME].u32[x], k->c[C_DOMAIN_NAME].u32[y]);
        if (c != 0) return c < 0;
    }
    return 0;
}

static uint32_t closest(const struct columns *k, const struct wish *w, const int64_t *fit) {
    uint32_t best = NO_ROW;
    for (uint32_t d = 0; d < table_rows(k, T_DOMAIN); d++) {
        if (!row_is_live(k, T_DOMAIN, d) || k->c[C_DOMAIN_TOPOLOGY].u32[d] != w->tree ||
            k->c[C_DOMAIN_LEVEL].u32[d] != w->level)
            continue;
        if (best == NO_ROW || fit[d] > fit[best] ||
            (fit[d] == fit[best] && path_before(k, d, best)))
            best = d;
    }
    return best;
}

static void put_path(const struct columns *k, uint32_t domain, struct text_out *o) {
    for (uint32_t l = 0; l <= k->c[C_DOMAIN_LEVEL].u32[domain]; l++) {
        uint32_t d = domain;
        while (k->c[C_DOMAIN_LEVEL].u32[d] > l) d = k->c[C_DOMAIN_PARENT].u32[d];
        if (l) text_put(o, "/");
        put_name(k, o, k->c[C_DOMAIN_NAME].u32[d]);
    }
}

/* ---- what holds it where it is ---- */

/* The domain that the group's tasks are in already, NO_ROW. */
static uint32_t where_it_is(const struct columns *k, const struct wish *w) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[w->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l];
        while (g > w->group) g = k->c[C_GROUP_PARENT].u32[group_row(k, w->jobshape, g)];
        for (uint32_t t = g == w->group ? k->c[C_LEAF_TASK_FIRST].u32[l] : NO_ROW; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t])
            if (task_placed(k->c[C_TASK_STATE].u8[t]))
                return domain_of_node(k, w->tree, k->c[C_TASK_NODE].u32[t], w->level);
    }
    return NO_ROW;
}

/* ", in slices of 8 in one block, of 4 in one rack" */
static void put_slices(const struct columns *k, uint32_t row, struct text_out *o) {
    for (uint32_t i = 0; i < k->c[C_GROUP_N_SLICES].u8[row]; i++) {
        lsched_text key = topology_level_key(k, k->c[C_GROUP_TOPOLOGY].u32[row],
                                             k->c[C_GROUP_SLICE_LEVEL0 + i].u32[row]);
        text_put(o, "%sof %u in one %s", i ? ", " : " in slices ",
                 k->c[C_GROUP_SLICE_TASKS0 + i].u32[row], shown(key).text);
    }
}

static int read_wish(const struct columns *k, const lsched_waiting *w, struct wish *out) {
    out->job = (uint32_t)w->job;
    out->jobshape = k->c[C_JOB_SHAPE].u32[out->job];
    out->group = w->task_group;
    while (k->c[C_GROUP_REQUIRED].u32[group_row(k, out->jobshape, out->group)] == NO_ROW) {
        if (out->group == 0) break;
        out->group = k->c[C_GROUP_PARENT].u32[group_row(k, out->jobshape, out->group)];
    }
    uint32_t row = group_row(k, out->jobshape, out->group);
    out->level = k->c[C_GROUP_REQUIRED].u32[row];
    if (out->level == NO_ROW) { /* slices anywhere */
        out->group = w->task_group;
        row = group_row(k, out->jobshape, out->group);
    }
    out->tree = k->c[C_GROUP_TOPOLOGY].u32[row];
    group_lacks(k, out->job, out->group, out->lacks);
    out->tasks = 0;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[out->jobshape]; g++)
        out->tasks += out->lacks[g];
    if (out->tasks == 0 && group_shape(k, out->jobshape, w->task_group) != NO_ROW) /* it grows */
        out->tasks = out->lacks[w->task_group] = w->need > 0 ? (uint32_t)w->need : 1;
    return out->tree != NO_ROW;
}

/* No level that all of it must be in: only its slices did not fit. */
static void put_only_slices(const struct columns *k, const struct wish *w, struct text_out *o) {
    int64_t *fit = count_fitting(k, w), all = 0;
    for (uint32_t d = k->c[C_TOPOLOGY_FIRST].u32[w->tree]; fit && d != NO_ROW;
         d = k->c[C_DOMAIN_NEXT].u32[d])
        all += fit[d];
    text_put(o, "%" PRId64 " of its %" PRId64 " tasks would fit", all < w->tasks ? all : w->tasks,
             w->tasks);
    put_slices(k, group_row(k, w->jobshape, w->group), o);
    text_put(o, "; a task ");
    free_fitting(k, fit);
}

void put_places(const struct columns *k, const lsched_waiting *waiting, struct text_out *o) {
    struct wish w;
    if (!read_wish(k, waiting, &w)) {
        text_put(o, "no domain has room for the group; a task ");
        return;
    }
    if (w.level == NO_ROW) {
        put_only_slices(k, &w, o);
        return;
    }
    lsched_text key = topology_level_key(k, w.tree, w.level);
    uint32_t here = where_it_is(k, &w);
    int64_t *fit = count_fitting(k, &w);
    if (here != NO_ROW)
        text_put(o, "its tasks must be in one %s, and ", shown(key).text);
    else if (w.tasks == 1)
        text_put(o, "no %s has room for it", shown(key).text);
    else
        text_put(o, "no %s has room for %" PRId64 " tasks at once", shown(key).text, w.tasks);
    if (here == NO_ROW) put_slices(k, group_row(k, w.jobshape, w.group), o);
    uint32_t best = here != NO_ROW ? here : fit ? closest(k, &w, fit) : NO_ROW;
    if (here == NO_ROW && best != NO_ROW && w.tasks > 1) text_put(o, ": ");
    if (best != NO_ROW && fit && (here != NO_ROW || w.tasks > 1)) {
        put_path(k, best, o);
        text_put(o, here != NO_ROW ? " has room for " : " comes closest, with room for ");
        if (fit[best] < w.tasks)
            text_put(o, "%" PRId64 " of the %" PRId64 "%s", fit[best], w.tasks,
                     here != NO_ROW ? " that lack" : "");
        else
            text_put(o, "each kind of its tasks, but not for all of them");
    }
    text_put(o, "; a task ");
    free_fitting(k, fit);
}

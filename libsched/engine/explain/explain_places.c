/*
 * explain_places.c -- see explain_places.h.
 *
 * The numbers are counted again from the nodes, because an explanation describes the present state,
 * and the state can have changed after the cycle that tried the job. Cost: O(nodes + domains x
 * levels) for each task shape.
 *
 * A domain is named by its path from the top, because racks of different rows can have the same
 * name.
 *
 * The job can have several task shapes. If one shape alone has no room in the closest domain, the
 * text names that shape. If each shape alone has room, the text names a resource kind of which all
 * tasks together need more than is free in the domain.
 */
#include "engine/explain/explain_places.h"

#include "engine/exclusions/explain_print.h"
#include "engine/exclusions/explain_shortage.h"
#include "engine/exclusions/explain_subject.h"
#include "model/demand/job_counts.h"
#include "model/shapes/daily_demand.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/nodes/node_count.h"
#include "model/shapes/job_states.h"

/* The task group that must stay in one domain, and the number of tasks without a place in each of
 * its leaf groups. */
struct wish {
    uint32_t job, jobshape, group, tree, level;
    uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX];
    int64_t tasks; /* number of tasks without a place, over all leaf groups */
};

/* Sets room[d], for each domain row d, to the number of tasks of one leaf group that the domain can
 * take. Only whole task blocks count. */
static void count_rooms(const struct columns *k, const struct wish *w, uint32_t leaf,
                        int64_t *room) {
    uint32_t rows = table_rows(k, T_DOMAIN), row = group_row(k, w->jobshape, leaf),
             shape = group_shape(k, w->jobshape, leaf);
    memset(room, 0, rows * sizeof *room);
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        uint32_t d = row_is_live(k, T_NODE, n) ? k->c[C_NODE_DOMAIN0 + w->tree].u32[n] : NO_ROW;
        if (d == NO_ROW || !node_is_usable(k, n, shape) || !node_fits(k, n, shape)) continue;
        room[d] += node_count_above(k, n, shape, DEVICE_NOW);
    }
    for (uint32_t level = k->c[C_TOPOLOGY_N_LEVELS].u32[w->tree]; level-- > 0;) {
        uint32_t whole = 1;
        for (uint32_t i = 0; i < k->c[C_GROUP_N_SLICES].u8[row]; i++)
            if (k->c[C_GROUP_SLICE_LEVEL0 + i].u32[row] == level)
                whole = k->c[C_GROUP_SLICE_TASKS0 + i].u32[row];
        for (uint32_t d = 0; d < rows; d++) {
            if (!domain_is_at(k, d, w->tree, level)) continue;
            room[d] -= room[d] % whole;
            if (level > 0) room[k->c[C_DOMAIN_PARENT].u32[d]] += room[d];
        }
    }
}

/* Returns an array with an entry for each domain row: the number of missing tasks that the domain
 * can take. Each leaf group is counted as if the other leaf groups needed no room. Returns NULL if
 * memory is short. */
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

/* True if domain `a` comes before domain `b` when their paths are compared name by name from the
 * top level down. */
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
        if (!domain_is_at(k, d, w->tree, w->level)) continue;
        if (best == NO_ROW || fit[d] > fit[best] ||
            (fit[d] == fit[best] && path_before(k, d, best)))
            best = d;
    }
    return best;
}

/* ---- which task shape lacks room ---- */

/* The closest domain's shortage for a job with several task shapes. */
struct lack {
    /* Leaf group that the text names. If `kind` is 0, it is the first group that has not enough
     * room alone. Else it is the first group that needs `kind`. NO_ROW if nothing is short. */
    uint32_t leaf;
    /* shortage of the domain's closest node for one more task of `leaf`; s.node is NO_ROW if none
     * was computed */
    struct shortage s;
    /* If each leaf group alone has room: the resource kind of which all missing tasks together need
     * more than is free. Else 0. */
    uint32_t kind;
    int64_t need, /* amount of `kind` that all missing tasks need together */
        have;     /* amount of `kind` that is free in the domain */
};

static int is_inside(const struct columns *k, const struct wish *w, uint32_t node,
                     uint32_t domain) {
    return row_is_live(k, T_NODE, node) && k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY &&
           domain_of_node(k, w->tree, node, w->level) == domain;
}

static uint32_t kinds_of_task(const struct wish *w) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < LSCHED_GROUPS_PER_JOB_MAX; g++) n += w->lacks[g] > 0;
    return n;
}

/* Returns the first leaf group whose missing tasks do not all fit in the domain, even if the other
 * groups needed no room. Returns NO_ROW if every group fits alone. */
static uint32_t leaf_without_room(const struct columns *k, const struct wish *w, uint32_t domain) {
    size_t bytes = (table_rows(k, T_DOMAIN) + 1ul) * sizeof(int64_t);
    int64_t *room = alloc_zero(k->alloc, bytes);
    uint32_t leaf = NO_ROW, n = k->c[C_JOBSHAPE_N_GROUPS].u32[w->jobshape];
    for (uint32_t g = w->group; room && leaf == NO_ROW && g < n; g++) {
        if (w->lacks[g] == 0) continue;
        count_rooms(k, w, g, room);
        if (room[domain] < w->lacks[g]) leaf = g;
    }
    alloc_free(k->alloc, room, bytes);
    return leaf;
}

/* Finds the node of the domain that lacks least for one more task. Only nodes that could hold a
 * task when empty are compared. If this finds no node, all nodes of the domain are compared as if
 * they were empty. */
static void nearest_inside(const struct columns *k, const struct wish *w, uint32_t domain,
                           uint32_t shape, struct shortage *best) {
    *best = (struct shortage){.node = NO_ROW};
    for (int empty = 0; empty < 2 && best->node == NO_ROW; empty++) {
        enum device_when when = empty ? DEVICE_EMPTY : DEVICE_NOW;
        for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
            struct shortage s;
            if (!is_inside(k, w, n, domain) || (!empty && !node_able(k, n, shape))) continue;
            explain_shortage_of(k, n, shape, when,
                                empty ? 1 : 1 + node_count_above(k, n, shape, when), &s);
            if (s.kinds && explain_shortage_nearer(k, &s, best)) *best = s;
        }
    }
}

/* Finds a resource kind of which all missing tasks together need more than is free in the domain.
 * GPUs are checked first, then the other kinds by number. */
static void look_together(const struct columns *k, const struct wish *w, uint32_t domain,
                          struct lack *l) {
    for (uint32_t i = 0; i < meta(k, M_N_KINDS) && l->kind == 0; i++) {
        uint32_t r = i == 0 ? LSCHED_GPU : i, leaf = NO_ROW;
        l->need = l->have = 0;
        for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[w->jobshape]; g++) {
            int64_t each =
                w->lacks[g] ? daily_demand_peak(k, group_shape(k, w->jobshape, g), r) : 0;
            if (each && leaf == NO_ROW) leaf = g;
            if (__builtin_mul_overflow(each, (int64_t)w->lacks[g], &each)) each = INT64_MAX;
            if (__builtin_add_overflow(l->need, each, &l->need)) l->need = INT64_MAX;
        }
        for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
            int64_t free = k->c[C_NODE_FREE + r].i64[n];
            if (!is_inside(k, w, n, domain) || free <= 0) continue;
            if (__builtin_add_overflow(l->have, free, &l->have)) l->have = INT64_MAX;
        }
        if (l->need <= l->have) continue;
        l->kind = r;
        l->leaf = leaf;
    }
}

static struct lack look_at_lack(const struct columns *k, const struct wish *w, uint32_t domain) {
    struct lack l = {.leaf = NO_ROW, .s = {.node = NO_ROW}};
    if (domain == NO_ROW || w->level == NO_ROW) return l;
    l.leaf = leaf_without_room(k, w, domain);
    if (l.leaf == NO_ROW)
        look_together(k, w, domain, &l);
    else
        nearest_inside(k, w, domain, group_shape(k, w->jobshape, l.leaf), &l.s);
    return l;
}

static void put_path(const struct columns *k, uint32_t domain, struct text_out *o) {
    for (uint32_t l = 0; l <= k->c[C_DOMAIN_LEVEL].u32[domain]; l++) {
        uint32_t d = domain;
        while (k->c[C_DOMAIN_LEVEL].u32[d] > l) d = k->c[C_DOMAIN_PARENT].u32[d];
        if (l) text_put(o, "/");
        put_name(k, o, k->c[C_DOMAIN_NAME].u32[d]);
    }
}

/* ---- the domain that the job must stay in ---- */

/* Returns the domain of the group's tasks that are already placed, NO_ROW if no task of the group
 * is placed. */
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

/* Writes the sizes and levels of the group's task blocks, such as " in slices of 8 in one block, of
 * 4 in one rack". */
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
    /* no level is required; only each task block must be in one domain */
    if (out->level == NO_ROW) {
        out->group = w->task_group;
        row = group_row(k, out->jobshape, out->group);
    }
    out->tree = k->c[C_GROUP_TOPOLOGY].u32[row];
    group_lacks(k, out->job, out->group, out->lacks);
    out->tasks = 0;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[out->jobshape]; g++)
        out->tasks += out->lacks[g];
    /* the job already has its minimum; count the further tasks by which it grows */
    if (out->tasks == 0 && group_shape(k, out->jobshape, w->task_group) != NO_ROW)
        out->tasks = out->lacks[w->task_group] = w->need > 0 ? (uint32_t)w->need : 1;
    return out->tree != NO_ROW;
}

/* Writes the text for a group that has no required level, but whose task blocks do not fit. */
static void put_only_slices(const struct columns *k, const struct wish *w, struct text_out *o) {
    int64_t *fit = count_fitting(k, w), all = 0;
    for (uint32_t d = k->c[C_TOPOLOGY_FIRST].u32[w->tree]; fit && d != NO_ROW;
         d = k->c[C_DOMAIN_NEXT].u32[d])
        all += fit[d];
    if (w->tasks == 1)
        text_put(o, "its task would not fit");
    else
        text_put(o, "%" PRId64 " of its %" PRId64 " tasks would fit",
                 all < w->tasks ? all : w->tasks, w->tasks);
    put_slices(k, group_row(k, w->jobshape, w->group), o);
    text_put(o, "; a task ");
    free_fitting(k, fit);
}

/* Returns the domain that the text names, NO_ROW if there is none. *fitting is set to the number of
 * missing tasks that fit in that domain, -1 if the number is unknown. */
static uint32_t domain_of_wish(const struct columns *k, const struct wish *w, int64_t *fitting) {
    uint32_t here = where_it_is(k, w);
    int64_t *fit = count_fitting(k, w);
    uint32_t best = here != NO_ROW ? here : fit ? closest(k, w, fit) : NO_ROW;
    *fitting = best != NO_ROW && fit ? fit[best] : -1;
    free_fitting(k, fit);
    return best;
}

void explain_places_refresh(const struct columns *k, lsched_waiting *waiting) {
    struct wish w;
    int64_t fit;
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[(uint32_t)waiting->job], waiting->task_group);
    int spread = waiting->have >= 0 && group_is_spread(k, row);
    if (spread || !read_wish(k, waiting, &w) || w.level == NO_ROW) return;
    uint32_t g = NO_ROW, domain = domain_of_wish(k, &w, &fit);
    if (fit < 0) return;
    struct lack l = look_at_lack(k, &w, domain);
    if (l.leaf == NO_ROW) return;
    for (g = l.leaf; g > w.group; g = k->c[C_GROUP_PARENT].u32[group_row(k, w.jobshape, g)])
        if (k->c[C_GROUP_REQUIRED].u32[group_row(k, w.jobshape, g)] != NO_ROW)
            return; /* a reader would take the record to be about the level of group g */
    waiting->task_group = l.leaf;
    waiting->kind = l.kind ? l.kind : explain_shortage_kind(&l.s);
    if (waiting->kind == 0) waiting->kind = shape_scarcest(k, group_shape(k, w.jobshape, l.leaf));
    if (l.s.node != NO_ROW) waiting->near_node = id_make(k, LSCHED_KIND_NODE, l.s.node);
}

void explain_places_put_lack(const struct columns *k, const lsched_waiting *waiting,
                             struct text_out *o) {
    struct wish w;
    int64_t fit;
    if (!read_wish(k, waiting, &w) || w.level == NO_ROW || kinds_of_task(&w) < 2) return;
    uint32_t domain = domain_of_wish(k, &w, &fit);
    if (fit < 0) return;
    struct lack l = look_at_lack(k, &w, domain);
    if (l.kind == 0 && l.s.node == NO_ROW) return;
    text_put(o, "; in ");
    put_path(k, domain, o);
    if (l.kind) {
        text_put(o, " all of them together need %s, and %s %s free",
                 shown_amount(k, l.kind, l.need).text, shown_number(l.kind, l.have).text,
                 is_or_are(l.kind, l.have));
        return;
    }
    text_put(o, ", ");
    explain_shortage_put(k, &l.s, o);
}

void explain_places_put(const struct columns *k, const lsched_waiting *waiting,
                        struct text_out *o) {
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
    int64_t fit;
    uint32_t best = domain_of_wish(k, &w, &fit);
    if (here != NO_ROW)
        text_put(o, "its tasks must be in one %s, and ", shown(key).text);
    else if (w.tasks == 1)
        text_put(o, "no %s has room for it", shown(key).text);
    else
        text_put(o, "no %s has room for %" PRId64 " tasks at once", shown(key).text, w.tasks);
    if (here == NO_ROW) put_slices(k, group_row(k, w.jobshape, w.group), o);
    if (here == NO_ROW && best != NO_ROW && w.tasks > 1) text_put(o, ": ");
    if (fit >= 0 && (here != NO_ROW || w.tasks > 1)) {
        put_path(k, best, o);
        text_put(o, here != NO_ROW ? " has room for " : " comes closest, with room for ");
        if (fit < w.tasks)
            text_put(o, "%" PRId64 " of the %" PRId64 "%s", fit, w.tasks,
                     here != NO_ROW ? " that lack" : "");
        else
            text_put(o, "each kind of its tasks, but not for all of them");
    }
    text_put(o, "; a task ");
}

/* gang_domains.c -- see gang_domains.h. */
#include "engine/topology/gang_domains.h"

#include <assert.h>

#include "base/sort.h"
#include "base/vec.h"
#include "model/shapes/domain.h"
#include "model/store/steps.h"
#include "model/shapes/shape.h"
#include "model/shapes/job_states.h"
#include "model/shapes/leaf.h"

void gang_domains_forget(struct gang_domains *p) {
    p->job = NO_ROW;
    p->known = 0;
    p->held_group = NO_ROW;
    p->given = NO_ROW;
    p->slices.group = NO_ROW;
    p->slices.n_order = p->slices.at_order = 0;
}

void gang_domains_close(struct gang_domains *p, struct columns *k) {
    struct gang_slices *s = &p->slices;
    alloc_free(k->alloc, p->held, p->cap_held * sizeof *p->held);
    alloc_free(k->alloc, s->domain, s->cap * sizeof *s->domain);
    alloc_free(k->alloc, s->order, s->cap_order * sizeof *s->order);
    memset(p, 0, sizeof *p);
    gang_domains_forget(p);
}

static void gang_domains_look_at(struct gang_domains *p, uint32_t job) {
    if (p->job == job) return;
    gang_domains_forget(p);
    p->job = job;
}

/* True if the group `leaf` is `group` itself or a descendant of `group`. The index of a group is
 * lower than the indexes of its children. */
static int gang_domains_is_below(const struct columns *k, uint32_t jobshape, uint32_t leaf,
                                 uint32_t group) {
    while (leaf > group) leaf = k->c[C_GROUP_PARENT].u32[group_row(k, jobshape, leaf)];
    return leaf == group;
}

/* ---- required levels ---- */

static uint32_t required_of(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], row = group_row(k, jobshape, group),
             topology = k->c[C_GROUP_TOPOLOGY].u32[row], level = k->c[C_GROUP_REQUIRED].u32[row],
             pinned = NO_ROW;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        if (!gang_domains_is_below(k, jobshape, k->c[C_LEAF_GROUP].u32[l], group)) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (!task_placed(k->c[C_TASK_STATE].u8[t])) continue;
            uint32_t d = domain_of_node(k, topology, k->c[C_TASK_NODE].u32[t], level);
            if (d == NO_ROW || (pinned != NO_ROW && pinned != d)) return NOWHERE;
            pinned = d;
        }
    }
    return pinned;
}

uint32_t gang_domains_required(struct gang_domains *p, const struct columns *k, uint32_t job,
                               uint32_t group) {
    gang_domains_look_at(p, job);
    if (!(p->known >> group & 1)) {
        p->required[group] = required_of(k, job, group);
        p->known |= (uint64_t)1 << group;
    }
    return p->required[group];
}

int gang_domains_allow(struct gang_domains *p, const struct columns *k, const struct ask *a,
                       uint32_t node) {
    assert(ask_is_fresh(a, k));
    if (!k->c[C_JOBSHAPE_PINNED].u8[a->jobshape]) return 1;
    for (uint32_t g = a->group;; g = k->c[C_GROUP_PARENT].u32[group_row(k, a->jobshape, g)]) {
        uint32_t row = group_row(k, a->jobshape, g), level = k->c[C_GROUP_REQUIRED].u32[row];
        if (level != NO_ROW) {
            uint32_t d = domain_of_node(k, k->c[C_GROUP_TOPOLOGY].u32[row], node, level);
            uint32_t pinned = gang_domains_required(p, k, a->job, g);
            if (d == NO_ROW || (pinned != NO_ROW && pinned != d)) return 0;
        }
        if (g == 0) return 1;
    }
}

/* ---- tasks per domain ---- */

static void count_up(struct gang_domains *p, const struct topology_map *m, uint32_t node) {
    uint32_t at = node < m->node_rows ? m->position[node] : NO_ROW;
    if (at == NO_ROW) return;
    for (uint32_t i = topology_map_deepest(m, at); i != NO_ROW; i = m->parent[i]) p->held[i]++;
}

static int32_t held_reserve(struct gang_domains *p, struct columns *k, uint32_t n) {
    if (!VEC_ROOM(k->alloc, p->held, p->cap_held, n)) return LSCHED_E_NOMEM;
    if (n) memset(p->held, 0, n * sizeof *p->held); /* a topology can be without domains */
    return LSCHED_OK;
}

int32_t gang_domains_held(struct gang_domains *p, struct columns *k, const struct topology_map *m,
                          uint32_t job, uint32_t group, const uint32_t **held) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    gang_domains_look_at(p, job);
    *held = NULL;
    if (p->held_group != group) {
        p->held_total = 0;
        for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
            if (!gang_domains_is_below(k, jobshape, k->c[C_LEAF_GROUP].u32[l], group)) continue;
            for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
                 t = k->c[C_TASK_NEXT].u32[t]) {
                steps_add(k, 1);
                if (!task_placed(k->c[C_TASK_STATE].u8[t])) continue;
                if (p->held_total++ == 0 && held_reserve(p, k, m->n_domains) != LSCHED_OK)
                    return LSCHED_E_NOMEM;
                count_up(p, m, k->c[C_TASK_NODE].u32[t]);
            }
        }
        p->held_group = group;
    }
    if (p->held_total) *held = p->held;
    return LSCHED_OK;
}

/* ---- task blocks (slices) ---- */

static void slice_note(struct gang_slices *s, const struct columns *k, uint32_t task) {
    uint32_t index = k->c[C_TASK_INDEX].u32[task] - s->base,
             placed = (uint32_t)task_placed(k->c[C_TASK_STATE].u8[task]);
    for (uint32_t i = 0; i < s->n_levels; i++) {
        uint32_t at = s->first[i] + index / s->tasks[i];
        if (s->filled[at]++ == 0)
            s->holes[i] += s->tasks[i] - 1;
        else
            s->holes[i]--;
        /* The domain of a task block depends on the placed tasks of the block, and not on ended
         * tasks. */
        if (!placed) continue;
        uint32_t d = domain_of_node(k, s->topology, k->c[C_TASK_NODE].u32[task], s->level[i]);
        if (d == NO_ROW || (s->domain[at] != NO_ROW && s->domain[at] != d)) d = NOWHERE;
        s->domain[at] = d;
    }
}

static int32_t slices_reserve(struct gang_slices *s, struct columns *k, uint32_t n) {
    if (!VEC_ROOM(k->alloc, s->domain, s->cap, 2ul * n)) return LSCHED_E_NOMEM;
    s->filled = s->domain + n;
    memset(s->domain, 0xFF, n * sizeof *s->domain);
    memset(s->filled, 0, n * sizeof *s->filled);
    memset(s->holes, 0, sizeof s->holes);
    return LSCHED_OK;
}

int32_t gang_domains_slices(struct gang_domains *p, struct columns *k, const struct ask *a,
                            struct gang_slices **slices) {
    struct gang_slices *s = &p->slices;
    gang_domains_look_at(p, a->job);
    *slices = s;
    if (s->group == a->group) return LSCHED_OK;
    s->n_levels = k->c[C_GROUP_N_SLICES].u8[a->row];
    s->topology = k->c[C_GROUP_TOPOLOGY].u32[a->row];
    s->base = k->c[C_GROUP_BASE].u32[a->row];
    s->n_order = s->at_order = 0;
    s->first[0] = 0;
    for (uint32_t i = 0; i < s->n_levels; i++) {
        s->level[i] = k->c[C_GROUP_SLICE_LEVEL0 + i].u32[a->row];
        s->tasks[i] = k->c[C_GROUP_SLICE_TASKS0 + i].u32[a->row];
        s->first[i + 1] = s->first[i] + a->span / s->tasks[i];
    }
    if (slices_reserve(s, k, s->first[s->n_levels]) != LSCHED_OK) return LSCHED_E_NOMEM;
    for (uint32_t t = a->leaf == NO_ROW ? NO_ROW : k->c[C_LEAF_TASK_FIRST].u32[a->leaf];
         t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
        steps_add(k, 1);
        slice_note(s, k, t);
    }
    s->group = a->group;
    return LSCHED_OK;
}

#define INDEX_BEFORE(of, a, b) ((a) < (b))
SORT_IN_PLACE(sort_indexes, uint32_t, const void *, INDEX_BEFORE)

/* Returns the first task in the list of the leaf group's tasks that were placed earlier and wait
 * again, NO_ROW if the list is empty. */
static uint32_t first_again(const struct columns *k, const struct ask *a) {
    return a->leaf == NO_ROW ? NO_ROW : k->c[C_LEAF_AGAIN_FIRST].u32[a->leaf];
}

/* Returns the lowest task index of the leaf group that no task has ever had. */
static uint32_t first_unused(const struct columns *k, const struct ask *a) {
    return a->leaf == NO_ROW ? 0 : k->c[C_LEAF_FRESH].u32[a->leaf];
}

uint32_t gang_domains_waiting(const struct columns *k, const struct ask *a, uint32_t *list,
                              uint32_t most) {
    uint32_t base = k->c[C_GROUP_BASE].u32[a->row], n = 0, fresh = first_unused(k, a);
    for (uint32_t t = first_again(k, a); t != NO_ROW && n < most; t = k->c[C_TASK_NEXT].u32[t])
        list[n++] = k->c[C_TASK_INDEX].u32[t] - base;
    sort_indexes(NULL, list, n);
    while (n < most && fresh < a->span) list[n++] = fresh++;
    return n;
}

/* Returns how well a task index fits a node whose domains are at[].
 * 0: all task blocks of the index are already in these domains.
 * 1 to n_levels: number of task blocks of the index that have no placed tasks and would begin
 * here.
 * NO_ROW: a task block of the index is in another domain; the index does not fit. */
static uint32_t fits_slice(const struct gang_slices *s, const uint32_t *at, uint32_t index) {
    uint32_t open = 0;
    for (uint32_t i = s->n_levels; i-- > 0;) {
        uint32_t pinned = s->domain[s->first[i] + index / s->tasks[i]];
        if (at[i] == NO_ROW || (pinned != NO_ROW && pinned != at[i])) return NO_ROW;
        open += pinned == NO_ROW;
    }
    return open;
}

/* True if the task blocks that the task of this index would begin can become whole with the
 * `lacking` tasks that the leaf group lacks to its minimum; 0: with one further block. */
static int may_begin(const struct gang_slices *s, uint32_t index, uint32_t lacking) {
    for (uint32_t i = 0; i < s->n_levels; i++) {
        uint32_t needed = s->holes[i] + (lacking ? s->tasks[i] : 0);
        if (s->filled[s->first[i] + index / s->tasks[i]] == 0 && needed > lacking) return 0;
    }
    return 1;
}

struct choice_of_index {
    uint32_t index, open, lacking;
};

static void consider(struct choice_of_index *c, const struct gang_slices *s, const uint32_t *at,
                     uint32_t index) {
    uint32_t open = fits_slice(s, at, index);
    if (open == NO_ROW || open > c->open || (open == c->open && index >= c->index)) return;
    if (!may_begin(s, index, c->lacking)) return;
    c->index = index;
    c->open = open;
}

/* Returns the waiting task index that fits the node best, if order[] has no further entry or its
 * next entry does not fit the node. Indexes of task blocks that already have tasks in the node's
 * domains come first, then the lowest index. */
static uint32_t search_index(const struct gang_slices *s, const struct columns *k,
                             const struct ask *a, const uint32_t *at) {
    struct choice_of_index c = {NO_ROW, NO_ROW, a->held < a->min ? a->min - a->held : 0};
    uint32_t fresh = first_unused(k, a);
    for (uint32_t t = first_again(k, a); t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
        steps_add(k, 1);
        consider(&c, s, at, k->c[C_TASK_INDEX].u32[t] - s->base);
    }
    if (fresh < a->span) consider(&c, s, at, fresh);
    /* also considers the first index of the next task block of each level */
    for (uint32_t i = 0; i < s->n_levels; i++) {
        uint32_t next = (fresh + s->tasks[i] - 1) / s->tasks[i] * s->tasks[i];
        if (next < a->span) consider(&c, s, at, next);
    }
    return c.index;
}

/* True if the task of the leaf group with this index, counted from the first task of the leaf
 * group, has no place and has not ended. */
static int index_waits(const struct columns *k, const struct ask *a, uint32_t index) {
    uint32_t fresh = first_unused(k, a);
    if (index >= fresh) return index < a->max;
    for (uint32_t t = first_again(k, a); t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_INDEX].u32[t] - k->c[C_GROUP_BASE].u32[a->row] == index) return 1;
    }
    return 0;
}

int32_t gang_domains_give(struct gang_domains *p, struct columns *k, const struct ask *a,
                          uint32_t index) {
    struct gang_slices *s;
    uint32_t inside = index - k->c[C_GROUP_BASE].u32[a->row];
    if (!index_waits(k, a, inside)) return 0;
    if (k->c[C_GROUP_N_SLICES].u8[a->row] == 0) {
        gang_domains_look_at(p, a->job);
        p->given = index;
        return 1;
    }
    int32_t rc = gang_domains_slices(p, k, a, &s);
    if (rc != LSCHED_OK) return rc;
    if (!VEC_ROOM(k->alloc, s->order, s->cap_order, 1)) return LSCHED_E_NOMEM;
    s->order[0] = inside;
    s->n_order = 1;
    s->at_order = 0;
    return 1;
}

int32_t gang_domains_index(struct gang_domains *p, struct columns *k, const struct ask *a,
                           uint32_t node, uint32_t *index) {
    struct gang_slices *s;
    uint32_t at[LSCHED_SLICES_MAX];
    *index = p->job == a->job ? p->given : NO_ROW;
    if (k->c[C_GROUP_N_SLICES].u8[a->row] == 0) return 1;
    int32_t rc = gang_domains_slices(p, k, a, &s);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < s->n_levels; i++)
        at[i] = domain_of_node(k, s->topology, node, s->level[i]);
    uint32_t next = s->at_order < s->n_order ? s->order[s->at_order] : NO_ROW;
    if (next == NO_ROW || fits_slice(s, at, next) == NO_ROW) next = search_index(s, k, a, at);
    if (next == NO_ROW) return 0;
    *index = s->base + next;
    return 1;
}

void gang_domains_placed(struct gang_domains *p, const struct columns *k,
                         const struct topology_map *maps, const struct ask *a, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    struct gang_slices *s = &p->slices;
    if (p->job != a->job) return;
    p->given = NO_ROW;
    for (uint32_t g = a->group;; g = k->c[C_GROUP_PARENT].u32[group_row(k, a->jobshape, g)]) {
        uint32_t row = group_row(k, a->jobshape, g), t = k->c[C_GROUP_TOPOLOGY].u32[row];
        if ((p->known >> g & 1) && p->required[g] == NO_ROW)
            p->required[g] = domain_of_node(k, t, node, k->c[C_GROUP_REQUIRED].u32[row]);
        if (p->held_group == g && p->held_total == 0)
            p->held_group = NO_ROW; /* gang_domains_held counts again at the next call */
        else if (p->held_group == g)
            count_up(p, &maps[t], node);
        if (g == 0) break;
    }
    if (s->group != a->group) return;
    slice_note(s, k, task);
    if (s->at_order < s->n_order && s->order[s->at_order] == k->c[C_TASK_INDEX].u32[task] - s->base)
        s->at_order++;
    else
        s->n_order = s->at_order = 0;
}

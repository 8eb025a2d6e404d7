/* assign_slices.c -- see assign_slices.h. */
#include "engine/topology/assign_slices.h"
#include "engine/topology/assign_deal.h"

#include "base/vec.h"
#include "model/shapes/shape.h"

void assign_slices_close(struct dealt *d, struct columns *k) {
    alloc_free(k->alloc, d->part, d->cap * sizeof *d->part);
    memset(d, 0, sizeof *d);
}

static int32_t dealt_add(struct dealt *d, struct columns *k, const struct tree_part *parts,
                         uint32_t n) {
    if (!VEC_ROOM(k->alloc, d->part, d->cap, (uint64_t)d->n + n)) return LSCHED_E_NOMEM;
    if (n) memcpy(d->part + d->n, parts, n * sizeof *parts);
    d->n += n;
    return LSCHED_OK;
}

/* ---- room ---- */

/* Computes caps[], the number of tasks that each domain can take. With `whole` 1, the numbers are
 * rounded down to whole task blocks. With `whole` 0, the numbers are not rounded. */
static void count_caps(struct assign_slices *s, int whole) {
    const struct topology_map *m = s->d->map;
    uint32_t from = m->level_first[m->n_levels - 1], n = s->d->n_slices;
    memcpy(s->caps + from, s->room + from, (m->n_domains - from) * sizeof *s->caps);
    if (!whole) s->d->n_slices = 0;
    assign_domains_caps(s->d, s->caps, s->limit_level, s->limit);
    s->d->n_slices = n;
    s->d->cap = s->caps;
    s->d->raw = s->room;
}

static void take_room(struct assign_slices *s, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t at = s->parts[i].number; at != NO_ROW; at = s->d->map->parent[at])
            s->room[at] -= s->parts[i].tasks;
        if (s->limit)
            s->limit[topology_map_outer(s->d->map, s->parts[i].number, s->limit_level)] -=
                s->parts[i].tasks;
    }
}

/* Sorts domains by caps[], smallest first, then by room[], smallest first, then by name. */
static int run_precedes(const struct assign_slices *s, uint32_t a, uint32_t b) {
    if (s->caps[a] != s->caps[b]) return s->caps[a] < s->caps[b];
    if (s->room[a] != s->room[b]) return s->room[a] < s->room[b];
    return s->d->map->by_name[a] < s->d->map->by_name[b];
}

/* Assigns `tasks` to one domain of `level` below root: the domain with the least room among those
 * that can take all tasks. Returns 1, 0 if no domain suffices, or LSCHED_E_NOMEM. */
static int32_t deal_run(struct assign_slices *s, uint32_t root, uint32_t level, uint32_t tasks,
                        int whole) {
    const struct topology_map *m = s->d->map;
    uint32_t from, to, best = NO_ROW, n_slices = s->d->n_slices;
    count_caps(s, whole);
    topology_map_below(m, root, level, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        if (s->caps[i] < tasks) continue;
        if (best == NO_ROW || run_precedes(s, i, best)) best = i;
    }
    if (best == NO_ROW) return 0;
    if (!whole) s->d->n_slices = 0;
    uint32_t n = assign_deal(s->d, best, tasks, s->parts);
    s->d->n_slices = n_slices;
    take_room(s, n);
    int32_t rc = dealt_add(s->out, s->k, s->parts, n);
    return rc == LSCHED_OK ? n > 0 : rc;
}

/* ---- task indexes ---- */

/* Indexes of the leaf group's waiting tasks, in ascending order. An index is removed from the
 * list when it is assigned. */
struct waiting {
    uint32_t *index;
    uint32_t n, cap;
};

static int32_t read_waiting(struct columns *k, const struct ask *a, struct waiting *w) {
    w->cap = a->span;
    w->index = alloc_new(k->alloc, w->cap * sizeof *w->index);
    if (!w->index) return LSCHED_E_NOMEM;
    w->n = gang_domains_waiting(k, a, w->index, w->cap);
    return LSCHED_OK;
}

/* Returns the number of consecutive waiting indexes, beginning at position `at` of the list, that
 * belong to one task block of level i. */
static uint32_t assign_slices_run_of(const struct waiting *w, const struct gang_slices *s,
                                     uint32_t i, uint32_t at) {
    uint32_t end = at, slice = w->index[at] / s->tasks[i];
    while (end < w->n && w->index[end] / s->tasks[i] == slice) end++;
    return end - at;
}

static uint32_t filled(const struct gang_slices *s, uint32_t i, uint32_t index) {
    return s->filled[s->first[i] + index / s->tasks[i]];
}

static uint32_t pinned(const struct gang_slices *s, uint32_t i, uint32_t index) {
    return s->domain[s->first[i] + index / s->tasks[i]];
}

/* Returns the number (topology_map.h) of the domain in which tasks of a task block of level i
 * must be placed, because the block (if `own` is 1) or a wider block around it already has tasks
 * in this domain. Returns s->root if these blocks have no tasks yet, NOWHERE if no domain is
 * possible. */
static uint32_t root_of(const struct assign_slices *s, uint32_t i, uint32_t index, int own) {
    const struct topology_map *m = s->d->map;
    for (uint32_t l = own ? i + 1 : i; l-- > 0;) {
        uint32_t d = pinned(s->slices, l, index);
        if (d == NOWHERE) return NOWHERE;
        if (d != NO_ROW && d < m->domain_rows && m->number[d] != NO_ROW) return m->number[d];
    }
    return s->root;
}

static void give(struct assign_slices *s, struct waiting *w, uint32_t at, uint32_t n) {
    struct gang_slices *p = s->slices;
    memcpy(p->order + p->n_order, w->index + at, n * sizeof *w->index);
    p->n_order += n;
    memmove(w->index + at, w->index + at + n, (w->n - at - n) * sizeof *w->index);
    w->n -= n;
}

/* Assigns tasks to task blocks of level i. With `own` 1, these are blocks that have tasks and
 * lack other tasks. With `own` 0, these are blocks without tasks that are inside a wider block
 * with tasks. *rest is the number of tasks to assign; the function subtracts the number of tasks
 * that it has assigned. Returns 1, 0 if a block does not fit, or LSCHED_E_NOMEM. */
static int32_t deal_begun(struct assign_slices *s, struct waiting *w, uint32_t i, int own,
                          uint32_t *rest) {
    const struct gang_slices *p = s->slices;
    for (uint32_t at = 0; at<w->n && * rest> 0;) {
        uint32_t index = w->index[at], run = assign_slices_run_of(w, p, i, at),
                 begun = own ? filled(p, i, index) > 0
                             : filled(p, i, index) == 0 && filled(p, i - 1, index) > 0;
        if (!begun || (!own && *rest < p->tasks[i])) {
            at += run;
            continue;
        }
        uint32_t tasks = run < *rest ? run : *rest, root = root_of(s, i, index, own);
        if (root == NOWHERE) return 0;
        int32_t rc = deal_run(s, root, p->level[i], tasks, !own);
        if (rc != 1) return rc;
        give(s, w, at, tasks);
        *rest -= tasks;
        if (tasks < run) break;
    }
    return 1;
}

static int32_t deal_new(struct assign_slices *s, struct waiting *w, uint32_t rest) {
    const struct gang_slices *p = s->slices;
    if (rest == 0) return 1;
    if (rest % p->tasks[0] || rest > w->n) return 0;
    count_caps(s, 1);
    uint32_t n = assign_deal(s->d, s->root, rest, s->parts), at = 0;
    if (n == 0) return 0;
    while (at < w->n && rest > 0) {
        if (assign_slices_run_of(w, p, 0, at) <
            p->tasks[0]) { /* other tasks of this block have ended or are placed */
            at += assign_slices_run_of(w, p, 0, at);
            continue;
        }
        give(s, w, at, p->tasks[0]);
        rest -= p->tasks[0];
    }
    int32_t rc = dealt_add(s->out, s->k, s->parts, n);
    return rc == LSCHED_OK ? rest == 0 : rc;
}

int32_t assign_slices(struct assign_slices *s, uint32_t tasks) {
    struct gang_slices *p = s->slices;
    struct waiting w;
    int32_t rc = read_waiting(s->k, s->ask, &w);
    if (rc != LSCHED_OK) return rc;
    p->n_order = p->at_order = 0;
    rc = VEC_ROOM(s->k->alloc, p->order, p->cap_order, tasks) ? LSCHED_OK : LSCHED_E_NOMEM;
    s->out->n = 0;
    uint32_t rest = tasks, innermost = p->n_levels - 1;
    if (rc == LSCHED_OK) rc = deal_begun(s, &w, innermost, 1, &rest);
    for (uint32_t i = innermost; i > 0 && rc == 1; i--) rc = deal_begun(s, &w, i, 0, &rest);
    if (rc == 1) rc = deal_new(s, &w, rest);
    alloc_free(s->k->alloc, w.index, w.cap * sizeof *w.index);
    if (rc != 1) p->n_order = 0;
    return rc;
}

int32_t assign_slices_step(struct columns *k, const struct gang_slices *p, const struct ask *a,
                           uint32_t *tasks) {
    struct waiting w;
    uint32_t best = p->n_levels; /* least number of levels at which a new task block would begin */
    *tasks = 0;
    if (read_waiting(k, a, &w) != LSCHED_OK) return LSCHED_E_NOMEM;
    for (uint32_t at = 0; at < w.n; at += assign_slices_run_of(&w, p, p->n_levels - 1, at)) {
        uint32_t open = 0;
        while (open < p->n_levels && filled(p, p->n_levels - 1 - open, w.index[at]) == 0) open++;
        if (open <= best) best = open;
    }
    if (w.n) *tasks = best == 0 ? 1 : p->tasks[p->n_levels - best];
    alloc_free(k->alloc, w.index, w.cap * sizeof *w.index);
    return LSCHED_OK;
}

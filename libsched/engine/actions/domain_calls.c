/* domain_calls.c -- see domain_calls.h. */
#include "engine/topology/assign_deal.h"
#include "engine/actions/domain_calls.h"

#include "engine/state/transaction.h"
#include "engine/topology/assign_evenly.h"
#include "engine/state/cache_check.h"
#include "engine/indexes/topology_spread.h"
#include "engine/indexes/topology_room.h"
#include "model/shapes/domain.h"
#include "model/store/steps.h"
#include "engine/actions/act_index.h"

/* ---- the group whose topology level counts ---- */

static uint32_t row_of(const lsched_cycle *y, uint32_t job, uint32_t group) {
    return group_row(y->k, y->k->c[C_JOB_SHAPE].u32[job], group);
}

static int has_wish(const struct columns *k, uint32_t row) {
    return k->c[C_GROUP_REQUIRED].u32[row] != NO_ROW ||
           k->c[C_GROUP_PREFERRED].u32[row] != NO_ROW || k->c[C_GROUP_N_SLICES].u8[row] > 0;
}

/* Returns the nearest group that names a topology level or task blocks: the leaf group itself, or
 * else the closest group above it. NO_ROW if there is none. */
static uint32_t wish_of(const lsched_cycle *y, uint32_t job, uint32_t group) {
    const struct columns *k = y->k;
    for (;; group = k->c[C_GROUP_PARENT].u32[row_of(y, job, group)]) {
        if (has_wish(k, row_of(y, job, group))) return group;
        if (group == 0) return NO_ROW;
    }
}

/* ---- scratch ---- */

struct found {
    /* lack: tasks that need victims; left: tasks for which room remains afterwards */
    int64_t lack, left;
    uint32_t number;
};

static void *take(char **at, size_t bytes) {
    void *p = *at;
    *at += (bytes + 7) & ~(size_t)7;
    return p;
}

#define SCRATCH_PER_DOMAIN 80ul

void domains_close(lsched_cycle *y) {
    gang_domains_close(&y->pins, y->k);
    alloc_free(y->k->alloc, y->deal.block, y->deal.cap * SCRATCH_PER_DOMAIN);
    alloc_free(y->k->alloc, y->deal.out, y->deal.cap_out * sizeof *y->deal.out);
    assign_slices_close(&y->deal.dealt, y->k);
    memset(&y->deal, 0, sizeof y->deal);
}

static int32_t scratch_reserve(lsched_cycle *y, uint32_t n) {
    struct deal_scratch *s = &y->deal;
    if (++n > s->cap) {
        char *block = alloc_new(y->k->alloc, n * SCRATCH_PER_DOMAIN);
        if (!block) return LSCHED_E_NOMEM;
        alloc_free(y->k->alloc, s->block, s->cap * SCRATCH_PER_DOMAIN);
        s->block = block;
        s->cap = n;
        s->share = take(&block, n * sizeof *s->share);
        s->room = take(&block, n * sizeof *s->room);
        s->limit = take(&block, n * sizeof *s->limit);
        s->left = take(&block, n * sizeof *s->left);
        s->squares = take(&block, n * sizeof *s->squares);
        s->left_over = take(&block, n * sizeof *s->left_over);
        s->list = take(&block, n * sizeof *s->list);
        s->tmp = take(&block, n * sizeof *s->tmp);
        s->parts = take(&block, n * sizeof *s->parts);
    }
    return LSCHED_OK;
}

/* ---- room for the tasks of a leaf group ---- */

/* How many tasks of one leaf group the domains of a topology can hold. */
struct leaf_room {
    struct topology_map *map;
    /* d.cap: tasks per domain number; while victims are sought, as if all nodes were empty */
    struct assign_domains d;
    /* tasks per domain number without spread limits and task blocks; room counts like d.cap */
    const int64_t *free, *room;
    uint32_t spread_level;
    int limited;
};

/* Fills limit[]: how many more tasks the group's spread rule allows in each domain of its level. */
static int32_t read_spread(lsched_cycle *y, uint32_t job, uint32_t group, struct leaf_room *r) {
    struct topology_spread s;
    const struct topology_map *m = r->map;
    int32_t rc = topology_spread_open(&s, y->k, job, group);
    if (rc != LSCHED_OK) return rc;
    r->limited = s.level != NO_ROW && s.topology == m->topology;
    r->spread_level = s.level;
    for (uint32_t i = r->limited ? m->level_first[s.level] : 0;
         r->limited && i < m->level_first[s.level + 1]; i++)
        y->deal.limit[i] = s.held[m->row[i]] < s.max ? (int64_t)s.max - s.held[m->row[i]] : 0;
    topology_spread_close(&s, y->k);
    return LSCHED_OK;
}

static void read_slices(const lsched_cycle *y, uint32_t job, uint32_t group, struct leaf_room *r) {
    const struct columns *k = y->k;
    uint32_t row = row_of(y, job, group);
    if (k->c[C_GROUP_TOPOLOGY].u32[row] != r->map->topology) return;
    r->d.n_slices = k->c[C_GROUP_N_SLICES].u8[row];
    for (uint32_t i = 0; i < r->d.n_slices; i++)
        r->d.slice[i] = (struct tree_slice){k->c[C_GROUP_SLICE_LEVEL0 + i].u32[row],
                                            k->c[C_GROUP_SLICE_TASKS0 + i].u32[row]};
}

/* If the leaf group has spread limits or task blocks, computes deal.room from the room of the
 * deepest domains: how many tasks each domain can hold within these rules. */
static void round_caps(lsched_cycle *y, struct leaf_room *r) {
    const struct topology_map *m = r->map;
    uint32_t from = m->level_first[m->n_levels - 1];
    r->d.cap = r->room;
    if (!r->limited && r->d.n_slices == 0) return;
    if (m->n_domains > from) /* room[] can be NULL if the topology has no domains */
        memcpy(y->deal.room + from, r->room + from, (m->n_domains - from) * sizeof *r->room);
    assign_domains_caps(&r->d, y->deal.room, r->spread_level, r->limited ? y->deal.limit : NULL);
    r->d.cap = y->deal.room;
}

/* Corrects the counts of domains that call_full reported. There, fewer tasks found a place than
 * the count said, therefore the domain now counts only the tasks that were placed, and each domain
 * above it loses the same difference. */
static void note_full(lsched_cycle *y, uint32_t group, struct leaf_room *r) {
    const struct topology_map *m = r->map;
    int64_t *room = y->deal.left_over;
    for (uint32_t f = 0; f < y->deal.n_full; f++) {
        const struct deal_full *full = &y->deal.full[f];
        uint32_t i = full->domain < m->domain_rows ? m->number[full->domain] : NO_ROW;
        if (full->group != group || i == NO_ROW) continue;
        if (r->room != room) memcpy(room, r->room, m->n_domains * sizeof *room);
        r->room = room;
        int64_t less = room[i] - full->tasks;
        for (; less > 0 && i != NO_ROW; i = m->parent[i]) room[i] -= less;
    }
}

static int32_t rooms_get(lsched_cycle *y, struct search_index *x, const struct topology_map *map,
                         int empty, const struct topology_room **out) {
    struct lsched_cluster *c = y->c;
    int32_t rc = topology_room_get(&c->search, y->k, &c->view, x, map, empty, out);
    if (rc == LSCHED_OK && cache_check_due(c)) rc = cache_check_rooms(y, x, map, *out);
    return rc;
}

static int32_t room_of_leaf(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t topology,
                            struct leaf_room *r) {
    struct search_index *x;
    const struct topology_room *free = NULL, *empty;
    struct lsched_cluster *c = y->c;
    memset(r, 0, sizeof *r);
    r->map = &c->maps[topology];
    int32_t rc = act_index(y, group, &x);
    if (rc == LSCHED_OK) rc = topology_map_update(r->map, y->k, topology);
    if (rc == LSCHED_OK) rc = rooms_get(y, x, r->map, TOPOLOGY_ROOM_FREE, &free);
    empty = free;
    if (rc == LSCHED_OK && y->search) rc = rooms_get(y, x, r->map, TOPOLOGY_ROOM_EMPTY, &empty);
    if (rc == LSCHED_OK) rc = scratch_reserve(y, r->map->n_domains);
    if (rc == LSCHED_OK) rc = read_spread(y, job, group, r);
    if (rc != LSCHED_OK) return rc;
    read_slices(y, job, group, r);
    r->d.map = r->map;
    r->d.even_level = NO_ROW;
    r->d.share = y->deal.share;
    r->d.squares = y->deal.squares;
    r->d.list = y->deal.list;
    r->d.tmp = y->deal.tmp;
    r->free = free->room;
    r->room = empty->room;
    note_full(y, group, r);
    round_caps(y, r);
    return LSCHED_OK;
}

/* ---- candidates ---- */

/* One query: which of the domains [from, to) of a level can hold the tasks that a group lacks. */
struct question {
    /* only: the one domain number that is allowed, NO_ROW: all of [from, to) */
    uint32_t job, group, tasks, from, to, only;
    /* 1 if the group needs every leaf group that is counted */
    int sure;
    /* tasks of the group by domain number, which must stay there; NULL: the group has none */
    const uint32_t *held;
    int64_t best; /* most tasks of the leaf group that one domain can hold; -1: not counted */
    /* task shape of the last leaf group that lacks tasks; NO_ROW: no leaf lacks any */
    uint32_t shape;
    int64_t lack; /* number of tasks that all leaf groups together lack */
};

/* Lowers left[] of each domain to the room that remains when the domain takes so many tasks, given
 * that it can hold cap[]. left[] keeps the smallest value of all counts so far. */
static void count_left(lsched_cycle *y, const struct question *q, const int64_t *cap,
                       uint32_t tasks) {
    int64_t *left = y->deal.left;
    for (uint32_t i = q->from; i < q->to; i++)
        if (cap[i] - tasks < left[i]) left[i] = cap[i] - tasks;
}

/* Counts the missing tasks of one task shape, of all leaf groups together. */
static void count_tasks(lsched_cycle *y, struct question *q, const struct leaf_room *r,
                        const int64_t *cap, uint32_t tasks) {
    /* share[] is free for this use, because no tasks are distributed yet */
    int64_t *lack = y->deal.share;
    count_left(y, q, cap, tasks);
    for (uint32_t i = q->from; i < q->to; i++) {
        int64_t need = y->search ? tasks - r->free[i] : 0;
        if (cap[i] > q->best && (q->only == NO_ROW || q->only == i)) q->best = cap[i];
        if (need > 0) lack[i] += need;
    }
    q->lack += tasks;
}

/* Task blocks and spread rules limit one leaf group, not the other leaf groups of the same task
 * shape. Therefore two tests must pass. The tasks that all these leaf groups need together must
 * fit into the room for single tasks, and the tasks of each leaf group must fit into its own room.
 * If only one leaf group has the shape, the second test is enough. */
static int32_t count_shape(lsched_cycle *y, struct question *q, uint32_t topology, uint32_t group,
                           uint32_t *lacks, uint32_t n) {
    const struct columns *k = y->k;
    uint32_t shape = leaf_shape(k, q->job, group), tasks = 0, leaves = 0;
    struct leaf_room r;
    for (uint32_t g = group; g < n; g++) {
        if (lacks[g] == 0 || leaf_shape(k, q->job, g) != shape) continue;
        tasks += lacks[g];
        leaves++;
    }
    for (uint32_t g = group; g < n; g++) {
        if (lacks[g] == 0 || leaf_shape(k, q->job, g) != shape) continue;
        int32_t rc = room_of_leaf(y, q->job, g, topology, &r);
        if (rc != LSCHED_OK) return rc;
        if (leaves > 1 && r.d.cap != r.room) count_left(y, q, r.d.cap, lacks[g]);
        if (g == group) count_tasks(y, q, &r, leaves > 1 ? r.room : r.d.cap, tasks);
        lacks[g] = 0;
    }
    q->shape = shape;
    return LSCHED_OK;
}

/* Counts all leaf groups below the group that lack tasks. */
static int32_t count_leaves(lsched_cycle *y, struct question *q, uint32_t topology) {
    const struct columns *k = y->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[q->job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             lacks[LSCHED_GROUPS_PER_JOB_MAX];
    group_lacks(k, q->job, q->group, lacks);
    if (k->c[C_GROUP_CHILDREN].u32[row_of(y, q->job, q->group)] == 0) lacks[q->group] = q->tasks;
    for (uint32_t g = q->group; g < n; g++) {
        if (lacks[g] == 0) continue;
        if (g != q->group && k->c[C_GROUP_N_ALTERNATIVES].u32[group_row(k, jobshape, g)] > 1)
            q->sure = 0; /* another alternative can fit in a domain that cannot hold this one */
        int32_t rc = count_shape(y, q, topology, g, lacks, n);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* True if every group at or below this one needs all its children. Otherwise the set of leaves
 * that will be placed is only a guess. */
static int all_needed(const lsched_cycle *y, uint32_t job, uint32_t group) {
    const struct columns *k = y->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    uint8_t below[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    below[group] = 1;
    for (uint32_t g = group; g < n; g++) {
        uint32_t row = group_row(k, jobshape, g);
        if (g > group) below[g] = below[k->c[C_GROUP_PARENT].u32[row]];
        if (below[g] && k->c[C_GROUP_CHILDREN].u32[row] > k->c[C_GROUP_MIN].u32[row]) return 0;
    }
    return 1;
}

static int found_before(const struct topology_map *m, const struct found *a,
                        const struct found *b) {
    if (a->lack != b->lack) return a->lack < b->lack;
    if (a->left != b->left) return a->left < b->left;
    return m->by_name[a->number] < m->by_name[b->number];
}

/* Writes the best `most` candidates to the window, sorted, and returns the number of all
 * candidates. The window is kept sorted by insertion. */
static uint32_t choose(const lsched_cycle *y, const struct question *q,
                       const struct topology_map *m, struct found *window, uint32_t most) {
    const int64_t *left = y->deal.left, *lack = y->deal.share;
    uint32_t n = 0, all = 0;
    for (uint32_t i = q->from; i < q->to; i++) {
        struct found f = {lack[i], left[i], i};
        if ((q->only != NO_ROW && q->only != i) || (q->held && !q->held[i])) continue;
        if (f.left < 0 && q->sure) continue;
        if (f.left < 0)
            /* too small for all leaf groups counted, but maybe not for others: comes last */
            f = (struct found){INT64_MAX, -f.left, i};
        all++;
        if (n == most && (n == 0 || !found_before(m, &f, &window[n - 1]))) continue;
        uint32_t at = n < most ? n++ : n - 1;
        for (; at > 0 && found_before(m, &f, &window[at - 1]); at--) window[at] = window[at - 1];
        window[at] = f;
    }
    return all;
}

static void diagnose(lsched_cycle *y, const struct question *q) {
    y->why.code = LSCHED_WAIT_TOPOLOGY;
    y->why.group = q->group;
    y->why.shape = NO_ROW;
    y->why.need = q->tasks;
    y->why.have = -1;
    if (q->shape == NO_ROW) return;
    act_name_scarcest(y, q->shape);
    y->why.need = q->lack;
    if (group_shape(y->k, y->k->c[C_JOB_SHAPE].u32[q->job], q->group) == NO_ROW) return;
    y->why.shape = q->shape;
    /* with a spread rule, too, a reader would take the numbers for those of that rule */
    if (y->k->c[C_GROUP_SPREAD].u32[row_of(y, q->job, q->group)] == NO_ROW) y->why.have = q->best;
}

/* Chooses the domains of the level that the query looks at: the domains inside `within`. If the
 * group already has tasks, only the domains that have them count. */
static int32_t limit_question(lsched_cycle *y, struct question *q, uint32_t topology,
                              uint32_t level, uint32_t within) {
    struct topology_map *m = &y->c->maps[topology];
    struct columns *k = y->k;
    uint32_t outer = NO_ROW;
    q->only = NO_ROW;
    q->from = q->to = 0;
    if (within != NO_ROW && k->c[C_DOMAIN_TOPOLOGY].u32[within] == topology)
        outer = m->number[within];
    if (outer != NO_ROW && topology_map_level(m, outer) > level) {
        /* `within` is deeper than the level, therefore it is the only candidate */
        q->from = outer;
        q->to = outer + 1;
        return LSCHED_OK;
    }
    topology_map_below(m, outer, level, &q->from, &q->to);
    if (k->c[C_GROUP_REQUIRED].u32[row_of(y, q->job, q->group)] != level)
        return gang_domains_held(&y->pins, k, m, q->job, q->group, &q->held);
    uint32_t pinned = gang_domains_required(&y->pins, k, q->job, q->group);
    if (pinned == NOWHERE)
        q->to = q->from;
    else if (pinned != NO_ROW)
        q->only = m->number[pinned];
    return LSCHED_OK;
}

static int32_t answer(lsched_cycle *y, struct question *q, uint32_t topology, uint32_t skip,
                      uint32_t *rows, uint32_t cap) {
    const struct topology_map *m = &y->c->maps[topology];
    uint32_t most = q->to - q->from;
    for (uint32_t i = q->from; i < q->to; i++) {
        y->deal.left[i] = INT64_MAX;
        y->deal.share[i] = 0;
    }
    steps_add(y->k, most);
    int32_t rc = count_leaves(y, q, topology);
    if (rc != LSCHED_OK) return rc;
    if (most > skip + cap) most = skip + cap;
    struct found *window = alloc_new(y->k->alloc, (most + 1ul) * sizeof *window);
    if (!window) return LSCHED_E_NOMEM;
    uint32_t n = choose(y, q, m, window, most);
    for (uint32_t i = skip; i < most && i < n; i++) rows[i - skip] = m->row[window[i].number];
    alloc_free(y->k->alloc, window, (most + 1ul) * sizeof *window);
    if (n == 0) diagnose(y, q);
    return (int32_t)n;
}

/* ---- even distribution over domains ---- */

/* Returns the level whose domains share the tasks of a leaf group evenly from the beginning: the
 * preferred level of a balanced leaf group that holds nothing yet. NO_ROW if there is none. An
 * action that evicts chooses nodes by the cost of their victims instead. */
static uint32_t even_level_of(const lsched_cycle *y, uint32_t job, uint32_t group,
                              const uint32_t *held) {
    const struct columns *k = y->k;
    uint32_t row = row_of(y, job, group), level = k->c[C_GROUP_PREFERRED].u32[row];
    if (k->c[C_GROUP_MODE].u8[row] != LSCHED_DOMAINS_BALANCED) return NO_ROW;
    if (held || y->search || k->c[C_GROUP_CHILDREN].u32[row] > 0) return NO_ROW;
    return k->c[C_GROUP_REQUIRED].u32[row] == level ? NO_ROW : level;
}

/* Finds the domain below which the tasks of the leaf group can be shared most evenly. *row is its
 * row, NO_ROW for the whole tree. Returns 1, 0 if there is none, or LSCHED_E_NOMEM. */
static int32_t even_root(lsched_cycle *y, const struct question *q, uint32_t topology,
                         uint32_t level, uint32_t within, uint32_t *row) {
    struct columns *k = y->k;
    const struct topology_map *m = &y->c->maps[topology];
    struct leaf_room r;
    if (level != even_level_of(y, q->job, q->group, q->held)) return 0;
    if (within != NO_ROW && (k->c[C_DOMAIN_TOPOLOGY].u32[within] != topology ||
                             topology_map_level(m, m->number[within]) >= level))
        return 0;
    int32_t rc = room_of_leaf(y, q->job, q->group, topology, &r);
    if (rc != LSCHED_OK) return rc;
    r.d.even_level = level;
    *row = NO_ROW;
    if (level == 0) return assign_evenly_rank(&r.d, NO_ROW, q->tasks).slices > 0;
    uint32_t from, to, best = NO_ROW;
    struct assign_rank first = {0, 0};
    topology_map_below(m, within == NO_ROW ? NO_ROW : m->number[within], level - 1, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        struct assign_rank x = assign_evenly_rank(&r.d, i, q->tasks);
        if (x.slices == 0 || x.slices < first.slices) continue;
        int better = x.slices > first.slices || x.n < first.n;
        if (!better && x.n > first.n) continue;
        if (!better && r.d.cap[i] > r.d.cap[best]) continue;
        if (!better && r.d.cap[i] == r.d.cap[best] && m->by_name[i] > m->by_name[best]) continue;
        best = i;
        first = x;
    }
    if (best != NO_ROW) *row = m->row[best];
    return best != NO_ROW;
}

int32_t call_domains(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t topology,
                     uint32_t level, uint32_t within, uint32_t tasks, uint32_t skip, uint32_t *rows,
                     uint32_t cap) {
    struct columns *k = y->k;
    if (!act_job_valid(y, job) ||
        group >= k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]])
        return LSCHED_E_INVAL;
    if (!row_is_live(k, T_TOPOLOGY, topology) || level >= k->c[C_TOPOLOGY_N_LEVELS].u32[topology])
        return LSCHED_E_INVAL;
    if (within != NO_ROW && !row_is_live(k, T_DOMAIN, within)) return LSCHED_E_INVAL;
    struct question q = {.job = job, .group = group, .tasks = tasks, .best = -1, .shape = NO_ROW};
    q.sure = all_needed(y, job, group);
    int32_t rc = topology_map_update(&y->c->maps[topology], k, topology);
    if (rc == LSCHED_OK) rc = scratch_reserve(y, y->c->maps[topology].n_domains);
    if (rc == LSCHED_OK) rc = limit_question(y, &q, topology, level, within);
    /* The best even distribution comes before each domain that holds the leaf group alone. */
    uint32_t row = NO_ROW;
    if (rc == LSCHED_OK) rc = even_root(y, &q, topology, level, within, &row);
    int32_t even = rc == 1;
    if (even && skip > 0) {
        skip--;
    } else if (even && cap > 0) {
        *rows++ = row;
        cap--;
    }
    if (rc >= 0) rc = answer(y, &q, topology, skip, rows, cap);
    act_spend(y, 1);
    return rc < 0 ? rc : rc + even;
}

/* ---- distribution of a leaf group's tasks ---- */

/* Returns all tasks as one portion (lsched_part), for any node with room in the domain. */
static int32_t undivided(lsched_cycle *y, uint32_t domain, uint32_t tasks,
                         const lsched_part **parts, uint32_t *n) {
    y->deal.whole = (lsched_part){domain, tasks};
    *parts = &y->deal.whole;
    *n = 1;
    return 1;
}

static int32_t deal_to_slices(lsched_cycle *y, uint32_t job, uint32_t group, struct leaf_room *r,
                              uint32_t root, uint32_t tasks) {
    struct gang_slices *slices;
    const struct topology_map *m = r->map;
    int32_t rc = gang_domains_slices(&y->pins, y->k, job, group, &slices);
    if (rc != LSCHED_OK) return rc;
    /* d.cap may already count whole task blocks: copy the index's own counts of single tasks */
    if (m->n_domains > 0) /* room[] can be NULL if the topology has no domains */
        memcpy(y->deal.left, r->room, m->n_domains * sizeof *r->room);
    struct assign_slices s = {.k = y->k,
                              .d = &r->d,
                              .job = job,
                              .group = group,
                              .root = root,
                              .room = y->deal.left,
                              .caps = y->deal.room,
                              .limit = r->limited ? y->deal.limit : NULL,
                              .limit_level = r->spread_level,
                              .parts = y->deal.parts,
                              .out = &y->deal.dealt,
                              .slices = slices};
    return assign_slices(&s, tasks);
}

static int32_t give_out(lsched_cycle *y, const struct topology_map *m, const struct tree_part *part,
                        uint32_t n_parts, const lsched_part **parts, uint32_t *n) {
    struct deal_scratch *s = &y->deal;
    if (n_parts > s->cap_out) {
        lsched_part *p = alloc_new(y->k->alloc, n_parts * sizeof *p);
        if (!p) return LSCHED_E_NOMEM;
        alloc_free(y->k->alloc, s->out, s->cap_out * sizeof *p);
        s->out = p;
        s->cap_out = n_parts;
    }
    for (uint32_t i = 0; i < n_parts; i++)
        s->out[i] = (lsched_part){m->row[part[i].number], part[i].tasks};
    *parts = s->out;
    *n = n_parts;
    return 1;
}

/* Returns the topology along which the tasks of a leaf group are distributed below the domain.
 * NO_ROW if they are not distributed. */
static uint32_t tree_of(const lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                        uint32_t *wish) {
    const struct columns *k = y->k;
    *wish = wish_of(y, job, group);
    if (*wish == NO_ROW) return NO_ROW;
    uint32_t topology = k->c[C_GROUP_TOPOLOGY].u32[row_of(y, job, *wish)];
    if (domain != NO_ROW && k->c[C_DOMAIN_TOPOLOGY].u32[domain] != topology) return NO_ROW;
    /* An action that evicts chooses nodes by the cost of their victims, anywhere in the domain. */
    if (y->search && k->c[C_GROUP_N_SLICES].u8[row_of(y, job, group)] == 0) return NO_ROW;
    return topology;
}

/* Says in y->why that the task blocks do not fit, although as many single tasks would fit. */
static void diagnose_slices(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t tasks) {
    y->why.code = LSCHED_WAIT_TOPOLOGY;
    y->why.group = group;
    y->why.shape = leaf_shape(y->k, job, group);
    act_name_scarcest(y, y->why.shape);
    y->why.need = tasks;
    y->why.have = -1;
}

static int32_t deal_out(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                        uint32_t tasks, uint32_t wish, struct leaf_room *r,
                        const lsched_part **parts, uint32_t *n) {
    uint32_t root = domain == NO_ROW ? NO_ROW : r->map->number[domain];
    int32_t rc = gang_domains_held(&y->pins, y->k, r->map, job, wish, &r->d.held);
    if (rc != LSCHED_OK) return rc;
    r->d.balanced = y->k->c[C_GROUP_MODE].u8[row_of(y, job, wish)] == LSCHED_DOMAINS_BALANCED;
    if (wish == group) r->d.even_level = even_level_of(y, job, group, r->d.held);
    if (r->d.n_slices) {
        rc = deal_to_slices(y, job, group, r, root, tasks);
        if (rc == 0) diagnose_slices(y, job, group, tasks);
        return rc == 1 ? give_out(y, r->map, y->deal.dealt.part, y->deal.dealt.n, parts, n) : rc;
    }
    uint32_t n_parts = assign_deal(&r->d, root, tasks, y->deal.parts);
    if (n_parts == 0) return undivided(y, domain, tasks, parts, n);
    return give_out(y, r->map, y->deal.parts, n_parts, parts, n);
}

int32_t call_divide(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain, uint32_t tasks,
                    const lsched_part **parts, uint32_t *n) {
    struct leaf_room r;
    uint32_t wish;
    if (!act_job_valid(y, job) || !act_is_leaf(y, job, group)) return LSCHED_E_INVAL;
    if (domain != NO_ROW && !row_is_live(y->k, T_DOMAIN, domain)) return LSCHED_E_INVAL;
    act_spend(y, 1);
    uint32_t topology = tasks ? tree_of(y, job, group, domain, &wish) : NO_ROW;
    if (topology == NO_ROW) return undivided(y, domain, tasks, parts, n);
    int32_t rc = room_of_leaf(y, job, group, topology, &r);
    if (rc != LSCHED_OK) return rc;
    return deal_out(y, job, group, domain, tasks, wish, &r, parts, n);
}

int32_t call_full(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain) {
    const struct columns *k = y->k;
    if (!act_job_valid(y, job) || !act_is_leaf(y, job, group)) return LSCHED_E_INVAL;
    if (domain == NO_ROW) return LSCHED_OK;
    if (!row_is_live(k, T_DOMAIN, domain)) return LSCHED_E_INVAL;
    struct deal_full full = {group, domain, 0};
    uint32_t leaf = job_leaf(k, job, group), n = sizeof y->deal.full / sizeof full;
    for (uint32_t t = leaf == NO_ROW ? NO_ROW : k->c[C_LEAF_TASK_FIRST].u32[leaf]; t != NO_ROW;
         t = k->c[C_TASK_NEXT].u32[t]) {
        uint32_t d = k->c[C_TASK_DECISION].u32[t];
        steps_add(k, 1);
        full.tasks += d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == y->group_serial &&
                      domain_contains(k, domain, k->c[C_TASK_NODE].u32[t]);
    }
    if (y->deal.n_full < n) y->deal.full[y->deal.n_full++] = full;
    return LSCHED_OK;
}

/* ---- queries of the placement code ---- */

int32_t domains_best_node(lsched_cycle *y, struct search_index *x, uint32_t domain,
                          uint32_t *node) {
    struct lsched_cluster *c = y->c;
    uint32_t topology = y->k->c[C_DOMAIN_TOPOLOGY].u32[domain];
    struct topology_map *m = &c->maps[topology];
    const struct topology_room *r;
    int32_t rc = topology_map_update(m, y->k, topology);
    if (rc == LSCHED_OK) rc = rooms_get(y, x, m, TOPOLOGY_ROOM_FREE, &r);
    if (rc != LSCHED_OK) return rc;
    uint32_t i = m->number[domain];
    *node = topology_room_best(r, x, &c->view, m->first[i], m->end[i]);
    return LSCHED_OK;
}

int32_t domains_step(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t *tasks) {
    struct gang_slices *s;
    *tasks = 1;
    if (y->k->c[C_GROUP_N_SLICES].u8[row_of(y, job, group)] == 0) return LSCHED_OK;
    int32_t rc = gang_domains_slices(&y->pins, y->k, job, group, &s);
    return rc == LSCHED_OK ? assign_slices_step(y->k, s, job, group, tasks) : rc;
}

/* domain_calls.c -- see domain_calls.h. */
#include "engine/topology/assign_deal.h"
#include "engine/actions/act_state.h"
#include "engine/actions/domain_calls.h"

#include "engine/state/transaction.h"
#include "engine/topology/assign_evenly.h"
#include "engine/topology/exclusive_room.h"
#include "engine/state/cache_check.h"
#include "engine/indexes/spread_limit.h"
#include "engine/indexes/topology_room.h"
#include "model/demand/job_counts.h"
#include "model/shapes/domain.h"
#include "model/store/steps.h"
#include "engine/actions/act_index.h"

/* ---- the group whose topology level counts ---- */

static int has_wish(const struct columns *k, uint32_t row) {
    return k->c[C_GROUP_REQUIRED].u32[row] != NO_ROW ||
           k->c[C_GROUP_PREFERRED].u32[row] != NO_ROW || k->c[C_GROUP_N_SLICES].u8[row] > 0;
}

/* Returns the nearest group that names a topology level or task blocks: the leaf group itself, or
 * else the closest group above it. NO_ROW if there is none. */
static uint32_t wish_of(const struct columns *k, const struct ask *a) {
    for (uint32_t g = a->group;; g = k->c[C_GROUP_PARENT].u32[group_row(k, a->jobshape, g)]) {
        if (has_wish(k, group_row(k, a->jobshape, g))) return g;
        if (g == 0) return NO_ROW;
    }
}

/* ---- scratch ---- */

struct found {
    /* lack: number of tasks that need victims in the domain
     * left: number of tasks for which the domain has room in addition to the group's tasks */
    int64_t lack, left;
    uint32_t number;
};

static void *take(char **at, size_t bytes) {
    void *p = *at;
    *at += (bytes + 7) & ~(size_t)7;
    return p;
}

#define SCRATCH_PER_DOMAIN 96ul

void domains_close(lsched_cycle *cy) {
    gang_domains_close(&cy->act->pins, cy->k);
    alloc_free(cy->k->alloc, cy->act->deal.block, cy->act->deal.cap * SCRATCH_PER_DOMAIN);
    alloc_free(cy->k->alloc, cy->act->deal.out, cy->act->deal.cap_out * sizeof *cy->act->deal.out);
    assign_slices_close(&cy->act->deal.dealt, cy->k);
    memset(&cy->act->deal, 0, sizeof cy->act->deal);
}

static int32_t scratch_reserve(lsched_cycle *cy, uint32_t n) {
    struct deal_scratch *s = &cy->act->deal;
    if (++n > s->cap) {
        char *block = alloc_new(cy->k->alloc, n * SCRATCH_PER_DOMAIN);
        if (!block) return LSCHED_E_NOMEM;
        alloc_free(cy->k->alloc, s->block, s->cap * SCRATCH_PER_DOMAIN);
        s->block = block;
        s->cap = n;
        s->share = take(&block, n * sizeof *s->share);
        s->room = take(&block, n * sizeof *s->room);
        s->limit = take(&block, n * sizeof *s->limit);
        s->left = take(&block, n * sizeof *s->left);
        s->squares = take(&block, n * sizeof *s->squares);
        s->left_over = take(&block, n * sizeof *s->left_over);
        s->own = take(&block, n * sizeof *s->own);
        s->unclosed = take(&block, n * sizeof *s->unclosed);
        s->list = take(&block, n * sizeof *s->list);
        s->tmp = take(&block, n * sizeof *s->tmp);
        s->parts = take(&block, n * sizeof *s->parts);
    }
    return LSCHED_OK;
}

/* ---- room for the tasks of a leaf group ---- */

/* The numbers of tasks of one leaf group that the domains of a topology can hold. */
struct leaf_room {
    struct topology_map *map;
    /* d.cap: number of tasks that each domain can hold, by domain number. While victims are
     * sought, all nodes count as empty. */
    struct assign_domains d;
    /* number of tasks by domain number if spread limits and task blocks are ignored: `free` counts
     * free room, `room` counts the same room as d.cap */
    const int64_t *free, *room;
    /* the same as `room`, but counts on each node at most the tasks that the group's limit for
     * nodes allows; equal to `room` if the group has no such limit */
    const int64_t *own;
    const uint32_t *tasks; /* number of tasks by position, as `room` counts them */
    const int64_t *open;   /* `room` before exclusive levels closed domains */
    uint32_t spread_level;
    int limited;
};

/* Computes r->own of a leaf group that has a limit for nodes. Cost: O(nodes of the topology). */
static void count_by_node(lsched_cycle *cy, const struct spread_limit *s, struct leaf_room *r) {
    const struct topology_map *m = r->map;
    int64_t *own = cy->act->deal.own;
    uint32_t deepest = m->level_first[m->n_levels - 1];
    steps_add(cy->k, m->n_places);
    for (uint32_t i = m->n_domains; i-- > 0;) {
        own[i] = 0;
        for (uint32_t p = m->first[i]; i >= deepest && p < m->end[i]; p++) {
            uint32_t node = m->node_at[p];
            if (node == NO_ROW) continue;
            uint32_t left = spread_limit_node_left(s, node);
            own[i] += r->tasks[p] < left ? r->tasks[p] : left;
        }
        for (uint32_t c = m->child[i]; i < deepest && c < m->child[i + 1]; c++) own[i] += own[c];
        if (own[i] > r->room[i]) own[i] = r->room[i];
    }
    r->own = own;
}

/* Stores in limit[], for each domain of the spread level, the number of further tasks that the
 * group's spread rule allows there, and sets r->own. */
static int32_t read_spread(lsched_cycle *cy, const struct ask *a, struct leaf_room *r) {
    struct spread_limit s;
    const struct topology_map *m = r->map;
    int32_t rc = spread_limit_open(&s, cy->k, a);
    if (rc != LSCHED_OK) return rc;
    r->limited = s.level != NO_ROW && s.topology == m->topology;
    r->spread_level = s.level;
    for (uint32_t i = r->limited ? m->level_first[s.level] : 0;
         r->limited && i < m->level_first[s.level + 1]; i++)
        cy->act->deal.limit[i] = s.held[m->row[i]] < s.max ? (int64_t)s.max - s.held[m->row[i]] : 0;
    r->own = r->room;
    if (s.node_max) count_by_node(cy, &s, r);
    spread_limit_close(&s, cy->k);
    return LSCHED_OK;
}

static void read_slices(const struct columns *k, const struct ask *a, struct leaf_room *r) {
    if (k->c[C_GROUP_TOPOLOGY].u32[a->row] != r->map->topology) return;
    r->d.n_slices = k->c[C_GROUP_N_SLICES].u8[a->row];
    for (uint32_t i = 0; i < r->d.n_slices; i++)
        r->d.slice[i] = (struct tree_slice){k->c[C_GROUP_SLICE_LEVEL0 + i].u32[a->row],
                                            k->c[C_GROUP_SLICE_TASKS0 + i].u32[a->row]};
}

/* If the leaf group has spread limits or task blocks, computes from the room of the deepest
 * domains how many tasks each domain can hold within these rules; deal.room has the numbers. */
static void round_caps(lsched_cycle *cy, struct leaf_room *r) {
    const struct topology_map *m = r->map;
    uint32_t from = m->level_first[m->n_levels - 1];
    r->d.cap = r->own;
    if (!r->limited && r->d.n_slices == 0) return;
    if (m->n_domains > from) /* own[] can be NULL if the topology has no domains */
        memcpy(cy->act->deal.room + from, r->own + from, (m->n_domains - from) * sizeof *r->own);
    assign_domains_caps(&r->d, cy->act->deal.room, r->spread_level,
                        r->limited ? cy->act->deal.limit : NULL);
    r->d.cap = cy->act->deal.room;
}

/* Corrects the room counts of the domains that the action reported with call_full, because fewer
 * tasks found places there than the count said. The new count of such a domain is the number of
 * tasks that found places in it. The counts of all domains above it are lowered by the same
 * difference. */
static void note_full(lsched_cycle *cy, uint32_t group, struct leaf_room *r) {
    const struct topology_map *m = r->map;
    int64_t *room = cy->act->deal.left_over;
    for (uint32_t f = 0; f < cy->act->deal.n_full; f++) {
        const struct deal_full *full = &cy->act->deal.full[f];
        uint32_t i = full->domain < m->domain_rows ? m->number[full->domain] : NO_ROW;
        if (full->group != group || i == NO_ROW) continue;
        if (r->room != room) memcpy(room, r->room, m->n_domains * sizeof *room);
        r->room = room;
        int64_t less = room[i] - full->tasks;
        for (; less > 0 && i != NO_ROW; i = m->parent[i]) room[i] -= less;
    }
}

static int32_t rooms_get(lsched_cycle *cy, struct search_index *x, const struct topology_map *map,
                         int empty, const struct topology_room **out) {
    struct lsched_cluster *c = cy->c;
    int32_t rc = topology_room_get(&c->search, cy->k, &c->view, x, map, empty, out);
    if (rc == LSCHED_OK && cache_check_due(c)) rc = c->check_caches->rooms(cy, x, map, *out);
    return rc;
}

/* Leaves out the room that exclusive levels close; if victims are sought, of the free room only. */
static int32_t note_closed(lsched_cycle *cy, const struct ask *a, const uint32_t *tasks,
                           struct leaf_room *r) {
    const int64_t **from = cy->victims ? &r->free : &r->room;
    r->open = r->room;
    if (!meta(cy->k, M_EXCLUSIVE) || r->map->n_domains == 0) return LSCHED_OK;
    *from = memcpy(cy->act->deal.unclosed, *from, r->map->n_domains * sizeof **from);
    struct exclusive_room e = {r->map, tasks, cy->act->deal.unclosed, cy->victims != NULL};
    return exclusive_room_lower(&e, cy->k, &cy->c->affinity, a, (int)cy->turn.later);
}

static int32_t room_of_leaf(lsched_cycle *cy, const struct ask *a, uint32_t topology,
                            struct leaf_room *r) {
    struct search_index *x;
    const struct topology_room *free = NULL, *empty;
    struct lsched_cluster *c = cy->c;
    memset(r, 0, sizeof *r);
    r->map = &c->maps[topology];
    int32_t rc = act_index(cy, a, &x);
    if (rc == LSCHED_OK) rc = topology_map_update(r->map, cy->k, topology);
    if (rc == LSCHED_OK) rc = rooms_get(cy, x, r->map, TOPOLOGY_ROOM_FREE, &free);
    empty = free;
    if (rc == LSCHED_OK && cy->victims) rc = rooms_get(cy, x, r->map, TOPOLOGY_ROOM_EMPTY, &empty);
    if (rc == LSCHED_OK) rc = scratch_reserve(cy, r->map->n_domains);
    if (rc != LSCHED_OK) return rc;
    read_slices(cy->k, a, r);
    r->d.map = r->map;
    r->d.even_level = NO_ROW;
    r->d.share = cy->act->deal.share;
    r->d.squares = cy->act->deal.squares;
    r->d.list = cy->act->deal.list;
    r->d.tmp = cy->act->deal.tmp;
    r->free = free->room;
    r->room = empty->room;
    r->tasks = empty->tasks;
    note_full(cy, a->group, r);
    rc = note_closed(cy, a, free->tasks, r);
    if (rc == LSCHED_OK) rc = read_spread(cy, a, r);
    if (rc == LSCHED_OK) round_caps(cy, r);
    return rc;
}

/* ---- candidates ---- */

/* One query: which of the domains [from, to) of a level can hold the tasks that a group lacks. */
struct question {
    const struct ask *ask; /* the group that is asked for, a leaf group or an inner group */
    /* only: the number of the only allowed domain; NO_ROW: all domains of [from, to) are allowed */
    uint32_t tasks, from, to, only;
    /* 1 if the group cannot start without every leaf group that is counted */
    int sure;
    /* number of the group's placed tasks by domain number: only domains with placed tasks are
     * candidates; NULL if the group has no placed task */
    const uint32_t *held;
    /* largest number of tasks of the leaf group that one domain can hold; -1 if not counted */
    int64_t best;
    /* task shape of the last leaf group that lacks tasks; NO_ROW: no leaf group lacks tasks */
    uint32_t shape;
    int64_t lack; /* number of tasks that all leaf groups together lack */
    int closed;   /* 1 if exclusive levels alone close a domain that has room */
};

/* Computes for each domain how many further tasks fit after the domain has taken `tasks` tasks, if
 * it can hold cap[] tasks. Stores the result in left[] of the domain, unless left[] is already
 * smaller. */
static void count_left(lsched_cycle *cy, const struct question *q, const int64_t *cap,
                       uint32_t tasks) {
    int64_t *left = cy->act->deal.left;
    for (uint32_t i = q->from; i < q->to; i++)
        if (cap[i] - tasks < left[i]) left[i] = cap[i] - tasks;
}

/* Counts the missing tasks of all leaf groups with one task shape, and the room of the domains for
 * them. tasks: number of these missing tasks. cap: number of such tasks that each domain can
 * hold. */
static void count_tasks(lsched_cycle *cy, struct question *q, const struct leaf_room *r,
                        const int64_t *cap, uint32_t tasks) {
    /* share[] is free for this use, because no tasks are distributed yet */
    int64_t *lack = cy->act->deal.share;
    count_left(cy, q, cap, tasks);
    for (uint32_t i = q->from; i < q->to; i++) {
        int64_t need = cy->victims ? tasks - r->free[i] : 0;
        if (cap[i] > q->best && (q->only == NO_ROW || q->only == i)) q->best = cap[i];
        q->closed |= cap[i] < tasks && r->room[i] < r->open[i] && r->open[i] >= tasks;
        if (need > 0) lack[i] += need;
    }
    q->lack += tasks;
}

/* Task blocks and spread rules limit one leaf group, not the other leaf groups of the same task
 * shape. Therefore two tests must pass. First, the missing tasks of all leaf groups with this
 * shape together must fit if spread rules and task blocks are ignored. Second, the missing tasks
 * of each leaf group alone must fit within its own rules. If only one leaf group has the shape,
 * the second test is enough. */
static int32_t count_shape(lsched_cycle *cy, struct question *q, uint32_t topology, uint32_t group,
                           uint32_t *lacks, uint32_t n) {
    const struct columns *k = cy->k;
    uint32_t job = q->ask->job, shape = leaf_shape(k, job, group), tasks = 0, leaves = 0;
    struct leaf_room r;
    struct ask leaf;
    for (uint32_t g = group; g < n; g++) {
        if (lacks[g] == 0 || leaf_shape(k, job, g) != shape) continue;
        tasks += lacks[g];
        leaves++;
    }
    for (uint32_t g = group; g < n; g++) {
        if (lacks[g] == 0 || leaf_shape(k, job, g) != shape) continue;
        ask_open(&leaf, k, job, g);
        int32_t rc = room_of_leaf(cy, &leaf, topology, &r);
        if (rc != LSCHED_OK) return rc;
        if (leaves > 1 && r.d.cap != r.room) count_left(cy, q, r.d.cap, lacks[g]);
        if (g == group) count_tasks(cy, q, &r, leaves > 1 ? r.room : r.d.cap, tasks);
        lacks[g] = 0;
    }
    q->shape = shape;
    return LSCHED_OK;
}

/* Counts the missing tasks of the group and of all leaf groups below it. */
static int32_t count_leaves(lsched_cycle *cy, struct question *q, uint32_t topology) {
    const struct columns *k = cy->k;
    const struct ask *a = q->ask;
    uint32_t n = k->c[C_JOBSHAPE_N_GROUPS].u32[a->jobshape], lacks[LSCHED_GROUPS_PER_JOB_MAX];
    group_lacks(k, a->job, a->group, lacks);
    if (a->shape != NO_ROW) lacks[a->group] = q->tasks;
    for (uint32_t g = a->group; g < n; g++) {
        if (lacks[g] == 0) continue;
        if (g != a->group && k->c[C_GROUP_N_ALTERNATIVES].u32[group_row(k, a->jobshape, g)] > 1)
            /* another alternative of a task can fit in a domain that cannot hold the present one */
            q->sure = 0;
        int32_t rc = count_shape(cy, q, topology, g, lacks, n);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* True if every group at or below this one needs all its children. Otherwise it is not known which
 * leaf groups will be placed. */
static int all_needed(const struct columns *k, const struct ask *a) {
    uint32_t n = k->c[C_JOBSHAPE_N_GROUPS].u32[a->jobshape];
    uint8_t below[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    below[a->group] = 1;
    for (uint32_t g = a->group; g < n; g++) {
        uint32_t row = group_row(k, a->jobshape, g);
        if (g > a->group) below[g] = below[k->c[C_GROUP_PARENT].u32[row]];
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

/* Writes the `most` best candidates to window[], best first, and returns the number of all
 * candidates. Each candidate is inserted into window[] at its sorted position. */
static uint32_t choose(const lsched_cycle *cy, const struct question *q,
                       const struct topology_map *m, struct found *window, uint32_t most) {
    const int64_t *left = cy->act->deal.left, *lack = cy->act->deal.share;
    uint32_t n = 0, all = 0;
    for (uint32_t i = q->from; i < q->to; i++) {
        struct found f = {lack[i], left[i], i};
        if ((q->only != NO_ROW && q->only != i) || (q->held && !q->held[i])) continue;
        if (f.left < 0 && q->sure) continue;
        if (f.left < 0)
            /* The domain is too small for all counted leaf groups together, but the leaf groups
             * that will be placed can still fit. Therefore the domain comes last. */
            f = (struct found){INT64_MAX, -f.left, i};
        all++;
        if (n == most && (n == 0 || !found_before(m, &f, &window[n - 1]))) continue;
        uint32_t at = n < most ? n++ : n - 1;
        for (; at > 0 && found_before(m, &f, &window[at - 1]); at--) window[at] = window[at - 1];
        window[at] = f;
    }
    return all;
}

static void diagnose(lsched_cycle *cy, const struct question *q) {
    cy->turn.why.code = q->closed ? LSCHED_WAIT_RULES : LSCHED_WAIT_TOPOLOGY;
    cy->turn.why.group = q->ask->group;
    cy->turn.why.shape = NO_ROW;
    cy->turn.why.need = q->tasks;
    cy->turn.why.have = q->closed ? 0 : -1;
    if (q->shape == NO_ROW) return;
    act_name_scarcest(cy, q->shape);
    cy->turn.why.need = q->lack;
    if (q->ask->shape == NO_ROW) return;
    cy->turn.why.shape = q->shape;
    /* if the group has a spread rule, `have` is omitted, because a reader would take the numbers
     * for those of the spread rule */
    if (!q->closed && !group_is_spread(cy->k, q->ask->row)) cy->turn.why.have = q->best;
}

/* Chooses the domains of the level that the query looks at: the domains inside `within`. If the
 * group already has placed tasks, only the domains that have these tasks are looked at. */
static int32_t limit_question(lsched_cycle *cy, struct question *q, uint32_t topology,
                              uint32_t level, uint32_t within) {
    struct topology_map *m = &cy->c->maps[topology];
    struct columns *k = cy->k;
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
    if (k->c[C_GROUP_REQUIRED].u32[q->ask->row] != level)
        return gang_domains_held(&cy->act->pins, k, m, q->ask->job, q->ask->group, &q->held);
    uint32_t pinned = gang_domains_required(&cy->act->pins, k, q->ask->job, q->ask->group);
    if (pinned == NOWHERE)
        q->to = q->from;
    else if (pinned != NO_ROW)
        q->only = m->number[pinned];
    return LSCHED_OK;
}

static int32_t answer(lsched_cycle *cy, struct question *q, uint32_t topology, uint32_t skip,
                      uint32_t *rows, uint32_t cap) {
    const struct topology_map *m = &cy->c->maps[topology];
    uint32_t most = q->to - q->from;
    for (uint32_t i = q->from; i < q->to; i++) {
        cy->act->deal.left[i] = INT64_MAX;
        cy->act->deal.share[i] = 0;
    }
    steps_add(cy->k, most);
    int32_t rc = count_leaves(cy, q, topology);
    if (rc != LSCHED_OK) return rc;
    if (most > skip + cap) most = skip + cap;
    struct found *window = alloc_new(cy->k->alloc, (most + 1ul) * sizeof *window);
    if (!window) return LSCHED_E_NOMEM;
    uint32_t n = choose(cy, q, m, window, most);
    for (uint32_t i = skip; i < most && i < n; i++) rows[i - skip] = m->row[window[i].number];
    alloc_free(cy->k->alloc, window, (most + 1ul) * sizeof *window);
    if (n == 0) diagnose(cy, q);
    return (int32_t)n;
}

/* ---- even distribution over domains ---- */

/* Returns the level over whose domains the tasks of the leaf group are distributed evenly: the
 * preferred level of a leaf group with the mode `balanced` that has no placed task. NO_ROW if
 * there is no such level. While victims are sought, the result is NO_ROW, because nodes are then
 * chosen by the cost of their victims. */
static uint32_t even_level_of(const lsched_cycle *cy, const struct ask *a, const uint32_t *held) {
    const struct columns *k = cy->k;
    uint32_t level = k->c[C_GROUP_PREFERRED].u32[a->row];
    if (k->c[C_GROUP_MODE].u8[a->row] != LSCHED_DOMAINS_BALANCED) return NO_ROW;
    if (held || cy->victims || a->shape == NO_ROW) return NO_ROW;
    return k->c[C_GROUP_REQUIRED].u32[a->row] == level ? NO_ROW : level;
}

/* Finds the domain below which the tasks of the leaf group can be distributed most evenly. Stores
 * the row of this domain in *row, NO_ROW for the whole topology. Returns 1, 0 if no even
 * distribution exists, or LSCHED_E_NOMEM. */
static int32_t even_root(lsched_cycle *cy, const struct question *q, uint32_t topology,
                         uint32_t level, uint32_t within, uint32_t *row) {
    struct columns *k = cy->k;
    const struct topology_map *m = &cy->c->maps[topology];
    struct leaf_room r;
    if (level != even_level_of(cy, q->ask, q->held)) return 0;
    if (within != NO_ROW && (k->c[C_DOMAIN_TOPOLOGY].u32[within] != topology ||
                             topology_map_level(m, m->number[within]) >= level))
        return 0;
    int32_t rc = room_of_leaf(cy, q->ask, topology, &r);
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

int32_t call_domains(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t topology,
                     uint32_t level, uint32_t within, uint32_t tasks, uint32_t skip, uint32_t *rows,
                     uint32_t cap) {
    struct columns *k = cy->k;
    const struct ask *a = act_group(cy, job, group);
    if (!a) return LSCHED_E_INVAL;
    if (!row_is_live(k, T_TOPOLOGY, topology) || level >= k->c[C_TOPOLOGY_N_LEVELS].u32[topology])
        return LSCHED_E_INVAL;
    if (within != NO_ROW && !row_is_live(k, T_DOMAIN, within)) return LSCHED_E_INVAL;
    struct question q = {.ask = a, .tasks = tasks, .best = -1, .shape = NO_ROW};
    q.sure = all_needed(k, a);
    int32_t rc = topology_map_update(&cy->c->maps[topology], k, topology);
    if (rc == LSCHED_OK) rc = scratch_reserve(cy, cy->c->maps[topology].n_domains);
    if (rc == LSCHED_OK) rc = limit_question(cy, &q, topology, level, within);
    /* The first candidate is the domain of the best even distribution. The domains of the level,
     * each of which can hold all tasks, come after it. */
    uint32_t row = NO_ROW;
    if (rc == LSCHED_OK) rc = even_root(cy, &q, topology, level, within, &row);
    int32_t even = rc == 1;
    if (even && skip > 0) {
        skip--;
    } else if (even && cap > 0) {
        *rows++ = row;
        cap--;
    }
    if (rc >= 0) rc = answer(cy, &q, topology, skip, rows, cap);
    act_spend(cy, 1);
    return rc < 0 ? rc : rc + even;
}

/* ---- distribution of a leaf group's tasks ---- */

/* Returns all tasks as one lsched_part, without a distribution: each task can go to any node of
 * the domain with room. */
static int32_t undivided(lsched_cycle *cy, uint32_t domain, uint32_t tasks,
                         const lsched_part **parts, uint32_t *n) {
    cy->act->deal.whole = (lsched_part){domain, tasks};
    *parts = &cy->act->deal.whole;
    *n = 1;
    return 1;
}

static int32_t deal_to_slices(lsched_cycle *cy, const struct ask *a, struct leaf_room *r,
                              uint32_t root, uint32_t tasks) {
    struct gang_slices *slices;
    const struct topology_map *m = r->map;
    int32_t rc = gang_domains_slices(&cy->act->pins, cy->k, a, &slices);
    if (rc != LSCHED_OK) return rc;
    /* d.cap can count whole task blocks already, therefore the counts of single tasks are copied
     * from the index */
    if (m->n_domains > 0) /* own[] can be NULL if the topology has no domains */
        memcpy(cy->act->deal.left, r->own, m->n_domains * sizeof *r->own);
    struct assign_slices s = {.k = cy->k,
                              .d = &r->d,
                              .ask = a,
                              .root = root,
                              .room = cy->act->deal.left,
                              .caps = cy->act->deal.room,
                              .limit = r->limited ? cy->act->deal.limit : NULL,
                              .limit_level = r->spread_level,
                              .parts = cy->act->deal.parts,
                              .out = &cy->act->deal.dealt,
                              .slices = slices};
    return assign_slices(&s, tasks);
}

static int32_t give_out(lsched_cycle *cy, const struct topology_map *m,
                        const struct tree_part *part, uint32_t n_parts, const lsched_part **parts,
                        uint32_t *n) {
    struct deal_scratch *s = &cy->act->deal;
    if (n_parts > s->cap_out) {
        lsched_part *p = alloc_new(cy->k->alloc, n_parts * sizeof *p);
        if (!p) return LSCHED_E_NOMEM;
        alloc_free(cy->k->alloc, s->out, s->cap_out * sizeof *p);
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
static uint32_t tree_of(const lsched_cycle *cy, const struct ask *a, uint32_t domain,
                        uint32_t *wish) {
    const struct columns *k = cy->k;
    *wish = wish_of(k, a);
    if (*wish == NO_ROW) return NO_ROW;
    uint32_t topology = k->c[C_GROUP_TOPOLOGY].u32[group_row(k, a->jobshape, *wish)];
    if (domain != NO_ROW && k->c[C_DOMAIN_TOPOLOGY].u32[domain] != topology) return NO_ROW;
    /* while victims are sought, nodes are chosen by the cost of their victims, anywhere in the
     * domain */
    if (cy->victims && k->c[C_GROUP_N_SLICES].u8[a->row] == 0) return NO_ROW;
    return topology;
}

/* Says in cy->turn.why that the task blocks do not fit, although as many single tasks would fit. */
static void diagnose_slices(lsched_cycle *cy, const struct ask *a, uint32_t tasks) {
    cy->turn.why.code = LSCHED_WAIT_TOPOLOGY;
    cy->turn.why.group = a->group;
    cy->turn.why.shape = a->shape;
    act_name_scarcest(cy, a->shape);
    cy->turn.why.need = tasks;
    cy->turn.why.have = -1;
}

static int32_t deal_out(lsched_cycle *cy, const struct ask *a, uint32_t domain, uint32_t tasks,
                        uint32_t wish, struct leaf_room *r, const lsched_part **parts,
                        uint32_t *n) {
    uint32_t root = domain == NO_ROW ? NO_ROW : r->map->number[domain];
    int32_t rc = gang_domains_held(&cy->act->pins, cy->k, r->map, a->job, wish, &r->d.held);
    if (rc != LSCHED_OK) return rc;
    r->d.balanced =
        cy->k->c[C_GROUP_MODE].u8[group_row(cy->k, a->jobshape, wish)] == LSCHED_DOMAINS_BALANCED;
    if (wish == a->group) r->d.even_level = even_level_of(cy, a, r->d.held);
    if (r->d.n_slices) {
        rc = deal_to_slices(cy, a, r, root, tasks);
        /* if a domain turned out to be full, the task without a place there says what it lacks */
        if (rc == 0 && cy->act->deal.n_full == 0) diagnose_slices(cy, a, tasks);
        return rc == 1
                   ? give_out(cy, r->map, cy->act->deal.dealt.part, cy->act->deal.dealt.n, parts, n)
                   : rc;
    }
    uint32_t n_parts = assign_deal(&r->d, root, tasks, cy->act->deal.parts);
    if (n_parts == 0) return undivided(cy, domain, tasks, parts, n);
    return give_out(cy, r->map, cy->act->deal.parts, n_parts, parts, n);
}

int32_t call_divide(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t domain, uint32_t tasks,
                    const lsched_part **parts, uint32_t *n) {
    struct leaf_room r;
    uint32_t wish;
    const struct ask *a = act_leaf(cy, job, group);
    if (!a) return LSCHED_E_INVAL;
    if (domain != NO_ROW && !row_is_live(cy->k, T_DOMAIN, domain)) return LSCHED_E_INVAL;
    act_spend(cy, 1);
    uint32_t topology = tasks ? tree_of(cy, a, domain, &wish) : NO_ROW;
    if (topology == NO_ROW) return undivided(cy, domain, tasks, parts, n);
    int32_t rc = room_of_leaf(cy, a, topology, &r);
    if (rc != LSCHED_OK) return rc;
    return deal_out(cy, a, domain, tasks, wish, &r, parts, n);
}

int32_t call_full(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t domain) {
    const struct columns *k = cy->k;
    const struct ask *a = act_leaf(cy, job, group);
    if (!a) return LSCHED_E_INVAL;
    if (domain == NO_ROW) return LSCHED_OK;
    if (!row_is_live(k, T_DOMAIN, domain)) return LSCHED_E_INVAL;
    struct deal_full full = {group, domain, 0};
    uint32_t n = sizeof cy->act->deal.full / sizeof full;
    for (uint32_t t = a->leaf == NO_ROW ? NO_ROW : k->c[C_LEAF_TASK_FIRST].u32[a->leaf];
         t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
        uint32_t d = k->c[C_TASK_DECISION].u32[t];
        steps_add(k, 1);
        full.tasks += d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == cy->turn.group_serial &&
                      domain_contains(k, domain, k->c[C_TASK_NODE].u32[t]);
    }
    if (cy->act->deal.n_full < n) cy->act->deal.full[cy->act->deal.n_full++] = full;
    return LSCHED_OK;
}

/* ---- queries of the placement code ---- */

int32_t domains_best_node(lsched_cycle *cy, struct search_index *x, uint32_t domain,
                          uint32_t *node) {
    struct lsched_cluster *c = cy->c;
    uint32_t topology = cy->k->c[C_DOMAIN_TOPOLOGY].u32[domain];
    struct topology_map *m = &c->maps[topology];
    const struct topology_room *r;
    int32_t rc = topology_map_update(m, cy->k, topology);
    if (rc == LSCHED_OK) rc = rooms_get(cy, x, m, TOPOLOGY_ROOM_FREE, &r);
    if (rc != LSCHED_OK) return rc;
    uint32_t i = m->number[domain];
    *node = topology_room_best(r, x, m->first[i], m->end[i]);
    return LSCHED_OK;
}

int32_t domains_step(lsched_cycle *cy, const struct ask *a, uint32_t *tasks) {
    struct gang_slices *s;
    *tasks = 1;
    if (cy->k->c[C_GROUP_N_SLICES].u8[a->row] == 0) return LSCHED_OK;
    int32_t rc = gang_domains_slices(&cy->act->pins, cy->k, a, &s);
    return rc == LSCHED_OK ? assign_slices_step(cy->k, s, a, tasks) : rc;
}

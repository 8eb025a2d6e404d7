/* topology_spread.c -- see topology_spread.h. */
#include "engine/indexes/topology_spread.h"

#include "model/shapes/daily_demand.h"
#include "model/shapes/domain.h"
#include "model/jobs/job.h"
#include "model/nodes/node.h"
#include "model/jobs/refusal.h"
#include "model/jobs/retry.h"
#include "model/store/steps.h"

/* Returns the next task in the list, from `task` on, that is on a node: a task that holds room
 * there or is nominated. */
static uint32_t next_held(const struct columns *k, uint32_t task) {
    while (task != NO_ROW && k->c[C_TASK_NODE].u32[task] == NO_ROW)
        task = k->c[C_TASK_NEXT].u32[task];
    return task;
}

static uint32_t first_held(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t leaf = job_leaf(k, job, group);
    return leaf == NO_ROW ? NO_ROW : next_held(k, k->c[C_LEAF_TASK_FIRST].u32[leaf]);
}

int topology_spread_allows(const struct columns *k, uint32_t job, uint32_t group, uint32_t node) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], group),
             level = k->c[C_GROUP_SPREAD].u32[row], topology = k->c[C_GROUP_TOPOLOGY].u32[row];
    if (level == NO_ROW) return 1;
    uint32_t domain = domain_of_node(k, topology, node, level), held = 0;
    if (domain == NO_ROW) return 0;
    for (uint32_t t = first_held(k, job, group); t != NO_ROW;
         t = next_held(k, k->c[C_TASK_NEXT].u32[t]))
        held += domain_of_node(k, topology, k->c[C_TASK_NODE].u32[t], level) == domain;
    return held < k->c[C_GROUP_SPREAD_MAX].u32[row];
}

int32_t topology_spread_open(struct topology_spread *s, const struct columns *k, uint32_t job,
                             uint32_t group) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], group);
    s->level = k->c[C_GROUP_SPREAD].u32[row];
    s->topology = k->c[C_GROUP_TOPOLOGY].u32[row];
    s->max = k->c[C_GROUP_SPREAD_MAX].u32[row];
    s->shape = leaf_shape(k, job, group);
    s->queue = k->c[C_JOB_QUEUE].u32[job];
    s->group = group;
    s->rows = table_rows(k, T_DOMAIN);
    s->held = NULL;
    if (s->level == NO_ROW) return LSCHED_OK;
    s->held = alloc_zero(k->alloc, (s->rows + 1ul) * sizeof *s->held);
    if (!s->held) return LSCHED_E_NOMEM;
    for (uint32_t t = first_held(k, job, group); t != NO_ROW;
         t = next_held(k, k->c[C_TASK_NEXT].u32[t])) {
        uint32_t d = domain_of_node(k, s->topology, k->c[C_TASK_NODE].u32[t], s->level);
        if (d != NO_ROW) s->held[d]++;
    }
    return LSCHED_OK;
}

void topology_spread_close(struct topology_spread *s, const struct columns *k) {
    if (s->held) alloc_free(k->alloc, s->held, (s->rows + 1ul) * sizeof *s->held);
}

static int topology_spread_takes(const struct topology_spread *s, const struct columns *k,
                                 uint32_t node) {
    if (s->level == NO_ROW) return 1;
    uint32_t d = domain_of_node(k, s->topology, node, s->level);
    return d != NO_ROW && s->held[d] < s->max;
}

/* ---- room ---- */

enum room_when { ROOM_NOW, ROOM_LATER, ROOM_EMPTY };

/* Maps to the device state to look at. Nominations do not reduce the room now. */
static enum device_when seen_as(enum room_when when) {
    return when == ROOM_EMPTY ? DEVICE_EMPTY : when == ROOM_LATER ? DEVICE_LATER : DEVICE_APART;
}

/* Returns an upper bound of the tasks that the node's devices could hold, without regard to models
 * and memory. */
static int64_t parts_room(const struct columns *k, uint32_t node, uint32_t shape,
                          enum room_when when) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node],
             need = k->c[C_SHAPE_DEVICES].u32[shape];
    int64_t places = 0;
    if (need == 0) return INT32_MAX;
    for (uint32_t d = first; d < first + n; d++) {
        int64_t milli = device_milli_need(k, d, shape);
        int64_t room = device_milli_free(k, d, seen_as(when));
        places += room > 0 ? room / milli : 0;
    }
    return places / need;
}

static int64_t node_room(const struct topology_spread *s, const struct columns *k, uint32_t node,
                         enum room_when when) {
    uint32_t shape = s->shape;
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY || !node_able(k, node, shape) ||
        (when != ROOM_EMPTY && refusal_by_node(k, s->queue, shape, node, when == ROOM_LATER)))
        return 0;
    int64_t fit = parts_room(k, node, shape, when);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        struct daily_room m;
        /* parts_room counts devices */
        if (r == LSCHED_GPU || k->c[C_SHAPE_REQ + r].i64[shape] == 0) continue;
        daily_room_of(k, node, r, seen_as(when), &m);
        int64_t most = daily_room_count(k, shape, r, &m);
        fit = most < fit ? most : fit;
    }
    return fit;
}

/* Returns the room of the nodes below `domain`, at most `enough`. */
static int64_t nodes_room(const struct topology_spread *s, const struct columns *k, uint32_t domain,
                          enum room_when when, int64_t enough) {
    int64_t sum = 0;
    if (enough <= 0) return 0;
    for (uint32_t d = domain; d != NO_ROW && sum < enough; d = domain_next(k, domain, d))
        for (uint32_t n = domain_first_node(k, d); n != NO_ROW && sum < enough;
             n = domain_next_node(k, d, n))
            sum += node_room(s, k, n, when);
    return sum < enough ? sum : enough;
}

int64_t topology_spread_room(const struct topology_spread *s, const struct columns *k,
                             uint32_t domain, int later) {
    enum room_when when = later ? ROOM_LATER : ROOM_NOW;
    uint32_t outer = domain;
    if (s->level == NO_ROW) return nodes_room(s, k, domain, when, INT64_MAX);
    /* for a domain of another topology, the room of its nodes is an upper bound */
    if (k->c[C_DOMAIN_TOPOLOGY].u32[domain] != s->topology)
        return nodes_room(s, k, domain, when, INT64_MAX);
    while (outer != NO_ROW && k->c[C_DOMAIN_LEVEL].u32[outer] > s->level)
        outer = k->c[C_DOMAIN_PARENT].u32[outer];
    if (outer != domain) return nodes_room(s, k, domain, when, (int64_t)s->max - s->held[outer]);
    int64_t sum = 0;
    for (uint32_t d = domain; d != NO_ROW; d = domain_next(k, domain, d))
        if (k->c[C_DOMAIN_LEVEL].u32[d] == s->level)
            sum += nodes_room(s, k, d, when, (int64_t)s->max - s->held[d]);
    return sum;
}

/* Returns the most tasks that one domain of the spread's level can hold if its ready nodes hold
 * only tasks of the group. `elsewhere` is the number of the group's tasks on nodes that are not
 * ready; this number is added. */
static int64_t domain_capacity(const struct topology_spread *s, const struct columns *k,
                               uint32_t domain, uint32_t elsewhere) {
    int64_t held = s->held[domain], most = s->max > held ? s->max : held;
    int64_t sum = elsewhere + nodes_room(s, k, domain, ROOM_EMPTY, most - elsewhere);
    return sum > held ? sum : held; /* imported tasks may hold more than their node has */
}

int32_t topology_spread_capacity(const struct columns *k, uint32_t job, uint32_t group,
                                 int64_t *tasks) {
    struct topology_spread s;
    int32_t rc = topology_spread_open(&s, k, job, group);
    if (rc != LSCHED_OK) return rc;
    *tasks = s.level == NO_ROW ? INT64_MAX : 0;
    for (uint32_t d = 0; d < s.rows && s.level != NO_ROW; d++) {
        if (!row_is_live(k, T_DOMAIN, d) || k->c[C_DOMAIN_TOPOLOGY].u32[d] != s.topology ||
            k->c[C_DOMAIN_LEVEL].u32[d] != s.level)
            continue;
        uint32_t elsewhere = 0;
        for (uint32_t t = s.held[d] ? first_held(k, job, group) : NO_ROW; t != NO_ROW;
             t = next_held(k, k->c[C_TASK_NEXT].u32[t])) {
            uint32_t node = k->c[C_TASK_NODE].u32[t];
            elsewhere += k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY &&
                         domain_of_node(k, s.topology, node, s.level) == d;
        }
        *tasks += domain_capacity(&s, k, d, elsewhere);
    }
    topology_spread_close(&s, k);
    return LSCHED_OK;
}

/* ---- choosing ---- */

struct choice_of {
    const struct view_cache *v;
    const struct search_index *x;
    const struct affinity_rules *affinity;
    uint32_t domain;
};

/* True if the node of rank a comes before the node of rank b; both have room. */
static int topology_spread_goes_before(const struct choice_of *c, const struct columns *k,
                                       uint32_t a, uint32_t b) {
    if (!c->affinity->likes) return search_before(c->x, a, b);
    int32_t p = affinity_rules_tier(c->affinity, k, c->v->by_rank[a]),
            q = affinity_rules_tier(c->affinity, k, c->v->by_rank[b]);
    if (c->x->tier) {
        p += c->x->tier[a];
        q += c->x->tier[b];
    }
    return p != q ? p > q : search_before(c->x, a, b);
}

static uint32_t best_allowed(const struct topology_spread *s, const struct columns *k,
                             const struct choice_of *c, uint32_t avoid) {
    uint32_t best = NO_ROW, best_rank = 0;
    steps_add(k, c->x->n);
    for (uint32_t rank = 0; rank < c->x->n; rank++) {
        uint32_t node = c->v->by_rank[rank];
        if (c->x->score[rank] == SEARCH_LEAST || node == avoid) continue;
        if (best != NO_ROW && !topology_spread_goes_before(c, k, rank, best_rank)) continue;
        if (c->domain != NO_ROW && !domain_contains(k, c->domain, node)) continue;
        if (!topology_spread_takes(s, k, node) || !affinity_rules_allow(c->affinity, k, node))
            continue;
        best = node;
        best_rank = rank;
    }
    return best;
}

int32_t topology_spread_choose(const struct columns *k, const struct view_cache *v,
                               const struct search_index *x, const struct affinity_rules *affinity,
                               uint32_t job, uint32_t group, uint32_t domain, uint32_t *node) {
    uint32_t avoid = retry_avoids(k, job);
    if (*node == NO_ROW ||
        (*node != avoid && !affinity->likes && affinity_rules_allow(affinity, k, *node) &&
         topology_spread_allows(k, job, group, *node)))
        return LSCHED_OK;
    struct choice_of c = {v, x, affinity, domain};
    struct topology_spread s;
    int32_t rc = topology_spread_open(&s, k, job, group);
    if (rc != LSCHED_OK) return rc;
    *node = best_allowed(&s, k, &c, avoid);
    if (*node == NO_ROW && avoid != NO_ROW) *node = best_allowed(&s, k, &c, NO_ROW);
    topology_spread_close(&s, k);
    return LSCHED_OK;
}

int topology_spread_is_affinity_only(const struct columns *k, const struct view_cache *v,
                                     const struct search_index *x,
                                     const struct affinity_rules *affinity, uint32_t domain) {
    for (uint32_t rank = 0; affinity->n && rank < x->n; rank++)
        if (x->score[rank] != SEARCH_LEAST &&
            !affinity_rules_allow(affinity, k, v->by_rank[rank]) &&
            (domain == NO_ROW || domain_contains(k, domain, v->by_rank[rank])))
            return 1;
    return 0;
}

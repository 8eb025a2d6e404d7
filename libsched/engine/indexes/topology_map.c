/* topology_map.c -- see topology_map.h. */
#include "engine/indexes/topology_map.h"

#include "base/sort.h"
#include "model/store/blocks.h"
#include "model/shapes/domain.h"
#include "model/store/steps.h"

void topology_map_close(struct topology_map *m, struct columns *k) {
    uint64_t built = m->built; /* a number of `built` must not be used again */
    alloc_free(k->alloc, m->block, m->bytes);
    memset(m, 0, sizeof *m);
    m->built = built;
}

static uint32_t domains_of(const struct columns *k, uint32_t topology) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < table_rows(k, T_DOMAIN); d++)
        n += row_is_live(k, T_DOMAIN, d) && k->c[C_DOMAIN_TOPOLOGY].u32[d] == topology;
    return n;
}

/* Returns the number of positions for a deepest domain with this number of nodes. */
static uint32_t places_for(uint32_t nodes) {
    return nodes + nodes / 8 + 1;
}

/* Counts the nodes of the topology and the positions for them. */
static void count_nodes(const struct columns *k, uint32_t topology, uint32_t *nodes,
                        uint32_t *places) {
    uint32_t deepest = k->c[C_TOPOLOGY_N_LEVELS].u32[topology] - 1;
    *nodes = *places = 0;
    for (uint32_t d = 0; d < table_rows(k, T_DOMAIN); d++) {
        if (!row_is_live(k, T_DOMAIN, d) || k->c[C_DOMAIN_TOPOLOGY].u32[d] != topology ||
            k->c[C_DOMAIN_LEVEL].u32[d] != deepest)
            continue;
        *nodes += k->c[C_DOMAIN_NODES].u32[d];
        *places += places_for(k->c[C_DOMAIN_NODES].u32[d]);
    }
}

/* Allocates all arrays in one block, so that all of them exist or none does. The block also has
 * two scratch arrays of n + 1 words each. */
static int32_t topology_map_reserve(struct topology_map *m, struct columns *k, uint32_t topology,
                                    uint32_t **scratch) {
    uint32_t n = domains_of(k, topology), nodes, places, rows = table_rows(k, T_DOMAIN),
             node_rows = k->capacity[T_NODE];
    count_nodes(k, topology, &nodes, &places);
    uint32_t cap_moved = places / 4 + 64;
    size_t words = 9ul * (n + 1) + rows + places + node_rows + cap_moved + 1;
    uint32_t *p = alloc_new(k->alloc, words * sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    topology_map_close(m, k);
    m->block = p;
    m->bytes = words * sizeof *p;
    m->topology = topology;
    m->n_domains = n;
    m->n_nodes = nodes;
    m->n_places = places;
    m->domain_rows = rows;
    m->node_rows = node_rows;
    m->cap_moved = cap_moved;
    m->n_levels = k->c[C_TOPOLOGY_N_LEVELS].u32[topology];
    uint32_t **arrays[] = {&m->row, &m->parent, &m->child,  &m->first,
                           &m->end, &m->held,   &m->by_name};
    for (int i = 0; i < 7; i++, p += n + 1) *arrays[i] = p;
    *scratch = p;
    p += 2ul * (n + 1);
    m->number = p;
    m->node_at = m->number + rows;
    m->position = m->node_at + places;
    m->moved = m->position + node_rows;
    return LSCHED_OK;
}

/* ---- order ---- */

struct order {
    const struct columns *k;
    const struct topology_map *m;
    /* 1: the elements are domain numbers, sorted by name, then by outer domain.
     * 0: the elements are rows of DOMAIN, sorted by outer domain, then by name. */
    int by_name;
};

static int precedes(const struct order *o, uint32_t a, uint32_t b) {
    const struct topology_map *m = o->m;
    const uint32_t *name = o->k->c[C_DOMAIN_NAME].u32, *outer = o->k->c[C_DOMAIN_PARENT].u32;
    if (o->by_name) {
        int c = text_compare(o->k, name[m->row[a]], name[m->row[b]]);
        if (c != 0 || m->parent[a] == NO_ROW) return c < 0;
        return m->by_name[m->parent[a]] < m->by_name[m->parent[b]];
    }
    if (outer[a] != outer[b]) return m->number[outer[a]] < m->number[outer[b]];
    return text_compare(o->k, name[a], name[b]) < 0;
}

SORT_STABLE(sort_domains, uint32_t, const struct order *, precedes)

/* ---- making the map ---- */

/* Gives numbers to the domains of one level, beginning with number `at`. Returns the first number
 * after them. Before the call, the caller has numbered all wider levels. */
static uint32_t number_level(struct topology_map *m, const struct columns *k, uint32_t level,
                             uint32_t at, uint32_t *tmp) {
    uint32_t n = 0;
    struct order o = {k, m, 0};
    for (uint32_t d = 0; d < m->domain_rows; d++)
        if (row_is_live(k, T_DOMAIN, d) && k->c[C_DOMAIN_TOPOLOGY].u32[d] == m->topology &&
            k->c[C_DOMAIN_LEVEL].u32[d] == level)
            m->row[at + n++] = d;
    sort_domains(&o, m->row + at, tmp, n);
    for (uint32_t i = at; i < at + n; i++) {
        uint32_t outer = k->c[C_DOMAIN_PARENT].u32[m->row[i]];
        m->number[m->row[i]] = i;
        m->parent[i] = outer == NO_ROW ? NO_ROW : m->number[outer];
    }
    return at + n;
}

static void place_by_name(struct topology_map *m, const struct columns *k, uint32_t level,
                          uint32_t *list, uint32_t *tmp) {
    uint32_t first = m->level_first[level], n = m->level_first[level + 1] - first;
    struct order o = {k, m, 1};
    for (uint32_t i = 0; i < n; i++) list[i] = first + i;
    sort_domains(&o, list, tmp, n);
    for (uint32_t i = 0; i < n; i++) m->by_name[list[i]] = i;
}

/* Sets the positions of all nodes, and sets for each domain the range of its child domains and
 * the range of its nodes' positions. The function begins at the deepest level. */
static void fill_ranges(struct topology_map *m, const struct columns *k) {
    uint32_t at = 0, deepest = m->n_levels - 1;
    memset(m->node_at, 0xFF, m->n_places * sizeof *m->node_at);
    for (uint32_t i = m->level_first[deepest]; i < m->n_domains; i++) {
        m->first[i] = at;
        m->child[i] = m->n_domains;
        for (uint32_t n = domain_first_node(k, m->row[i]); n != NO_ROW;
             n = domain_next_node(k, m->row[i], n)) {
            m->node_at[at] = n;
            m->position[n] = at++;
        }
        m->held[i] = at - m->first[i];
        m->end[i] = at = m->first[i] + places_for(m->held[i]);
    }
    for (uint32_t level = deepest; level-- > 0;) {
        uint32_t c = m->level_first[level + 1], end = m->level_first[level + 2];
        for (uint32_t i = m->level_first[level]; i < m->level_first[level + 1]; i++) {
            m->child[i] = c;
            m->first[i] = m->first[c];
            while (c < end && m->parent[c] == i) c++;
            m->end[i] = m->end[c - 1];
        }
    }
    m->child[m->n_domains] = m->n_domains;
}

static int32_t topology_map_make(struct topology_map *m, struct columns *k, uint32_t topology) {
    uint32_t *scratch;
    int32_t rc = topology_map_reserve(m, k, topology, &scratch);
    if (rc != LSCHED_OK) return rc;
    steps_add(k, m->node_rows);
    memset(m->number, 0xFF, m->domain_rows * sizeof *m->number);
    memset(m->position, 0xFF, m->node_rows * sizeof *m->position);
    m->level_first[0] = 0;
    for (uint32_t l = 0; l < m->n_levels; l++)
        m->level_first[l + 1] = number_level(m, k, l, m->level_first[l], scratch);
    for (uint32_t l = 0; l < m->n_levels; l++)
        place_by_name(m, k, l, scratch, scratch + m->n_domains + 1);
    fill_ranges(m, k);
    m->domain_set = k->domain_set;
    m->synced = touch_seen(k);
    m->built++;
    m->valid = 1;
    return LSCHED_OK;
}

/* ---- nodes that join and leave domains ---- */

static void topology_map_stand(struct topology_map *m, uint32_t position, uint32_t node) {
    m->node_at[position] = node;
    if (node != NO_ROW) m->position[node] = position;
    m->moved[m->n_moved++] = position;
}

/* Removes the node at the position from the deepest domain i. The last node of the domain takes
 * its position. */
static void leave(struct topology_map *m, uint32_t i, uint32_t position) {
    uint32_t last = m->first[i] + --m->held[i];
    m->position[m->node_at[position]] = NO_ROW;
    if (last != position) topology_map_stand(m, position, m->node_at[last]);
    topology_map_stand(m, last, NO_ROW);
    m->n_nodes--;
}

/* Brings the position of one node up to date. False if the map must be made again. */
static int follow(struct topology_map *m, const struct columns *k, uint32_t node) {
    uint32_t to = NO_ROW, i = NO_ROW, at = node < m->node_rows ? m->position[node] : NO_ROW;
    if (row_is_live(k, T_NODE, node)) to = k->c[C_NODE_DOMAIN0 + m->topology].u32[node];
    if (to != NO_ROW) to = to < m->domain_rows ? m->number[to] : NO_ROW;
    if (at != NO_ROW) i = topology_map_deepest(m, at);
    if (i == to) return 1;
    if (m->n_moved + 3 > m->cap_moved || node >= m->node_rows ||
        (to != NO_ROW && m->first[to] + m->held[to] == m->end[to]))
        return 0;
    if (i != NO_ROW) leave(m, i, at);
    if (to == NO_ROW) return 1;
    topology_map_stand(m, m->first[to] + m->held[to]++, node);
    m->n_nodes++;
    return 1;
}

int32_t topology_map_update(struct topology_map *m, struct columns *k, uint32_t topology) {
    const struct touch_log *t = &k->touch;
    uint64_t behind = t->next - m->synced;
    int good = m->valid && m->domain_set == k->domain_set && m->topology == topology &&
               touch_log_reaches(t, m->synced);
    if (good && behind == 0) return LSCHED_OK;
    if (good) steps_add(k, behind);
    for (uint64_t i = m->synced; good && i < t->next; i++)
        good = follow(m, k, t->rows[i & (t->cap - 1)]);
    if (!good) return topology_map_make(m, k, topology);
    m->synced = touch_seen(k);
    return LSCHED_OK;
}

void topology_map_below(const struct topology_map *m, uint32_t root, uint32_t level, uint32_t *from,
                        uint32_t *to) {
    *from = m->level_first[level];
    *to = m->level_first[level + 1];
    if (root == NO_ROW) return;
    uint32_t lo = root, hi = root + 1, at = topology_map_level(m, root);
    for (; at < level; at++) {
        lo = m->child[lo];
        hi =
            /* The children of domain hi - 1 end where the children of domain hi begin, even if
             * domain hi is in the next level. */
            m->child[hi];
    }
    *from = lo;
    *to = hi;
}

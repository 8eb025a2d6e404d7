/* domain.c -- see domain.h. Join and leave cost O(levels) lookups for each tree. */
#include "model/shapes/domain.h"
#include "model/shapes/node_label.h"
#include "model/store/row_list.h"

static int32_t tree_join(struct columns *k, uint32_t t, uint32_t node);

int32_t topology_add(struct columns *k, lsched_text name, const lsched_text *levels,
                     uint32_t n_levels, uint64_t tag, uint32_t *out) {
    int32_t rc = index_reserve(k, T_IX_TOPOLOGY, 1);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (table_rows(k, T_TOPOLOGY) >= LSCHED_TOPOLOGIES_MAX) return LSCHED_E_LIMIT;
    struct bytes b;
    bytes_init(&b, k->alloc);
    for (uint32_t i = 0; i < n_levels; i++) bytes_text(&b, levels[i]);
    uint32_t list = b.failed ? NO_ROW : text_new(k, b.p, b.n);
    bytes_close(&b);
    uint32_t text = list == NO_ROW ? NO_ROW : text_new(k, name.ptr, (size_t)name.len);
    uint32_t row = text == NO_ROW ? NO_ROW : row_new(k, T_TOPOLOGY);
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_TOPOLOGY_NAME, row, text);
    set_u64(k, C_TOPOLOGY_TAG, row, tag);
    set_u32(k, C_TOPOLOGY_LEVELS, row, list);
    set_u32(k, C_TOPOLOGY_N_LEVELS, row, n_levels);
    set_u32(k, C_TOPOLOGY_FIRST, row, NO_ROW);
    index_add(k, T_IX_TOPOLOGY, row);
    EACH_LIVE(k, T_NODE, n) {
        rc = tree_join(k, row, n);
        if (rc != LSCHED_OK) return rc;
    }
    k->domain_set++;
    structure_raise(k);
    *out = row;
    return LSCHED_OK;
}

uint32_t topology_find(const struct columns *k, lsched_text name) {
    if (name.len == 0) return table_live(k, T_TOPOLOGY) == 1 ? 0 : NO_ROW;
    return name_find(k, T_IX_TOPOLOGY, name.ptr, (size_t)name.len);
}

lsched_text topology_level_key(const struct columns *k, uint32_t topology, uint32_t level) {
    struct reader r = reader_of(k, k->c[C_TOPOLOGY_LEVELS].u32[topology]);
    lsched_text t = reader_text(&r);
    while (level-- > 0) t = reader_text(&r);
    return t;
}

uint32_t topology_level(const struct columns *k, uint32_t topology, lsched_text key) {
    uint32_t n = k->c[C_TOPOLOGY_N_LEVELS].u32[topology];
    for (uint32_t i = 0; i < n; i++)
        if (text_order(topology_level_key(k, topology, i), key) == 0) return i;
    return NO_ROW;
}

static const struct row_list children = {C_DOMAIN_NEXT, C_DOMAIN_PREV};

/* Returns the column that holds the first child domain: a column of the parent domain, or of the
 * topology if `parent` is NO_ROW. Sets *owner to the row of that column. */
static uint32_t children_owner(uint32_t topology, uint32_t parent, uint32_t *owner) {
    *owner = parent == NO_ROW ? topology : parent;
    return parent == NO_ROW ? C_TOPOLOGY_FIRST : C_DOMAIN_CHILD;
}

static struct row_list nodes_of_topology(uint32_t t) {
    return (struct row_list){C_NODE_DNEXT0 + t, C_NODE_DPREV0 + t};
}

static int32_t domain_get(struct columns *k, uint32_t topology, uint32_t level, uint32_t parent,
                          lsched_text name, uint32_t *out) {
    struct index_key key = index_key_domain(topology, level, parent, name.ptr, (size_t)name.len);
    *out = index_find(k, T_IX_DOMAIN, &key);
    if (*out != NO_ROW) return LSCHED_OK;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = index_reserve(k, T_IX_DOMAIN, 1);
    if (rc != LSCHED_OK) return rc;
    uint32_t text = text_new(k, name.ptr, (size_t)name.len);
    uint32_t row = text == NO_ROW ? NO_ROW : row_new(k, T_DOMAIN);
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_DOMAIN_TOPOLOGY, row, topology);
    set_u32(k, C_DOMAIN_LEVEL, row, level);
    set_u32(k, C_DOMAIN_PARENT, row, parent);
    set_u32(k, C_DOMAIN_NAME, row, text);
    set_u32(k, C_DOMAIN_CHILD, row, NO_ROW);
    set_u32(k, C_DOMAIN_NODE_FIRST, row, NO_ROW);
    uint32_t owner, column = children_owner(topology, parent, &owner);
    row_list_push(k, children, column, owner, row);
    index_add(k, T_IX_DOMAIN, row);
    k->domain_set++;
    *out = row;
    return LSCHED_OK;
}

static int32_t tree_join(struct columns *k, uint32_t t, uint32_t node) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t n = k->c[C_TOPOLOGY_N_LEVELS].u32[t], parent = NO_ROW;
    for (uint32_t l = 0; l < n; l++) {
        lsched_text key = topology_level_key(k, t, l), v;
        if (!node_label(k, node, key.ptr, (size_t)key.len, &v))
            return LSCHED_OK; /* a node without one of the labels is in no domain of the tree */
    }
    for (uint32_t l = 0; l < n; l++) {
        lsched_text key = topology_level_key(k, t, l), v = {"", 0};
        char copy[LSCHED_NAME_BYTES_MAX + 1];
        node_label(k, node, key.ptr, (size_t)key.len, &v);
        memcpy(copy, v.ptr,
               (size_t)v.len); /* domain_get() can move the column that holds the text */
        uint32_t d;
        rc = domain_get(k, t, l, parent, (lsched_text){copy, v.len}, &d);
        if (rc != LSCHED_OK) return rc;
        add_u32(k, C_DOMAIN_NODES, d, 1);
        parent = d;
    }
    set_u32(k, C_NODE_DOMAIN0 + t, node, parent);
    row_list_push(k, nodes_of_topology(t), C_DOMAIN_NODE_FIRST, parent, node);
    return LSCHED_OK;
}

int32_t domains_join(struct columns *k, uint32_t node) {
    for (uint32_t t = 0; t < LSCHED_TOPOLOGIES_MAX; t++) {
        set_u32(k, C_NODE_DOMAIN0 + t, node, NO_ROW);
        set_u32(k, C_NODE_DNEXT0 + t, node, NO_ROW);
        set_u32(k, C_NODE_DPREV0 + t, node, NO_ROW);
        if (t >= table_rows(k, T_TOPOLOGY)) continue;
        int32_t rc = tree_join(k, t, node);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static void tree_leave(struct columns *k, uint32_t t, uint32_t node) {
    uint32_t d = k->c[C_NODE_DOMAIN0 + t].u32[node];
    if (d == NO_ROW) return;
    row_list_remove(k, nodes_of_topology(t), C_DOMAIN_NODE_FIRST, d, node);
    while (d != NO_ROW) {
        uint32_t parent = k->c[C_DOMAIN_PARENT].u32[d];
        add_u32(k, C_DOMAIN_NODES, d, -1);
        if (k->c[C_DOMAIN_NODES].u32[d] == 0) {
            index_remove(k, T_IX_DOMAIN, d);
            uint32_t owner, column = children_owner(t, parent, &owner);
            row_list_remove(k, children, column, owner, d);
            text_free(k, k->c[C_DOMAIN_NAME].u32[d]);
            row_free(k, T_DOMAIN, d);
            k->domain_set++;
        }
        d = parent;
    }
}

void domains_leave(struct columns *k, uint32_t node) {
    for (uint32_t t = 0; t < table_rows(k, T_TOPOLOGY); t++) tree_leave(k, t, node);
}

uint32_t domain_of_node(const struct columns *k, uint32_t topology, uint32_t node, uint32_t level) {
    uint32_t d = k->c[C_NODE_DOMAIN0 + topology].u32[node];
    while (d != NO_ROW && k->c[C_DOMAIN_LEVEL].u32[d] != level) d = k->c[C_DOMAIN_PARENT].u32[d];
    return d;
}

int domain_contains(const struct columns *k, uint32_t domain, uint32_t node) {
    return domain_of_node(k, k->c[C_DOMAIN_TOPOLOGY].u32[domain], node,
                          k->c[C_DOMAIN_LEVEL].u32[domain]) == domain;
}

uint32_t domain_next(const struct columns *k, uint32_t root, uint32_t at) {
    uint32_t child = k->c[C_DOMAIN_CHILD].u32[at];
    if (child != NO_ROW) return child;
    while (at != root) {
        uint32_t next = k->c[C_DOMAIN_NEXT].u32[at];
        if (next != NO_ROW) return next;
        at = k->c[C_DOMAIN_PARENT].u32[at];
    }
    return NO_ROW;
}

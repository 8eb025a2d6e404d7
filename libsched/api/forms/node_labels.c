/* node_labels.c -- see node_labels.h. */
#include "api/forms/node_labels.h"

#include "api/door/args.h"
#include "api/forms/node_taints.h"
#include "model/devices/resource_part.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"

int32_t node_labels_read(const lsched_label *labels, uint32_t n, lsched_label *sorted,
                         const char *name, int len, lsched_error *err) {
    if (n > LIMIT_LABELS_PER_NODE)
        return fail(err, LSCHED_E_LIMIT, "node '%.*s': more than %u labels", len, name,
                    LIMIT_LABELS_PER_NODE);
    if (n && !labels) return fail(err, LSCHED_E_NULL, "node '%.*s': labels is NULL", len, name);
    for (uint32_t i = 0; i < n; i++) {
        lsched_label l = labels[i];
        int32_t rc = arg_name(&l.key, "label key", err);
        if (rc != LSCHED_OK) return rc;
        l.value = arg_text(l.value);
        if (l.value.len > LSCHED_NAME_BYTES_MAX)
            return fail(err, LSCHED_E_INVAL,
                        "node '%.*s': the value of label '%.*s' is longer than 255 bytes", len,
                        name, (int)l.key.len, l.key.ptr);
        uint32_t j = i;
        for (; j > 0 && text_order(l.key, sorted[j - 1].key) < 0; j--) sorted[j] = sorted[j - 1];
        if (j > 0 && text_order(l.key, sorted[j - 1].key) == 0)
            return fail(err, LSCHED_E_INVAL, "node '%.*s': label '%.*s' is given twice", len, name,
                        (int)l.key.len, l.key.ptr);
        sorted[j] = l;
    }
    return LSCHED_OK;
}

static const lsched_label *find_label(const lsched_label *labels, uint32_t n, lsched_text key) {
    for (uint32_t i = 0; i < n; i++)
        if (text_order(labels[i].key, key) == 0) return &labels[i];
    return NULL;
}

/* Returns the level of the topology at which the node would change its domain with the new
 * labels, NO_ROW if it would not change. A node without one of the topology's labels is in no
 * domain. */
static uint32_t moves_at(const struct columns *k, uint32_t node, uint32_t tree,
                         const lsched_label *labels, uint32_t n) {
    uint32_t levels = k->c[C_TOPOLOGY_N_LEVELS].u32[tree], moved = NO_ROW, lost = NO_ROW,
             outside = k->c[C_NODE_DOMAIN0 + tree].u32[node] == NO_ROW;
    for (uint32_t l = levels; l-- > 0;) {
        lsched_text key = topology_level_key(k, tree, l), have;
        const lsched_label *to = find_label(labels, n, key);
        if (!to)
            lost = l;
        else if (!node_label(k, node, key.ptr, (size_t)key.len, &have) ||
                 text_order(have, to->value) != 0)
            moved = l;
    }
    if (outside) return lost == NO_ROW ? 0 : NO_ROW;
    return lost != NO_ROW ? lost : moved;
}

static int32_t check_moves(const struct columns *k, uint32_t node, const lsched_label *labels,
                           uint32_t n, lsched_error *err) {
    uint32_t tasks = k->c[C_NODE_TASKS].u32[node];
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    for (uint32_t t = 0; t < table_rows(k, T_TOPOLOGY) && tasks; t++) {
        uint32_t level = moves_at(k, node, t, labels, n);
        if (level == NO_ROW) continue;
        lsched_text key = topology_level_key(k, t, level),
                    tree = text_of(k, k->c[C_TOPOLOGY_NAME].u32[t]);
        return fail(err, LSCHED_E_BUSY,
                    "node '%.*s' would move in topology '%.*s' because of its label '%.*s' while "
                    "%u task%s on it",
                    (int)name.len, name.ptr, (int)tree.len, tree.ptr, (int)key.len, key.ptr, tasks,
                    tasks == 1 ? " is" : "s are");
    }
    return LSCHED_OK;
}

int32_t node_labels_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                           lsched_error *err) {
    lsched_label labels[LIMIT_LABELS_PER_NODE] = {0};
    if (!(u->set & LSCHED_NODE_SET_LABELS)) return LSCHED_OK;
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    int32_t rc = node_labels_read(u->labels, u->n_labels, labels, name.ptr, (int)name.len, err);
    if (rc == LSCHED_OK) rc = check_moves(k, node, labels, u->n_labels, err);
    if (rc != LSCHED_OK) return rc;
    /* the node's pools, and so its resource parts, depend on its labels */
    rc = resource_part_node_give(k, node);
    if (rc == LSCHED_OK) rc = node_set_labels(k, node, labels, u->n_labels);
    if (rc == LSCHED_OK) rc = resource_part_node_take(k, node);
    return rc == LSCHED_OK ? node_rules_changed(k, node) : rc;
}

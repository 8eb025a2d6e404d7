/*
 * check_refusals.c -- checks refusals: each node row must be counted in its head; each head must
 * have node rows, a COUNT, or keep tasks away; the number of refusals that a queue stores must be
 * correct and within its bound.
 */
#include "model/check/check_refusals.h"

#include "model/store/index.h"

static uint32_t check_refusals_head_of(const struct columns *k, uint32_t r) {
    struct index_key key = index_key_refusal(k->c[C_REFUSAL_OF].u8[r], k->c[C_REFUSAL_QUEUE].u32[r],
                                             k->c[C_REFUSAL_SHAPE].u32[r], NO_ROW);
    return index_find(k, T_IX_REFUSAL, &key);
}

static int32_t check_head(struct check *c, uint32_t r, uint32_t members) {
    const struct columns *k = c->k;
    if (k->c[C_REFUSAL_NEXT].u32[r] != NO_ROW || k->c[C_REFUSAL_PREV].u32[r] != NO_ROW)
        return check_fail(c,
                          "%s is the head of a list of refusals, but it is also a member of a list",
                          NAME(T_REFUSAL, r));
    if (members != k->c[C_REFUSAL_MEMBERS].u32[r])
        return check_fail(c, "%s counts %u nodes and has %u", NAME(T_REFUSAL, r),
                          k->c[C_REFUSAL_MEMBERS].u32[r], members);
    if (members == 0 && k->c[C_REFUSAL_STATE].u8[r] == 0 && k->c[C_REFUSAL_COUNT].u32[r] == 0)
        return check_fail(c, "%s is the head of a list of refusals, but records no refusal",
                          NAME(T_REFUSAL, r));
    if (k->c[C_REFUSAL_STREAK].u32[r] >= LIMIT_REFUSAL_NODES)
        return check_fail(c, "%s counts refusals by %u nodes one after another, which is too many",
                          NAME(T_REFUSAL, r), k->c[C_REFUSAL_STREAK].u32[r]);
    return LSCHED_OK;
}

static int32_t check_node_row(struct check *c, uint32_t r) {
    const struct columns *k = c->k;
    if (check_refusals_head_of(k, r) == NO_ROW)
        return check_fail(c, "%s has no head", NAME(T_REFUSAL, r));
    if (k->c[C_REFUSAL_STATE].u8[r] > 1 || k->c[C_REFUSAL_MEMBERS].u32[r] ||
        k->c[C_REFUSAL_STREAK].u32[r] ||
        (k->c[C_REFUSAL_STATE].u8[r] == 0 && k->c[C_REFUSAL_COUNT].u32[r] == 0))
        return check_fail(
            c,
            "%s is the refusal of one node, but has wrong values: state %u, count %u, %u "
            "nodes, %u one after another",
            NAME(T_REFUSAL, r), k->c[C_REFUSAL_STATE].u8[r], k->c[C_REFUSAL_COUNT].u32[r],
            k->c[C_REFUSAL_MEMBERS].u32[r], k->c[C_REFUSAL_STREAK].u32[r]);
    return LSCHED_OK;
}

static int32_t check_nodes(struct check *c) {
    const struct columns *k = c->k;
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        uint32_t n = 0, r = row_is_live(k, T_NODE, node) ? k->c[C_NODE_REFUSAL].u32[node] : NO_ROW;
        for (; r != NO_ROW; r = k->c[C_REFUSAL_NEXT].u32[r]) n += k->c[C_REFUSAL_STATE].u8[r] != 0;
        if (n != k->c[C_NODE_REFUSES].u32[node])
            return check_fail(c, "%s counts %u refusals and has %u", NAME(T_NODE, node),
                              k->c[C_NODE_REFUSES].u32[node], n);
    }
    return LSCHED_OK;
}

static int32_t check_refusals_rows(struct check *c, uint32_t *members, uint32_t *of_queue) {
    const struct columns *k = c->k;
    int32_t rc = LSCHED_OK;
    for (uint32_t r = 0; r < table_rows(k, T_REFUSAL) && rc == LSCHED_OK; r++) {
        if (!row_is_live(k, T_REFUSAL, r)) continue;
        of_queue[k->c[C_REFUSAL_QUEUE].u32[r]]++;
        if (k->c[C_REFUSAL_NODE].u32[r] == NO_ROW) continue;
        rc = check_node_row(c, r);
        if (rc == LSCHED_OK) members[check_refusals_head_of(k, r)]++;
    }
    for (uint32_t r = 0; r < table_rows(k, T_REFUSAL) && rc == LSCHED_OK; r++)
        if (row_is_live(k, T_REFUSAL, r) && k->c[C_REFUSAL_NODE].u32[r] == NO_ROW)
            rc = check_head(c, r, members[r]);
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE) && rc == LSCHED_OK; q++)
        if (row_is_live(k, T_QUEUE, q) && (of_queue[q] != k->c[C_QUEUE_REFUSALS].u32[q] ||
                                           of_queue[q] > LIMIT_REFUSALS_PER_QUEUE))
            rc = check_fail(c, "%s counts %u refusals and has %u", NAME(T_QUEUE, q),
                            k->c[C_QUEUE_REFUSALS].u32[q], of_queue[q]);
    return rc;
}

int32_t check_refusals(struct check *c) {
    const struct columns *k = c->k;
    size_t rows = table_rows(k, T_REFUSAL), n = rows + table_rows(k, T_QUEUE) + 1;
    uint32_t *counts = alloc_zero(k->alloc, n * sizeof *counts);
    if (!counts) return check_nomem(c);
    int32_t rc = check_nodes(c);
    if (rc == LSCHED_OK) rc = check_refusals_rows(c, counts, counts + rows);
    alloc_free(k->alloc, counts, n * sizeof *counts);
    return rc;
}

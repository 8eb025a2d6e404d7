/* verify_reserved.c -- see verify_reserved.h. */
#include "engine/verify_reserved/verify_reserved.h"

#include <libsched/reservations.h>

#include "model/store/intern.h"

/* ---- questions about plans ---- */

int verify_reserved_admits(const struct columns *k, uint32_t node, uint32_t job) {
    uint32_t r = k->c[C_NODE_RESERVATION].u32[node], q = k->c[C_JOB_QUEUE].u32[job];
    while (r != NO_ROW && q != NO_ROW && q != k->c[C_RESERVATION_QUEUE].u32[r])
        q = k->c[C_QUEUE_PARENT].u32[q];
    return r != NO_ROW && q != NO_ROW;
}

int verify_reserved_protects(const struct columns *k, uint32_t task, uint32_t other, int64_t at) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    if (node == NO_ROW || !verify_reserved_admits(k, node, k->c[C_TASK_JOB].u32[task]) ||
        verify_reserved_admits(k, node, other))
        return 0;
    uint32_t r = k->c[C_NODE_RESERVATION].u32[node];
    int64_t from = k->c[C_RESERVATION_FROM].i64[r], until = k->c[C_RESERVATION_UNTIL].i64[r],
            every = k->c[C_RESERVATION_EVERY].i64[r];
    if (at < from) return 0;
    return until == 0 || (every ? (at - from) % every : at - from) < until - from;
}

/* ---- rows ---- */

static int32_t check_reserved_nodes(struct check *c, uint32_t *nodes) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_NODE, n) {
        uint32_t r = k->c[C_NODE_RESERVATION].u32[n];
        if (r == NO_ROW) continue;
        nodes[r]++;
        if (k->c[C_NODE_LEAVES].i64[n] != k->c[C_RESERVATION_FROM].i64[r] ||
            k->c[C_NODE_BACK].i64[n] != k->c[C_RESERVATION_UNTIL].i64[r] ||
            k->c[C_NODE_LEAVES_EVERY].i64[n] != k->c[C_RESERVATION_EVERY].i64[r])
            return check_fail(c, "%s is away at other times than %s says", NAME(T_NODE, n),
                              NAME(T_RESERVATION, r));
    }
    return LSCHED_OK;
}

static int32_t check_reservations(struct check *c, const uint32_t *nodes, uint32_t *held) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_RESERVATION, r) {
        held[k->c[C_RESERVATION_QUEUE].u32[r]]++;
        if (nodes[r] == 0 || nodes[r] != k->c[C_RESERVATION_NODES].u32[r])
            return check_fail(c, "%s says that it has %u nodes; %u are in it",
                              NAME(T_RESERVATION, r), k->c[C_RESERVATION_NODES].u32[r], nodes[r]);
        for (uint32_t other = 0; other < r; other++)
            if (row_is_live(k, T_RESERVATION, other) &&
                text_order(text_of(k, k->c[C_RESERVATION_NAME].u32[other]),
                           text_of(k, k->c[C_RESERVATION_NAME].u32[r])) == 0)
                return check_fail(c, "two reservations are called %s", NAME(T_RESERVATION, r));
    }
    EACH_LIVE(k, T_QUEUE, q) {
        if (held[q] != k->c[C_QUEUE_RESERVATIONS].u32[q])
            return check_fail(c, "%s says that it holds %u reservations; it holds %u",
                              NAME(T_QUEUE, q), k->c[C_QUEUE_RESERVATIONS].u32[q], held[q]);
    }
    return LSCHED_OK;
}

int32_t verify_reserved(struct check *c) {
    const struct columns *k = c->k;
    size_t rows = table_rows(k, T_RESERVATION), queues = table_rows(k, T_QUEUE),
           bytes = (rows + queues + 1) * sizeof(uint32_t);
    if (table_live(k, T_RESERVATION) > LSCHED_RESERVATIONS_MAX)
        return check_fail(c, "there are %u reservations", table_live(k, T_RESERVATION));
    uint32_t *count = alloc_zero(k->alloc, bytes);
    if (!count) return check_nomem(c);
    int32_t rc = check_reserved_nodes(c, count);
    if (rc == LSCHED_OK) rc = check_reservations(c, count, count + rows);
    alloc_free(k->alloc, count, bytes);
    return rc;
}

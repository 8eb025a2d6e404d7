/* host_end.c -- see host_end.h. */
#include "model/demand/host_end.h"

#include "model/demand/demand.h"
#include "model/store/heap.h"

static int host_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_WATCH_HOST_UNTIL].i64[a], y = k->c[C_WATCH_HOST_UNTIL].i64[b];
    if (x != y) return x < y;
    return text_compare(k, k->c[C_JOB_NAME].u32[k->c[C_WATCH_JOB].u32[a]],
                        k->c[C_JOB_NAME].u32[k->c[C_WATCH_JOB].u32[b]]) < 0;
}

static const struct heap_kind host_heap = {C_WATCH_HOST_L, C_WATCH_HOST_R, C_WATCH_HOST_P,
                                           C_WATCH_HOST_D, host_before};

void host_end_set(struct columns *k, uint32_t w, int64_t until) {
    uint32_t root = (uint32_t)meta(k, M_HOST_HEAD), job = k->c[C_WATCH_JOB].u32[w];
    struct demand_note demand;
    demand_begin(k, job, NO_ROW, &demand); /* the waiting tasks of a held job do not count */
    if (k->c[C_WATCH_HOST_D].u8[w] != 0) root = heap_remove(k, &host_heap, root, w);
    set_i64(k, C_WATCH_HOST_UNTIL, w, until);
    if (until != 0 && until != LSCHED_NEVER_US) root = heap_insert(k, &host_heap, root, w);
    set_meta(k, M_HOST_HEAD, root);
    demand_end(k, job, &demand);
}

void host_end_reason(struct columns *k, uint32_t w, uint32_t reason) {
    uint32_t old = k->c[C_WATCH_HOST_REASON].u32[w];
    set_u32(k, C_WATCH_HOST_REASON, w, reason);
    if (old != NO_ROW) intern_drop(k, T_STRING, old);
}

void host_end_drop(struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    if (w == NO_ROW || k->c[C_WATCH_HOST_UNTIL].i64[w] == 0) return;
    host_end_reason(k, w, NO_ROW);
    host_end_set(k, w, 0);
}

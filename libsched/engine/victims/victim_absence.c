/* victim_absence.c -- see victim_absence.h. */
#include "engine/victims/victim_absence.h"

#include "base/binary_heap.h"
#include "base/sort.h"
#include "base/times.h"
#include "base/vec.h"
#include "engine/rights/checkpoints.h"
#include "model/jobs/job_cost.h"
#include "model/nodes/absence.h"
#include "model/store/steps.h"

/* ---- the times that work takes to stop ---- */

/* The different ones, in order. */
struct stop_times {
    int64_t *list;
    uint32_t n, cap;
};

#define STOPS_SOONER(k, a, b) ((a) < (b))
SORT_IN_PLACE(sort_stop_times, int64_t, const struct columns *, STOPS_SOONER)

static int32_t stop_times_read(const struct lsched_cycle *cy, struct stop_times *s) {
    const struct columns *k = cy->k;
    int64_t takes = cycle_eviction(cy)->release_us;
    if (!VEC_ROOM(k->alloc, s->list, s->cap, table_live(k, T_COST) + 1ull) || !s->list)
        return LSCHED_E_NOMEM; /* room for one makes a list, which analysers do not see */
    s->list[s->n++] = takes;
    steps_add(k, table_rows(k, T_COST));
    for (uint32_t c = 0; c < table_rows(k, T_COST); c++) {
        if (!row_is_live(k, T_COST, c)) continue;
        uint32_t job = k->c[C_COST_JOB].u32[c];
        s->list[s->n++] = time_after_at_most(job_cost_release(k, job, takes),
                                             checkpoints_time(cy, job, cy->victims->reason));
    }
    sort_stop_times(k, s->list, s->n);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < s->n; i++)
        if (s->list[i] != s->list[kept - 1]) s->list[kept++] = s->list[i];
    s->n = kept;
    return LSCHED_OK;
}

/* ---- the ends of absences ---- */

/* The first end of an absence of a node after the work that is looked at has stopped. */
struct node_end {
    int64_t back;
    uint32_t node;
};

struct node_ends {
    struct node_end *heap;
    uint32_t n, cap;
};

#define IS_BACK_SOONER(k, a, b) ((a).back != (b).back ? (a).back < (b).back : (a).node < (b).node)
HEAP_DEFINE(node_end, struct node_end, const struct columns *, IS_BACK_SOONER, HEAP_NO_INDEX)

/* Reads the nodes that are back at some time, with the first of these times. */
static int32_t node_ends_read(const struct lsched_cycle *cy, struct node_ends *e) {
    const struct columns *k = cy->k;
    const struct absence_line *l = &cy->c->absences;
    if (!VEC_ROOM(k->alloc, e->heap, e->cap, absence_line_count(l) + 1ull) || !e->heap)
        return LSCHED_E_NOMEM; /* as in stop_times_read() */
    for (uint32_t node = absence_line_first(l); node != NO_ROW; node = absence_line_next(l, node)) {
        struct node_end end = {l->entry[node].back, node};
        steps_add(k, 1);
        if (end.back != LSCHED_NEVER_US) e->heap[e->n++] = end;
    }
    node_end_make(k, e->heap, e->n);
    return LSCHED_OK;
}

/* Returns the first time after `at` at which a node is back. `at` is not before that of the call
 * before. */
static int64_t node_ends_after(const struct columns *k, struct node_ends *e, int64_t at) {
    while (e->n && e->heap[0].back <= at) {
        struct absence next;
        steps_add(k, 1);
        if (absence_next(k, e->heap[0].node, at, &next) && next.back != LSCHED_NEVER_US) {
            e->heap[0].back = next.back;
            node_end_settle(k, e->heap, e->n, 0);
        } else {
            (void)node_end_take(k, e->heap, &e->n);
        }
    }
    return e->n ? e->heap[0].back : LSCHED_NEVER_US;
}

/* Looks for the first time when a node is back within the longest time that work takes to stop. */
static int32_t victim_absence_sweep(struct lsched_cycle *cy, const struct stop_times *s) {
    struct node_ends e = {NULL, 0, 0};
    int32_t rc = node_ends_read(cy, &e);
    for (uint32_t i = 0; rc == LSCHED_OK && i < s->n; i++) {
        int64_t back = node_ends_after(cy->k, &e, time_after_at_most(cy->now, s->list[i]));
        if (back == LSCHED_NEVER_US) break;
        if (back - s->list[i] < cy->victims->back) cy->victims->back = back - s->list[i];
    }
    alloc_free(cy->k->alloc, e.heap, e.cap * sizeof *e.heap);
    return rc;
}

int32_t victim_absence_next(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct stop_times s = {NULL, 0, 0};
    cy->victims->back = LSCHED_NEVER_US;
    if (!meta(k, M_ABSENCES)) return LSCHED_OK;
    int32_t rc = absence_line_sync(&cy->c->absences, k, cy->now);
    if (rc != LSCHED_OK) return rc;
    int64_t first = absence_line_back(&cy->c->absences);
    if (first == LSCHED_NEVER_US) return LSCHED_OK;
    rc = stop_times_read(cy, &s);
    if (rc == LSCHED_OK && first > time_after_at_most(cy->now, s.list[s.n - 1]))
        cy->victims->back = first - s.list[s.n - 1];
    else if (rc == LSCHED_OK)
        rc = victim_absence_sweep(cy, &s);
    alloc_free(k->alloc, s.list, s.cap * sizeof *s.list);
    return rc;
}

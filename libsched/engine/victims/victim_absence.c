/* victim_absence.c -- see victim_absence.h. */
#include "engine/victims/victim_absence.h"

#include "base/sort.h"
#include "base/times.h"
#include "base/vec.h"
#include "engine/rights/checkpoints.h"
#include "model/jobs/job_cost.h"
#include "model/nodes/absence.h"
#include "model/store/steps.h"

/* The different times that work takes to stop. */
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

/* Returns the first time after `now` from which on work that is stopped is gone when the node is
 * back. */
static int64_t node_back(const struct columns *k, uint32_t node, int64_t now,
                         const struct stop_times *s) {
    int64_t first = LSCHED_NEVER_US;
    struct absence next;
    steps_add(k, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        if (!absence_next(k, node, time_after_at_most(now, s->list[i]), &next)) return first;
        if (next.back == LSCHED_NEVER_US) return first;
        int64_t at = next.back - s->list[i];
        if (at < first) first = at;
    }
    return first;
}

int32_t victim_absence_next(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct stop_times s = {NULL, 0, 0};
    cy->victims->back = LSCHED_NEVER_US;
    if (!meta(k, M_ABSENCES)) return LSCHED_OK;
    int32_t rc = stop_times_read(cy, &s);
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t n = 0; rc == LSCHED_OK && n < table_rows(k, T_NODE); n++) {
        int64_t at = row_is_live(k, T_NODE, n) ? node_back(k, n, cy->now, &s) : LSCHED_NEVER_US;
        if (at < cy->victims->back) cy->victims->back = at;
    }
    alloc_free(k->alloc, s.list, s.cap * sizeof *s.list);
    return rc;
}

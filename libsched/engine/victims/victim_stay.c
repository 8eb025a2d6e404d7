/* victim_stay.c -- see victim_stay.h. */
#include "engine/victims/victim_stay.h"

#include "base/times.h"
#include "engine/rights/checkpoints.h"
#include "model/absences/job_absence.h"
#include "model/jobs/job_cost.h"
#include "model/nodes/absence.h"

struct victim_stay victim_stay_of(const struct lsched_cycle *cy, uint32_t node) {
    const struct columns *k = cy->k;
    uint32_t job = cy->victims->job;
    struct victim_stay s = {.node = node, .from = cy->now};
    if (!meta(k, M_ABSENCES) || job == NO_ROW || !absence_is_set(k, node)) return s;
    s.leaves = 1;
    s.from = job_absence_later(k, node, job_absence_own(k, job, cy->now));
    s.late = job_absence_bars(k, node, s.from, job);
    return s;
}

/* Returns the time, not before `at`, at which the tasks of the unit are gone. */
static int64_t unit_gone_at(const struct lsched_cycle *cy, const struct victim_unit *u,
                            int64_t at) {
    if (u->nominated) return at; /* nothing runs */
    int64_t takes = job_cost_release(cy->k, u->job, cycle_eviction(cy)->release_us),
            writes = checkpoints_time(cy, u->job, cy->victims->reason);
    int64_t gone = time_after_at_most(cy->now, time_after_at_most(takes, writes));
    return gone > at ? gone : at;
}

int victim_stay_allows(const struct lsched_cycle *cy, const struct victim_stay *s,
                       const struct victim_unit *u) {
    return !s->leaves || s->late ||
           !job_absence_bars(cy->k, s->node, unit_gone_at(cy, u, s->from), cy->victims->job);
}

int victim_stay_holds(const struct lsched_cycle *cy, const struct victim_stay *s,
                      const struct victim_set *set) {
    int64_t at = s->from;
    if (!s->leaves) return 1;
    for (uint32_t i = 0; i < set->n; i++)
        if (set->unit[i].chosen) at = unit_gone_at(cy, &set->unit[i], at);
    return !job_absence_bars(cy->k, s->node, at, cy->victims->job);
}

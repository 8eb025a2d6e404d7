/* cycle_trace.c -- see cycle_trace.h. */
#include "engine/cycle/cycle_trace.h"

/* Calls the host. The cluster is busy, so that calls of the callback for it are refused. */
static void trace_tell(const struct lsched_cycle *cy, const struct cycle_stage *s, uint32_t ends,
                       int32_t code, const struct cycle_moment *in) {
    const char *name =
        s->stage == LSCHED_TRACE_ACTION ? cy->policy.pipeline.actions[s->index].word : "";
    lsched_trace_record r = {.size = sizeof r,
                             .stage = s->stage,
                             .ends = ends,
                             .code = code,
                             .attempt = cy->trace.attempt,
                             .index = s->index,
                             .cycle = cy->number,
                             .action = {name, strlen(name)},
                             .jobs_tried = in->jobs_tried,
                             .decisions = in->decisions,
                             .evictions = in->evictions,
                             .work_units = in->work_units,
                             .steps = in->steps,
                             .units_left = UINT64_MAX};
    if (cy->spend.given != UINT64_MAX)
        r.units_left = cy->spend.budget > cy->spend.spent ? cy->spend.budget - cy->spend.spent : 0;
    assert(cy->c->busy);
    cy->trace.call(cy->trace.user, &r);
}

struct cycle_stage cycle_trace_begin(const struct lsched_cycle *cy, uint32_t stage,
                                     uint32_t index) {
    struct cycle_stage s = {stage, index, cycle_counts_now(cy)};
    if (cy->trace.call) trace_tell(cy, &s, 0, LSCHED_OK, &(struct cycle_moment){0});
    return s;
}

int32_t cycle_trace_end(struct lsched_cycle *cy, const struct cycle_stage *s, int32_t code) {
    struct cycle_moment in = cycle_counts_since(cy, &s->began);
    if (s->stage == LSCHED_TRACE_ACTION) cycle_counts_action(cy, s->index, &in);
    if (cy->trace.call) trace_tell(cy, s, 1, code, &in);
    return code;
}

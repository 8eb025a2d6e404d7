/*
 * cycle_trace.h -- tells the host's trace callback (include/libsched/trace.h) when a stage of a
 * cycle begins and ends, with what happened in between.
 *
 * A stage is between cycle_trace_begin() and cycle_trace_end(); stages are not nested. The counts
 * of an action also go to the counters (cycle_counts.h). Cost: O(1) for each stage.
 */
#ifndef LIBSCHED_CYCLE_TRACE_H
#define LIBSCHED_CYCLE_TRACE_H

#include "engine/cycle/cycle_counts.h"

/* A stage that has begun. */
struct cycle_stage {
    uint32_t stage, index; /* LSCHED_TRACE_*; index of an action in the pipeline */
    struct cycle_moment began;
};
struct cycle_stage cycle_trace_begin(const struct lsched_cycle *cy, uint32_t stage, uint32_t index);
/* Returns `code`, the result of the stage. */
int32_t cycle_trace_end(struct lsched_cycle *cy, const struct cycle_stage *s, int32_t code);

#endif

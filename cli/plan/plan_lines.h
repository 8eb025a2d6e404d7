/*
 * plan_lines.h -- groups the decisions of a plan into few lines. A plan has one decision per task,
 * but people think in jobs.
 *
 * Decisions share a line if their jobs' names differ only in the number at the end, and if their
 * kinds, reasons and numbers of devices are equal. The lines are in the order in which the plan
 * first mentions them, except that evictions and moves for a job are below the line that places or
 * nominates that job. The nomination of a task that moves has no line, because the line of the
 * move has the target node.
 */
#ifndef LSCHED_CLI_PLAN_LINES_H
#define LSCHED_CLI_PLAN_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include <libsched/scenario.h>

struct plan_entry {
    const lsched_decision *decision;
    lsched_text job, for_job; /* for_job is empty if the decision is made for no job */
    /* length in bytes of each name without the number at its end */
    size_t prefix, for_prefix;
    size_t at;    /* index in the plan */
    size_t first; /* index `at` of the first decision of this line */
    /* value of `first` of the line below which this line is printed; if there is no such line,
     * equal to `first` */
    size_t anchor;
};

struct plan_lines {
    struct plan_entry *entries; /* owned; the decisions of a line are adjacent */
    size_t n;
    /* numbers of decisions; the nominations of moving tasks are not counted */
    size_t placed, nominated, evicted, moved;
    size_t paused, swapped_out, resumed;
};

void plan_lines_make(const lsched_scenario_cycle *cycle, struct plan_lines *out);
void plan_lines_free(struct plan_lines *lines);
/* Returns the index after the last decision of the line that begins at i. */
size_t plan_line_end(const struct plan_lines *lines, size_t i);
/* true if the line is printed below another one. */
bool plan_line_is_below(const struct plan_entry *entry);

#endif

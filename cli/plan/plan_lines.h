/*
 * plan_lines.h -- groups the decisions of a plan into a few lines to print. A plan has one decision
 * for each task, but people think in jobs.
 *
 * Two decisions are in the same line if the names of their jobs differ only in the number at the
 * end, and if the decisions have the same kind, reason, task group, number of devices and share of
 * a GPU. The names of the jobs for which tasks are evicted can also differ only in the number at
 * the end. A line stands where the plan has the first decision of the line. There is one exception:
 * evictions and moves for a job are printed below the line that places or nominates that job. The
 * nomination of a task that moves has no line, because the line of the move shows the target node.
 */
#ifndef LSCHED_CLI_PLAN_LINES_H
#define LSCHED_CLI_PLAN_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include <libsched/scenario.h>

struct plan_entry {
    const lsched_decision *decision;
    lsched_text job, for_job; /* for_job is empty if the decision is not made for another job */
    /* lengths in bytes of the names `job` and `for_job` without the number at the end of the
     * name */
    size_t prefix, for_prefix;
    size_t at;    /* index of the decision in the plan */
    size_t first; /* value of `at` of the first decision in the line */
    /* value of `first` of the other line below which this line is printed; equal to this entry's
     * `first` if the line is not printed below another line */
    size_t anchor;
};

struct plan_lines {
    struct plan_entry *entries; /* owned by this struct; the decisions of a line are adjacent */
    size_t n;
    /* numbers of decisions of each kind; `nominated` does not count the nominations of tasks that
     * move */
    size_t placed, nominated, evicted, moved;
    size_t paused, swapped_out, resumed, checkpoints, resizes, warnings;
};

void plan_lines_make(const lsched_scenario_cycle *cycle, struct plan_lines *out);
void plan_lines_free(struct plan_lines *lines);
/* Returns true if there are decisions that take effect later, or that have a reason. */
bool plan_lines_have_times(const struct plan_lines *lines);
/* Returns the index after the last decision of the line that begins at i. */
size_t plan_line_end(const struct plan_lines *lines, size_t i);
/* Returns true if the line of the entry is printed below another line. */
bool plan_line_is_below(const struct plan_entry *entry);

#endif

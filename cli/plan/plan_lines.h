/*
 * plan_lines.h -- the decisions of a plan in few lines. A plan has a decision per task; people
 * think in jobs.
 *
 * Decisions of jobs that differ only in the number at the end of their names, of one kind, for one
 * reason, with equal devices, share a line. Lines stand in the order in which the plan first speaks
 * of them, and what is evicted or moved for a job stands below the line that seats it. The
 * nomination of a task that moves has no line: its move says where it goes.
 */
#ifndef LSCHED_CLI_PLAN_LINES_H
#define LSCHED_CLI_PLAN_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include <libsched/scenario.h>

struct plan_entry {
    const lsched_decision *decision;
    lsched_text job, for_job;  /* for_job: no bytes if for nobody */
    size_t prefix, for_prefix; /* of the names: what is not counted */
    size_t at;                 /* in the plan */
    size_t first;              /* at of the first decision of its line */
    size_t anchor;             /* first of the line that it stands below; its own otherwise */
};

struct plan_lines {
    struct plan_entry *entries; /* owned; those of a line stand together */
    size_t n;
    size_t placed, nominated, evicted, moved; /* decisions; no nomination of what moves */
    size_t paused, swapped_out, resumed;
};

void plan_lines_make(const lsched_scenario_cycle *cycle, struct plan_lines *out);
void plan_lines_free(struct plan_lines *lines);
/* Where the line that begins at i ends. */
size_t plan_line_end(const struct plan_lines *lines, size_t i);
/* Does the line stand below another. */
bool plan_line_is_below(const struct plan_entry *entry);

#endif

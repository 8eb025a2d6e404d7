/*
 * list_schedule.h -- serial schedule generation (Kolisch 1996): takes the activities of a list one
 * after the other, and starts each as early as its predecessors and the resources allow.
 *
 * Always holds: a schedule that was made keeps precedence and capacities. The free amounts are kept
 * as breakpoints in time, so that cost does not depend on the length of durations: a list costs
 * O(n x breakpoints x resources), and there are at most 2 n + 1 breakpoints.
 *
 * Justification (Valls, Ballestin, Quintanilla 2005): list_schedule_justify() schedules the project
 * backwards in the order of the ends, and forwards again. The makespan does not become longer.
 */
#ifndef LSCHED_CLI_LIST_SCHEDULE_H
#define LSCHED_CLI_LIST_SCHEDULE_H

#include <stdbool.h>

#include "cli/projects/project.h"

struct list_schedule {
    const struct project *project;
    uint32_t *rank;    /* [n] place of each activity in project->order */
    int32_t *at;       /* [2 n + 2] times of the breakpoints, ascending */
    int32_t *free;     /* [2 n + 2][n_resources] free amounts from each breakpoint on */
    int32_t *mirrored; /* [n] starts of a backward schedule */
    uint64_t *keys;    /* [n] scratch of the sort */
    uint32_t *list;    /* [n] scratch of the justification */
    uint32_t n_at;
    uint64_t work; /* work units done since the beginning, about 30 ns each */
};

void list_schedule_begin(struct list_schedule *s, const struct project *project);
void list_schedule_end(struct list_schedule *s);
/* Schedules the activities of the list, in which each stands behind its predecessors, and writes
 * their starts. Returns the makespan. */
int32_t list_schedule_make(struct list_schedule *s, const uint32_t *list, int32_t *start);
/* Shortens a schedule by justification to the right and to the left, writes the new starts and
 * makes `list` the activities in the order of their starts. Returns the new makespan. */
int32_t list_schedule_justify(struct list_schedule *s, int32_t *start, uint32_t *list);

#endif

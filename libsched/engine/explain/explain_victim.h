/* explain_victim.h -- writes for which jobs a job's tasks are evicted, which jobs can evict its
 * running tasks, and which releasing tasks of other jobs still hold the room of a nominated job. */
#ifndef LIBSCHED_EXPLAIN_VICTIM_H
#define LIBSCHED_EXPLAIN_VICTIM_H

#include "engine/exclusions/explain_context.h"

/* Continues the line of a releasing task with its release time. If `say_why` is 1, also writes the
 * reason, such as ", gone by 14:20 (in 30 s): reclaim for llm". */
void explain_victim_put_task(const struct explain *e, uint32_t task, int say_why);
/* Writes a line for each job and reason for which the explained job's tasks are evicted, at most
 * four lines. Returns the number of lines. */
uint32_t explain_victim_takers(const struct explain *e);
/* Writes which tasks still hold the room for which the job is nominated. */
void explain_victim_nominations(const struct explain *e);
/* Writes which jobs can evict the explained job. */
void explain_victim(const struct explain *e);
/* Writes how many tasks the job needs to start, how long it can run, and how long it has been
 * idle. */
void explain_victim_limits(const struct explain *e);
/* Writes how often the job was evicted or moved, and how often its disruption budget allows
 * this. */
void explain_victim_disturbed(const struct explain *e);

#endif

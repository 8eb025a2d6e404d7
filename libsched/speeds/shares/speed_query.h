/*
 * speed_query.h -- reads the arguments of the calls of speeds.h, so that all refuse the same ones.
 */
#ifndef LIBSCHED_SPEEDS_QUERY_H
#define LIBSCHED_SPEEDS_QUERY_H

#include <libsched/speeds.h>

#include "base/alloc.h"

/* Copies the query of a call, and checks what every call reads: the allocator, from which *alloc is
 * made, models, and jobs without their rows. */
int32_t speed_query_read(const lsched_speeds_query *from, lsched_speeds_query *to,
                         struct alloc *alloc, lsched_error *err);
/* Checks what only lsched_speeds_solve() reads: the policy, speeds, and rows of jobs. */
int32_t speed_query_check(const lsched_speeds_query *query, lsched_error *err);
/* Returns the speed of a job on a model: 0 where it cannot run. An unknown speed is 1.0. */
double speed_query_speed(const lsched_speeds_query *query, const lsched_speeds_job *job,
                         size_t model);
/* Sets the index of the error to an element. Returns `code`. */
int32_t speed_query_at(lsched_error *err, size_t index, int32_t code);

#endif

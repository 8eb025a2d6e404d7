/*
 * warning_ops.h -- the events about which the warnings before an end (model/warnings/warning.h) are
 * told by the code that changes tasks, jobs and decisions.
 *
 * columns.warnings points to these functions from the first cycle on that asks for warnings; until
 * then it is NULL, and each event costs one test of it. Why a table of functions: the code below
 * does not know the ends of work, and a host that asks for no warnings keeps no rows for them.
 */
#ifndef LIBSCHED_WARNING_OPS_H
#define LIBSCHED_WARNING_OPS_H

#include "model/store/columns.h"

struct warning_ops {
    /* The task was placed or nominated, or runs as an import. Error: LSCHED_E_NOMEM. */
    int32_t (*placed)(struct columns *k, uint32_t task);
    /* The task runs now, or runs on because its eviction was undone. */
    void (*runs)(struct columns *k, uint32_t task);
    /* The task holds nothing any more. */
    void (*ended)(struct columns *k, uint32_t task);
    /* The row `to` stands for the task from now on: it was evicted, or its eviction was undone. */
    void (*moved)(struct columns *k, uint32_t from, uint32_t to);
    /* The job of this row of WATCH runs, and its due time has changed. */
    void (*due_moved)(struct columns *k, uint32_t watch);
    /* The row of WATCH is about to be removed. */
    void (*watch_ends)(struct columns *k, uint32_t watch);
    /* A decision of this kind about the task was closed. undone: 1 if a WARN was not delivered */
    void (*closed)(struct columns *k, uint32_t task, uint32_t kind, uint32_t reason, int undone);
    /* The clock was set, and times have moved with it. Error: LSCHED_E_NOMEM. */
    int32_t (*clock_set)(struct columns *k);
};

#endif

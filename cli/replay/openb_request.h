/*
 * openb_request.h -- converts tasks of the openb trace into task groups for the library.
 */
#ifndef LSCHED_CLI_OPENB_REQUEST_H
#define LSCHED_CLI_OPENB_REQUEST_H

#include <stdbool.h>

#include "cli/traces/openb_trace.h"

/* A task group with the amounts to which it points. Code must not move or copy the struct, because
 * `group` points into it. The task must live as long as the struct, because `group` also points
 * into the task. */
struct openb_request {
    lsched_amount amounts[3];
    lsched_group_desc group;
};

void openb_request_of(const struct openb_task *task, bool with_memory, struct openb_request *out);

/* The mix of expected tasks that the placement strategy fgd needs, made from the task list. Tasks
 * with equal cpu, GPUs, share of a GPU and models are one class, and each class is one entry with
 * the number of its tasks. */
struct openb_mix {
    lsched_mix_entry *entries;
    struct openb_request *requests; /* the requests to which the entries point */
    size_t n;
};
void openb_mix_make(const struct openb_tasks *tasks, struct openb_mix *out);
void openb_mix_free(struct openb_mix *mix);

#endif

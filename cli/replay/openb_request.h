/*
 * openb_request.h -- a task of the trace as the library wants it described.
 */
#ifndef LSCHED_CLI_OPENB_REQUEST_H
#define LSCHED_CLI_OPENB_REQUEST_H

#include <stdbool.h>

#include "cli/traces/openb_trace.h"

/* The group points into the struct it lies in and into the task: not to be moved or copied. */
struct openb_request {
    lsched_amount amounts[3];
    lsched_group_desc group;
};

void openb_request_of(const struct openb_task *task, bool with_memory, struct openb_request *out);

#endif

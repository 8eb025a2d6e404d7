/*
 * openb_request.h -- converts a task of the trace into a task group for the library.
 */
#ifndef LSCHED_CLI_OPENB_REQUEST_H
#define LSCHED_CLI_OPENB_REQUEST_H

#include <stdbool.h>

#include "cli/traces/openb_trace.h"

/* `group` points into this struct and into the task, therefore the struct must not be moved or
 * copied. */
struct openb_request {
    lsched_amount amounts[3];
    lsched_group_desc group;
};

void openb_request_of(const struct openb_task *task, bool with_memory, struct openb_request *out);

#endif

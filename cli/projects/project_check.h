/*
 * project_check.h -- checks a schedule of a project from its definition, and shares no code with
 * the solver: it reads the links and demands of the project, and neither the lists of neighbours
 * nor the order that project_finish() made.
 */
#ifndef LSCHED_CLI_PROJECT_CHECK_H
#define LSCHED_CLI_PROJECT_CHECK_H

#include <libsched/libsched.h>

#include "cli/projects/project.h"

/* Returns 0, or LSCHED_E_VERIFY with a message that names the activities (counted from 1) and the
 * rule that does not hold. */
int32_t project_check(const struct project *project, const int32_t *start, int32_t makespan,
                      lsched_error *err);

#endif

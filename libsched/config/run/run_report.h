/*
 * run_report.h -- reports what went wrong in a run. An expectation that does not hold is counted
 * and reported to the caller, and the run continues. Memory that ran out ends the run. Every file
 * of this folder calls this one, and it calls none of them.
 */
#ifndef LIBSCHED_RUN_REPORT_H
#define LIBSCHED_RUN_REPORT_H

#include "config/run/scenario_runner.h"

void run_no_memory_error(const struct runner *r);
static inline int32_t run_no_memory(const struct runner *r) {
    run_no_memory_error(r);
    return LSCHED_E_NOMEM;
}
/* Counts and reports an expectation that does not hold. */
void run_failed(struct runner *r, struct mark mark, const char *format, ...) COMPLAIN_PRINTF(3, 4);

#endif

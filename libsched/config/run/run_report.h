/*
 * run_report.h -- how the parts of a run say that something is wrong: an expectation that does not
 * hold, which is counted and told to the caller while the run goes on, and memory that ran out,
 * which ends it. The file is the lowest of the folder: every part calls it, it calls none.
 */
#ifndef LIBSCHED_RUN_REPORT_H
#define LIBSCHED_RUN_REPORT_H

#include "config/run/scenario_runner.h"

void run_no_memory_error(const struct runner *r);
static inline int32_t run_no_memory(const struct runner *r) {
    run_no_memory_error(r);
    return LSCHED_E_NOMEM;
}
/* An expectation does not hold. */
void run_failed(struct runner *r, struct mark mark, const char *format, ...) COMPLAIN_PRINTF(3, 4);

#endif

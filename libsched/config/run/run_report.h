/*
 * run_report.h -- reports errors and failed expectations of a run. An expectation that does not
 * hold is counted and reported to the caller, and the run continues. If memory runs out, the run
 * ends. All files of this folder can call the functions of this file, which call no other file of
 * the folder.
 */
#ifndef LIBSCHED_RUN_REPORT_H
#define LIBSCHED_RUN_REPORT_H

#include "config/run/scenario_runner.h"

void run_no_memory_error(const struct runner *r);
static inline int32_t run_no_memory(const struct runner *r) {
    run_no_memory_error(r);
    return LSCHED_E_NOMEM;
}
/* Counts and reports an expectation that does not hold. `mark` is the place of the expectation in
 * the text. */
void run_failed(struct runner *r, struct mark mark, const char *format, ...) COMPLAIN_PRINTF(3, 4);

#endif

/* run_checks.h -- what run_expect.c, run_fields.c and run_decisions.c share: checks on fields,
 * amounts, times, and on what a plan decides. */
#ifndef LIBSCHED_RUN_CHECKS_H
#define LIBSCHED_RUN_CHECKS_H

#include "config/run/scenario_runner.h"

/* Does `got` stand to the check's value as the check says? */
int check_compare(const struct expectation *c, int64_t got);
/* A field of an info struct that has been read. */
void check_field(struct runner *r, const struct expectation *c, const void *info);
int32_t check_object_field(struct runner *r, const struct expectation *c);
int32_t check_amount(struct runner *r, const struct expectation *c);
int32_t check_devices_free(struct runner *r, const struct expectation *c);
int32_t check_next_wake(struct runner *r, const struct expectation *c);
/* The live record and text of a waiting job; 0 if there is no such job, which is reported. */
int check_waiting(struct runner *r, const struct expectation *c, lsched_waiting *record, char *text,
                  size_t cap);

/* Decisions of one kind in the last plan: exactly the tasks that are named; a field of each. */
int32_t check_decisions(struct runner *r, const struct expectation *c);
int32_t check_decision_field(struct runner *r, const struct expectation *c);

#endif

/* run_checks.h -- checks that run_expect.c, run_fields.c and run_decisions.c share: checks of
 * fields, amounts and times, and of the decisions of a plan. */
#ifndef LIBSCHED_RUN_CHECKS_H
#define LIBSCHED_RUN_CHECKS_H

#include "config/run/scenario_runner.h"

/* 1 if `got` compares with the value of the check as the check demands. */
int check_compare(const struct expectation *c, int64_t got);
/* Checks a field of an info struct that the caller has read. */
void check_field(struct runner *r, const struct expectation *c, const void *info);
int32_t check_object_field(struct runner *r, const struct expectation *c);
int32_t check_amount(struct runner *r, const struct expectation *c);
int32_t check_devices_free(struct runner *r, const struct expectation *c);
int32_t check_next_wake(struct runner *r, const struct expectation *c);
/* Reads the current wait record and explanation of a job. Returns 0 if there is no such job, after
 * it reported that. */
int check_waiting(struct runner *r, const struct expectation *c, lsched_waiting *record, char *text,
                  size_t cap);

/* check_decisions checks that the last plan has decisions of one kind for exactly the tasks that
 * the check names. check_decision_field checks one field of each of these decisions. */
int32_t check_decisions(struct runner *r, const struct expectation *c);
int32_t check_decision_field(struct runner *r, const struct expectation *c);

#endif

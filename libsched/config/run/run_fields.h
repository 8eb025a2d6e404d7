/* run_fields.h -- checks that compare one value: a field of an object, an amount of a resource
 * kind, or a time. expect_fields.h lists the fields and amounts. */
#ifndef LIBSCHED_RUN_FIELDS_H
#define LIBSCHED_RUN_FIELDS_H

#include "config/run/scenario_runner.h"

/* True if the check's comparison of `got` with c->value holds. With COMPARE_LE, it holds if got <=
 * c->value. */
int check_compare(const struct expectation *c, int64_t got);
/* Checks one field of the info struct `info`, which the caller has got from the library. */
void check_field(struct runner *r, const struct expectation *c, const void *info);
int32_t check_object_field(struct runner *r, const struct expectation *c);
int32_t check_amount(struct runner *r, const struct expectation *c);
int32_t check_devices_free(struct runner *r, const struct expectation *c);
int32_t check_next_wake(struct runner *r, const struct expectation *c);
/* Reads the current wait record and the explanation of the job c->subject, and returns 1. If the
 * job does not exist, reports a failed expectation and returns 0. */
int check_waiting(struct runner *r, const struct expectation *c, lsched_waiting *record, char *text,
                  size_t cap);

#endif

/* dependency_form.h -- reads what a job waits for before its first start: its begin, its expiry and
 * its dependencies. */
#ifndef LIBSCHED_DEPENDENCY_FORM_H
#define LIBSCHED_DEPENDENCY_FORM_H

#include "model/life/gate_change.h"

/* The list of dependencies of a job, as the caller gave it and as it is read. */
struct dependency_form {
    const lsched_dependency *list;
    uint32_t n, elem_size, on_never;
    struct gate_need needs[LSCHED_DEPENDENCIES_MAX];
};

/* Checks the list, and fills needs[]. Errors: LSCHED_E_NOENT (no such job), LSCHED_E_STALE,
 * LSCHED_E_INVAL (also the same event of one job twice), LSCHED_E_LIMIT,
 * LSCHED_E_RANGE, LSCHED_E_NULL. dependency_circle.h checks whether a job waits for itself. */
int32_t dependency_form_read(const struct columns *k, struct dependency_form *f, lsched_error *err);
/* Checks a begin and an expiry. */
int32_t dependency_form_times(const struct columns *k, int64_t begin, int64_t expires,
                              lsched_error *err);
/* Reads these fields of a new job, and gives them to its row. */
int32_t dependency_form_submit(struct columns *k, const lsched_job_desc *d, uint32_t job,
                               lsched_error *err);

#endif

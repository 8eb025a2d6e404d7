/* settle.h -- settles decisions that a test has as arrays of ids and of outcomes. */
#ifndef LSCHED_TESTS_SETTLE_H
#define LSCHED_TESTS_SETTLE_H

#include <stdlib.h>

#include <libsched/libsched.h>

/* Returns LSCHED_OK, or the error of lsched_settle(). */
static inline int32_t settle_each(lsched_cluster *c, const lsched_id *ids,
                                  const lsched_outcome *outcomes, size_t n,
                                  lsched_settle_report *report, lsched_error *err) {
    lsched_settlement *s = calloc(n ? n : 1, sizeof *s);
    for (size_t i = 0; s && i < n; i++)
        s[i] = (lsched_settlement){sizeof *s, outcomes[i], ids[i], {NULL, 0}, NULL};
    int32_t rc = s ? lsched_settle(c, s, n, sizeof *s, NULL, report, NULL, err) : LSCHED_E_NOMEM;
    free(s);
    return rc < 0 ? rc : LSCHED_OK;
}

#endif

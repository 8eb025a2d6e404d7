/* job_labels.c -- see job_labels.h. */
#include "api/forms/job_labels.h"

#include <stdio.h>

#include "api/forms/job_rules.h"

int32_t job_labels_read(const lsched_job_desc *d, struct bytes *b, const struct bytes **labels,
                        lsched_error *err) {
    lsched_label sorted[LIMIT_LABELS_PER_JOB];
    char where[LSCHED_NAME_BYTES_MAX + 32]; /* fail() shortens the name */
    *labels = NULL;
    if (d->n_labels == 0) return LSCHED_OK;
    snprintf(where, sizeof where, "job '%.*s'", (int)d->name.len, d->name.ptr);
    int32_t rc = job_rules_labels(d->labels, d->n_labels, LIMIT_LABELS_PER_JOB, sorted, where, err);
    if (rc != LSCHED_OK) return rc;
    bytes_u32(b, d->n_labels);
    for (uint32_t i = 0; i < d->n_labels; i++) {
        bytes_text(b, sorted[i].key);
        bytes_text(b, sorted[i].value);
    }
    *labels = b;
    return b->failed ? LSCHED_E_NOMEM : LSCHED_OK;
}

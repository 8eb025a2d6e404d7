/* refusal_form.h -- reads what an orchestrator says about a rejection: what to avoid, until when,
 * and its words. */
#ifndef LIBSCHED_REFUSAL_FORM_H
#define LIBSCHED_REFUSAL_FORM_H

#include "api/door/args.h"
#include "model/jobs/refusal.h"

/* Reads the terms of a rejected decision to *terms. refusal NULL: the default terms. The texts in
 * *terms are those of the caller. err can be NULL. */
int32_t refusal_form_read(const struct columns *k, const lsched_refusal *refusal, uint32_t decision,
                          struct refusal_terms *terms, lsched_error *err);

#endif

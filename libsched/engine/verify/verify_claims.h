/*
 * verify_claims.h -- checks device claims: each leaf group must use an alternative that it has, the
 * stored selector answers must be complete, and placed tasks must have devices that their
 * selectors, match and distinct attributes allow.
 */
#ifndef LIBSCHED_VERIFY_CLAIMS_H
#define LIBSCHED_VERIFY_CLAIMS_H

#include "model/check/check_finding.h"

/* Checks the alternatives that leaf groups use, the stored selector answers, and the match and
 * distinct attributes of placed tasks. */
int32_t verify_claims(struct check *c);

#endif

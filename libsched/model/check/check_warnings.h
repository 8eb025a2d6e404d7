/* check_warnings.h -- checks the rows of WARN, which say when tasks are told that they end
 * (warnings/warning.h), but not that they are told: engine/verify_plan/verify_warnings.h does that.
 */
#ifndef LIBSCHED_CHECK_WARNINGS_H
#define LIBSCHED_CHECK_WARNINGS_H

#include "model/check/check_finding.h"

int32_t check_warnings(struct check *c);

#endif

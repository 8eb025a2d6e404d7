/*
 * node_absence.h -- checks the times at which a node is to be away (model/nodes/absence.h). The
 * node is named in the error, which says what was expected. Cost: O(1).
 */
#ifndef LIBSCHED_NODE_ABSENCE_H
#define LIBSCHED_NODE_ABSENCE_H

#include <libsched/libsched.h>

/* Returns LSCHED_OK or LSCHED_E_RANGE. */
int32_t node_absence_check(int64_t leaves, int64_t back, int64_t every, lsched_text name,
                           lsched_error *err);

#endif

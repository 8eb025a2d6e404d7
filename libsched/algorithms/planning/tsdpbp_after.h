/*
 * tsdpbp_after.h -- says for each planned job which work must end before it can start.
 *
 * Cost: O(items log items) to begin, then O(tasks of the item, and of the items that end when it
 * starts) for each item, and O(ends on its nodes) if they are several.
 */
#ifndef LIBSCHED_TSDPBP_AFTER_H
#define LIBSCHED_TSDPBP_AFTER_H

#include "algorithms/planning/tsdpbp.h"

/* Makes ts.scratch.ended long enough for n bins. All its entries are LSCHED_NO_ROW between calls.
 * Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t ts_after_room(struct ts *t, uint32_t n);
/* Lists the ends of all items. Must be called again when an item got another start. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t ts_after_begin(struct ts *t);
/* Returns the job whose end allows the item to start. Returns LSCHED_NO_ROW if it is unknown, or if
 * plan_wait finds it, which prefers running work of the node. Sets *node to the node on which the
 * item starts. */
uint32_t ts_after(struct ts *t, const struct ts_item *item, uint32_t *node);

#endif

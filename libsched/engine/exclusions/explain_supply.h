/* explain_supply.h -- which place has too little left of a supply for a job, in words. */
#ifndef LIBSCHED_EXPLAIN_SUPPLY_H
#define LIBSCHED_EXPLAIN_SUPPLY_H

#include "base/text_out.h"
#include "engine/exclusions/explain_subject.h"
#include "model/supplies/supply.h"

/* Fills *lack with the place that lacks now: the whole cluster, or else the widest lacking domain
 * around the first node by name that has room for a task. Returns 1, or 0 if no supply keeps the
 * job from a node with room. O(nodes). */
int explain_supply_find(const struct columns *k, const lsched_waiting *w, struct supply_lack *lack);
/* Updates need and have of a record with LSCHED_WAIT_SUPPLY. If an event has ended the wait, have
 * is at least need. If no node has room any more, the code becomes LSCHED_WAIT_ROOM. */
void explain_supply_refresh(const struct columns *k, lsched_waiting *w);
/* True if no place whose nodes could hold the job has as much of a supply as the job needs, also
 * when nothing uses it. Then sets *most to the place that has most of it. O(nodes). */
int explain_supply_never(const struct columns *k, const lsched_waiting *w,
                         struct supply_lack *most);
void explain_supply_put(const struct columns *k, const lsched_waiting *w, struct text_out *o);

#endif

/*
 * victim_reserved.h -- running work that may not stop because it is in the window of a reservation
 * of its own queue (model/reservations/reservation.h).
 *
 * A reservation promises its nodes to the jobs of a queue. So while its window lasts, no search
 * stops or moves these jobs there for a job of another queue, also if that job could only start
 * when the window is over. Before and after the window, and for a job that the reservation admits,
 * the other rules decide. Work that the operator drains stops as always, because it stops for
 * nobody.
 *
 * Cost: one comparison without reservations; else O(tasks of the unit x depth).
 * Why not a part of the verdict (victim_verdict.h): that is about a job, and a job can have tasks
 * on other nodes, which stop as those of any job.
 */
#ifndef LIBSCHED_VICTIM_RESERVED_H
#define LIBSCHED_VICTIM_RESERVED_H

#include "engine/rights/victim_state.h"

/* True if a task of the unit is in a window of its queue that does not admit the current job. */
int victim_reserved(const struct lsched_cycle *cy, const struct victim_unit *u);

#endif

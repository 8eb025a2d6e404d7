/*
 * nominations.h -- serves the nominated tasks of earlier cycles: places tasks whose nominated room
 * came free, withdraws nominations that are overdue or that an absence bars, and withdraws
 * evictions that no nomination needs any more.
 */
#ifndef LIBSCHED_NOMINATIONS_H
#define LIBSCHED_NOMINATIONS_H

#include "engine/state/withdraw_decision.h"

/* Must be called at most once per cycle, before the actions. Places nominated tasks on room that
 * came free, then withdraws overdue nominations and needless evictions. Error: LSCHED_E_NOMEM. */
int32_t nominations_serve(struct lsched_cycle *cy);
/* True if, for each nomination of the job, the free amounts of the node are large enough now.
 * Devices and daily demand are not checked, so a nomination can still wait for releasing tasks. */
int nominations_wait_for_nobody(const struct columns *k, uint32_t job);
/* Marks the nodes on which the room of a nomination of the job is free already. The next cycle
 * then tries to place the nominated tasks there. Error: LSCHED_E_NOMEM. */
int32_t nominations_look_again(struct lsched_cycle *cy, uint32_t job);
/* Returns the time at which the room for a nominated task of the job and the shape should be free:
 * when the last releasing task of the node should be gone, the last one that holds a supply which
 * the task lacks, and the last one from which exclusive levels keep it apart. 0: nothing is
 * releasing. */
int64_t nominations_room_at(const struct columns *k, uint32_t job, uint32_t shape, uint32_t node);

/* Returns the first time, not before the last cycle, at which an absence bars a nomination, so that
 * a cycle withdraws it: its room has not come by then. LSCHED_NEVER_US: none. Cost: O(open
 * decisions), nothing without absences. */
int64_t nominations_barred_at(const struct columns *k);

/* True if each nomination of the jobs of the current transaction still ends before its node is away
 * (nodes/absence.h). The tasks of a gang start when the last of them has room, and no task of a job
 * starts before the job has left its old places. If not, lets waiting jobs seek victims again when
 * one of the late nodes is barred also to a task that starts at once: the search then leaves this
 * node out, and can find others. */
int nominations_end_in_time(struct lsched_cycle *cy);

/* Lets the nominations of each decision group of this cycle expect their room at the same time,
 * which is when the last room of the group is expected: a gang starts only then, and waits with the
 * rooms that come free before. Must be called when the cycle has made all its decisions. Cost:
 * O(decisions of the cycle). Error: LSCHED_E_NOMEM. */
int32_t nominations_end_cycle(struct lsched_cycle *cy);

#endif

/*
 * refusal_wait.h -- the effects of the orchestrator's refusals (model/jobs/refusal.h) in a cycle.
 *
 * Searches leave out nodes that refused the task shape, and nominations on such nodes are
 * withdrawn. If a shape is refused everywhere, one transaction is tried first as a probe when that
 * refusal ends. The wait reason of a job names the refusal. A rejected nomination keeps tasks away
 * only in victim searches and in searches for room that comes free later (cy->turn.later); tasks
 * can still be placed on the node.
 *
 * If a refusal of a shape is known, each queue has its own search index for the shape. The index
 * leaves out the nodes that refused the shape when nodes are scored (search.c). The place call
 * checks refusals again, so that no action can bypass them. A refusal everywhere is checked once,
 * before a search begins.
 */
#ifndef LIBSCHED_REFUSAL_WAIT_H
#define LIBSCHED_REFUSAL_WAIT_H

#include "engine/state/cycle_state.h"
#include "model/jobs/refusal.h"
#include "engine/state/object_words.h"

/* True if tasks of the group are refused everywhere for now. The function then writes the refusal
 * to cy->turn.why as the wait reason. */
int refusal_wait_is_everywhere(struct lsched_cycle *cy, const struct ask *a);
/* Called after a search found no node. True if a node of the domain (NO_ROW: any node) has room
 * now but refused tasks of the shape. The function then writes the refusal to cy->turn.why as the
 * wait reason. */
int refusal_wait_has_room(struct lsched_cycle *cy, const struct ask *a, uint32_t domain);
/* True if a victim search can help the bundle, which waits because of refusals. */
int refusal_wait_lets_evict(const struct columns *k, uint32_t bundle);
/* Called when the current transaction is kept. For each shape in the transaction that is refused
 * everywhere, the transaction becomes the probe. */
void refusal_wait_commit(struct lsched_cycle *cy);
/* Withdraws nominations that became useless because the orchestrator rejected placements of equal
 * tasks, on the same node or everywhere. Error: LSCHED_E_NOMEM. */
int32_t refusal_wait_nominations(struct lsched_cycle *cy);

enum refusal_by { REFUSAL_WAIT_NONE, REFUSAL_WAIT_JOB, REFUSAL_WAIT_SHAPE, REFUSAL_WAIT_NODE };

/* The refusal that keeps a job waiting in the present state.
 *   REFUSAL_WAIT_JOB    refusals of the job itself
 *   REFUSAL_WAIT_SHAPE  a refusal everywhere of the job's task shape
 *   REFUSAL_WAIT_NODE   among the nodes that have room, the refusal that ends first */
struct refusal_wait {
    enum refusal_by by;
    uint32_t row; /* row of the refusal in table REFUSAL; NO_ROW if there is none */
    /* the node that refused last; for REFUSAL_WAIT_NODE, the node whose refusal ends first; NO_ROW
     * if the node was removed */
    uint32_t node;
    /* By the value of `by`:
     *   REFUSAL_WAIT_JOB    number of refusals of the job
     *   REFUSAL_WAIT_SHAPE  number of nodes that refused the shape
     *   REFUSAL_WAIT_NODE   number of nodes that have room and refuse; refusal_wait_of_nominations
     *                       sets 1 */
    uint32_t nodes;
    int64_t at, until; /* at: time of the refusal; until: time of the next try (microseconds) */
};
struct refusal_wait refusal_wait_of(const struct columns *k, uint32_t job, uint32_t group);
/* Finds the refusal that keeps the job from evicting other tasks. Such a refusal concerns
 * placements or nominations, either of the job's task shape everywhere, or of one node that could
 * hold a task of the job. If there are several, the function returns the refusal that ends
 * first. */
struct refusal_wait refusal_wait_of_nominations(const struct columns *k, uint32_t job);
/* Returns the earliest time at which the refusals of a node end that keep a releasing task from
 * being nominated there. Only nodes that have room for the task are considered. Returns
 * LSCHED_NEVER_US if no such node refuses the task. O(nodes), charged to the budget. */
int64_t refusal_wait_move_until(struct lsched_cycle *cy, uint32_t releasing);
/* True if the job waits for room that releasing tasks will free, and can reserve none of this
 * room. Then all tasks that the job lacks to its minimum (or one more task, if it has its minimum)
 * fit as soon as the releasing tasks are gone, but some of the nodes refuse nominations of the
 * job. These nodes do not refuse placements: the job takes the room when it is free. Therefore no
 * further task is evicted for the job.
 * The function looks at each leaf alone. If rules between the tasks, such as affinity, keep them
 * from fitting together, the function can still return 1. The job then waits in vain until the
 * releasing tasks are gone or stuck. O(nodes x leaves) if nominations of such tasks were refused,
 * else O(leaves). */
int refusal_wait_room_comes(const struct columns *k, uint32_t job);
/* Fills the members of a record whose code is LSCHED_WAIT_REFUSED. If only nominations are
 * refused, the function changes the code to LSCHED_WAIT_ROOM and sets evict_code to
 * LSCHED_NO_VICTIM_REFUSED. */
void refusal_wait_tell(const struct columns *k, lsched_waiting *w);
void refusal_wait_put(const struct columns *k, const lsched_waiting *w, struct text_out *o);
void refusal_wait_put_nominations(const struct columns *k, const lsched_waiting *w,
                                  struct text_out *o);

#endif

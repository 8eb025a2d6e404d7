/*
 * evict.h -- evicts tasks and eviction units within a transaction, and keeps or undoes the
 * evictions of a transaction.
 *
 * struct victim_search (victim_state.h) lists the victims of the transaction until the transaction
 * is kept or rolled back. A rollback to a mark removes the victims that were evicted after that
 * mark from the list, because they run again. Cost: O(tasks of the unit) to evict, O(victims) to
 * keep or to undo.
 */
#ifndef LIBSCHED_EVICT_H
#define LIBSCHED_EVICT_H

#include "engine/rights/victim_state.h"

/* Evicts one running task within the transaction, and stores the row of the releasing task in
 * *releasing. */
int32_t evict_task(lsched_cycle *cy, uint32_t task, int64_t cost, uint32_t reason, uint64_t for_job,
                   uint32_t *releasing);
/* Evicts all running tasks of the unit within the transaction. The decisions name the current job
 * as the one that benefits, or no job if none is current. The cost of a group is divided equally
 * over the decisions of its tasks. evict_and_requeue also puts the unit's job in line again. */
int32_t evict_unit(lsched_cycle *cy, const struct victim_unit *u);
int32_t evict_and_requeue(lsched_cycle *cy, const struct victim_unit *u);
/* Evicts at most `most` running tasks of the job, or only the task `only` if it is not NO_ROW. The
 * evictions benefit no other job. Each eviction uses up one of the decisions that the cycle can
 * still make. */
int32_t evict_running(lsched_cycle *cy, uint32_t job, uint32_t only, uint32_t reason,
                      uint64_t most);

/* Returns the number of evictions that the policy's rate per hour still allows in this hour. */
uint64_t evict_left(const lsched_cycle *cy);
/* Called when the transaction is kept: counts its evictions and updates the jobs of its victims.
 * Returns LSCHED_OK, LSCHED_E_STATE if a consolidation would stop work, or LSCHED_E_NOMEM. */
int32_t evict_commit(lsched_cycle *cy);
/* Called after evict_commit: the decisions of the transaction are a decision group, count for the
 * bound of the cycle, and are the new try of the task shapes that all nodes refused before. */
void evict_keep_group(lsched_cycle *cy);
/* Keeps the transaction of the job's turn, with its evictions, and ends the turn: the decisions
 * count, and the job waits again for the tasks that it lacks. Returns as evict_commit does. */
int32_t evict_keep_turn(lsched_cycle *cy, uint32_t job);
/* True if the transaction stops only work of the job's own queue, but the job gets more than this
 * work held, and a queue on the job's path now holds more than before and more than its
 * entitlement. Such a transaction must not be kept; the why_* fields of the search state the
 * reason. The caller calls this function before evict_commit. */
int evict_grows(lsched_cycle *cy);
/* True if the transaction of the current job stops or moves work, or withdraws decisions. */
int evict_stops_work(const lsched_cycle *cy);
/* True if the current job must stop work before it takes free room: a plan refused it this room,
 * which jobs before it need later. */
int evict_leaves_free_room(const lsched_cycle *cy);
/* Rolls the state back to the mark, drops the decisions from number `fresh` on, and removes the
 * evictions that the rollback undid from the list of victims. */
void evict_roll_back(lsched_cycle *cy, size_t mark, uint32_t fresh);
/* Is called between transactions, when nothing will be rolled back alone: settles the undo log
 * (undo_settle), and lowers the positions of the withdrawn decisions accordingly. */
void evict_settle(lsched_cycle *cy);
/* True if the job must not grow yet, because it lost tasks above its minimum to an eviction a
 * short while ago. Stores in *until the time from which the job can grow. */
int evict_blocks_growth(const lsched_cycle *cy, uint32_t job, int64_t *until);

#endif

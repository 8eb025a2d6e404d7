/*
 * evict_calls.h -- the calls of lsched_act that evict, and what the other calls must know of them.
 *
 * An action that evicts works between evict_begin and its end: bundles that are parked for want of
 * room wake, are tried in the order of shares, and are parked again as they were if nothing helps.
 * Every call is checked: an action chooses when to look for victims and what to move; the engine
 * chooses the victims and protects tasks.
 */
#ifndef LIBSCHED_EVICT_CALLS_H
#define LIBSCHED_EVICT_CALLS_H

#include "engine/victims/victim_search.h"

int32_t call_look(lsched_cycle *y, uint32_t when);
int32_t call_evict_begin(lsched_cycle *y, uint32_t reason);
int32_t call_evict_end(lsched_cycle *y);
int32_t call_may_evict(lsched_cycle *y, uint32_t job);
int32_t call_find_victims(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                          uint32_t *node);
int32_t call_evict_on(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t node);
int32_t call_relieve(lsched_cycle *y, uint32_t job, uint32_t group);
int32_t call_exclude(lsched_cycle *y);
int32_t call_spare(lsched_cycle *y);
int32_t call_pay_rights(lsched_cycle *y);
int32_t call_another_way(lsched_cycle *y);
int32_t call_untried(lsched_cycle *y, uint32_t job);

/* replace_calls.c */
int32_t call_next_victim(lsched_cycle *y, uint32_t *job);
int32_t call_move_end(lsched_cycle *y);
/* How many tasks of a leaf its job may have: as many as it had, while the job has its turn to find
 * new places. */
uint32_t rehome_most(const lsched_cycle *y, uint32_t job, uint32_t group);
/* True if the task of the index (NO_ROW: the next that is placed) lost its place in this
 * transaction. Other tasks of the gang may wait for another reason: a failure's back-off, an
 * earlier eviction, or their turn. */
int rehome_allows(const lsched_cycle *y, uint32_t job, uint32_t group, uint32_t index);

/* stale_calls.c */
int32_t call_next_stale(lsched_cycle *y, uint32_t *job);
int32_t call_evict_job(lsched_cycle *y, uint32_t job);

/* job_limit_calls.c */
int32_t call_next_overdue(lsched_cycle *y, uint32_t reason, uint32_t *job);
int32_t call_stop_job(lsched_cycle *y, uint32_t job);

/* defrag_calls.c */
int32_t call_defrag_begin(lsched_cycle *y);
int32_t call_defrag_end(lsched_cycle *y);
int32_t call_next_sparse(lsched_cycle *y, uint32_t *node);
int32_t call_empty_node(lsched_cycle *y, uint32_t node);
int32_t call_keep_moves(lsched_cycle *y);
/* A transaction of moves begins. */
int32_t defrag_open(lsched_cycle *y);
/* Has the node work that may be stopped, and would it gain anything to be empty. */
int defrag_gains(const lsched_cycle *y, uint32_t node);
/* moves_calls.c */
int32_t call_moves_left(lsched_cycle *y);
int32_t call_movers(lsched_cycle *y, uint32_t node, const lsched_mover **list, uint32_t *n,
                    uint32_t *stay);
int32_t call_mover_able(lsched_cycle *y, uint32_t task, uint32_t node);
int32_t call_moves_begin(lsched_cycle *y, uint32_t tasks);
int32_t call_move_off(lsched_cycle *y, uint32_t task);
/* drain_calls.c */
/* Before the actions of a pipeline that drains: what nobody has settled leaves the nodes that are
 * to be empty. */
int32_t drain_claims(lsched_cycle *y);
int32_t call_drain_begin(lsched_cycle *y);
int32_t call_drain_end(lsched_cycle *y);
int32_t call_next_drained(lsched_cycle *y, uint32_t *job);
int32_t call_drain_job(lsched_cycle *y, uint32_t job, uint32_t whole);
int32_t call_keep_drained(lsched_cycle *y);
/* One task that runs leaves, in the transaction. */
int32_t evict_task(lsched_cycle *y, uint32_t task, int64_t cost, uint32_t reason, uint64_t for_job,
                   uint32_t *leaving);
/* All tasks of a unit leave, in the transaction; for the job in hand, or for nobody. */
int32_t evict_unit(lsched_cycle *y, const struct hunt_unit *u);

/* What place_calls.c asks: evictions of the transaction count when it is kept, and are forgotten
 * when it is not. */
int32_t evict_commit(lsched_cycle *y);
/* True if the transaction stops work of the job's own queue, and takes what that leaves together
 * with other room, so that a queue of the path is farther beyond its right than before. It may not;
 * why_* of the hunt says so. Asked before evict_commit. */
int evict_grows(lsched_cycle *y);
void evict_rolled_back(
    lsched_cycle *y); /* to the present undo position: victims since then run again */
/* The job in hand found no victims: its bundle is parked as it was, with the reason why. 1; 0 if it
 * was not woken for this. */
int32_t evict_park(lsched_cycle *y, uint32_t bundle);
/* True if an action that evicts takes up the bundle though nobody has looked for room for it in
 * this pass. */
int evict_is_untried(const lsched_cycle *y, uint32_t bundle);
/* The job in hand is to be parked: 1 if it was untried, and y->why says what was found then, before
 * victims were sought. */
int evict_found(lsched_cycle *y, uint32_t job);
/* Its bundle has been parked for that: why nobody could be stopped. */
void evict_tell_untried(lsched_cycle *y, uint32_t bundle);
int evict_blocks_growth(const lsched_cycle *y, uint32_t job, int64_t *until);

/* drain_calls.c, if the pipeline drains: what nobody has settled leaves nodes that stop work. */
int32_t cycle_leave_drained(struct lsched_cycle *y);

#endif

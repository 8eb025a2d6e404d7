/*
 * evict_calls.h -- the calls of lsched_act that evict: they begin and end a search for victims, say
 * which jobs can evict (also jobs that no earlier action tried), evict units and spare units.
 *
 * An action that evicts works between evict_begin and evict_end. In between, the bundles that are
 * parked because no room was found wake, are tried in the order of shares, and are parked again
 * unchanged if no victims help. The engine checks every call: an action chooses when to search for
 * victims and which job moves; the engine chooses the victims and protects tasks.
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
/* Returns how many tasks of a leaf group its job may have: the group's maximum; while the job has
 * its turn to find new places, the number that it had before the eviction. */
uint32_t replace_most(const lsched_cycle *y, uint32_t job, uint32_t group);
/* True if the task with this index lost its place in this transaction (NO_ROW: the task that is
 * placed next). Other tasks of the gang can wait for another reason: the backoff after a failure,
 * an earlier eviction, or no place so far. */
int replace_allows(const lsched_cycle *y, uint32_t job, uint32_t group, uint32_t index);

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
/* Begins a transaction of moves. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t defrag_open(lsched_cycle *y);
/* True if emptying the node gains something: the node is ready, and it has no devices or not all
 * of them are free. */
int defrag_gains(const lsched_cycle *y, uint32_t node);
/* moves_calls.c */
int32_t call_moves_left(lsched_cycle *y);
int32_t call_movers(lsched_cycle *y, uint32_t node, const lsched_mover **list, uint32_t *n,
                    uint32_t *stay);
int32_t call_mover_able(lsched_cycle *y, uint32_t task, uint32_t node);
int32_t call_moves_begin(lsched_cycle *y, uint32_t tasks);
int32_t call_move_off(lsched_cycle *y, uint32_t task);
/* drain_calls.c */
int32_t call_drain_begin(lsched_cycle *y);
int32_t call_drain_end(lsched_cycle *y);
int32_t call_next_drained(lsched_cycle *y, uint32_t *job);
int32_t call_drain_job(lsched_cycle *y, uint32_t job, uint32_t whole);
int32_t call_keep_drained(lsched_cycle *y);
/* Stops one running task within the transaction and stores its releasing task in *leaving. */
int32_t evict_task(lsched_cycle *y, uint32_t task, int64_t cost, uint32_t reason, uint64_t for_job,
                   uint32_t *releasing);
/* Stops all running tasks of the unit within the transaction. The decisions name the current job
 * as the one that benefits, or no job if none is current. */
int32_t evict_unit(lsched_cycle *y, const struct victim_unit *u);

/* The next functions serve place_calls.c. evict_commit counts the evictions of a transaction that
 * is kept. evict_rolled_back forgets those that a rollback to the present undo position has
 * undone: their victims run again. */
int32_t evict_commit(lsched_cycle *y);
/* True if the transaction stops work of the job's own queue and also takes other room, so that a
 * queue on the job's path is farther above its entitlement than before. Such a transaction is not
 * allowed; the why_* fields of the search state the reason. Called before evict_commit. */
int evict_grows(lsched_cycle *y);
void evict_rolled_back(lsched_cycle *y);
/* Parks the bundle of the current job as it was parked before, with the reason why no victims were
 * found. Returns 1, or 0 if this action did not wake the bundle. */
int32_t evict_park(lsched_cycle *y, uint32_t bundle);
/* True if an action that evicts tries the bundle although no earlier action of this pass has
 * searched for room for it. */
int evict_is_untried(const lsched_cycle *y, uint32_t bundle);
/* Called before the current job is parked. Returns 1 and restores in y->why the reason that was
 * found before victims were sought, if the job was untried until then; otherwise returns 0. */
int evict_found(lsched_cycle *y, uint32_t job);
/* Called after an untried job's bundle is parked: records why no work could be evicted for it. */
void evict_tell_untried(lsched_cycle *y, uint32_t bundle);
int evict_blocks_growth(const lsched_cycle *y, uint32_t job, int64_t *until);

/* drain_calls.c. If the pipeline has the action `drain`, withdraws the nominations and the
 * unsettled placements of tasks that must leave their node. */
int32_t drain_leave(struct lsched_cycle *y);

#endif

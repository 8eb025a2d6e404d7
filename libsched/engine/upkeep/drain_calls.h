/*
 * drain_calls.h -- the calls of lsched_act that empty nodes: nodes that drain, and nodes with a
 * taint that stops the tasks that do not tolerate it.
 *
 * The orchestrator asked for the drain. Therefore a task must leave its node even if a guarantee
 * or a minimum run time protects it, or if its job is interactive or non-preemptible. Only three
 * things keep a task on the node: the job's disruption budget, a recent refusal of the
 * orchestrator to stop the job, and the time for which the task tolerates a taint. All tasks of
 * one job that must leave are stopped in one transaction. The first try stops only these tasks and
 * gives each one a new place. If that is not possible, the second try also stops the tasks that
 * cannot run without them, and evicts every task that finds no new place. There is one exception:
 * if each task without a new place would have room on a node that has refused the job, the job
 * stays where it is until the first of these nodes can be tried again. The refusal of a node ends
 * by itself, therefore the job is not stopped because of it.
 *
 * Nominations and unsettled placements on a node that stops work are withdrawn at the beginning of
 * the cycle, before any action. The reason: a gang that loses one of these decisions can lose
 * other decisions, too. Before the first action, the cycle has not evicted or moved any work for
 * the sake of these decisions.
 *
 * Cost: one test while no node stops work; otherwise O(nodes), and O(n log n) for the n tasks of
 * the nodes that stop work.
 */
#ifndef LIBSCHED_DRAIN_CALLS_H
#define LIBSCHED_DRAIN_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_drain_begin(lsched_cycle *cy);
int32_t call_drain_end(lsched_cycle *cy);
int32_t call_next_drained(lsched_cycle *cy, uint32_t *job);
int32_t call_drain_job(lsched_cycle *cy, uint32_t job, uint32_t whole);
int32_t call_keep_drained(lsched_cycle *cy);
/* If the pipeline has the action `drain`, withdraws the nominations and the unsettled placements
 * of tasks that must leave their node. */
int32_t drain_leave(struct lsched_cycle *cy);

#endif

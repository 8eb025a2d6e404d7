/*
 * evict_calls.h -- the calls of lsched_act that evict: they tell whether a job is allowed to evict,
 * and choose and evict the victims. evict_begin.h begins and ends a search for victims.
 *
 * An action that evicts works between evict_begin and evict_end. Between these two calls, the
 * bundles that are parked because no room was found are woken and tried in the order of shares. A
 * bundle that no victims help is parked again unchanged. The call `untried` tells whether no
 * earlier action of the pass has tried a job. The engine checks every call. The action decides
 * when victims are sought and for which job; the engine chooses the victims and protects tasks.
 */
#ifndef LIBSCHED_EVICT_CALLS_H
#define LIBSCHED_EVICT_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_look(lsched_cycle *cy, uint32_t when);
int32_t call_may_evict(lsched_cycle *cy, uint32_t job);
/* True if the rules that need no search allow the job, for which victim_search_begin_job() was
 * called, to evict. Otherwise the search has the reason. */
int evict_calls_permit(lsched_cycle *cy, uint32_t job);
int32_t call_find_victims(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t domain,
                          uint32_t *node);
int32_t call_evict_on(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t node);
int32_t call_relieve(lsched_cycle *cy, uint32_t job, uint32_t group);
int32_t call_exclude(lsched_cycle *cy);
int32_t call_pay_rights(lsched_cycle *cy);
int32_t call_another_way(lsched_cycle *cy);
int32_t call_untried(lsched_cycle *cy, uint32_t job);

#endif

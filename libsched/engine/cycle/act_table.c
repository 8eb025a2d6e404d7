/* act_table.c -- see act_table.h. */
#include "engine/cycle/act_table.h"

#include "engine/actions/domain_calls.h"
#include "engine/actions/firm_calls.h"
#include "engine/evictions/evict_begin.h"
#include "engine/evictions/evict_calls.h"
#include "engine/actions/park_calls.h"
#include "engine/actions/place_calls.h"
#include "engine/actions/plan_calls.h"
#include "engine/actions/plan_line.h"
#include "engine/actions/replace_calls.h"
#include "engine/actions/spare_calls.h"
#include "engine/upkeep/defrag_calls.h"
#include "engine/upkeep/drain_calls.h"
#include "engine/upkeep/job_limit_calls.h"
#include "engine/upkeep/moves_calls.h"
#include "engine/upkeep/speed_up_calls.h"
#include "engine/upkeep/stale_calls.h"

const lsched_act cycle_act = {.size = sizeof(lsched_act),
                              .view = call_view,
                              .next_job = call_next_job,
                              .groups = call_groups,
                              .checkpoint = call_checkpoint,
                              .rollback = call_rollback,
                              .find_node = call_find_node,
                              .place = call_place,
                              .alternative = call_alternative,
                              .domains = call_domains,
                              .divide = call_divide,
                              .full = call_full,
                              .within_limits = call_within_limits,
                              .commit = call_commit,
                              .park = call_park,
                              .look = call_look,
                              .evict_begin = call_evict_begin,
                              .evict_end = call_evict_end,
                              .may_evict = call_may_evict,
                              .find_victims = call_find_victims,
                              .evict_on = call_evict_on,
                              .relieve = call_relieve,
                              .exclude = call_exclude,
                              .spare = call_spare,
                              .pay_rights = call_pay_rights,
                              .another_way = call_another_way,
                              .untried = call_untried,
                              .next_victim = call_next_victim,
                              .move_end = call_move_end,
                              .defrag_begin = call_defrag_begin,
                              .defrag_end = call_defrag_end,
                              .next_sparse = call_next_sparse,
                              .empty_node = call_empty_node,
                              .keep_moves = call_keep_moves,
                              .next_stale = call_next_stale,
                              .evict_job = call_evict_job,
                              .next_overdue = call_next_overdue,
                              .drain_begin = call_drain_begin,
                              .drain_end = call_drain_end,
                              .next_drained = call_next_drained,
                              .drain_job = call_drain_job,
                              .keep_drained = call_keep_drained,
                              .stop_job = call_stop_job,
                              .plan_begin = call_plan_begin,
                              .holders = call_holders,
                              .plan_ask = call_plan_ask,
                              .plan_able = call_plan_able,
                              .plan_defer = call_plan_defer,
                              .plan_take = call_plan_take,
                              .plan_wait = call_plan_wait,
                              .place_on = call_place_on,
                              .mig_device = call_mig_device,
                              .spend = call_spend,
                              .placed = call_placed,
                              .moves_left = call_moves_left,
                              .movers = call_movers,
                              .mover_able = call_mover_able,
                              .moves_begin = call_moves_begin,
                              .move_off = call_move_off,
                              .plan_rest = call_plan_rest,
                              .plan_offer = call_plan_offer,
                              .plan_shortest = call_plan_shortest,
                              .plan_pick = call_plan_pick,
                              .plan_is_lone = call_plan_is_lone,
                              .nodes_changed = call_nodes_changed,
                              .firm = FIRM_CALLS,
                              .speed_up = SPEED_UP_CALL};

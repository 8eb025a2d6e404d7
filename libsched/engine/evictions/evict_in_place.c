/* evict_in_place.c -- see evict_in_place.h. */
#include "engine/evictions/evict_in_place.h"

#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/evictions/evict_calls.h"
#include "engine/victims/evict_park.h"
#include "engine/actions/place_calls.h"
#include "engine/actions/put_off.h"
#include "engine/state/transaction.h"
#include "engine/victims/evict_wake.h"
#include "engine/waits/pass.h"
#include "model/arrays/array.h"
#include "model/jobs/bundle.h"
#include "model/jobs/refusal.h"
#include "model/jobs/retry.h"
#include "model/store/steps.h"

int evict_in_place_may(const lsched_cycle *cy) {
    const char *word = cy->policy.pipeline.actions[cy->pass->action].word;
    const struct algorithm_slot *slot = algorithm_find(cy->c, LSCHED_ROLE_ACT, word);
    return slot && !slot->of_host && !cy->c->searches_cold && meta(cy->k, M_ACTIVE) == 0 &&
           !room_line_any(&cy->c->lines) && cy->spend.decisions_left > 0;
}

/* True if the first job of the bundle would have its turn: an action has tried the bundle before,
 * and the job need not wait after a failure, a refusal or an eviction of surplus. */
static int has_turn(const lsched_cycle *cy, uint32_t b) {
    const struct columns *k = cy->k;
    uint32_t job = bundle_head(k, b);
    int64_t until;
    /* the next element of an array gets a job when an action has its turn */
    return k->c[C_BUNDLE_TRIED].u64[b] > 0 && !array_is(k, job) &&
           retry_until(k, job, cy->now) == 0 && refusal_job_until(k, job, cy->now) == 0 &&
           !evict_blocks_growth(cy, job, &until);
}

/* Tries the first job of the bundle as the actions do (act_evicting.c). Returns 1 if no victims can
 * help it, 0 if the action must try it, or a negative error code. */
static int32_t try_in_place(lsched_cycle *cy, uint32_t b) {
    uint32_t job = bundle_head(cy->k, b);
    int differs = 0;
    if (!has_turn(cy, b)) return 0;
    int32_t rc = evict_park_differs(cy, job, b, &differs);
    if (rc != LSCHED_OK || differs) return rc;
    rc = 1;
    act_spend(cy, 1);
    act_take_up(cy, job);
    cy->act->allowed.job = NO_ROW;
    if (cy->victims->reason == LSCHED_FOR_CONSOLIDATE) rc = call_within_limits(cy, job);
    if (rc == 1) rc = call_may_evict(cy, job);
    if (rc != 0 || cy->spend.stop) return rc < 0 ? rc : 0;
    cy->victims->found_of = NO_ROW;
    cy->pass->ended++;
    cy->turn.job = NO_ROW;
    rc = undo_room(cy->k);
    if (rc != LSCHED_OK) return rc;
    evict_park_in_place(cy, b);
    rc = put_off_in_place(cy, b);
    return rc == LSCHED_OK ? 1 : rc;
}

static int32_t try_all(lsched_cycle *cy) {
    const struct columns *k = cy->k;
    uint32_t n = table_rows(k, T_BUNDLE);
    int all = meta(k, M_PASS_EVERY) != 0;
    int32_t rc = 1;
    act_spend(cy, table_live(k, T_BUNDLE)); /* as put_off_look */
    steps_add(k, n);
    for (uint32_t b = 0; b < n && rc == 1; b++)
        if (evict_wakes(cy, cy->victims->reason, b, all)) rc = try_in_place(cy, b);
    return rc == 1 && cy->spend.stop ? 0 : rc;
}

int32_t evict_in_place(lsched_cycle *cy) {
    const struct cycle_spend spend = cy->spend;
    const struct cycle_counts counts = cy->counts;
    const struct cycle_turn turn = cy->turn;
    const struct pass_state pass = *cy->pass;
    uint64_t skipped = cy->c->searches_skipped;
    uint32_t flags = cy->flags;
    size_t mark = undo_mark(cy->k);
    int32_t rc = try_all(cy);
    if (rc != 0) return rc;
    undo_rollback(cy->k, mark);
    cy->spend = spend;
    cy->counts = counts;
    cy->turn = turn;
    *cy->pass = pass;
    cy->flags = flags;
    cy->c->searches_skipped = skipped;
    return 0;
}

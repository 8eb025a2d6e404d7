/* evict_park.c -- see evict_park.h. */
#include "engine/victims/evict_park.h"

#include "engine/state/length_lines.h"
#include "engine/state/transaction.h"
#include "engine/victims/evict_tell.h"
#include "engine/rights/victim_state.h"
#include "engine/waits/pass.h"
#include "model/absences/job_absence.h"
#include "model/jobs/bundle.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/store/steps.h"

static int woken_here(const lsched_cycle *cy, uint32_t b) {
    const struct columns *k = cy->k;
    return b < cy->victims->woken.cap && cy->victims->woken.code[b] &&
           row_is_live(k, T_BUNDLE, b) && k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE &&
           k->c[C_BUNDLE_TRIED].u64[b] > 0;
}

/* Returns the wait reason that the bundle had before this action woke it. */
static struct park_reason reason_before(const lsched_cycle *cy, uint32_t b) {
    const struct columns *k = cy->k;
    return (struct park_reason){cy->victims->woken.code[b],     k->c[C_BUNDLE_RES].u8[b],
                                k->c[C_BUNDLE_GROUP].u32[b],    k->c[C_BUNDLE_NEED].i64[b],
                                k->c[C_BUNDLE_HAVE].i64[b],     k->c[C_BUNDLE_ABLE].u32[b],
                                k->c[C_BUNDLE_LIMITING].u32[b], k->c[C_BUNDLE_SHARES].u8[b]};
}

/* Parks the bundle again, with the list and the wait reason that it had before this action woke
 * it. */
static void park_again(lsched_cycle *cy, uint32_t b) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    struct park_reason why = reason_before(cy, b);
    /* C_BUNDLE_OWED is restored, because bundle_park clears it and only reclaim computes it
     * again */
    uint8_t owed = k->c[C_BUNDLE_OWED].u8[b];
    bundle_park(k, b, h->woken.list[b], k->c[C_BUNDLE_LIST_OF].u32[b], &why);
    set_u8(k, C_BUNDLE_OWED, b, owed);
    h->woken.code[b] = 0;
}

/* Returns the reason that an earlier action of this pass recorded, LSCHED_NO_VICTIM_NOT_TRIED if no
 * earlier action sought victims. */
static uint8_t evict_park_before(const struct columns *k, uint32_t b) {
    uint8_t before = k->c[C_BUNDLE_EVICT_CODE].u8[b];
    return !pass_has_tried(k, b) || before == LSCHED_NO_VICTIM_BUDGET ? LSCHED_NO_VICTIM_NOT_TRIED
                                                                      : before;
}

/* The jobs that found no victims search again at the first time that could have changed the answer.
 */
static void note_times(lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    int64_t next = h->until < h->later ? h->until : h->later;
    if (h->back < next) next = h->back;
    if (next < cy->pass->evict_next) cy->pass->evict_next = next;
}

static void evict_park_keep(lsched_cycle *cy, uint32_t b, uint8_t before) {
    note_times(cy);
    set_u64(cy->k, C_BUNDLE_TRIED, b, meta(cy->k, M_CYCLE));
    evict_tell(cy, b, before);
}

int32_t evict_park(lsched_cycle *cy, uint32_t b) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    if (!h || !woken_here(cy, b)) return 0;
    uint8_t before = evict_park_before(k, b);
    park_again(cy, b);
    if (h->job == bundle_head(k, b)) {
        evict_park_keep(cy, b, before);
        return 1;
    }
    /* the action has not sought victims for the job, so the search still tells about another job */
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    set_u8(k, C_BUNDLE_EVICT_CODE, b, before);
    return 1;
}

int32_t evict_park_differs(lsched_cycle *cy, uint32_t job, uint32_t b, int *differs) {
    struct columns *k = cy->k;
    *differs = 0;
    if (!meta(k, M_ABSENCES) || k->c[C_BUNDLE_JOB].u32[b] != NO_ROW ||
        k->c[C_BUNDLE_JOBS].u32[b] <= 1)
        return LSCHED_OK;
    int32_t rc = length_lines_sync(&cy->c->lengths, k);
    if (rc != LSCHED_OK) return rc;
    uint32_t first = length_lines_shortest(&cy->c->lengths, b);
    *differs = first != NO_ROW &&
               (length_lines_alone(k, first) || job_length(k, first) < job_absence_length(k, job));
    return LSCHED_OK;
}

int32_t evict_park_alone(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    uint32_t shared = k->c[C_JOB_BUNDLE].u32[job], b = shared, list;
    int differs;
    if (!cy->victims || cy->victims->job != job || !woken_here(cy, b)) return 0;
    int32_t rc = evict_park_differs(cy, job, b, &differs);
    if (rc != LSCHED_OK || !differs) return rc;
    uint8_t before = evict_park_before(k, b), owed = k->c[C_BUNDLE_OWED].u8[b];
    struct park_reason why = reason_before(cy, b);
    list = cy->victims->woken.list[b];
    rc = job_isolate(k, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    b = k->c[C_JOB_BUNDLE].u32[job];
    bundle_park_as(k, b, list, shared, &why);
    set_u8(k, C_BUNDLE_OWED, b, owed);
    evict_park_keep(cy, b, before);
    return 1;
}

void evict_park_in_place(lsched_cycle *cy, uint32_t b) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint8_t before = evict_park_before(k, b);
    touch_bundle(k, b); /* the plan tells about the bundle */
    if (h->job == bundle_head(k, b)) {
        evict_park_keep(cy, b, before);
        return;
    }
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    set_u8(k, C_BUNDLE_EVICT_CODE, b, before);
}

int32_t evict_park_all(lsched_cycle *cy) {
    struct columns *k = cy->k;
    steps_add(k, cy->victims->woken.cap);
    for (uint32_t b = 0; b < cy->victims->woken.cap; b++) {
        if (!woken_here(cy, b)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        park_again(cy, b);
        /* the cycle ended during the bundle's turn or before it */
        if (cy->spend.stop) set_u8(k, C_BUNDLE_EVICT_CODE, b, LSCHED_NO_VICTIM_BUDGET);
    }
    return LSCHED_OK;
}

/* ---- jobs that no earlier action has tried ---- */

int evict_is_untried(const lsched_cycle *cy, uint32_t b) {
    return cy->victims && !woken_here(cy, b);
}

void evict_note_found(lsched_cycle *cy, uint32_t job) {
    struct victim_search *h = cy->victims;
    h->found_of = NO_ROW;
    if (!evict_is_untried(cy, cy->k->c[C_JOB_BUNDLE].u32[job])) return;
    h->found_of = job;
    h->found = act_reason(cy);
}

int evict_found(lsched_cycle *cy, uint32_t job) {
    struct victim_search *h = cy->victims;
    if (!h || h->found_of != job) return 0;
    h->found_of = NO_ROW;
    cy->turn.why = h->found;
    return 1;
}

void evict_tell_untried(lsched_cycle *cy, uint32_t b) {
    note_times(cy);
    evict_tell(cy, b, LSCHED_NO_VICTIM_NOT_TRIED);
}

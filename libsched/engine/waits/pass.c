/* pass.c -- see pass.h. */
#include "engine/waits/pass.h"

#include "base/hash.h"

/* Hashes policy and pipeline: after a change of either, the place in the pass has no meaning. */
static uint64_t pipeline_hash(const struct lsched_cycle *y) {
    uint64_t h = y->c->policy.policy.desc.hash;
    for (uint32_t i = 0; i < y->pipeline.n; i++) {
        const char *word = y->pipeline.actions[i].word;
        h = hash_bytes(word, strlen(word) + 1, h);
    }
    return h;
}

int pass_goes_on(const struct lsched_cycle *y) {
    uint64_t at = meta(y->k, M_PASS_AT);
    return at > 0 && at <= y->pipeline.n && meta(y->k, M_PASS_OF) == pipeline_hash(y);
}

static void begin_stage(struct lsched_cycle *y) {
    set_meta(y->k, M_PASS_GROUP, meta(y->k, M_GROUP_SERIAL));
    set_meta(y->k, M_PASS_EVERY, !pass_round(y) && cycle_evicts_anew(y));
}

int32_t pass_enter(struct lsched_cycle *y, uint32_t action) {
    struct columns *k = y->k;
    y->action = action;
    if (meta(k, M_PASS_AT) == action + 1) return LSCHED_OK; /* the action continues */
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_PASS_AT, action + 1);
    set_meta(k, M_PASS_STAGE, 0);
    begin_stage(y);
    return LSCHED_OK;
}

void pass_second_stage(struct lsched_cycle *y) {
    set_meta(y->k, M_PASS_STAGE, 1);
    begin_stage(y);
}

int32_t pass_begin(struct lsched_cycle *y) {
    struct columns *k = y->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_PASS_AT, 0);
    set_meta(k, M_PASS_ROUND, 0);
    set_meta(k, M_PASS_HELD, 0);
    set_meta(k, M_PASS_FROM, meta(k, M_CYCLE));
    set_meta(k, M_PASS_OF, pipeline_hash(y));
    set_meta(k, M_PASS_NOW, (uint64_t)y->now);
    set_meta(k, M_PASS_STATE, cycle_evict_state(k));
    set_meta(k, M_PASS_ANEW, (uint64_t)cycle_evicts_anew(y));
    set_meta(k, M_PASS_NEXT, (uint64_t)LSCHED_NEVER_US);
    set_meta(k, M_PASS_NEWS, 0);
    set_meta(k, M_PASS_BEGUN, 0);
    set_meta(k, M_PASS_CUTS, 0);
    set_meta(k, M_PASS_IDLE, y->n_idle > 0);
    rc = undo_room(k);
    for (uint32_t r = 0; r < KINDS_MAX && rc == LSCHED_OK; r++)
        set_meta(k, M_PASS_OWED + r, (uint64_t)y->owed[r]);
    y->stood = meta(k, M_ACTIVE);
    return rc == LSCHED_OK ? pass_enter(y, 0) : rc;
}

int32_t pass_another_round(struct lsched_cycle *y) {
    struct columns *k = y->k;
    struct share_tree *s = &y->c->share;
    if (meta(k, M_PUT_OFF_HEAD) == NO_ROW) return 0;
    int32_t rc = bundles_wake_put_off(k);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_PASS_AT, 0);
    set_meta(k, M_PASS_ROUND, pass_round(y) + 1);
    set_meta(k, M_PASS_HELD, 0);
    set_meta(k, M_PASS_BEGUN, 0);
    /* the jobs of the next round count as not tried in this cycle number */
    set_meta(k, M_CYCLE, meta(k, M_CYCLE) + 1);
    set_meta(k, M_PASS_FROM, meta(k, M_CYCLE));
    rc = pass_enter(y, 0);
    if (rc == LSCHED_OK) rc = share_begin(s, k, s->ops, s->self, &y->c->view);
    return rc == LSCHED_OK ? 1 : rc;
}

void pass_resume(struct lsched_cycle *y) {
    y->owes = 0;
    for (uint32_t r = 0; r < KINDS_MAX; r++) {
        uint64_t owed = meta(y->k, M_PASS_OWED + r);
        y->owed[r] = owed > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)owed;
        y->owes |= owed > 0;
    }
    y->stood = 0;
}

uint32_t pass_action(const struct lsched_cycle *y) {
    uint64_t at = meta(y->k, M_PASS_AT);
    return at ? (uint32_t)at - 1 : 0;
}

static uint64_t add_capped(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

int pass_affords(struct lsched_cycle *y) {
    if (y->budget == UINT64_MAX) return 1;
    y->budget = add_capped(y->budget, meta(y->k, M_PASS_CREDIT));
    if (y->stop || y->budget - y->spent >= meta(y->k, M_PASS_NEED)) return 1;
    y->flags |= LSCHED_PLAN_PARTIAL;
    y->stop = 1;
    y->saves = 1;
    return 0;
}

static void note_next(struct lsched_cycle *y) {
    if (y->evict_next < (int64_t)meta(y->k, M_PASS_NEXT))
        set_meta(y->k, M_PASS_NEXT, (uint64_t)y->evict_next);
}

int32_t pass_suspend(struct lsched_cycle *y) {
    struct columns *k = y->k;
    int ended = y->ended > 0 || y->n_fresh > 0, cut = (y->flags & LSCHED_PLAN_INTERRUPTED) != 0;
    int short_of_work = y->budget != UINT64_MAX && !cut && !y->full;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    note_next(y);
    uint64_t left = y->budget - (y->saves ? y->spent : 0);
    if (ended || short_of_work) set_meta(k, M_PASS_CREDIT, ended ? 0 : left);
    if (ended || (short_of_work && !y->saves))
        set_meta(k, M_PASS_NEED, ended ? 0 : add_capped(left, left));
    if (!cut || ended)
        set_meta(k, M_PASS_CUTS, 0);
    else if (y->jobs_tried > 0) /* an interrupt before the first try is no job's fault */
        set_meta(k, M_PASS_CUTS, meta(k, M_PASS_CUTS) + 1);
    return LSCHED_OK;
}

int32_t pass_end(struct lsched_cycle *y) {
    struct columns *k = y->k;
    int64_t known = (int64_t)meta(k, M_EVICT_NEXT);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    note_next(y);
    y->evict_next = (int64_t)meta(k, M_PASS_NEXT);
    /* jobs that were not tried again still wait for this time */
    if (!meta(k, M_PASS_ANEW) && known < y->evict_next) y->evict_next = known;
    set_meta(k, M_EVICT_SEEN, meta(k, M_PASS_STATE));
    set_meta(k, M_EVICT_NEXT, (uint64_t)y->evict_next);
    set_meta(k, M_PASS_AT, 0);
    set_meta(k, M_PASS_CREDIT, 0);
    set_meta(k, M_PASS_NEED, 0);
    set_meta(k, M_PASS_CUTS, 0);
    set_meta(k, M_PASS_VAIN, y->stood > 0 && y->jobs_tried == 0 && meta(k, M_ACTIVE) > 0);
    return LSCHED_OK;
}

int pass_is_stale(const struct lsched_cycle *y) {
    return meta(y->k, M_PASS_NEWS) || (int64_t)meta(y->k, M_PASS_NOW) != y->now;
}

uint64_t pass_mark(const struct lsched_cycle *y) {
    return meta(y->k, M_PASS_FROM) << 8 | (2 * y->action + (meta(y->k, M_PASS_STAGE) != 0) + 1);
}

int pass_has_tried(const struct columns *k, uint32_t bundle) {
    return k->c[C_BUNDLE_TRIED].u64[bundle] >= meta(k, M_PASS_FROM);
}

int pass_gives_up(const struct lsched_cycle *y) {
    return (y->flags & LSCHED_PLAN_INTERRUPTED) && y->ended == 0 && y->n_fresh == 0 &&
           meta(y->k, M_PASS_CUTS) + 1 >= PASS_CUTS_MAX;
}

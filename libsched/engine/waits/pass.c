/* pass.c -- see pass.h. */
#include "engine/waits/pass.h"
#include "engine/queues/guarantee_reserve.h"

#include "base/hash.h"
#include "model/jobs/bundle.h"

/* Returns a hash of the policy, the pipeline and the kinds of decisions asked for. If the hash
 * changes, the saved position of the pass is meaningless. */
static uint64_t pipeline_hash(const struct lsched_cycle *cy) {
    uint64_t h = cy->c->policy.policy.desc.hash;
    for (uint32_t i = 0; i < cy->policy.pipeline.n; i++) {
        const char *word = cy->policy.pipeline.actions[i].word;
        h = hash_bytes(word, strlen(word) + 1, h);
    }
    return cy->kinds == LSCHED_DECISION_KINDS_DEFAULT ? h : hash_mix(h, cy->kinds);
}

int pass_goes_on(const struct lsched_cycle *cy) {
    uint64_t at = meta(cy->k, M_PASS_AT);
    return at > 0 && at <= cy->policy.pipeline.n && meta(cy->k, M_PASS_OF) == pipeline_hash(cy);
}

static void begin_stage(struct lsched_cycle *cy) {
    set_meta(cy->k, M_PASS_GROUP, meta(cy->k, M_GROUP_SERIAL));
    set_meta(cy->k, M_PASS_EVERY, !pass_round(cy) && cycle_evicts_anew(cy));
}

int32_t pass_enter(struct lsched_cycle *cy, uint32_t action) {
    struct columns *k = cy->k;
    cy->pass->action = action;
    cy->pass->repeats = 0;
    /* an earlier cycle began this action, and this cycle continues it */
    if (meta(k, M_PASS_AT) == action + 1) return 0;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_PASS_AT, action + 1);
    set_meta(k, M_PASS_STAGE, 0);
    begin_stage(cy);
    return 1;
}

void pass_first_search(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    if (!meta(k, M_PASS_EVERY)) return;
    set_meta(k, M_PASS_STATE, cycle_evict_state(k));
    set_meta(k, M_PASS_ANEW, 1);
}

void pass_second_stage(struct lsched_cycle *cy) {
    set_meta(cy->k, M_PASS_STAGE, 1);
    begin_stage(cy);
}

int32_t pass_begin(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_PASS_AT, 0);
    set_meta(k, M_PASS_ROUND, 0);
    set_meta(k, M_PASS_HELD, 0);
    set_meta(k, M_PASS_FROM, meta(k, M_CYCLE));
    set_meta(k, M_PASS_OF, pipeline_hash(cy));
    set_meta(k, M_PASS_NOW, (uint64_t)cy->now);
    set_meta(k, M_PASS_STATE, cycle_evict_state(k));
    set_meta(k, M_PASS_ANEW, (uint64_t)cycle_evicts_anew(cy));
    set_meta(k, M_PASS_NEXT, (uint64_t)LSCHED_NEVER_US);
    set_meta(k, M_PASS_NEWS, 0);
    set_meta(k, M_PASS_BEGUN, 0);
    set_meta(k, M_PASS_CUTS, 0);
    set_meta(k, M_PASS_IDLE, cy->policy.n_idle > 0);
    set_meta(k, M_WAKE_ASKED, 0);
    rc = undo_room(k);
    for (uint32_t r = 0; r < KINDS_MAX && rc == LSCHED_OK; r++)
        set_meta(k, M_PASS_OWED + r, (uint64_t)cy->reserve->owed[r]);
    cy->pass->stood = meta(k, M_ACTIVE) + (uint64_t)room_line_any(&cy->c->lines);
    if (rc == LSCHED_OK) rc = pass_enter(cy, 0);
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t pass_another_round(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct share_tree *s = &cy->c->share;
    if (meta(k, M_PUT_OFF_HEAD) == NO_ROW) return 0;
    int32_t rc = bundles_wake_put_off(k);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_PASS_AT, 0);
    set_meta(k, M_PASS_ROUND, pass_round(cy) + 1);
    set_meta(k, M_PASS_HELD, 0);
    set_meta(k, M_PASS_BEGUN, 0);
    /* with a new cycle number, no job counts as tried in the next round yet */
    set_meta(k, M_CYCLE, meta(k, M_CYCLE) + 1);
    set_meta(k, M_PASS_FROM, meta(k, M_CYCLE));
    rc = pass_enter(cy, 0);
    if (rc >= 0) rc = share_begin(s, k, s->ops, s->self, &cy->c->view);
    return rc == LSCHED_OK ? 1 : rc;
}

void pass_resume(struct lsched_cycle *cy) {
    cy->reserve->owes = 0;
    for (uint32_t r = 0; r < KINDS_MAX; r++) {
        uint64_t owed = meta(cy->k, M_PASS_OWED + r);
        cy->reserve->owed[r] = owed > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)owed;
        cy->reserve->owes |= owed > 0;
    }
    cy->pass->stood = 0;
}

uint32_t pass_action(const struct lsched_cycle *cy) {
    uint64_t at = meta(cy->k, M_PASS_AT);
    return at ? (uint32_t)at - 1 : 0;
}

static uint64_t add_capped(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

int pass_affords(struct lsched_cycle *cy) {
    if (cy->spend.budget == UINT64_MAX) return 1;
    cy->spend.budget = add_capped(cy->spend.budget, meta(cy->k, M_PASS_CREDIT));
    if (cy->spend.stop || cy->spend.budget - cy->spend.spent >= meta(cy->k, M_PASS_NEED)) return 1;
    cy->flags |= LSCHED_PLAN_PARTIAL;
    cy->spend.stop = 1;
    cy->pass->saves = 1;
    return 0;
}

static void note_next(struct lsched_cycle *cy) {
    if (cy->pass->evict_next < (int64_t)meta(cy->k, M_PASS_NEXT))
        set_meta(cy->k, M_PASS_NEXT, (uint64_t)cy->pass->evict_next);
}

int32_t pass_suspend(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int ended = !cy->pass->saves && (cy->pass->ended > 0 || cy->decisions.n_fresh > 0),
        cut = (cy->flags & LSCHED_PLAN_INTERRUPTED) != 0;
    int short_of_work = cy->spend.budget != UINT64_MAX && !cut && !cy->spend.full;
    int goes_on = ended && (!short_of_work || cy->pass->repeats <= cy->spend.spent / 2);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    note_next(cy);
    uint64_t left = cy->spend.budget - (cy->pass->saves ? cy->spend.spent : 0);
    if (goes_on || short_of_work) set_meta(k, M_PASS_CREDIT, goes_on ? 0 : left);
    if (goes_on || (short_of_work && !cy->pass->saves))
        set_meta(k, M_PASS_NEED, goes_on ? 0 : add_capped(left, left));
    if (!cut || ended)
        set_meta(k, M_PASS_CUTS, 0);
    else if (cy->counts.jobs_tried >
             0) /* no job caused an earlier interrupt, so it does not count */
        set_meta(k, M_PASS_CUTS, meta(k, M_PASS_CUTS) + 1);
    return LSCHED_OK;
}

int32_t pass_end(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int64_t known = (int64_t)meta(k, M_EVICT_NEXT);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    note_next(cy);
    cy->pass->evict_next = (int64_t)meta(k, M_PASS_NEXT);
    /* this pass did not search again for all jobs: the others still wait for the time `known` */
    if (!meta(k, M_PASS_ANEW) && known < cy->pass->evict_next) cy->pass->evict_next = known;
    set_meta(k, M_EVICT_SEEN, meta(k, M_PASS_STATE));
    set_meta(k, M_EVICT_NEXT, (uint64_t)cy->pass->evict_next);
    set_meta(k, M_PASS_AT, 0);
    set_meta(k, M_PASS_CREDIT, 0);
    set_meta(k, M_PASS_NEED, 0);
    set_meta(k, M_PASS_CUTS, 0);
    set_meta(k, M_PASS_VAIN,
             cy->pass->stood > 0 && cy->counts.jobs_tried == 0 && meta(k, M_ACTIVE) > 0);
    return LSCHED_OK;
}

int pass_is_stale(const struct lsched_cycle *cy) {
    return meta(cy->k, M_PASS_NEWS) || (int64_t)meta(cy->k, M_PASS_NOW) != cy->now;
}

uint64_t pass_mark(const struct lsched_cycle *cy) {
    return meta(cy->k, M_PASS_FROM) << 8 |
           (2 * cy->pass->action + (meta(cy->k, M_PASS_STAGE) != 0) + 1);
}

int pass_has_tried(const struct columns *k, uint32_t bundle) {
    return k->c[C_BUNDLE_TRIED].u64[bundle] >= meta(k, M_PASS_FROM);
}

int pass_gives_up(const struct lsched_cycle *cy) {
    return (cy->flags & LSCHED_PLAN_INTERRUPTED) && cy->pass->ended == 0 &&
           cy->decisions.n_fresh == 0 && meta(cy->k, M_PASS_CUTS) + 1 >= PASS_CUTS_MAX;
}

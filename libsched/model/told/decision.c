/* decision.c -- see decision.h. */
#include "model/told/decision.h"

#include "model/told/change_feed.h"
#include "model/told/decision_life.h"
#include "model/store/generation.h"
#include "model/store/row_list.h"

static const struct row_list open_decisions = {C_DECISION_NEXT, C_DECISION_PREV};

uint32_t decision_open(struct columns *k, uint32_t task, const struct decision_spec *s) {
    uint32_t d =
        row_new_inline(k, T_DECISION, C_DECISION_LINK, C_DECISION_GEN, generation_first(k));
    if (d == NO_ROW) return NO_ROW;
    int fresh = row_is_fresh(k, T_DECISION, d);
    fill_u8(k, fresh, C_DECISION_KIND, d, s->kind);
    fill_u8(k, fresh, C_DECISION_STATE, d, LSCHED_DECISION_PROPOSED);
    fill_u32(k, fresh, C_DECISION_TASK, d, task);
    fill_u64(k, fresh, C_DECISION_GROUP, d, s->group);
    fill_i64(k, fresh, C_DECISION_PROPOSED, d, s->now);
    fill_i64(k, fresh, C_DECISION_AT, d, s->at);
    fill_u8(k, fresh, C_DECISION_REASON, d, s->reason);
    fill_u64(k, fresh, C_DECISION_FOR_JOB, d, s->for_job);
    fill_i64(k, fresh, C_DECISION_COST, d, s->cost);
    fill_u32(k, fresh, C_DECISION_HEAP_L, d, NO_ROW);
    fill_u32(k, fresh, C_DECISION_HEAP_R, d, NO_ROW);
    fill_u32(k, fresh, C_DECISION_HEAP_P, d, NO_ROW);
    row_list_append_new(k, open_decisions, M_OPEN_HEAD, M_OPEN_TAIL, d, fresh);
    set_meta(k, M_OPEN_COUNT, meta(k, M_OPEN_COUNT) + 1);
    fill_u32(k, row_is_fresh(k, T_TASK, task), C_TASK_DECISION, task, d);
    return d;
}

static void decision_drop(struct columns *k, uint32_t d) {
    decision_life_end(k, d);
    row_list_take(k, open_decisions, M_OPEN_HEAD, M_OPEN_TAIL, d);
    set_meta(k, M_OPEN_COUNT, meta(k, M_OPEN_COUNT) - 1);
    row_free(k, T_DECISION, d);
}

/* undone: 1 if the task does not do what the decision says */
static void decision_end(struct columns *k, uint32_t task, int undone) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    uint8_t kind = k->c[C_DECISION_KIND].u8[d], reason = k->c[C_DECISION_REASON].u8[d];
    decision_drop(k, d);
    set_u32(k, C_TASK_DECISION, task, NO_ROW);
    if (k->warnings) k->warnings->closed(k, task, kind, reason, undone);
}

uint32_t decision_checkpoint_over(struct columns *k, uint32_t task, int64_t now, int64_t at,
                                  int64_t cost) {
    uint32_t old = k->c[C_TASK_DECISION].u32[task];
    int written = k->c[C_DECISION_STATE].u8[old] == LSCHED_DECISION_CONFIRMED;
    struct decision_spec s = {.kind = LSCHED_DECIDE_EVICT,
                              .reason = k->c[C_DECISION_REASON].u8[old],
                              .group = k->c[C_DECISION_GROUP].u64[old],
                              .for_job = k->c[C_DECISION_FOR_JOB].u64[old],
                              .now = now,
                              .at = at,
                              .cost = cost};
    uint32_t why =
        change_feed_because(k, written ? LSCHED_BECAUSE_CHECKPOINT : LSCHED_BECAUSE_TIME);
    change_feed_note_decision(k, LSCHED_CHANGE_CHECKPOINT_OVER, task);
    change_feed_because(k, why);
    uint32_t d = decision_open(k, task, &s);
    if (d == NO_ROW) return NO_ROW;
    set_u8(k, C_DECISION_FOLLOWS, d,
           written ? LSCHED_CHECKPOINT_WRITTEN : LSCHED_CHECKPOINT_UNANSWERED);
    /* the eviction counts for budgets since its CHECKPOINT */
    set_u8(k, C_DECISION_COUNTS, d, k->c[C_DECISION_COUNTS].u8[old]);
    set_u32(k, C_DECISION_HOUR, d, k->c[C_DECISION_HOUR].u32[old]);
    row_list_take(k, open_decisions, M_OPEN_HEAD, M_OPEN_TAIL, d);
    row_list_insert_behind(k, open_decisions, M_OPEN_TAIL, old, d);
    decision_drop(k, old);
    return d;
}

void decision_close(struct columns *k, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (d == NO_ROW) return;
    change_feed_note_decision(k, LSCHED_CHANGE_WITHDRAWN, task);
    decision_end(k, task, 1);
}

void decision_done(struct columns *k, uint32_t task) {
    if (k->c[C_TASK_DECISION].u32[task] != NO_ROW) decision_end(k, task, 0);
}

void decision_seat(struct columns *k, uint32_t task) {
    change_feed_note_decision(k, LSCHED_CHANGE_SEATED, task);
    decision_end(k, task, 0);
}

void decision_tell(const struct columns *k, uint32_t task, withdrawn_fn tell, void *user) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (d != NO_ROW && tell) tell(user, d, k->c[C_DECISION_GEN].u32[d]);
}

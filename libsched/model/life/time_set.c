/* time_set.c -- see time_set.h. */
#include "model/life/time_set.h"

#include "base/times.h"
#include "model/allowances/allowance.h"
#include "model/budgets/eviction_count.h"
#include "model/jobs/bundle.h"
#include "model/jobs/decision_reject.h"
#include "model/news/queue_news.h"
#include "model/jobs/refusal.h"
#include "model/jobs/job_limits.h"
#include "model/life/gate_review.h"
#include "model/life/host_hold.h"
#include "model/nodes/absence.h"
#include "model/told/decision_life.h"
#include "model/told/warning_ops.h"

/* Columns with times of past events. zero: 1 if 0 in the column means "never". In such a column 1
 * is the earliest time that can be stored. */
static const struct {
    uint16_t column;
    uint8_t zero;
} happened[] = {{C_TASK_START, 0},       {C_TASK_SINCE, 1},        {C_LEAF_SINCE, 1},
                {C_COST_STALE_SINCE, 0}, {C_COST_FAILED_AT, 0},    {C_COST_WINDOW_START, 0},
                {C_COST_EVICTED_AT, 1},  {C_COST_SHRUNK_AT, 1},    {C_COST_REFUSED_AT, 1},
                {C_USAGE_AT, 0},         {C_USAGE_BUSY_AT, 0},     {C_DECISION_PROPOSED, 0},
                {C_COLLISION_AT, 0},     {C_QUEUE_SPENT_AT, 0},    {C_REFUSAL_AT, 0},
                {C_COST_REJECT_AT, 0},   {C_COST_WINDOW_TAKEN, 0}, {C_RESIZE_SINCE, 0},
                {C_JOB_STARTED, 1}};

/* Columns with times of expected events. */
static const uint16_t expected[] = {C_TASK_RELEASE_AT, C_COST_SPARED_TO, C_DECISION_AT,
                                    C_COST_REJECT_UNTIL, C_DECISION_UNTIL};

static int has_row(const struct columns *k, uint32_t column, uint32_t row) {
    uint32_t table = column_defs[column].table;
    return table_is_raw[table] || row_is_live(k, table, row);
}

static int32_t move_happened(struct columns *k, int64_t now, int *moved) {
    for (size_t i = 0; i < sizeof happened / sizeof happened[0]; i++) {
        uint32_t column = happened[i].column, rows = table_rows(k, column_defs[column].table);
        for (uint32_t row = 0; row < rows; row++) {
            int64_t at = k->c[column].i64[row];
            if (at <= now || at == LSCHED_NEVER_US || !has_row(k, column, row)) continue;
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            set_i64(k, column, row, happened[i].zero && now == 0 ? 1 : now);
            if (column_defs[column].table == T_TASK) touch_task(k, row);
            *moved = 1;
        }
    }
    return LSCHED_OK;
}

/* Makes the CHECKPOINT decisions that were due at the old time due at the new one. All others of
 * them move by the same time, so that the heap stays in order. */
static int32_t move_checkpoints(struct columns *k, int64_t was, int64_t now) {
    EACH_LIVE(k, T_DECISION, d) {
        int64_t until = k->c[C_DECISION_UNTIL].i64[d];
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_CHECKPOINT || until <= now || until > was)
            continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        decision_life_due(k, d, now);
    }
    return LSCHED_OK;
}

static int32_t move_expected(struct columns *k, int64_t was, int64_t now) {
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        uint32_t column = expected[i], rows = table_rows(k, column_defs[column].table);
        for (uint32_t row = 0; row < rows; row++) {
            int64_t at = k->c[column].i64[row];
            if (at <= now || at == LSCHED_NEVER_US || !has_row(k, column, row)) continue;
            /* a CHECKPOINT that is due; 0 would mean that no EVICT follows */
            if (column == C_DECISION_UNTIL && at <= was) continue;
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            set_i64(k, column, row, at > was ? time_after_at_most(now, at - was) : now);
        }
    }
    return LSCHED_OK;
}

/* Puts the jobs in the heap of due jobs in order again, because the times that decide the order
 * have changed. */
static int32_t rank_anew(struct columns *k) {
    EACH_LIVE(k, T_WATCH, w) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        job_limits_moved(k, k->c[C_WATCH_JOB].u32[w]);
    }
    return LSCHED_OK;
}

/* Makes the next cycle try every job again whose wait depends on time. */
static int32_t time_set_ask_again(struct columns *k, int64_t now) {
    set_meta(k, M_REFRESHED, 0);
    set_meta(k, M_ORDER_POLICY, 0);
    set_meta(k, M_DUE_TRIED, 0);
    if (meta(k, M_FUTURE_NEXT)) set_meta(k, M_FUTURE_NEXT, 1);
    if (meta(k, M_EVICT_NEXT)) set_meta(k, M_EVICT_NEXT, (uint64_t)now);
    if (meta(k, M_WAKE_ASKED)) set_meta(k, M_WAKE_ASKED, 1);
    evict_news(k);
    /* bundles that wait until LSCHED_NEVER_US are not woken */
    int32_t rc = bundles_wake_until(k, LSCHED_NEVER_US - 1);
    if (rc == LSCHED_OK && k->warnings) rc = k->warnings->clock_set(k);
    if (rc == LSCHED_OK) rc = bundles_wake_plan(k);
    if (rc == LSCHED_OK) rc = undo_room(k);
    return rc == LSCHED_OK ? absences_time_set(k, now) : rc;
}

/* Brings the time of the latest cycle before now, if it is later. A cycle that comes now is then
 * the first one at a start that is due now. */
static void cycled_no_later(struct columns *k, int64_t now) {
    if ((int64_t)meta(k, M_CYCLED) > now) set_meta(k, M_CYCLED, now > 0 ? (uint64_t)now - 1 : 0);
}

int32_t time_set(struct columns *k, int64_t now) {
    int64_t was = (int64_t)meta(k, M_NOW);
    int moved = now < was;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    /* The proposals whose life has ended expire first. The others keep their order, because all
     * their ends move by the same time. */
    int64_t latest = now > was ? now : was;
    rc = decision_reject_expired(k, latest, latest, NULL, NULL);
    if (rc == LSCHED_OK) rc = eviction_count_time_set(k, now);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_NOW, (uint64_t)now);
    set_meta(k, M_SCHEDULED, (uint64_t)now);
    cycled_no_later(k, now);
    if ((int64_t)meta(k, M_SPENT_AT) > now) set_meta(k, M_SPENT_AT, (uint64_t)now);
    if (k->allowances && now < was) rc = k->allowances->clock_back(k, was);
    if (rc == LSCHED_OK) rc = move_happened(k, now, &moved);
    if (rc != LSCHED_OK || !moved) return rc;
    if (now < was) rc = move_checkpoints(k, was, now);
    if (rc == LSCHED_OK && now < was) rc = move_expected(k, was, now);
    if (rc == LSCHED_OK) rc = refusals_move(k, was, now);
    if (rc == LSCHED_OK) rc = rank_anew(k);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) rc = time_set_ask_again(k, now);
    if (rc == LSCHED_OK) rc = host_holds_move(k, was, now);
    return rc == LSCHED_OK ? gate_review_move(k, was, now) : rc;
}

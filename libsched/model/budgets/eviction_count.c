/* eviction_count.c -- see eviction_count.h. */
#include "model/budgets/eviction_count.h"

#include "model/news/queue_news.h"
#include "model/store/steps.h"

#define HOUR_US    INT64_C(3600000000)
#define COUNTS_JOB (EVICTION_COUNT_WHOLE | EVICTION_COUNT_PART)

/* ---- the releasing tasks of a job ---- */

static uint32_t first_releasing(const struct columns *k, uint32_t leaf) {
    while (leaf != NO_ROW && k->c[C_LEAF_LEAVING_FIRST].u32[leaf] == NO_ROW)
        leaf = k->c[C_LEAF_NEXT].u32[leaf];
    return leaf == NO_ROW ? NO_ROW : k->c[C_LEAF_LEAVING_FIRST].u32[leaf];
}

static uint32_t next_releasing(const struct columns *k, uint32_t task) {
    uint32_t next = k->c[C_TASK_NEXT].u32[task];
    steps_add(k, 1);
    return next != NO_ROW ? next
                          : first_releasing(k, k->c[C_LEAF_NEXT].u32[k->c[C_TASK_LEAF].u32[task]]);
}

/* Returns the task's open decision if the decision counts for the task's job, else NO_ROW. */
static uint32_t counted(const struct columns *k, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    return d != NO_ROW && k->c[C_DECISION_COUNTS].u8[d] & COUNTS_JOB ? d : NO_ROW;
}

static void forget(struct columns *k, uint32_t d) {
    set_u8(k, C_DECISION_COUNTS, d, (uint8_t)(k->c[C_DECISION_COUNTS].u8[d] & ~COUNTS_JOB));
}

/* ---- evictions count ---- */

/* Begins a new window. Open evictions of the old window count in it no more. */
static int32_t window_begin(struct columns *k, uint32_t cost, int64_t now) {
    uint32_t leaves = k->c[C_JOB_LEAVES].u32[k->c[C_COST_JOB].u32[cost]];
    for (uint32_t t = first_releasing(k, leaves); t != NO_ROW; t = next_releasing(k, t)) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (counted(k, t) != NO_ROW) forget(k, counted(k, t));
    }
    set_i64(k, C_COST_WINDOW_START, cost, now);
    set_i64(k, C_COST_WINDOW_TAKEN, cost, LSCHED_NEVER_US);
    set_u32(k, C_COST_DISRUPTIONS, cost, 0);
    return LSCHED_OK;
}

int32_t eviction_count_job(struct columns *k, uint32_t cost, uint32_t eviction, int64_t now,
                           int whole) {
    uint64_t group = k->c[C_DECISION_GROUP].u64[eviction];
    if (k->c[C_DECISION_COUNTS].u8[eviction] & COUNTS_JOB) return LSCHED_OK;
    uint32_t leaves = k->c[C_JOB_LEAVES].u32[k->c[C_COST_JOB].u32[cost]];
    int64_t window = k->c[C_COST_WINDOW].i64[cost];
    int anew = k->c[C_COST_DISRUPTIONS].u32[cost] == 0 ||
               (window && now - k->c[C_COST_WINDOW_START].i64[cost] >= window);
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK && anew) rc = window_begin(k, cost, now);
    if (rc != LSCHED_OK) return rc;
    add_u32(k, C_COST_DISRUPTIONS, cost, 1);
    for (uint32_t t = first_releasing(k, leaves); t != NO_ROW; t = next_releasing(k, t)) {
        uint32_t d = k->c[C_TASK_DECISION].u32[t];
        if (d == NO_ROW || k->c[C_DECISION_GROUP].u64[d] != group) continue;
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_u8(k, C_DECISION_COUNTS, d, whole ? EVICTION_COUNT_WHOLE : EVICTION_COUNT_PART);
    }
    return undo_room(k);
}

int64_t eviction_count_next_hour(int64_t now) {
    return (now / HOUR_US + 1) * HOUR_US;
}

uint64_t eviction_count_in_hour(const struct columns *k, int64_t now) {
    int same = (int64_t)meta(k, M_EVICTED_SINCE) == now / HOUR_US;
    return same ? meta(k, M_EVICTED_HOUR) : 0;
}

static void count_in_hour(struct columns *k, uint32_t d, int64_t now) {
    set_meta(k, M_EVICTED_HOUR, eviction_count_in_hour(k, now) + 1);
    set_meta(k, M_EVICTED_SINCE, (uint64_t)(now / HOUR_US));
    set_u32(k, C_DECISION_HOUR, d, (uint32_t)(now / HOUR_US) + 1);
}

int32_t eviction_count_hour(struct columns *k, uint32_t d, int64_t now) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_MIGRATE)
        set_u8(k, C_DECISION_COUNTS, d, k->c[C_DECISION_COUNTS].u8[d] | EVICTION_COUNT_MOVE);
    else
        count_in_hour(k, d, now);
    return LSCHED_OK;
}

void eviction_count_move_ended(struct columns *k, uint32_t d) {
    uint8_t counts = k->c[C_DECISION_COUNTS].u8[d];
    if (!(counts & EVICTION_COUNT_MOVE)) return;
    set_u8(k, C_DECISION_COUNTS, d, counts & COUNTS_JOB);
    count_in_hour(k, d, (int64_t)meta(k, M_NOW));
}

/* ---- evictions end ---- */

int32_t eviction_count_job_ends(struct columns *k, uint32_t job) {
    uint32_t leaves = k->c[C_JOB_LEAVES].u32[job];
    for (uint32_t t = first_releasing(k, leaves); t != NO_ROW; t = next_releasing(k, t)) {
        uint32_t d = k->c[C_TASK_DECISION].u32[t];
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (d != NO_ROW && k->c[C_DECISION_COUNTS].u8[d] & EVICTION_COUNT_MOVE)
            set_u8(k, C_DECISION_COUNTS, d, k->c[C_DECISION_COUNTS].u8[d] & COUNTS_JOB);
    }
    return LSCHED_OK;
}

int32_t eviction_count_gone(struct columns *k, uint32_t releasing) {
    uint32_t d = counted(k, releasing), job = k->c[C_TASK_JOB].u32[releasing];
    if (d == NO_ROW) return LSCHED_OK; /* another task of the disruption was gone before */
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    int64_t at = k->c[C_DECISION_PROPOSED].i64[d];
    uint64_t group = k->c[C_DECISION_GROUP].u64[d];
    uint16_t column =
        k->c[C_DECISION_COUNTS].u8[d] & EVICTION_COUNT_WHOLE ? C_COST_EVICTED_AT : C_COST_SHRUNK_AT;
    for (uint32_t t = first_releasing(k, k->c[C_JOB_LEAVES].u32[job]); t != NO_ROW;
         t = next_releasing(k, t)) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint32_t other = counted(k, t);
        if (other != NO_ROW && k->c[C_DECISION_GROUP].u64[other] == group) forget(k, other);
    }
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (at > k->c[column].i64[cost]) set_i64(k, column, cost, at);
    if (at < k->c[C_COST_WINDOW_TAKEN].i64[cost]) set_i64(k, C_COST_WINDOW_TAKEN, cost, at);
    return LSCHED_OK;
}

/* Gives the disruption of the decision back, unless another eviction of the same group still counts
 * for the job. */
static void give_back_job(struct columns *k, uint32_t releasing, uint32_t d) {
    uint32_t job = k->c[C_TASK_JOB].u32[releasing], cost = k->c[C_JOB_COST].u32[job];
    int64_t start = k->c[C_COST_WINDOW_TAKEN].i64[cost];
    forget(k, d);
    for (uint32_t t = first_releasing(k, k->c[C_JOB_LEAVES].u32[job]); t != NO_ROW;
         t = next_releasing(k, t)) {
        uint32_t other = counted(k, t);
        if (other == NO_ROW) continue;
        if (k->c[C_DECISION_GROUP].u64[other] == k->c[C_DECISION_GROUP].u64[d]) return;
        if (k->c[C_DECISION_PROPOSED].i64[other] < start)
            start = k->c[C_DECISION_PROPOSED].i64[other];
    }
    add_u32(k, C_COST_DISRUPTIONS, cost, -1);
    if (k->c[C_COST_DISRUPTIONS].u32[cost] > 0) set_i64(k, C_COST_WINDOW_START, cost, start);
}

int32_t eviction_count_undone(struct columns *k, uint32_t releasing) {
    uint32_t d = k->c[C_TASK_DECISION].u32[releasing];
    uint32_t hour = d == NO_ROW ? 0 : k->c[C_DECISION_HOUR].u32[d];
    if (d == NO_ROW || (hour == 0 && counted(k, releasing) == NO_ROW)) return LSCHED_OK;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    evict_news(k); /* a search that the budget kept from finding victims can find them now */
    if (hour && meta(k, M_EVICTED_SINCE) == hour - 1)
        set_meta(k, M_EVICTED_HOUR, meta(k, M_EVICTED_HOUR) - 1);
    if (counted(k, releasing) != NO_ROW) give_back_job(k, releasing, d);
    return undo_room(k);
}

/* ---- the time is set ---- */

int32_t eviction_count_time_set(struct columns *k, int64_t now) {
    uint32_t hour = (uint32_t)(now / HOUR_US), since = (uint32_t)meta(k, M_EVICTED_SINCE);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK || since <= hour) return rc;
    EACH_LIVE(k, T_DECISION, d) {
        uint32_t of = k->c[C_DECISION_HOUR].u32[d];
        if (of == 0) continue;
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_u32(k, C_DECISION_HOUR, d, of == since + 1 ? hour + 1 : 0);
    }
    set_meta(k, M_EVICTED_SINCE, hour);
    return undo_room(k);
}

/* gate_change.c -- see gate_change.h. */
#include "model/life/gate_change.h"

#include "base/times.h"
#include "model/arrays/array.h"
#include "model/jobs/job_limits.h"

/* Returns the job's row of GATE, made if there is none; NO_ROW if out of memory. */
static uint32_t gate_of(struct columns *k, uint32_t job) {
    uint32_t watch = undo_room(k) == LSCHED_OK ? job_limits_get(k, job) : NO_ROW;
    uint32_t gate = watch == NO_ROW ? NO_ROW : gate_get(k, watch);
    return gate != NO_ROW && undo_room(k) == LSCHED_OK ? gate : NO_ROW;
}

int32_t gate_change_begin(struct columns *k, uint32_t job, int64_t begin) {
    if (begin <= (int64_t)meta(k, M_NOW)) begin = 0;
    if (begin == 0 && gate_row(k, job) == NO_ROW) return LSCHED_OK;
    uint32_t gate = gate_of(k, job);
    if (gate == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_GATE_BEGIN, gate, begin);
    gate_settle(k, gate);
    return undo_room(k);
}

int32_t gate_change_expiry(struct columns *k, uint32_t job, int64_t expires) {
    /* only before the first start, of an array: of each element */
    if (k->c[C_JOB_STARTED].i64[job] != 0 && !array_is(k, job)) expires = 0;
    if (expires == 0 && gate_row(k, job) == NO_ROW) return LSCHED_OK;
    uint32_t gate = gate_of(k, job);
    if (gate == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_GATE_EXPIRES, gate, expires);
    gate_settle(k, gate);
    return undo_room(k);
}

/* Adds a dependency. Can return LSCHED_E_NOMEM. */
static int32_t gate_change_add(struct columns *k, uint32_t gate, const struct gate_need *need) {
    uint32_t on =
        need->job == NO_ROW ? gate_of_past(k, need->kind, need->happened) : gate_of(k, need->job);
    if (on == NO_ROW) return LSCHED_E_NOMEM;
    lsched_text name =
        need->job == NO_ROW ? need->name : text_of(k, k->c[C_JOB_NAME].u32[need->job]);
    return gate_depend(k, gate, on, name, need->kind, need->delay);
}

int32_t gate_change_needs(struct columns *k, uint32_t job, const struct gate_need *needs,
                          uint32_t n, uint8_t on_never) {
    if (n == 0 && gate_row(k, job) == NO_ROW) return LSCHED_OK;
    uint32_t gate = gate_of(k, job);
    if (gate == NO_ROW) return LSCHED_E_NOMEM;
    int32_t rc = undo_room_for(k, gate_drop_records(k, gate));
    if (rc != LSCHED_OK) return rc;
    gate_depend_drop(k, gate);
    set_u8(k, C_GATE_ON_NEVER, gate, n ? on_never : LSCHED_ON_NEVER_WAIT);
    for (uint32_t i = n; i-- > 0;) {
        rc = gate_change_add(k, gate, &needs[i]);
        if (rc != LSCHED_OK) return rc;
    }
    rc = undo_room(k);
    if (rc == LSCHED_OK) gate_settle(k, gate);
    return rc == LSCHED_OK ? undo_room(k) : rc;
}

/* True if the dependency is met at the present time. */
static int gate_change_is_met(const struct columns *k, const struct gate_need *need) {
    int64_t at = need->happened;
    if (need->job != NO_ROW && need->kind == LSCHED_AFTER_START)
        at = k->c[C_JOB_STARTED].i64[need->job];
    return at && at != LSCHED_NEVER_US &&
           time_after_at_most(at, need->delay) <= (int64_t)meta(k, M_NOW);
}

/* True if the dependency is this one. */
static int gate_change_same(const struct columns *k, uint32_t after, const struct gate_need *need) {
    uint32_t on = k->c[C_AFTER_ON].u32[after];
    if (k->c[C_AFTER_KIND].u8[after] != need->kind ||
        k->c[C_AFTER_DELAY].i64[after] != need->delay || k->c[C_GATE_JOB].u32[on] != need->job)
        return 0;
    if (need->job != NO_ROW) return 1;
    lsched_text name = text_of(k, intern_text(k, T_STRING, k->c[C_AFTER_NAME].u32[after]));
    return gate_after_at(k, after) == need->happened && name.len == need->name.len &&
           memcmp(name.ptr, need->name.ptr, (size_t)name.len) == 0;
}

int gate_change_has(const struct columns *k, uint32_t job, const struct gate_need *needs,
                    uint32_t n, uint8_t on_never) {
    uint32_t gate = gate_row(k, job), i = 0,
             a = gate == NO_ROW ? NO_ROW : k->c[C_GATE_FIRST].u32[gate];
    if (a == NO_ROW) {
        while (i < n && gate_change_is_met(k, &needs[i])) i++;
        return i == n;
    }
    if (n && gate != NO_ROW && k->c[C_GATE_ON_NEVER].u8[gate] != on_never) return 0;
    for (; a != NO_ROW && i < n; a = k->c[C_AFTER_NEXT].u32[a], i++)
        if (!gate_change_same(k, a, &needs[i])) return 0;
    return a == NO_ROW && i == n;
}

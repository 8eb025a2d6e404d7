/* warning.c -- see warning.h. */
#include "model/warnings/warning.h"

#include "base/times.h"
#include "model/allowances/allowance.h"
#include "model/jobs/job_limits.h"
#include "model/nodes/absence.h"
#include "model/reservations/reservation.h"
#include "model/resizes/resize.h"
#include "model/store/heap.h"
#include "model/store/row_list.h"
#include "model/store/steps.h"
#include "model/told/decision.h"

#define SOONER_SHARE 8 /* an end may come an eighth of the lead sooner than it was told */

static int warning_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_WARN_AT].i64[a], y = k->c[C_WARN_AT].i64[b];
    return x != y ? x < y : a < b;
}

static const struct heap_kind warning_heap = {C_WARN_HEAP_L, C_WARN_HEAP_R, C_WARN_HEAP_P,
                                              C_WARN_HEAP_D, warning_before};
static const struct row_list due_moved = {C_WATCH_NEWS_NEXT, C_WATCH_NEWS_PREV};

static int64_t warning_lead(const struct columns *k) {
    return (int64_t)meta(k, M_WARN_LEAD);
}

static int warning_runs(const struct columns *k, uint32_t task) {
    return k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING;
}

/* Sets when the task of the row is looked at. LSCHED_NEVER_US takes the row out of the heap. */
static void warning_set_at(struct columns *k, uint32_t row, int64_t at) {
    uint32_t root = (uint32_t)meta(k, M_WARN_HEAD);
    if (k->c[C_WARN_AT].i64[row] == at) return;
    if (k->c[C_WARN_HEAP_D].u8[row]) root = heap_remove(k, &warning_heap, root, row);
    set_i64(k, C_WARN_AT, row, at);
    if (at != LSCHED_NEVER_US) root = heap_insert(k, &warning_heap, root, row);
    set_meta(k, M_WARN_HEAD, root);
}

/* The column of WARN with the end that was told for the reason. */
static uint32_t warning_column(uint32_t reason) {
    return reason == LSCHED_FOR_TIME_LIMIT  ? C_WARN_LIMIT
           : reason == LSCHED_FOR_ALLOWANCE ? C_WARN_ALLOWANCE
                                            : C_WARN_NODE;
}

/* True if a task that was told the end `told` knows the end `at` well enough. */
static int warning_is_near(const struct columns *k, int64_t told, int64_t at) {
    int64_t lead = warning_lead(k);
    return told && at >= told - lead / SOONER_SHARE && at <= time_after(told, lead);
}

/* ---- ends ---- */

static void warning_sooner(struct warning_end *e, int64_t at, uint32_t reason, int64_t now) {
    if (at < now) at = now;
    if (at < e->at) *e = (struct warning_end){at, reason};
}

/* The next end by the time limit or by the node, which no other work moves. */
static struct warning_end warning_fixed_end(const struct columns *k, uint32_t task, int64_t now) {
    struct warning_end e = {LSCHED_NEVER_US, LSCHED_FOR_NONE};
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    struct absence away;
    if (meta(k, M_WARN_TERMS) & WARN_LIMITS)
        warning_sooner(&e, job_due(k, k->c[C_TASK_JOB].u32[task]), LSCHED_FOR_TIME_LIMIT, now);
    if (!absence_is_set(k, node) || !absence_next(k, node, now, &away) ||
        reservation_admits(k, node, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]]))
        return e;
    int64_t every = k->c[C_NODE_LEAVES_EVERY].i64[node];
    if (away.leaves <= now) away.leaves = every ? time_after(away.leaves, every) : LSCHED_NEVER_US;
    warning_sooner(&e, away.leaves, LSCHED_FOR_ABSENCE, now);
    return e;
}

struct warning_end warning_end_of(const struct columns *k, uint32_t task, int64_t now) {
    struct warning_end e = warning_fixed_end(k, task, now);
    if (!(meta(k, M_WARN_TERMS) & WARN_ALLOWANCES)) return e;
    for (uint32_t m = k->c[C_TASK_METER].u32[task]; m; m = k->c[C_METER_NEXT].u32[m - 1])
        if (k->c[C_METER_RATE].i64[m - 1])
            warning_sooner(&e,
                           k->allowances->stops(k, allowance_of(k, k->c[C_METER_QUEUE].u32[m - 1])),
                           LSCHED_FOR_ALLOWANCE, now);
    return e;
}

int warning_is_told(const struct columns *k, uint32_t row, const struct warning_end *e) {
    return warning_is_near(k, k->c[warning_column(e->reason)].i64[row], e->at);
}

/* ---- when a task is looked at ---- */

void warning_wait(struct columns *k, uint32_t task, const struct warning_end *told) {
    uint32_t row = warning_of(k, task);
    int64_t lead = warning_lead(k), now = (int64_t)meta(k, M_NOW), at;
    if (told) {
        at = told->at;
    } else {
        at = warning_fixed_end(k, task, now).at;
        if (at <= now) at = LSCHED_NEVER_US; /* it is being stopped */
        if (at != LSCHED_NEVER_US) at = at > lead ? at - lead : 0;
        if (at < k->c[C_WARN_RETRY].i64[row]) at = k->c[C_WARN_RETRY].i64[row];
    }
    warning_set_at(k, row, at);
}

void warning_look(struct columns *k, uint32_t task) {
    uint32_t row = warning_of(k, task);
    if (row != NO_ROW && warning_runs(k, task)) warning_set_at(k, row, 0);
}

void warning_rest(struct columns *k, uint32_t task) {
    warning_set_at(k, warning_of(k, task), LSCHED_NEVER_US);
}

/* Of an allowance that has told its end, a new task is told, too. */
static int warning_is_late(const struct columns *k, uint32_t task) {
    for (uint32_t m = k->c[C_TASK_METER].u32[task]; m; m = k->c[C_METER_NEXT].u32[m - 1])
        if (k->c[C_ALLOWANCE_TOLD].i64[allowance_of(k, k->c[C_METER_QUEUE].u32[m - 1])]) return 1;
    return 0;
}

static void warning_task_runs(struct columns *k, uint32_t task) {
    if (warning_of(k, task) == NO_ROW) return;
    if (warning_is_late(k, task))
        warning_look(k, task);
    else
        warning_wait(k, task, NULL);
}

static int32_t warning_placed(struct columns *k, uint32_t task) {
    if (!meta(k, M_WARN_LEAD)) return LSCHED_OK;
    int32_t rc = undo_room(k);
    uint32_t row = rc == LSCHED_OK ? row_new(k, T_WARN) : NO_ROW;
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_WARN_TASK, row, task);
    set_i64(k, C_WARN_AT, row, LSCHED_NEVER_US);
    SET_NONE(k, row, C_WARN_HEAP_L, C_WARN_HEAP_R, C_WARN_HEAP_P);
    set_u32(k, C_TASK_WARN, task, row + 1);
    if (warning_runs(k, task)) warning_task_runs(k, task);
    return undo_room(k);
}

static void warning_ended(struct columns *k, uint32_t task) {
    uint32_t row = warning_of(k, task);
    if (row == NO_ROW) return;
    warning_set_at(k, row, LSCHED_NEVER_US);
    row_free(k, T_WARN, row);
    set_u32(k, C_TASK_WARN, task, 0);
}

static void warning_moved(struct columns *k, uint32_t from, uint32_t to) {
    uint32_t row = warning_of(k, from);
    if (row == NO_ROW) return;
    warning_set_at(k, row, LSCHED_NEVER_US);
    set_u32(k, C_WARN_TASK, row, to);
    set_u32(k, C_TASK_WARN, to, row + 1);
    set_u32(k, C_TASK_WARN, from, 0);
}

/* ---- what is told ---- */

void warning_tell(struct columns *k, uint32_t task, const struct warning_end *e) {
    uint32_t row = warning_of(k, task);
    set_i64(k, warning_column(e->reason), row, e->at);
    set_i64(k, C_WARN_RETRY, row, 0);
    warning_wait(k, task, e);
}

void warning_put_off(struct columns *k, uint32_t task, int64_t until) {
    uint32_t row = warning_of(k, task);
    if (row == NO_ROW) return;
    set_i64(k, C_WARN_RETRY, row, until);
    warning_set_at(k, row, until);
}

static void warning_closed(struct columns *k, uint32_t task, uint32_t kind, uint32_t reason,
                           int undone) {
    uint32_t row = warning_of(k, task);
    if (row == NO_ROW) return;
    int told = kind == LSCHED_DECIDE_WARN && !undone;
    if (kind == LSCHED_DECIDE_WARN && undone) set_i64(k, warning_column(reason), row, 0);
    /* while the WARN was open, a cycle that looked at the task could tell it nothing new */
    if (!told || k->c[C_WARN_AT].i64[row] == LSCHED_NEVER_US) warning_look(k, task);
}

/* ---- events of many tasks ---- */

static void warning_due_moved(struct columns *k, uint32_t watch) {
    if (!meta(k, M_WARN_LEAD) || k->c[C_WATCH_NEWS].u8[watch]) return;
    set_u8(k, C_WATCH_NEWS, watch, 1);
    row_list_push(k, due_moved, C_META_WORD, M_WARN_NEWS, watch);
}

static void warning_watch_ends(struct columns *k, uint32_t watch) {
    if (!k->c[C_WATCH_NEWS].u8[watch]) return;
    set_u8(k, C_WATCH_NEWS, watch, 0);
    row_list_remove(k, due_moved, C_META_WORD, M_WARN_NEWS, watch);
}

int32_t warning_node_changed(struct columns *k, uint32_t node) {
    uint32_t t = meta(k, M_WARN_LEAD) ? k->c[C_NODE_TASK_FIRST].u32[node] : NO_ROW;
    for (; t != NO_ROW; t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        steps_add(k, 1);
        warning_look(k, t);
    }
    return undo_room(k);
}

static int32_t warning_job_look(struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            steps_add(k, 1);
            warning_look(k, t);
        }
    return LSCHED_OK;
}

int32_t warning_jobs_look(struct columns *k) {
    for (;;) {
        int32_t rc = undo_room(k);
        uint32_t watch = (uint32_t)meta(k, M_WARN_NEWS);
        if (rc != LSCHED_OK || watch == NO_ROW) return rc;
        warning_watch_ends(k, watch);
        rc = warning_job_look(k, k->c[C_WATCH_JOB].u32[watch]);
        if (rc != LSCHED_OK) return rc;
    }
}

int64_t warning_allowance_at(const struct columns *k, uint32_t a, int64_t now) {
    int64_t lead = warning_lead(k), told = k->c[C_ALLOWANCE_TOLD].i64[a],
            at = k->allowances->stops(k, a);
    if (!(meta(k, M_WARN_TERMS) & WARN_ALLOWANCES) || k->c[C_ALLOWANCE_FIRST].u32[a] == NO_ROW)
        return LSCHED_NEVER_US;
    if (at <= now || warning_is_near(k, told, at)) return LSCHED_NEVER_US;
    if (told) return now; /* it has moved */
    if (at == LSCHED_NEVER_US) return at;
    return at - now > lead ? at - lead : now;
}

int32_t warning_allowance_look(struct columns *k, uint32_t a, int64_t now) {
    int64_t at = k->allowances->stops(k, a);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_i64(k, C_ALLOWANCE_TOLD, a, at != LSCHED_NEVER_US && at - now <= warning_lead(k) ? at : 0);
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m]) {
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        steps_add(k, 1);
        if (k->c[C_METER_RATE].i64[m]) warning_look(k, k->c[C_METER_TASK].u32[m]);
    }
    return LSCHED_OK;
}

/* ---- the next look ---- */

uint32_t warning_due(const struct columns *k, int64_t now) {
    uint32_t row = (uint32_t)meta(k, M_WARN_HEAD);
    return row == NO_ROW || k->c[C_WARN_AT].i64[row] > now ? NO_ROW : k->c[C_WARN_TASK].u32[row];
}

int64_t warning_next(const struct columns *k) {
    int64_t now = (int64_t)meta(k, M_NOW), next = LSCHED_NEVER_US;
    uint32_t row = (uint32_t)meta(k, M_WARN_HEAD);
    if (!(meta(k, M_WARN_TERMS) & WARN_ASKED)) return LSCHED_NEVER_US;
    if ((uint32_t)meta(k, M_WARN_NEWS) != NO_ROW) return now;
    if (row != NO_ROW) next = k->c[C_WARN_AT].i64[row];
    if (!k->allowances) return next;
    EACH_LIVE(k, T_ALLOWANCE, a) {
        int64_t at = warning_allowance_at(k, a, now);
        if (at < next) next = at;
    }
    return next;
}

/* ---- begin ---- */

static int32_t warning_look_at_all(struct columns *k) {
    EACH_LIVE(k, T_WARN, row) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        warning_look(k, k->c[C_WARN_TASK].u32[row]);
    }
    EACH_LIVE(k, T_ALLOWANCE, a) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_i64(k, C_ALLOWANCE_TOLD, a, 0);
    }
    return undo_room(k);
}

/* Makes the rows of the tasks that have a place before the first cycle that asks for warnings. */
static int32_t warning_first(struct columns *k) {
    k->warnings = &warning_ops;
    EACH_LIVE(k, T_TASK, t) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        int has_place = state != LSCHED_TASK_NONE && state != LSCHED_TASK_DONE;
        int32_t rc = has_place && !k->c[C_TASK_WARN].u32[t] ? warning_placed(k, t) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

int32_t warning_begin(struct columns *k, int64_t lead, uint32_t terms) {
    int64_t was = warning_lead(k);
    uint32_t ends = (uint32_t)meta(k, M_WARN_TERMS) ^ terms;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK || (lead == was && ends == 0)) return rc;
    set_meta(k, M_WARN_TERMS, terms);
    if (lead == was && (ends & ~(uint32_t)WARN_ASKED) == 0) return LSCHED_OK;
    set_meta(k, M_WARN_LEAD, (uint64_t)lead);
    if (was == 0) rc = warning_first(k);
    return rc == LSCHED_OK ? warning_look_at_all(k) : rc;
}

/* What was told is no longer true: all is told again, by the new clock. */
static int32_t warning_clock_set(struct columns *k) {
    static const uint32_t told[] = {C_WARN_LIMIT, C_WARN_ALLOWANCE, C_WARN_NODE, C_WARN_RETRY};
    EACH_LIVE(k, T_WARN, row) {
        int32_t rc = undo_room(k);
        uint32_t task = k->c[C_WARN_TASK].u32[row];
        if (rc != LSCHED_OK) return rc;
        if (decision_warns(k, task)) resize_warn_undo(k, task);
        for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) set_i64(k, told[i], row, 0);
    }
    return warning_look_at_all(k);
}

const struct warning_ops warning_ops = {
    .placed = warning_placed,
    .runs = warning_task_runs,
    .ended = warning_ended,
    .moved = warning_moved,
    .due_moved = warning_due_moved,
    .watch_ends = warning_watch_ends,
    .closed = warning_closed,
    .clock_set = warning_clock_set,
};

/* gate.c -- see gate.h. */
#include "model/dependencies/gate.h"

#include "base/times.h"
#include "model/arrays/array.h"
#include "model/demand/demand.h"
#include "model/store/heap.h"
#include "model/store/row_list.h"

static const struct row_list gate_news = {C_GATE_NEWS_NEXT, C_GATE_NEWS_PREV};
static const struct row_list gate_followers = {C_AFTER_FOLLOWS, C_AFTER_LEADS};

/* ---- the heap ---- */

static int gate_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_GATE_DUE].i64[a], y = k->c[C_GATE_DUE].i64[b];
    if (x != y) return x < y;
    return text_compare(k, k->c[C_JOB_NAME].u32[k->c[C_GATE_JOB].u32[a]],
                        k->c[C_JOB_NAME].u32[k->c[C_GATE_JOB].u32[b]]) < 0;
}

static const struct heap_kind gate_heap = {C_GATE_HEAP_L, C_GATE_HEAP_R, C_GATE_HEAP_P,
                                           C_GATE_HEAP_D, gate_before};

static void gate_due(struct columns *k, uint32_t gate, int64_t due) {
    uint32_t root = (uint32_t)meta(k, M_GATE_HEAD);
    if (k->c[C_GATE_DUE].i64[gate] == due) return;
    if (k->c[C_GATE_HEAP_D].u8[gate] != 0) root = heap_remove(k, &gate_heap, root, gate);
    set_i64(k, C_GATE_DUE, gate, due);
    if (due != LSCHED_NEVER_US) root = heap_insert(k, &gate_heap, root, gate);
    set_meta(k, M_GATE_HEAD, root);
}

/* ---- the row ---- */

struct gate_wait gate_wait_of(const struct columns *k, uint32_t gate) {
    uint32_t never = k->c[C_GATE_NEVER].u32[gate], waits = k->c[C_GATE_WAITS].u32[gate];
    int64_t begin = k->c[C_GATE_BEGIN].i64[gate], ready = k->c[C_GATE_READY].i64[gate];
    if (never) return (struct gate_wait){LSCHED_WAIT_DEPENDENCY_NEVER, LSCHED_NEVER_US, never};
    if (waits) return (struct gate_wait){LSCHED_WAIT_DEPENDENCY, LSCHED_NEVER_US, waits};
    return (struct gate_wait){LSCHED_WAIT_BEGIN, begin > ready ? begin : ready, 0};
}

static void gate_row_begin(struct columns *k, uint32_t gate, uint32_t job) {
    set_u32(k, C_GATE_JOB, gate, job);
    set_i64(k, C_GATE_DUE, gate, LSCHED_NEVER_US);
    SET_NONE(k, gate, C_GATE_FIRST, C_GATE_FOLLOWER, C_GATE_HEAP_L, C_GATE_HEAP_R, C_GATE_HEAP_P,
             C_GATE_NEWS_NEXT, C_GATE_NEWS_PREV);
}

uint32_t gate_get(struct columns *k, uint32_t watch) {
    uint32_t gate = k->c[C_WATCH_GATE].u32[watch];
    if (gate) return gate - 1;
    gate = undo_room(k) == LSCHED_OK ? row_new(k, T_GATE) : NO_ROW;
    if (gate == NO_ROW) return NO_ROW;
    gate_row_begin(k, gate, k->c[C_WATCH_JOB].u32[watch]);
    set_u32(k, C_WATCH_GATE, watch, gate + 1);
    return gate;
}

static void gate_news_leave(struct columns *k, uint32_t gate) {
    if (!k->c[C_GATE_NEWS].u8[gate]) return;
    row_list_take(k, gate_news, M_GATE_NEWS, M_GATE_LAST, gate);
    set_u8(k, C_GATE_NEWS, gate, 0);
}

static void gate_news_join(struct columns *k, uint32_t gate) {
    if (k->c[C_GATE_NEWS].u8[gate] || k->c[C_GATE_FOLLOWER].u32[gate] == NO_ROW) return;
    row_list_append(k, gate_news, M_GATE_NEWS, M_GATE_LAST, gate);
    set_u8(k, C_GATE_NEWS, gate, 1);
}

uint32_t gate_news_take(struct columns *k) {
    uint32_t gate = (uint32_t)meta(k, M_GATE_NEWS);
    if (gate != NO_ROW) gate_news_leave(k, gate);
    return gate;
}

/* Frees the row if it says nothing. */
static void gate_trim(struct columns *k, uint32_t gate) {
    uint32_t job = k->c[C_GATE_JOB].u32[gate];
    if (k->c[C_GATE_FIRST].u32[gate] != NO_ROW || k->c[C_GATE_FOLLOWER].u32[gate] != NO_ROW ||
        k->c[C_GATE_BEGIN].i64[gate] || k->c[C_GATE_EXPIRES].i64[gate])
        return;
    gate_due(k, gate, LSCHED_NEVER_US);
    gate_news_leave(k, gate);
    if (job != NO_ROW) set_u32(k, C_WATCH_GATE, k->c[C_JOB_WATCH].u32[job], 0);
    row_free(k, T_GATE, gate);
}

/* True if a task of the job has a place, or leaves one. */
static int gate_has_places(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        if (k->c[C_LEAF_PLACED].u32[l] || k->c[C_LEAF_LEAVING].u32[l]) return 1;
    return 0;
}

/* Returns the time at which a cycle has something to do with the gate. */
static int64_t gate_due_at(const struct columns *k, uint32_t gate, int closed) {
    int64_t expires = k->c[C_GATE_EXPIRES].i64[gate],
            opens = closed ? gate_wait_of(k, gate).until : LSCHED_NEVER_US;
    if (k->c[C_GATE_NEVER].u32[gate] && k->c[C_GATE_ON_NEVER].u8[gate] == LSCHED_ON_NEVER_REMOVE &&
        !gate_has_places(k, k->c[C_GATE_JOB].u32[gate]))
        return GATE_AT_ONCE;
    return expires && expires < opens ? expires : opens;
}

void gate_settle(struct columns *k, uint32_t gate) {
    uint32_t job = k->c[C_GATE_JOB].u32[gate], watch = k->c[C_JOB_WATCH].u32[job];
    uint8_t closed = k->c[C_GATE_BEGIN].i64[gate] || k->c[C_GATE_FIRST].u32[gate] != NO_ROW;
    if (closed != k->c[C_WATCH_CLOSED].u8[watch]) {
        struct demand_note demand;
        demand_begin(k, job, NO_ROW, &demand); /* the waiting tasks of a held job do not count */
        set_u8(k, C_WATCH_CLOSED, watch, closed);
        demand_end(k, job, &demand);
    }
    gate_due(k, gate, gate_due_at(k, gate, closed));
    gate_trim(k, gate);
}

/* ---- dependencies ---- */

/* Returns the time of an event as it is stored: 0 would say that it has not happened. */
static int64_t gate_event_time(int64_t at) {
    return at > 0 ? at : 1;
}

uint32_t gate_of_past(struct columns *k, uint8_t kind, int64_t at) {
    uint32_t gate = undo_room(k) == LSCHED_OK ? row_new(k, T_GATE) : NO_ROW;
    int never = at == LSCHED_NEVER_US;
    if (gate == NO_ROW) return NO_ROW;
    /* an outcome with which the event is over, or with which it did not come */
    uint8_t fails = (uint8_t)((kind == LSCHED_AFTER_FAILURE) != never);
    if (never) at = (int64_t)meta(k, M_NOW);
    gate_row_begin(k, gate, NO_ROW);
    set_u8(k, C_GATE_OUTCOME, gate, fails ? GATE_FAILURE : GATE_SUCCESS);
    set_i64(k, C_GATE_ENDED, gate, gate_event_time(at));
    if (kind == LSCHED_AFTER_START && !never) set_i64(k, C_GATE_STARTED, gate, gate_event_time(at));
    return gate;
}

int32_t gate_depend(struct columns *k, uint32_t gate, uint32_t on, lsched_text called, uint8_t kind,
                    int64_t delay) {
    int32_t rc = undo_room(k);
    uint32_t after = rc == LSCHED_OK ? row_new(k, T_AFTER) : NO_ROW;
    if (after == NO_ROW) return LSCHED_E_NOMEM;
    char copy[LSCHED_NAME_BYTES_MAX]; /* a new string can move the texts */
    assert(called.len <= sizeof copy);
    memcpy(copy, called.ptr, (size_t)called.len);
    uint32_t name = string_get(k, copy, (size_t)called.len);
    if (name == NO_ROW || undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
    set_u32(k, C_AFTER_JOB, after, k->c[C_GATE_JOB].u32[gate]);
    set_u32(k, C_AFTER_NAME, after, name);
    set_u8(k, C_AFTER_KIND, after, kind);
    set_i64(k, C_AFTER_DELAY, after, delay);
    set_u32(k, C_AFTER_OF, after, gate);
    set_u32(k, C_AFTER_ON, after, on);
    set_u32(k, C_AFTER_NEXT, after, k->c[C_GATE_FIRST].u32[gate]);
    set_u32(k, C_GATE_FIRST, gate, after);
    row_list_push(k, gate_followers, C_GATE_FOLLOWER, on, after);
    add_u32(k, C_GATE_WAITS, gate, 1);
    (void)gate_after_settle(k, after);
    return undo_room(k);
}

/* Returns the state of a dependency after what has happened to the other job, and sets *at to the
 * time of the event that meets it. */
static uint8_t gate_after_state(const struct columns *k, uint32_t after, int64_t *at) {
    uint32_t on = k->c[C_AFTER_ON].u32[after], kind = k->c[C_AFTER_KIND].u8[after],
             outcome = k->c[C_GATE_OUTCOME].u8[on], job = k->c[C_GATE_JOB].u32[on];
    int64_t ended = k->c[C_GATE_ENDED].i64[on], started = k->c[C_GATE_STARTED].i64[on];
    if (job != NO_ROW) started = k->c[C_JOB_STARTED].i64[job];
    *at = kind == LSCHED_AFTER_START ? started : ended;
    if (*at == 0) return ended ? GATE_AFTER_NEVER : GATE_AFTER_WAITS;
    int met = kind == LSCHED_AFTER_START || kind == LSCHED_AFTER_END ||
              outcome == (kind == LSCHED_AFTER_SUCCESS ? GATE_SUCCESS : GATE_FAILURE);
    return met ? GATE_AFTER_MET : GATE_AFTER_NEVER;
}

int gate_after_waits(const struct columns *k, uint32_t after) {
    int64_t at;
    return k->c[C_AFTER_STATE].u8[after] == GATE_AFTER_WAITS &&
           gate_after_state(k, after, &at) == GATE_AFTER_WAITS;
}

int64_t gate_after_at(const struct columns *k, uint32_t after) {
    int64_t at;
    uint8_t state = gate_after_state(k, after, &at);
    return state == GATE_AFTER_WAITS ? 0 : state == GATE_AFTER_NEVER ? LSCHED_NEVER_US : at;
}

/* Takes the delay after the event at the time `at` into READY. */
static void gate_after_delay(struct columns *k, uint32_t after, int64_t at) {
    uint32_t gate = k->c[C_AFTER_OF].u32[after];
    at = time_after_at_most(at, k->c[C_AFTER_DELAY].i64[after]);
    if (at > k->c[C_GATE_READY].i64[gate]) set_i64(k, C_GATE_READY, gate, at);
}

int gate_after_is_last(const struct columns *k, uint32_t after) {
    int64_t at;
    return k->c[C_AFTER_STATE].u8[after] == GATE_AFTER_MET &&
           gate_after_state(k, after, &at) == GATE_AFTER_MET &&
           time_after_at_most(at, k->c[C_AFTER_DELAY].i64[after]) ==
               k->c[C_GATE_READY].i64[k->c[C_AFTER_OF].u32[after]];
}

void gate_depend_delays(struct columns *k, uint32_t gate) {
    int64_t at;
    set_i64(k, C_GATE_READY, gate, 0);
    for (uint32_t a = k->c[C_GATE_FIRST].u32[gate]; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a])
        if (k->c[C_AFTER_STATE].u8[a] == GATE_AFTER_MET &&
            gate_after_state(k, a, &at) == GATE_AFTER_MET)
            gate_after_delay(k, a, at);
}

int gate_after_settle(struct columns *k, uint32_t after) {
    uint32_t gate = k->c[C_AFTER_OF].u32[after];
    int64_t at;
    if (k->c[C_AFTER_STATE].u8[after] != GATE_AFTER_WAITS) return 0;
    uint8_t state = gate_after_state(k, after, &at);
    if (state == GATE_AFTER_WAITS) return 0;
    set_u8(k, C_AFTER_STATE, after, state);
    add_u32(k, C_GATE_WAITS, gate, -1);
    if (state == GATE_AFTER_NEVER) {
        add_u32(k, C_GATE_NEVER, gate, 1);
        return 1;
    }
    gate_after_delay(k, after, at);
    return 1;
}

/* The end of a dependency frees its row and name, and can free the row of the other gate, which
 * then leaves the heap. */
enum { RECORDS_OF_DEPENDENCY = 256 };

size_t gate_drop_records(const struct columns *k, uint32_t gate) {
    size_t records = 0;
    uint32_t first = gate == NO_ROW ? NO_ROW : k->c[C_GATE_FIRST].u32[gate];
    for (uint32_t a = first; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a])
        records += RECORDS_OF_DEPENDENCY;
    return records;
}

void gate_depend_drop(struct columns *k, uint32_t gate) {
    for (uint32_t a = k->c[C_GATE_FIRST].u32[gate], next; a != NO_ROW; a = next) {
        uint32_t on = k->c[C_AFTER_ON].u32[a];
        next = k->c[C_AFTER_NEXT].u32[a];
        row_list_remove(k, gate_followers, C_GATE_FOLLOWER, on, a);
        intern_drop(k, T_STRING, k->c[C_AFTER_NAME].u32[a]);
        row_free(k, T_AFTER, a);
        if (on != gate) gate_trim(k, on);
    }
    set_u32(k, C_GATE_FIRST, gate, NO_ROW);
    set_u32(k, C_GATE_WAITS, gate, 0);
    set_u32(k, C_GATE_NEVER, gate, 0);
    set_i64(k, C_GATE_READY, gate, 0);
}

void gate_open(struct columns *k, uint32_t gate) {
    gate_depend_drop(k, gate);
    set_i64(k, C_GATE_BEGIN, gate, 0);
    set_u8(k, C_GATE_ON_NEVER, gate, LSCHED_ON_NEVER_WAIT);
    gate_settle(k, gate);
}

/* ---- events ---- */

static void gate_job_started(struct columns *k, uint32_t job, int64_t at) {
    uint32_t gate = gate_row(k, job);
    int first = k->c[C_JOB_STARTED].i64[job] == 0;
    if (first) set_i64(k, C_JOB_STARTED, job, gate_event_time(at));
    if (gate == NO_ROW) return;
    if (first) gate_news_join(k, gate);
    /* the elements of an array that have not begun still expire */
    int expires = k->c[C_GATE_EXPIRES].i64[gate] != 0 && !array_is(k, job);
    if (!expires && !k->c[C_GATE_NEVER].u32[gate]) return;
    if (expires) set_i64(k, C_GATE_EXPIRES, gate, 0);
    gate_settle(k, gate);
}

/* An array has started with the first of its elements. */
void gate_started(struct columns *k, uint32_t job, int64_t at) {
    uint32_t array = array_of_element(k, job);
    gate_job_started(k, job, at);
    if (array != NO_ROW && k->c[C_JOB_STARTED].i64[array] == 0) gate_job_started(k, array, at);
}

void gate_loses_places(struct columns *k, uint32_t job) {
    uint32_t gate = gate_row(k, job);
    if (gate != NO_ROW && k->c[C_GATE_NEVER].u32[gate]) gate_settle(k, gate);
}

void gate_succeeds(struct columns *k, uint32_t job, int64_t at) {
    uint32_t gate = gate_row(k, job);
    array_succeeds(k, job);
    if (gate == NO_ROW) return;
    set_u8(k, C_GATE_OUTCOME, gate, GATE_SUCCESS);
    set_i64(k, C_GATE_ENDED, gate, gate_event_time(at));
}

void gate_end(struct columns *k, uint32_t job) {
    uint32_t gate = gate_row(k, job), watch = k->c[C_JOB_WATCH].u32[job];
    if (gate == NO_ROW) return;
    gate_due(k, gate, LSCHED_NEVER_US); /* the order of the heap reads the job's name */
    set_i64(k, C_GATE_EXPIRES, gate, 0);
    if (!k->c[C_GATE_OUTCOME].u8[gate]) {
        set_u8(k, C_GATE_OUTCOME, gate, GATE_FAILURE);
        set_i64(k, C_GATE_ENDED, gate, gate_event_time((int64_t)meta(k, M_NOW)));
    }
    set_i64(k, C_GATE_STARTED, gate, k->c[C_JOB_STARTED].i64[job]);
    gate_news_join(k, gate);
    gate_depend_drop(k, gate);
    set_i64(k, C_GATE_BEGIN, gate, 0);
    set_u8(k, C_GATE_ON_NEVER, gate, LSCHED_ON_NEVER_WAIT);
    set_u8(k, C_WATCH_CLOSED, watch, 0);
    set_u32(k, C_WATCH_GATE, watch, 0);
    set_u32(k, C_GATE_JOB, gate, NO_ROW);
    gate_trim(k, gate);
}

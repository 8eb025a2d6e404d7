/* warn.c -- see warn.h. */
#include "engine/upkeep/warn.h"

#include "base/sort.h"
#include "base/vec.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "model/resizes/resize.h"
#include "model/store/steps.h"
#include "model/told/decision.h"
#include "model/warnings/warning.h"

struct warn_tasks {
    uint32_t *task;
    uint32_t n, cap;
};

static int warn_goes_first(const struct columns *k, uint32_t a, uint32_t b) {
    uint32_t x = k->c[C_TASK_JOB].u32[a], y = k->c[C_TASK_JOB].u32[b];
    if (x != y) return text_compare(k, k->c[C_JOB_NAME].u32[x], k->c[C_JOB_NAME].u32[y]) < 0;
    return k->c[C_TASK_INDEX].u32[a] < k->c[C_TASK_INDEX].u32[b];
}
SORT_IN_PLACE(sort_warn_tasks, uint32_t, const struct columns *, warn_goes_first)

/* Compares the terms of this cycle with those of the latest one. Returns 1 if it makes warnings. */
static int32_t warn_begin(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    uint32_t was = (uint32_t)meta(k, M_WARN_TERMS), terms = was & ~(uint32_t)WARN_ASKED;
    int asks = (cy->kinds >> LSCHED_DECIDE_WARN & 1) != 0 && cy->warn_before > 0;
    int64_t lead = asks ? cy->warn_before : (int64_t)meta(k, M_WARN_LEAD);
    if (lead == 0) return 0;
    if (asks) {
        int stops = (cy->kinds & KINDS_TO_STOP) != 0;
        terms = WARN_ASKED;
        if (stops && cycle_has_action(cy, "evict-overdue")) terms |= WARN_LIMITS;
        if (stops && table_live(k, T_ALLOWANCE)) terms |= WARN_ALLOWANCES;
    }
    int32_t rc = warning_begin(k, lead, terms);
    return rc == LSCHED_OK ? asks : rc;
}

/* Makes due what has moved since the latest cycle. */
static int32_t warn_moved(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = warning_jobs_look(k);
    if (!k->allowances) return rc;
    EACH_LIVE(k, T_ALLOWANCE, a) {
        if (rc == LSCHED_OK && warning_allowance_at(k, a, cy->now) <= cy->now)
            rc = warning_allowance_look(k, a, cy->now);
    }
    return rc;
}

/* Takes the tasks that are due out of the heap. */
static int32_t warn_list(struct lsched_cycle *cy, struct warn_tasks *list) {
    struct columns *k = cy->k;
    for (;;) {
        int32_t rc = undo_room(k);
        uint32_t task = warning_due(k, cy->now);
        if (rc != LSCHED_OK || task == NO_ROW) return rc;
        if (!VEC_ROOM(k->alloc, list->task, list->cap, list->n + 1)) return LSCHED_E_NOMEM;
        list->task[list->n++] = task;
        warning_rest(k, task);
        steps_add(k, 1);
    }
}

static int32_t warn_decide(struct lsched_cycle *cy, uint32_t task, const struct warning_end *e) {
    struct columns *k = cy->k;
    int32_t rc = resize_task_leaves(k, task); /* a wish waits until the WARN is settled */
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    cy->turn.group_serial = meta(k, M_GROUP_SERIAL) + 1;
    set_meta(k, M_GROUP_SERIAL, cy->turn.group_serial);
    struct decision_spec s = {.kind = LSCHED_DECIDE_WARN,
                              .reason = (uint8_t)e->reason,
                              .group = cy->turn.group_serial,
                              .now = cy->now,
                              .at = e->at};
    uint32_t d = decision_open(k, task, &s);
    if (d == NO_ROW) return LSCHED_E_NOMEM;
    warning_tell(k, task, e);
    cy->spend.decisions_left--;
    return cycle_fresh_add(cy, d);
}

/* Tells the task its first end if that is due, or sets when it is due. */
static int32_t warn_look(struct lsched_cycle *cy, uint32_t task) {
    struct columns *k = cy->k;
    uint32_t row = warning_of(k, task);
    int64_t lead = (int64_t)meta(k, M_WARN_LEAD), retry = k->c[C_WARN_RETRY].i64[row];
    struct warning_end e = warning_end_of(k, task, cy->now);
    int none = e.at == LSCHED_NEVER_US, told = !none && warning_is_told(k, row, &e);
    /* when its open decision is closed, the task is looked at again */
    if (k->c[C_TASK_DECISION].u32[task] != NO_ROW) return LSCHED_OK;
    if (none || told || e.at <= cy->now || e.at - cy->now > lead) {
        warning_wait(k, task, told ? &e : NULL);
        return LSCHED_OK;
    }
    if (retry > cy->now) {
        warning_put_off(k, task, retry);
        return LSCHED_OK;
    }
    act_spend(cy, 1);
    if (!cy->spend.stop && cy->spend.decisions_left == 0) act_is_full(cy);
    if (!cy->spend.stop) return warn_decide(cy, task, &e);
    warning_look(k, task);
    return LSCHED_OK;
}

int32_t warn_serve(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct warn_tasks list = {NULL, 0, 0};
    int32_t rc = warn_begin(cy);
    if (rc != 1) return rc;
    rc = warn_moved(cy);
    if (rc == LSCHED_OK) rc = warn_list(cy, &list);
    if (rc == LSCHED_OK) sort_warn_tasks(k, list.task, list.n);
    for (uint32_t i = 0; i < list.n && rc == LSCHED_OK; i++) {
        rc = undo_room(k);
        if (rc == LSCHED_OK) rc = warn_look(cy, list.task[i]);
    }
    alloc_free(k->alloc, list.task, list.cap * sizeof *list.task);
    return rc;
}

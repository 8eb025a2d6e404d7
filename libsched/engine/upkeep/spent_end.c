/* spent_end.c -- see spent_end.h. */
#include "engine/upkeep/spent_end.h"

#include "base/vec.h"
#include "engine/state/by_name.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/upkeep/stop_whole.h"
#include "model/allowances/spent.h"
#include "model/jobs/job_cost.h"
#include "model/demand/job_counts.h"
#include "model/store/steps.h"
#include "policy/eviction.h"

struct spent_jobs {
    uint32_t *job;
    uint32_t n, cap;
};

static int spent_end_is_due(const struct lsched_cycle *cy, uint32_t a) {
    int64_t stop = cy->k->c[C_ALLOWANCE_STOP_AT].i64[a];
    return stop && stop <= cy->now;
}

/* Returns the job of a task that costs the allowance something and can be stopped, else NO_ROW. A
 * task with a confirmed placement cannot, because the orchestrator can be starting it: its start,
 * when it is reported, calls spent_again(). */
static uint32_t spent_end_works(const struct columns *k, uint32_t m) {
    uint32_t task = k->c[C_METER_TASK].u32[m];
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    steps_add(k, 1);
    return k->c[C_METER_RATE].i64[m] && state != LSCHED_TASK_RELEASING &&
                   state != LSCHED_TASK_CONFIRMED
               ? k->c[C_TASK_JOB].u32[task]
               : NO_ROW;
}

/* Returns the time before which the job is not stopped again, because the orchestrator refused to
 * stop it; 0 if there is none. */
static int64_t spent_end_spared(const struct lsched_cycle *cy, uint32_t job) {
    return job_cost_refused_until(cy->k, job, cy->now, cycle_eviction(cy)->grace_us);
}

static int32_t spent_end_list(const struct lsched_cycle *cy, uint32_t a, struct spent_jobs *list) {
    const struct columns *k = cy->k;
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m]) {
        uint32_t job = spent_end_works(k, m);
        if (job == NO_ROW || (list->n && list->job[list->n - 1] == job) ||
            spent_end_spared(cy, job) > cy->now)
            continue;
        if (!VEC_ROOM(k->alloc, list->job, list->cap, list->n + 1)) return LSCHED_E_NOMEM;
        list->job[list->n++] = job;
    }
    return LSCHED_OK;
}

/* Stops the job. Returns 1, or 0 if the plan has no room for it. */
static int32_t spent_end_stop(struct lsched_cycle *cy, uint32_t job) {
    uint64_t tasks = job_count(cy->k, job).running, most = stop_whole_most(cy, job);
    if (cy->spend.stop) return 0;
    if (most < tasks && most == 0) {
        act_is_full(cy);
        return 0;
    }
    int32_t rc = stop_whole_withdraw(cy, job, LSCHED_BECAUSE_ALLOWANCE);
    if (rc == LSCHED_OK) rc = stop_whole_evict(cy, job, LSCHED_FOR_ALLOWANCE, most);
    if (rc == LSCHED_OK && cy->decisions.out_of_memory) rc = LSCHED_E_NOMEM;
    act_spend(cy, most);
    if (most < tasks) act_is_full(cy);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Sets when work that is left is to be stopped: at once, if the plan had no room for it, or when
 * the host's refusal to stop it has lost its force. */
static void spent_end_rest(struct lsched_cycle *cy, uint32_t a) {
    struct columns *k = cy->k;
    int64_t next = LSCHED_NEVER_US;
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m]) {
        uint32_t job = spent_end_works(k, m);
        int64_t at = job == NO_ROW ? LSCHED_NEVER_US : spent_end_spared(cy, job);
        if (at < cy->now) at = cy->now;
        if (at < next) next = at;
    }
    set_i64(k, C_ALLOWANCE_STOP_AT, a, next == LSCHED_NEVER_US ? 0 : next);
}

static int32_t spent_end_all(struct lsched_cycle *cy, struct spent_jobs *list) {
    struct columns *k = cy->k;
    int32_t rc = LSCHED_OK;
    EACH_LIVE(k, T_ALLOWANCE, a) {
        if (spent_end_is_due(cy, a)) rc = spent_end_list(cy, a, list);
        if (rc != LSCHED_OK) return rc;
    }
    by_name_sort(k, list->job, list->n);
    for (uint32_t i = 0; i < list->n && rc >= 0; i++)
        if (i == 0 || list->job[i] != list->job[i - 1]) rc = spent_end_stop(cy, list->job[i]);
    EACH_LIVE(k, T_ALLOWANCE, a) {
        if (rc >= 0) rc = undo_room(k);
        if (rc >= 0 && spent_end_is_due(cy, a)) spent_end_rest(cy, a);
    }
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t spent_end(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct spent_jobs list = {NULL, 0, 0};
    int due = 0;
    EACH_LIVE(k, T_ALLOWANCE, a) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_RUN_ON) continue;
        period_settle(k, a);
        spent_note(k, a);
        due |= spent_end_is_due(cy, a);
    }
    if (!due || !decision_kinds_allow(cy, KINDS_TO_STOP)) return LSCHED_OK;
    int32_t rc = spent_end_all(cy, &list);
    alloc_free(k->alloc, list.job, list.cap * sizeof *list.job);
    return rc;
}

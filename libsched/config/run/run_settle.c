/* run_settle.c -- see run_settle.h. */
#include <stdio.h>
#include <string.h>

#include "config/run/run_actions.h"
#include "config/run/run_adopt.h"
#include "config/run/run_guard.h"
#include "config/run/run_names.h"
#include "config/run/run_report.h"
#include "config/run/run_settle.h"

/* Appends n decisions that the library has withdrawn to r->withdrawn. */
static int32_t run_withdrawn(struct runner *r, const lsched_id *ids, size_t n) {
    for (size_t i = 0; i < n; i++) {
        lsched_id *id = scn_list_add(&r->scratch, &r->withdrawn, sizeof *id);
        if (!id) return run_no_memory(r);
        *id = ids[i];
    }
    return 0;
}

static int32_t run_ended(struct runner *r) {
    return complain_at(&r->complain, LSCHED_E_INTERRUPTED, r->step->mark, "the host ended the run");
}

int32_t run_cycle(struct runner *r) {
    lsched_schedule_opts opts = r->step->schedule;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    if (r->opts.flags & LSCHED_RUN_VERIFY) opts.flags |= LSCHED_SCHEDULE_VERIFY;
    if (r->opts.before_cycle && r->opts.before_cycle(r->opts.user, r->cluster, &opts))
        return run_ended(r);
    int guarded = run_guard_begin(r);
    int32_t code = r->clone_plan ? run_adopt(r, &opts, &plan, &err)
                                 : lsched_schedule(r->cluster, &opts, &plan, &err);
    run_guard_end(r, guarded, r->step->schedule_mark, code);
    err.code = code;
    if (code < 0) return complain_pass(&r->complain, r->step->schedule_mark, &err);
    lsched_plan_destroy(r->plan);
    r->plan = plan;
    r->cycle_us = opts.now_us;
    code = lsched_plan_get(plan, &info, NULL);
    if (!code) code = run_record_plan(r);
    for (size_t i = 0; !code && i < lsched_plan_withdrawn_size(plan); i++) {
        const lsched_id withdrawn = lsched_plan_withdrawn_at(plan, i);
        code = run_withdrawn(r, &withdrawn, 1);
    }
    if (code) return code;
    r->report.decisions += info.decisions;
    r->report.last_plan_hash = info.plan_hash;
    r->report.plans_hash = (r->report.plans_hash ^ info.plan_hash) * 0x9E3779B97F4A7C15u;
    lsched_scenario_cycle cycle = {sizeof cycle,       r->step_index, r->report.cycles,
                                   r->step->mark.line, opts.now_us,   plan,
                                   r->cluster};
    r->report.cycles++;
    if (!r->opts.on_cycle || r->opts.on_cycle(r->opts.user, &cycle) == 0) return 0;
    return run_ended(r);
}

/* ---- batches ---- */

/* Called after a call that settles decisions or reports tasks, which returned `code` and filled
 * `err`. Ends the guard of the call, and reports its error. */
static int32_t settle_sent(struct runner *r, int guarded, int32_t code, lsched_error *err) {
    run_guard_end(r, guarded, r->step->settle_mark, code);
    err->code = code;
    return code < 0 ? complain_pass(&r->complain, r->step->settle_mark, err) : 0;
}

/* Does the same for a batch of settlements, and names the task of the wrong element: an id of a
 * decision says nothing to the reader of a scenario. */
static int32_t settle_sent_decisions(struct runner *r, int guarded, int32_t code,
                                     const lsched_settlement *items, lsched_error *err) {
    const struct past_decision *past = r->past.items, *of = NULL;
    for (uint32_t i = 0; code < 0 && err->index >= 0 && i < r->past.n; i++)
        if (past[i].id == items[err->index].decision) of = &past[i];
    if (code >= 0 || !of) return settle_sent(r, guarded, code, err);
    lsched_error named = *err;
    if (code == LSCHED_E_STALE)
        snprintf(named.message, sizeof named.message,
                 "task %s/%u has no open decision: it was carried out, rejected or withdrawn",
                 of->job_name, of->task);
    else
        snprintf(named.message, sizeof named.message, "the decision about task %s/%u: %.*s",
                 of->job_name, of->task, (int)(sizeof err->message / 2), err->message);
    *err = named;
    return settle_sent(r, guarded, code, err);
}

struct settle_batch {
    struct scn_list items;         /* elements are lsched_settlement */
    lsched_text reason;            /* reason of the struct settle_item that is being carried out */
    const lsched_refusal *refusal; /* what that item says about a rejection; NULL: nothing */
    struct scn_list events;        /* elements are lsched_task_event */
};

static int32_t settle_push(struct runner *r, struct settle_batch *batch, lsched_id id,
                           lsched_outcome outcome) {
    lsched_settlement *slot = scn_list_add(&r->scratch, &batch->items, sizeof *slot);
    if (!slot) return run_no_memory(r);
    *slot = (lsched_settlement){sizeof *slot, outcome, id, batch->reason, batch->refusal};
    return 0;
}

static int32_t settle_push_event(struct runner *r, struct settle_batch *batch, uint32_t event,
                                 lsched_id job, uint32_t task) {
    lsched_task_event *slot = scn_list_add(&r->scratch, &batch->events, sizeof *slot);
    if (!slot) return run_no_memory(r);
    *slot = (lsched_task_event){.size = sizeof *slot,
                                .event = event,
                                .job = job,
                                .task_index = task,
                                .at_us = r->step->at_us};
    return 0;
}

static int32_t settle_send(struct runner *r, const struct settle_batch *batch) {
    lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_error err = LSCHED_ERROR_INIT;
    if (batch->items.n == 0) return 0;
    int32_t code = lsched_cluster_stats_get(r->cluster, &stats, NULL);
    if (code < 0) return code;
    code = run_status(r, batch->items.n);
    if (code) return code;
    report.withdrawn =
        scn_memory_take(&r->scratch, (size_t)stats.decisions_open, sizeof *report.withdrawn);
    report.withdrawn_capacity = stats.decisions_open;
    if (!report.withdrawn) return run_no_memory(r);
    int guarded = run_guard_begin(r);
    code = lsched_settle(r->cluster, batch->items.items, batch->items.n, sizeof(lsched_settlement),
                         NULL, &report, r->status, &err);
    code = settle_sent_decisions(r, guarded, code, batch->items.items, &err);
    if (code) return code;
    uint64_t n = report.n_withdrawn, room = report.withdrawn_capacity;
    return run_withdrawn(r, report.withdrawn, (size_t)(n < room ? n : room));
}

static int32_t settle_send_events(struct runner *r, const struct settle_batch *batch) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (batch->events.n == 0) return 0;
    int32_t code = run_status(r, batch->events.n);
    if (code) return code;
    int guarded = run_guard_begin(r);
    code = lsched_tasks_report(r->cluster, batch->events.items, batch->events.n,
                               sizeof(lsched_task_event), NULL, r->status, &err);
    return settle_sent(r, guarded, code, &err);
}

/* ---- settling by mode ---- */

static int is_stop(uint32_t kind) {
    return kind == LSCHED_DECIDE_EVICT || kind == LSCHED_DECIDE_MIGRATE;
}

static int settle_is_open(const struct runner *r, lsched_id id) {
    int32_t state = lsched_decision_state(r->cluster, id, NULL);
    return state == LSCHED_DECISION_PROPOSED || state == LSCHED_DECISION_CONFIRMED;
}

/* Settles the decisions of the last plan like an orchestrator that accepts every decision: it
 * confirms all of them. If `start` is 1, the function also reports that each evicted or moved task
 * has stopped, and that each placed task has started. */
static int32_t settle_all(struct runner *r, int start) {
    uint32_t n = 0;
    const struct past_decision *past = run_plan_decisions(r, &n);
    struct settle_batch batch;
    int32_t code = 0;
    memset(&batch, 0, sizeof batch);
    for (uint32_t i = 0; !code && i < n; i++)
        code = settle_push(r, &batch, past[i].id, LSCHED_OUTCOME_CONFIRMED);
    for (uint32_t i = 0; !code && start && i < n; i++)
        if (is_stop(past[i].kind))
            code = settle_push_event(r, &batch, LSCHED_EVENT_FAILED, past[i].job, past[i].task);
    for (uint32_t i = 0; !code && start && i < n; i++)
        if (past[i].kind == LSCHED_DECIDE_PLACE)
            code = settle_push_event(r, &batch, LSCHED_EVENT_STARTED, past[i].job, past[i].task);
    if (!code) code = settle_send(r, &batch);
    return code ? code : settle_send_events(r, &batch);
}

/* 1 if another item of this step confirms or rejects the decision `d` and names it more exactly
 * than the item `by`. An item that names a job or a task is more exact than an item that names a
 * kind of decisions. An item that names a kind is more exact than an item with "all". */
static int settle_is_named(const struct runner *r, const struct settle_item *by,
                           const struct past_decision *d) {
    const struct settle_item *items = r->step->settle.items;
    for (uint32_t i = 0; i < r->step->settle.n; i++) {
        const struct task_ref *ref = &items[i].task;
        if (&items[i] == by || items[i].what >= SETTLE_DO_START) continue;
        if (items[i].kinds) {
            if (by->kinds == SETTLE_ALL && items[i].kinds != SETTLE_ALL &&
                items[i].kinds >> d->kind & 1)
                return 1;
            continue;
        }
        if (strcmp(ref->job.ptr, d->job_name) == 0 && d->task >= ref->first && d->task <= ref->last)
            return 1;
    }
    return 0;
}

/* Carries out an item that names kinds of decisions, for the open decisions of the last plan that
 * are of these kinds. If the item confirms or rejects, the function skips the decisions that
 * another item names more exactly. */
static int32_t settle_rest(struct runner *r, struct settle_batch *batch,
                           const struct settle_item *item) {
    uint32_t n = 0;
    const struct past_decision *past = run_plan_decisions(r, &n);
    int32_t code = 0;
    for (uint32_t i = 0; !code && i < n; i++) {
        if (!(item->kinds >> past[i].kind & 1) || !settle_is_open(r, past[i].id)) continue;
        if (item->what == SETTLE_DO_START) {
            if (past[i].kind == LSCHED_DECIDE_PLACE)
                code = settle_push_event(r, batch, LSCHED_EVENT_STARTED, past[i].job, past[i].task);
        } else if (item->what == SETTLE_DO_STOP) {
            if (is_stop(past[i].kind))
                code = settle_push_event(r, batch, LSCHED_EVENT_FAILED, past[i].job, past[i].task);
        } else if (lsched_decision_state(r->cluster, past[i].id, NULL) ==
                       LSCHED_DECISION_PROPOSED &&
                   !settle_is_named(r, item, &past[i])) {
            code = settle_push(r, batch, past[i].id,
                               item->what == SETTLE_DO_CONFIRM ? LSCHED_OUTCOME_CONFIRMED
                                                               : LSCHED_OUTCOME_REJECTED);
        }
    }
    return code;
}

/* Reports that the tasks that an item names have started or stopped. If the item names a whole job,
 * only those tasks of the job are reported that are in a state in which a task can start or
 * stop. */
static int32_t settle_events(struct runner *r, struct settle_batch *batch,
                             const struct settle_item *item) {
    int stop = item->what == SETTLE_DO_STOP;
    uint32_t states = stop ? 1u << LSCHED_TASK_RELEASING
                           : 1u << LSCHED_TASK_PROPOSED | 1u << LSCHED_TASK_CONFIRMED;
    struct scn_list tasks = {NULL, 0, 0};
    int32_t code = run_tasks(r, &item->task, states, &tasks);
    for (uint32_t i = 0; !code && i < tasks.n; i++) {
        const struct named_task *task = (const struct named_task *)tasks.items + i;
        code = settle_push_event(r, batch, stop ? LSCHED_EVENT_FAILED : LSCHED_EVENT_STARTED,
                                 task->job, task->task);
    }
    return code;
}

/* Settles the open decisions about one task; a task that is moved has two decisions. If no decision
 * about the task is open, the function passes the latest decision to the library, which then
 * returns an error. */
static int32_t settle_task(struct runner *r, struct settle_batch *batch, const struct task_ref *ref,
                           uint32_t task, lsched_outcome outcome) {
    const struct past_decision *past = r->past.items, *latest = run_past(r, ref->job.ptr, task);
    uint32_t before = batch->items.n;
    int32_t code = 0;
    if (!latest)
        return complain_at(&r->complain, LSCHED_E_NOENT, ref->mark,
                           "expected a task that a plan has placed, got %s/%u",
                           complain_quote(ref->job.ptr, ref->job.len).text, task);
    for (uint32_t i = 0; !code && i < r->past.n; i++)
        if (past[i].task == task && strcmp(past[i].job_name, ref->job.ptr) == 0 &&
            settle_is_open(r, past[i].id))
            code = settle_push(r, batch, past[i].id, outcome);
    if (code || batch->items.n > before) return code;
    return settle_push(r, batch, latest->id, outcome);
}

/* Settles all open decisions about a job. If `outcome` is LSCHED_OUTCOME_CONFIRMED, the decisions
 * that are already confirmed are left out. */
static int32_t settle_job(struct runner *r, struct settle_batch *batch, const struct task_ref *ref,
                          lsched_outcome outcome) {
    const struct past_decision *past = r->past.items;
    uint32_t before = batch->items.n;
    int32_t code = 0;
    for (uint32_t i = 0; !code && i < r->past.n; i++) {
        if (strcmp(past[i].job_name, ref->job.ptr) != 0 || !settle_is_open(r, past[i].id)) continue;
        if (outcome == LSCHED_OUTCOME_CONFIRMED &&
            lsched_decision_state(r->cluster, past[i].id, NULL) != LSCHED_DECISION_PROPOSED)
            continue;
        code = settle_push(r, batch, past[i].id, outcome);
    }
    lsched_id job = 0;
    if (code || batch->items.n > before) return code;
    code = run_find(r, LSCHED_KIND_JOB, &ref->job, ref->mark, &job);
    if (code) return code;
    return complain_at(&r->complain, LSCHED_E_STATE, ref->mark,
                       "expected decisions about job %s in a state for this, got none",
                       complain_quote(ref->job.ptr, ref->job.len).text);
}

static int32_t settle_named(struct runner *r, struct settle_batch *batch,
                            const struct settle_item *item) {
    const struct task_ref *ref = &item->task;
    lsched_outcome outcome =
        item->what == SETTLE_DO_CONFIRM ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
    lsched_id id = 0;
    int32_t code = 0;
    if (item->what >= SETTLE_DO_START) return settle_events(r, batch, item);
    if (ref->job.ptr[0] == '$') {
        code = run_find(r, LSCHED_KIND_DECISION, &ref->job, ref->mark, &id);
        return code ? code : settle_push(r, batch, id, outcome);
    }
    if (ref->last == TASK_REF_ALL) return settle_job(r, batch, ref, outcome);
    /* this also works for a job that no longer exists, because r->past has the names of jobs */
    for (uint64_t i = ref->first; !code && i <= ref->last; i++)
        code = settle_task(r, batch, ref, (uint32_t)i, outcome);
    return code;
}

/* Carries out all items of the step's key `settle`. All confirmations and rejections are in one
 * batch. After this batch, the function reports the tasks that start or stop. */
static int32_t settle_listed(struct runner *r) {
    const struct settle_item *items = r->step->settle.items;
    struct settle_batch batch;
    int32_t code = 0;
    memset(&batch, 0, sizeof batch);
    for (uint32_t i = 0; !code && i < r->step->settle.n; i++) {
        if (items[i].what >= SETTLE_DO_START) continue;
        batch.reason = items[i].reason;
        batch.refusal = items[i].refusal.size ? &items[i].refusal : NULL;
        code =
            items[i].kinds ? settle_rest(r, &batch, &items[i]) : settle_named(r, &batch, &items[i]);
    }
    if (!code) code = settle_send(r, &batch);
    for (uint32_t i = 0; !code && i < r->step->settle.n; i++)
        if (items[i].what >= SETTLE_DO_START)
            code = items[i].kinds ? settle_rest(r, &batch, &items[i])
                                  : settle_named(r, &batch, &items[i]);
    return code ? code : settle_send_events(r, &batch);
}

int32_t run_settle(struct runner *r) {
    uint32_t mode = r->step->settle_mode;
    if (mode == SETTLE_LISTED) return settle_listed(r);
    if (mode == SETTLE_MANUAL || !r->step->cycle) return 0;
    return settle_all(r, mode == SETTLE_AUTO);
}

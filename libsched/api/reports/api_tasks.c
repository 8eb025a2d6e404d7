/* api_tasks.c -- calls about tasks: reports of events, imports, reports of usage, and settling.
 * docs/semantics.md 4 to 6 has the tables of task states. */
#include "api/arrays/array_form.h"
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/door/id_set.h"
#include "api/reports/real_place.h"
#include "api/reports/task_run.h"
#include "api/forms/refusal_form.h"
#include "model/allowances/allowance.h"
#include "base/times.h"
#include "policy/eviction.h"
#include "model/dependencies/gate.h"
#include "model/machine/machine.h"
#include "model/devices/device_mig.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/queues/queue.h"
#include "model/jobs/refusal.h"
#include "model/jobs/retry.h"
#include "model/store/steps.h"
#include "model/jobs/stops.h"
#include "model/jobs/releasing.h"
#include "model/jobs/task.h"
#include "model/jobs/job_limits.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/task_row.h"
#include "model/jobs/losses.h"
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/decision_reject.h"
#include "model/resizes/resize.h"
#include "model/warnings/warning.h"
#include "model/jobs/job.h"
#include "model/told/tally.h"

static const char *state_name(uint8_t state) {
    static const char *const names[] = {"waits",        "is proposed", "is confirmed", "runs",
                                        "is releasing", "is done",     "is nominated"};
    return names[state];
}

/* What a call wants to do with a task whose state does not allow it. */
enum task_wish { WISH_START, WISH_END, WISH_FAIL, WISH_IMPORT, WISH_USAGE };

/* Returns what the orchestrator can do instead. */
static const char *api_tasks_cure(enum task_wish wish, uint8_t state) {
    switch (state) {
    case LSCHED_TASK_NONE:
        if (wish == WISH_FAIL) return "; LSCHED_BATCH_IDEMPOTENT accepts repeated reports";
        return "; if it runs, import it with lsched_tasks_import";
    case LSCHED_TASK_PROPOSED:
        if (wish == WISH_END)
            return "; report LSCHED_EVENT_STARTED first if it ran, or settle its decision with "
                   "LSCHED_OUTCOME_REJECTED instead";
        return "; settle its decision with LSCHED_OUTCOME_REJECTED instead";
    case LSCHED_TASK_RUNNING:
        return wish == WISH_IMPORT ? "; LSCHED_BATCH_IDEMPOTENT accepts an import of its place"
                                   : "; LSCHED_BATCH_IDEMPOTENT accepts repeated reports";
    case LSCHED_TASK_RELEASING:
        return "; report LSCHED_EVENT_ENDED or LSCHED_EVENT_FAILED when it is gone";
    case LSCHED_TASK_DONE:
        if (wish == WISH_END || wish == WISH_FAIL)
            return "; LSCHED_BATCH_IDEMPOTENT accepts repeated reports";
        return "; it has ended for good, so leave it out";
    case LSCHED_TASK_NOMINATED:
        return "; if it runs, import it with lsched_tasks_import; if not, settle its decision with "
               "LSCHED_OUTCOME_REJECTED";
    default: return "";
    }
}

static int32_t wrong_state(const struct columns *k, uint32_t job, uint32_t index, uint8_t state,
                           enum task_wish wish, lsched_error *err) {
    static const char *const wishes[] = {"start", "end", "fail", "be imported", "have usage"};
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[job]);
    return fail(err, LSCHED_E_STATE, "task %u of job '%.*s' %s: it cannot %s%s", index,
                (int)name.len, name.ptr, state_name(state), wishes[wish],
                api_tasks_cure(wish, state));
}

/* ---- reports ---- */

/* Returns the time of the success of a job whose last reported task ended at the time `at`. The
 * ends of its other tasks can be later than that, if reports come late, and are not kept: so the
 * success of a job with several tasks is not before the latest time of the cluster. */
static int64_t success_at(const struct columns *k, uint32_t job, int64_t at) {
    int64_t now = (int64_t)meta(k, M_NOW);
    return k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]] > 1 && now > at ? now : at;
}

/* Is called after a task of the job has become done, at the time `at`. If all tasks of the job are
 * done, removes the job. Otherwise applies the gang rule to the job. */
static int32_t task_is_done(struct columns *k, uint32_t job, int64_t at) {
    gate_started(k, job, at); /* a confirmed task can end without a start */
    if (job_count(k, job).done < k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]])
        return job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
    int32_t rc = tasks_drop_all(k, job, NULL, NULL);
    if (rc == LSCHED_OK) rc = job_remove_room(k, job);
    if (rc != LSCHED_OK) return rc;
    gate_succeeds(k, job, success_at(k, job, at));
    job_remove(k, job);
    return LSCHED_OK;
}

/* Corrects what the queues are charged for the task, which ends with this report. */
static int32_t charge_until(struct columns *k, uint32_t task, int64_t at) {
    return k->allowances ? k->allowances->gone(k, task, at) : LSCHED_OK;
}

/* Handles the end of an evicted task at the time `at`. ended: 1 if the task had completed its work
 * before it was stopped, 0 if it was stopped by the eviction. */
static int32_t task_left(struct columns *k, uint32_t job, uint32_t task, uint32_t releasing,
                         int ended, int64_t at) {
    int32_t rc = charge_until(k, releasing, at);
    if (rc == LSCHED_OK) rc = releasing_end(k, releasing);
    if (rc != LSCHED_OK) return rc;
    if (!ended) return job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    if (state != LSCHED_TASK_NONE) { /* the task was placed or nominated again in the meantime */
        task_release(k, task, LSCHED_TASK_DONE);
        return task_is_done(k, job, at);
    }
    task_end_waiting(k, task);
    return task_is_done(k, job, at);
}

static int32_t task_ended(struct columns *k, uint32_t job, uint32_t task, int64_t at) {
    int32_t rc = charge_until(k, task, at);
    if (rc != LSCHED_OK) return rc;
    queue_news(k, k->c[C_JOB_QUEUE].u32[job]);
    task_release(k, task, LSCHED_TASK_DONE);
    return task_is_done(k, job, at);
}

static int32_t task_failed(struct columns *k, uint32_t job, uint32_t task, int64_t at,
                           int64_t now) {
    int32_t rc =
        retry_failed(k, job, k->c[C_TASK_NODE].u32[task], k->c[C_TASK_START].i64[task], at);
    if (rc == LSCHED_OK) rc = charge_until(k, task, at);
    if (rc != LSCHED_OK) return rc;
    queue_news(k, k->c[C_JOB_QUEUE].u32[job]);
    task_release(k, task, LSCHED_TASK_NONE);
    return job_settle_losses(k, job, at > now ? at : now, NULL, NULL);
}

/* Releases a task whose open decision is over, because the task runs at another place. */
static int32_t task_unplan(struct columns *k, uint32_t task) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    queue_news(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]]);
    task_release(k, task, LSCHED_TASK_NONE);
    return undo_room(k);
}

/* True if the event names a part of the task's real place. */
static int event_has_place(const lsched_task_event *e) {
    return e->node || arg_text(e->node_name).len || e->device_mask ||
           device_set_of_array(e->device_words) || e->device_starts || e->nic_mask || e->numa_mask;
}

/* Returns the devices that the event names; report_read() has checked that the two forms agree. */
static device_set event_devices(const lsched_task_event *e) {
    return e->device_mask ? e->device_mask : device_set_of_array(e->device_words);
}

/* True if all that the event names is as planned. */
static int starts_as_planned(const struct columns *k, const lsched_task_event *e, uint32_t task,
                             uint32_t node) {
    struct hold hold = task_hold(k, task);
    device_set named = event_devices(e);
    if (node != k->c[C_TASK_NODE].u32[task]) return 0;
    if (named && named != hold.mask) return 0;
    if (named && k->c[C_SHAPE_MIG_SLICES].u8[task_shape(k, task)] &&
        e->device_starts != hold.starts)
        return 0;
    return (!e->nic_mask || e->nic_mask == hold.nics) &&
           (!e->numa_mask || e->numa_mask == hold.numa);
}

/* Starts a task at the place that the event names. If this is not the planned place, the task is
 * booked at its real place, and the room at the planned place comes free. */
static int32_t task_started_at(struct columns *k, const lsched_task_event *e, uint32_t task,
                               int64_t at, lsched_error *err) {
    uint32_t job = k->c[C_TASK_JOB].u32[task], node = k->c[C_TASK_NODE].u32[task];
    int32_t rc = LSCHED_OK;
    device_set devices = event_devices(e);
    if (e->device_starts && !devices)
        return fail(err, LSCHED_E_INVAL,
                    "task event: device_starts are given without a device_mask; name the devices "
                    "that have these slices");
    if (e->node || arg_text(e->node_name).len)
        rc = arg_ref(k, e->node, e->node_name, LSCHED_KIND_NODE, &node, err);
    if (rc != LSCHED_OK) return rc;
    if (starts_as_planned(k, e, task, node)) {
        task_start(k, task, at);
        return LSCHED_OK;
    }
    struct hold planned = task_hold(k, task);
    struct real_place p = {.job = job,
                           .index = e->task_index,
                           .node = node,
                           .alternative = k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[task]],
                           .devices = devices,
                           .nic_mask = e->nic_mask,
                           .numa_mask = e->numa_mask,
                           .device_starts = e->device_starts,
                           .start_us = at,
                           /* the minimum run time and the time limit go on */
                           .since_us = k->c[C_TASK_SINCE].i64[task]};
    if (!devices && node == k->c[C_TASK_NODE].u32[task]) {
        p.devices = planned.mask;
        p.device_starts = planned.starts;
    }
    int64_t since = k->allowances ? k->allowances->since(k, task) : INT64_MIN;
    lsched_id run = arg_id_of(k, LSCHED_KIND_DECISION, k->c[C_TASK_DECISION].u32[task]);
    rc = task_unplan(k, task);
    if (rc == LSCHED_OK) rc = real_place_book(k, &p, &task, err);
    if (rc == LSCHED_OK && k->allowances) rc = k->allowances->ran(k, task, at > since ? at : since);
    if (rc == LSCHED_OK) rc = task_run_note(k, task, run);
    if (rc != LSCHED_OK) return rc;
    refusal_confirmed(k, task);
    refusal_started(k, task);
    return real_place_settle(k, &p, task, 0);
}

/* True if the task, in this state, already is what the event says. */
static int report_is_known(const struct columns *k, const lsched_task_event *e, uint32_t job,
                           uint32_t task, uint8_t state) {
    uint32_t node = NO_ROW;
    int waits = state == LSCHED_TASK_NONE, done = state == LSCHED_TASK_DONE;
    if (e->event == LSCHED_EVENT_ENDED) return done;
    if (e->event == LSCHED_EVENT_FAILED) return done || waits;
    if (waits) task = releasing_find(k, job, e->task_index);
    if (task == NO_ROW || (!waits && state != LSCHED_TASK_RUNNING)) return 0;
    if (!event_has_place(e)) return 1;
    if (!e->node && !arg_text(e->node_name).len) node = k->c[C_TASK_NODE].u32[task];
    if (node == NO_ROW &&
        arg_ref(k, e->node, e->node_name, LSCHED_KIND_NODE, &node, NULL) != LSCHED_OK)
        return 0;
    return starts_as_planned(k, e, task, node);
}

/* Checks that a task in this state can have the event. Returns LSCHED_UNCHANGED if the call is
 * idempotent and the task already is what the event says. */
static int32_t report_check(const struct columns *k, const struct call *call,
                            const lsched_task_event *e, uint32_t job, uint32_t task, uint8_t state,
                            lsched_error *err) {
    static const struct {
        uint8_t least, most; /* lowest and highest state of a task in which the event is allowed */
        enum task_wish wish;
    } events[] = {
        [LSCHED_EVENT_STARTED] = {LSCHED_TASK_PROPOSED, LSCHED_TASK_CONFIRMED, WISH_START},
        [LSCHED_EVENT_ENDED] = {LSCHED_TASK_CONFIRMED, LSCHED_TASK_RELEASING, WISH_END},
        [LSCHED_EVENT_FAILED] = {LSCHED_TASK_CONFIRMED, LSCHED_TASK_RELEASING, WISH_FAIL}};
    if (call_is_idempotent(call) && report_is_known(k, e, job, task, state))
        return LSCHED_UNCHANGED;
    if (state >= events[e->event].least && state <= events[e->event].most) return LSCHED_OK;
    return wrong_state(k, job, e->task_index, state, events[e->event].wish, err);
}

static int32_t report_read(const struct columns *k, const struct call *call, size_t i,
                           const void *element, lsched_task_event *e, lsched_error *err) {
    int32_t rc = arg_struct(e, sizeof *e, element, call->elem_size, "task event", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(e->reserved_zero, "reserved_zero", NULL, "task event", i, err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(e->reserved2_zero, "reserved2_zero", NULL, "task event", i, err);
    device_set devices;
    if (rc == LSCHED_OK)
        rc = arg_devices(e->device_mask, e->device_words, "task event", &devices, err);
    if (rc == LSCHED_OK) rc = arg_time(e->at_us, "task event: at_us", err);
    return rc == LSCHED_OK ? arg_reported(k, e->at_us, "task event: at_us", err) : rc;
}

/* Counts the event. If the element fails, the door takes the count back. */
static void report_count(struct columns *k, uint32_t job, uint32_t event, int leaves) {
    uint32_t word = event == LSCHED_EVENT_STARTED ? TALLY_STARTED
                    : event == LSCHED_EVENT_ENDED ? TALLY_ENDED
                    : leaves                      ? TALLY_STOPPED
                                                  : TALLY_FAILED;
    tally_add(k, k->c[C_JOB_QUEUE].u32[job], word);
}

/* Checks the run that the event names. Sets *leaves to 1 if it is the one that was told to stop.
 * Returns LSCHED_UNCHANGED if the report is known. */
static int32_t report_find_run(const struct columns *k, const struct call *call,
                               const lsched_task_event *e, const struct task_runs *t, int *leaves,
                               lsched_error *err) {
    int32_t rc = task_run_check(k, t, e->run, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t row = task_run_find(k, t, e->run);
    int starts = e->event == LSCHED_EVENT_STARTED;
    if (row == NO_ROW)
        return task_run_refuse(k, t, e->event, e->run, call_is_idempotent(call), err);
    *leaves = row == t->releasing && !starts;
    if (row != t->releasing || !starts) return LSCHED_OK;
    if (call_is_idempotent(call)) return LSCHED_UNCHANGED;
    return wrong_state(k, t->job, t->index, LSCHED_TASK_RELEASING, WISH_START, err);
}

/* Starts a placed task whose start no report told before that of its end, at the time `at`. */
static int32_t report_untold_start(struct columns *k, uint32_t job, uint32_t task, int64_t at) {
    int64_t since = k->c[C_TASK_START].i64[task];
    report_count(k, job, LSCHED_EVENT_STARTED, 0);
    task_start(k, task, since < at ? since : at);
    return undo_room(k);
}

/* Applies an event that can happen to the task. */
static int32_t report_happens(struct columns *k, const lsched_task_event *e, uint32_t job,
                              uint32_t task, int64_t at, int64_t now, lsched_error *err) {
    if (e->event == LSCHED_EVENT_FAILED) return task_failed(k, job, task, at, now);
    if (e->event == LSCHED_EVENT_ENDED) return task_ended(k, job, task, at);
    return task_started_at(k, e, task, at, err);
}

static int32_t report_apply(struct columns *k, const struct call *call, const lsched_task_event *e,
                            uint32_t job, uint32_t task, lsched_error *err) {
    uint8_t state = task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[task];
    int64_t now = (int64_t)meta(k, M_NOW), at = e->at_us ? e->at_us : now;
    int starts = e->event == LSCHED_EVENT_STARTED;
    if (at > now) set_meta(k, M_NOW, (uint64_t)at);
    if (e->event < LSCHED_EVENT_STARTED || e->event > LSCHED_EVENT_FAILED)
        return fail(err, LSCHED_E_INVAL, "task event %u; expected LSCHED_EVENT_*", e->event);
    if (!starts && event_has_place(e))
        return fail(err, LSCHED_E_INVAL,
                    "task event: it names a place; only LSCHED_EVENT_STARTED can name one");
    struct task_runs t = {.job = job,
                          .index = e->task_index,
                          .task = task,
                          .releasing = releasing_find(k, job, e->task_index)};
    int leaves = t.releasing != NO_ROW && !starts;
    int32_t rc = LSCHED_OK;
    if (e->run) rc = report_find_run(k, call, e, &t, &leaves, err);
    if (rc != LSCHED_OK) return rc;
    report_count(k, job, e->event, leaves);
    if (leaves) return task_left(k, job, task, t.releasing, e->event == LSCHED_EVENT_ENDED, at);
    int untold = e->run && !starts && state != LSCHED_TASK_RUNNING;
    rc = untold ? report_untold_start(k, job, task, at)
                : report_check(k, call, e, job, task, state, err);
    return rc == LSCHED_OK ? report_happens(k, e, job, task, at, now, err) : rc;
}

static int32_t element_task_report(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_task_event e;
    uint32_t job = NO_ROW, task = NO_ROW;
    int32_t rc = report_read(k, call, i, element, &e, err);
    if (rc == LSCHED_OK) rc = arg_task(k, e.job, e.task_index, &job, &task, err);
    if (rc == LSCHED_E_STALE && call_is_idempotent(call) && e.event != LSCHED_EVENT_STARTED)
        return LSCHED_UNCHANGED;
    if (rc != LSCHED_OK) return rc;
    return report_apply(k, call, &e, job, task, err);
}

static const struct call_kind call_tasks_report = {.op = CALL_TASKS_REPORT,
                                                   .apply = element_task_report,
                                                   .what = "job",
                                                   .struct_size = sizeof(lsched_task_event),
                                                   .object = LSCHED_KIND_JOB,
                                                   .task_at =
                                                       offsetof(lsched_task_event, task_index),
                                                   .id_at = offsetof(lsched_task_event, job)};

LSCHED_API int32_t lsched_tasks_report(lsched_cluster *c, const lsched_task_event *events, size_t n,
                                       size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_tasks_report,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = events,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- import ---- */

/* Handles an imported task that was told to stop before the import: the task is made running, and
 * is then evicted without a decision. */
static int32_t import_leaves(struct columns *k, uint32_t task, const lsched_task_import *m) {
    int64_t now = (int64_t)meta(k, M_NOW);
    struct evict_spec s = {.now = now, .release_at = m->release_us ? m->release_us : now};
    uint32_t releasing, decision;
    int32_t rc = task_evict(k, task, &s, &releasing, &decision);
    if (rc == LSCHED_OK) future_note(k, s.release_at);
    return rc;
}

/* True if the task, in the state `is`, already is where and what the import says. */
static int import_is_known(const struct columns *k, const lsched_task_import *m, device_set devices,
                           uint8_t is, uint32_t task, uint32_t node) {
    uint8_t want = m->state == LSCHED_TASK_RELEASING ? LSCHED_TASK_RELEASING : LSCHED_TASK_RUNNING;
    return task != NO_ROW && is == want && k->c[C_TASK_NODE].u32[task] == node &&
           (devices == 0 || devices == task_device_set(k, task));
}

/* Checks the run that an import of a task names. `row`: what runs, or is to stop; NO_ROW: nothing
 * does. */
static int32_t import_check_run(const struct columns *k, const lsched_task_import *m,
                                const struct task_runs *t, uint32_t row, lsched_error *err) {
    int32_t rc = m->run ? task_run_check(k, t, m->run, err) : LSCHED_OK;
    uint64_t has = row == NO_ROW ? 0 : id_outside(k, k->c[C_TASK_RUN].u64[row]);
    if (rc != LSCHED_OK || !m->run || has == m->run) return rc;
    if (!has) return task_run_check_import(k, m->task_index, m->run, err);
    return fail(err, LSCHED_E_STATE,
                "task %u has the run %#llx; report its end before you import the run %#llx",
                m->task_index, (unsigned long long)has, (unsigned long long)m->run);
}

/* Finds the job, the node and the task row of an import, and checks that the task neither runs nor
 * is releasing nor is done. A task with an open decision can be imported. Returns LSCHED_UNCHANGED
 * if the task is placed as the import says, and idempotent is 1; *row is its row then. */
static int32_t import_find(const struct columns *k, const lsched_task_import *m, int idempotent,
                           struct real_place *p, uint32_t *row, lsched_error *err) {
    uint32_t task = NO_ROW, *job = &p->job, *node = &p->node;
    int32_t rc = arg_ref(k, m->job, m->job_name, LSCHED_KIND_JOB, job, err);
    if (rc == LSCHED_OK) rc = array_form_refuse(k, *job, "import tasks of its elements", err);
    if (rc == LSCHED_OK) rc = arg_ref(k, m->node, m->node_name, LSCHED_KIND_NODE, node, err);
    if (rc == LSCHED_OK)
        rc = arg_task(k, arg_id_of(k, LSCHED_KIND_JOB, *job), m->task_index, job, &task, err);
    if (rc != LSCHED_OK) return rc;
    uint8_t is = task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[task];
    uint32_t leaving = releasing_find(k, *job, m->task_index);
    const struct task_runs t = {*job, m->task_index, task, leaving};
    if (leaving != NO_ROW) is = LSCHED_TASK_RELEASING;
    *row = leaving == NO_ROW ? task : leaving;
    rc = import_check_run(k, m, &t, *row, err);
    if (rc != LSCHED_OK) return rc;
    if (idempotent && import_is_known(k, m, p->devices, is, *row, *node)) return LSCHED_UNCHANGED;
    if (is == LSCHED_TASK_RUNNING || is == LSCHED_TASK_RELEASING || is == LSCHED_TASK_DONE)
        return wrong_state(k, *job, m->task_index, is, WISH_IMPORT, err);
    *row = task;
    if (m->state != 0 && m->state != LSCHED_TASK_RUNNING && m->state != LSCHED_TASK_RELEASING)
        return fail(err, LSCHED_E_INVAL, "import: state %u; expected running or releasing",
                    m->state);
    rc = arg_instant(m->start_us, "start_us", err);
    if (rc == LSCHED_OK) rc = arg_reported(k, m->start_us, "start_us", err);
    return rc == LSCHED_OK ? arg_instant(m->release_us, "release_us", err) : rc;
}

static int32_t element_task_import(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_task_import m;
    struct real_place p = {0};
    uint32_t task = NO_ROW;
    int32_t rc = arg_struct(&m, sizeof m, element, call->elem_size, "task import", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(m.reserved_zero, "reserved_zero", NULL, "task import", i, err);
    if (rc == LSCHED_OK)
        rc = arg_devices(m.device_mask, m.device_words, "task import", &p.devices, err);
    if (rc == LSCHED_OK) rc = import_find(k, &m, call_is_idempotent(call), &p, &task, err);
    if (rc == LSCHED_UNCHANGED && m.run && !k->c[C_TASK_RUN].u64[task])
        return task_run_note(k, task, m.run);
    if (rc != LSCHED_OK) return rc;
    p.index = m.task_index;
    p.alternative = m.alternative;
    p.nic_mask = m.nic_mask;
    p.numa_mask = m.numa_mask;
    p.device_starts = m.device_starts;
    p.start_us = m.start_us;
    tally_add(k, k->c[C_JOB_QUEUE].u32[p.job], TALLY_IMPORTED);
    /* the task runs somewhere, so the decision about it is over */
    if (task != NO_ROW && task_placed(k->c[C_TASK_STATE].u8[task])) rc = task_unplan(k, task);
    if (rc == LSCHED_OK) rc = real_place_book(k, &p, &task, err);
    if (rc == LSCHED_OK) rc = task_run_note(k, task, m.run);
    if (rc == LSCHED_OK && m.state == LSCHED_TASK_RELEASING) rc = import_leaves(k, task, &m);
    return rc == LSCHED_OK ? real_place_settle(k, &p, task, m.state == LSCHED_TASK_RELEASING) : rc;
}

static const struct call_kind call_tasks_import = {
    .op = CALL_TASKS_IMPORT,
    .apply = element_task_import,
    .what = "job",
    .object = LSCHED_KIND_JOB,
    .task_at = offsetof(lsched_task_import, task_index),
    .struct_size = sizeof(lsched_task_import),
    .name_at = offsetof(lsched_task_import, job_name),
    .id_at = offsetof(lsched_task_import, job)};

LSCHED_API int32_t lsched_tasks_import(lsched_cluster *c, const lsched_task_import *tasks, size_t n,
                                       size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_tasks_import,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = tasks,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- usage ---- */

/* Checks that the task has the run that the sample names. */
static int32_t usage_check_run(const struct columns *k, const lsched_usage_sample *s, uint32_t job,
                               uint32_t task, lsched_error *err) {
    const struct task_runs t = {job, s->task_index, task, NO_ROW};
    int32_t rc = s->run ? task_run_check(k, &t, s->run, err) : LSCHED_OK;
    if (rc != LSCHED_OK || !s->run || task_run_find(k, &t, s->run) != NO_ROW) return rc;
    return fail(err, LSCHED_E_STALE,
                "usage sample: task %u does not have the run %#llx now; forget the sample",
                s->task_index, (unsigned long long)s->run);
}

static int32_t element_usage_report(struct lsched_cluster *c, const struct call *call, size_t i,
                                    const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_usage_sample s;
    uint32_t job = NO_ROW, task = NO_ROW;
    int32_t rc = arg_struct(&s, sizeof s, element, call->elem_size, "usage sample", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(s.reserved_zero, "reserved_zero", NULL, "usage sample", i, err);
    if (rc == LSCHED_OK) rc = arg_task(k, s.job, s.task_index, &job, &task, err);
    if (rc != LSCHED_OK) return rc;
    uint8_t state = task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[task];
    rc = usage_check_run(k, &s, job, task, err);
    if (rc != LSCHED_OK) return rc;
    if (!task_holds(state)) return wrong_state(k, job, s.task_index, state, WISH_USAGE, err);
    rc = arg_kind(k, s.kind, "usage sample", err);
    if (rc != LSCHED_OK) return rc;
    if (s.amount < 0 || s.amount > LSCHED_AMOUNT_MAX)
        return fail(err, LSCHED_E_RANGE, "usage sample: amount %lld; expected 0 to 2^62",
                    (long long)s.amount);
    rc = arg_time(s.at_us, "usage sample: at_us", err);
    if (rc == LSCHED_OK) rc = arg_reported(k, s.at_us, "usage sample: at_us", err);
    if (rc != LSCHED_OK) return rc;
    if (s.at_us == 0) s.at_us = (int64_t)meta(k, M_NOW);
    uint32_t u = k->c[C_TASK_USAGE].u32[task];
    while (u != NO_ROW && k->c[C_USAGE_KIND].u32[u] != s.kind) u = k->c[C_USAGE_NEXT].u32[u];
    if (u == NO_ROW) {
        u = row_new(k, T_USAGE);
        if (u == NO_ROW) return LSCHED_E_NOMEM;
        set_u32(k, C_USAGE_TASK, u, task);
        set_u32(k, C_USAGE_KIND, u, s.kind);
        set_u32(k, C_USAGE_NEXT, u, k->c[C_TASK_USAGE].u32[task]);
        set_u32(k, C_TASK_USAGE, task, u);
    } else if (s.at_us < k->c[C_USAGE_AT].i64[u]) {
        return fail(err, LSCHED_E_TIME, "usage sample: it is older than the latest sample");
    }
    set_i64(k, C_USAGE_AMOUNT, u, s.amount);
    set_i64(k, C_USAGE_AT, u, s.at_us);
    if (s.kind == LSCHED_GPU) usage_busy(k, task, u);
    return LSCHED_OK;
}

static const struct call_kind call_usage_report = {.op = CALL_USAGE_REPORT,
                                                   .apply = element_usage_report,
                                                   .what = "job",
                                                   .struct_size = sizeof(lsched_usage_sample),
                                                   .id_at = offsetof(lsched_usage_sample, job)};

LSCHED_API int32_t lsched_usage_report(lsched_cluster *c, const lsched_usage_sample *samples,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_usage_report,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = samples,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- settle ---- */

struct settling {
    struct id_set withdrawn, named;
};

/* Reads one element of a batch to *s, with the length of its reason. */
static int32_t settle_read(const struct call *call, const void *element, lsched_settlement *s,
                           lsched_error *err) {
    int32_t rc = arg_struct(s, sizeof *s, element, call->elem_size, "settlement", err);
    if (rc != LSCHED_OK) return rc;
    if (!s->reason.ptr && s->reason.len && s->reason.len != LSCHED_NUL_TERMINATED)
        return fail(err, LSCHED_E_NULL,
                    "the length of a reason is %llu bytes, but its text is NULL",
                    (unsigned long long)s->reason.len);
    s->reason = arg_text(s->reason);
    return LSCHED_OK;
}

/* Records the refusals of all rejected decisions of the batch, before any of the rejections
 * withdraws other decisions. Therefore the recorded refusals do not depend on the order of the
 * batch. */
static int32_t settle_prepare(struct lsched_cluster *c, const struct call *call,
                              lsched_error *err) {
    struct columns *k = &c->k;
    struct id_set *seen = &((struct settling *)call->more)->named;
    (void)err;
    for (size_t i = 0; i < call->n; i++) {
        lsched_settlement s;
        uint32_t d;
        /* element_settle() reports these errors */
        if (settle_read(call, (const char *)call->elements + i * call->elem_size, &s, NULL) !=
                LSCHED_OK ||
            s.outcome != LSCHED_OUTCOME_REJECTED || s.reason.len > LIMIT_REFUSAL_REASON_BYTES ||
            arg_id(k, s.decision, LSCHED_KIND_DECISION, &d, NULL) != LSCHED_OK ||
            id_set_has(seen, s.decision))
            continue;
        id_set_add(seen, s.decision);
        if (seen->failed) return LSCHED_E_NOMEM;
        struct refusal_terms terms;
        if (!refusal_counts(k, d)) continue;
        if (refusal_form_read(k, s.refusal, d, &terms, NULL) != LSCHED_OK) continue;
        int32_t rc = refusal_note_terms(k, d, s.reason, &terms);
        if (rc != LSCHED_OK) return rc;
    }
    id_set_close(seen);
    id_set_init(seen, &c->alloc);
    return undo_room(k);
}

/* Checks an element of a batch, and that no earlier element names the same decision. */
static int32_t settle_check(struct settling *y, const lsched_settlement *s, size_t i,
                            lsched_error *err) {
    if (s->outcome != LSCHED_OUTCOME_CONFIRMED && s->outcome != LSCHED_OUTCOME_REJECTED)
        return fail(err, LSCHED_E_INVAL,
                    "outcome %d; expected LSCHED_OUTCOME_CONFIRMED or LSCHED_OUTCOME_REJECTED",
                    s->outcome);
    if (s->reason.len > LIMIT_REFUSAL_REASON_BYTES)
        return fail(err, LSCHED_E_RANGE, "a reason has %llu bytes; expected at most %u",
                    (unsigned long long)s->reason.len, LIMIT_REFUSAL_REASON_BYTES);
    if (id_set_has(&y->named, s->decision))
        return fail(err, LSCHED_E_STATE,
                    "the decision occurs twice in the batch: also as element %u; name it once",
                    id_set_by(&y->named, s->decision));
    y->named.element = y->withdrawn.element = (uint32_t)i;
    id_set_add(&y->named, s->decision);
    return y->named.failed ? LSCHED_E_NOMEM : LSCHED_OK;
}

static int32_t settle_confirmation(struct columns *k, uint32_t d, int idempotent,
                                   lsched_error *err) {
    if (k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_PROPOSED)
        return idempotent
                   ? LSCHED_UNCHANGED
                   : fail(
                         err, LSCHED_E_STATE,
                         "the decision is confirmed already; LSCHED_BATCH_IDEMPOTENT accepts that");
    if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_RESIZE)
        return resize_confirm(k, k->c[C_DECISION_TASK].u32[d]);
    if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_WARN) {
        uint32_t task = k->c[C_DECISION_TASK].u32[d];
        decision_done(k, task);
        resize_other_settled(k, task);
        return LSCHED_OK;
    }
    task_confirm(k, k->c[C_DECISION_TASK].u32[d]);
    return LSCHED_OK;
}

static int32_t settle_rejection(struct lsched_cluster *c, uint32_t d, struct id_set *withdrawn) {
    struct columns *k = &c->k;
    int64_t now = (int64_t)meta(k, M_NOW), grace = policy_eviction_of(&c->policy.policy).grace_us;
    uint32_t task = k->c[C_DECISION_TASK].u32[d], kind = k->c[C_DECISION_KIND].u8[d];
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING || kind == LSCHED_DECIDE_PAUSE ||
        kind == LSCHED_DECIDE_SUSPEND) {
        /* the orchestrator refused to stop the task, so the task is not chosen again for a grace
         * time */
        uint32_t cost = job_cost(k, k->c[C_TASK_JOB].u32[task]);
        if (cost == NO_ROW) return LSCHED_E_NOMEM;
        set_i64(k, C_COST_REFUSED_AT, cost, now);
    }
    int32_t rc = decision_reject(k, d, now, id_set_tell, withdrawn);
    /* what the orchestrator cannot do is not asked of it again */
    if (rc == LSCHED_OK && kind == LSCHED_DECIDE_RESIZE) resize_forget(k, task);
    if (rc == LSCHED_OK && kind == LSCHED_DECIDE_WARN)
        warning_put_off(k, task, time_after_at_most(now, grace));
    return rc == LSCHED_OK && withdrawn->failed ? LSCHED_E_NOMEM : rc;
}

static int32_t element_settle(struct lsched_cluster *c, const struct call *call, size_t i,
                              const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    struct settling *y = call->more;
    struct id_set *w = &y->withdrawn;
    lsched_settlement s;
    uint32_t d;
    int32_t rc = settle_read(call, element, &s, err);
    if (rc == LSCHED_OK) rc = settle_check(y, &s, i, err);
    if (rc != LSCHED_OK) return rc;
    int rejects = s.outcome == LSCHED_OUTCOME_REJECTED;
    rc = arg_id(k, s.decision, LSCHED_KIND_DECISION, &d, err);
    if (rc == LSCHED_E_STALE && rejects && call_is_idempotent(call)) return LSCHED_UNCHANGED;
    /* an earlier element of the batch withdrew this decision */
    if (rc == LSCHED_E_STALE && rejects && id_set_has(w, s.decision)) return LSCHED_OK;
    if (rc == LSCHED_E_STALE && id_set_has(w, s.decision))
        return fail(err, LSCHED_E_STATE,
                    "withdrawn by element %u of this batch, which rejects a member of the same "
                    "gang; report REJECTED for this decision, too",
                    id_set_by(w, s.decision));
    struct refusal_terms terms;
    if (rc == LSCHED_OK && rejects) rc = refusal_form_read(k, s.refusal, d, &terms, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t job = k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[d]];
    tally_add(k, k->c[C_JOB_QUEUE].u32[job], rejects ? TALLY_REJECTED : TALLY_CONFIRMED);
    return rejects ? settle_rejection(c, d, w)
                   : settle_confirmation(k, d, call_is_idempotent(call), err);
}

static const struct call_kind call_settle = {.op = CALL_SETTLE,
                                             .begin = settle_prepare,
                                             .apply = element_settle,
                                             .struct_size = sizeof(lsched_settlement),
                                             .id_at = offsetof(lsched_settlement, decision),
                                             .object = LSCHED_KIND_DECISION};

/* Writes the decisions that the batch withdrew to *r, and copies it to the caller's report. The
 * decisions that the batch itself rejects are not among them. A decision that one element confirms
 * and the rejection of a later element withdraws is. */
static void settle_tell(const struct call *call, const int32_t *status, lsched_settle_report *r,
                        lsched_settle_report *report) {
    struct id_set *w = &((struct settling *)call->more)->withdrawn;
    r->n_withdrawn = 0;
    for (size_t i = 0; i < call->n; i++) {
        lsched_settlement s;
        if ((status && status[i] < 0) ||
            settle_read(call, (const char *)call->elements + i * call->elem_size, &s, NULL) !=
                LSCHED_OK)
            continue;
        if (s.outcome == LSCHED_OUTCOME_REJECTED) id_set_forget(w, s.decision);
    }
    for (size_t i = 0; i < w->n; i++) {
        if (w->ids[i] == 0) continue;
        if (r->n_withdrawn < r->withdrawn_capacity) r->withdrawn[r->n_withdrawn] = w->ids[i];
        r->n_withdrawn++;
    }
    arg_out(report, r, (uint32_t)sizeof *r);
}

static int32_t settle_report_read(const lsched_settle_report *report, lsched_settle_report *r,
                                  lsched_error *err) {
    if (!report) return LSCHED_OK;
    int32_t rc = arg_struct(r, sizeof *r, report, 0, "settle report", err);
    if (rc == LSCHED_OK) rc = arg_reserved(r->reserved_zero, "reserved_zero", "settle report", err);
    if (rc == LSCHED_OK && r->withdrawn_capacity && !r->withdrawn)
        return fail(err, LSCHED_E_NULL, "the settle report has a capacity, but no array");
    return rc;
}

LSCHED_API int32_t lsched_settle(lsched_cluster *c, const lsched_settlement *settlements, size_t n,
                                 size_t elem_size, const lsched_batch_opts *opts,
                                 lsched_settle_report *report, int32_t *status, lsched_error *err) {
    lsched_settle_report r = LSCHED_SETTLE_REPORT_INIT;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    rc = settle_report_read(report, &r, err);
    if (rc != LSCHED_OK) return rc;
    struct settling y;
    id_set_init(&y.withdrawn, &c->alloc);
    y.withdrawn.salt = c->k.id_salt;
    id_set_init(&y.named, &c->alloc);
    struct call call = {.kind = &call_settle,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = settlements,
                        .status = status,
                        .more = &y};
    rc = door_batch(c, &call, opts, err);
    if (rc >= 0 && report) {
        arg_stride(settlements, n, elem_size, "the batch", &call.elem_size, NULL);
        settle_tell(&call, status, &r, report);
    }
    id_set_close(&y.withdrawn);
    id_set_close(&y.named);
    return rc;
}

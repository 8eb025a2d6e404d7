/* api_tasks.c -- events of tasks: reports, imports, usage, settling. docs/semantics.md 4 to 6 has
 * the tables of states. */
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/door/id_set.h"
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

static int32_t find_task(const struct columns *k, lsched_id id, uint32_t index, uint32_t *job,
                         uint32_t *task, lsched_error *err) {
    int32_t rc = arg_id(k, id, LSCHED_KIND_JOB, job, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t tasks = k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[*job]];
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[*job]);
    if (index >= tasks)
        return fail(err, LSCHED_E_RANGE, "job '%.*s' has %u tasks; task %u does not exist",
                    (int)name.len, name.ptr, tasks, index);
    *task = task_find(k, *job, index);
    return LSCHED_OK;
}

static const char *state_name(uint8_t state) {
    static const char *const names[] = {"waits",        "is proposed", "is confirmed", "runs",
                                        "is releasing", "is done",     "is nominated"};
    return names[state];
}

static int32_t wrong_state(const struct columns *k, uint32_t job, uint32_t index, uint8_t state,
                           const char *what, lsched_error *err) {
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[job]);
    return fail(err, LSCHED_E_STATE, "task %u of job '%.*s' %s: it cannot %s", index, (int)name.len,
                name.ptr, state_name(state), what);
}

/* ---- reports ---- */

/* Handles the end of a task. If no other task of the job runs, the job is no stale gang any
 * more. */
static int32_t task_is_done(struct columns *k, uint32_t job) {
    if (job_count(k, job).done < k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]])
        return job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
    int32_t rc = tasks_drop_all(k, job, NULL, NULL);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) job_remove(k, job);
    return rc;
}

/* Handles the end of an evicted task: `ended` is 1 if the task had completed its work before it was
 * stopped, 0 if it stopped as requested. */
static int32_t task_left(struct columns *k, uint32_t job, uint32_t task, uint32_t releasing,
                         int ended) {
    int32_t rc = releasing_end(k, releasing);
    if (rc != LSCHED_OK) return rc;
    if (!ended) return job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    if (state != LSCHED_TASK_NONE) { /* the task had a new place already */
        task_release(k, task, LSCHED_TASK_DONE);
        return task_is_done(k, job);
    }
    task_end_waiting(k, task);
    return task_is_done(k, job);
}

static int32_t element_task_report(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_task_event e;
    uint32_t job = NO_ROW, task = NO_ROW;
    int32_t rc = arg_struct(&e, sizeof e, element, call->elem_size, "task event", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(e.reserved_zero, "reserved_zero", NULL, "task event", i, err);
    if (rc == LSCHED_OK) rc = arg_time(e.at_us, "task event: at_us", err);
    if (rc == LSCHED_OK) rc = arg_reported(k, e.at_us, "task event: at_us", err);
    if (rc == LSCHED_OK) rc = find_task(k, e.job, e.task_index, &job, &task, err);
    if (rc != LSCHED_OK) return rc;
    uint8_t state = task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[task];
    int64_t now = (int64_t)meta(k, M_NOW), at = e.at_us ? e.at_us : now;
    if (at > now) set_meta(k, M_NOW, (uint64_t)at);
    uint32_t releasing = releasing_find(k, job, e.task_index);
    if (releasing != NO_ROW && (e.event == LSCHED_EVENT_ENDED || e.event == LSCHED_EVENT_FAILED))
        return task_left(k, job, task, releasing, e.event == LSCHED_EVENT_ENDED);
    switch (e.event) {
    case LSCHED_EVENT_STARTED:
        if (state != LSCHED_TASK_PROPOSED && state != LSCHED_TASK_CONFIRMED)
            return wrong_state(k, job, e.task_index, state, "start", err);
        task_start(k, task, at);
        return LSCHED_OK;
    case LSCHED_EVENT_ENDED:
        if (state < LSCHED_TASK_CONFIRMED || state > LSCHED_TASK_RELEASING)
            return wrong_state(k, job, e.task_index, state, "end", err);
        queue_news(k, k->c[C_JOB_QUEUE].u32[job]);
        task_release(k, task, LSCHED_TASK_DONE);
        return task_is_done(k, job);
    case LSCHED_EVENT_FAILED:
        if (state < LSCHED_TASK_CONFIRMED || state > LSCHED_TASK_RELEASING)
            return wrong_state(k, job, e.task_index, state, "fail", err);
        rc = retry_failed(k, job, k->c[C_TASK_NODE].u32[task], k->c[C_TASK_START].i64[task], at);
        if (rc != LSCHED_OK) return rc;
        queue_news(k, k->c[C_JOB_QUEUE].u32[job]);
        task_release(k, task, LSCHED_TASK_NONE);
        return job_settle_losses(k, job, at > now ? at : now, NULL, NULL);
    default: return fail(err, LSCHED_E_INVAL, "task event %u; expected LSCHED_EVENT_*", e.event);
    }
}

static lsched_text task_event_name(const struct columns *k, const struct call *call, size_t i) {
    lsched_task_event d;
    if (arg_struct(&d, sizeof d, call_element(call, i), call->elem_size, "", NULL))
        return (lsched_text){NULL, 0};
    return arg_name_of(k, d.job);
}

static const struct call_kind call_tasks_report = {.op = CALL_TASKS_REPORT,
                                                   .apply = element_task_report,
                                                   .what = "job",
                                                   .name_of = task_event_name};

LSCHED_API int32_t lsched_tasks_report(lsched_cluster *c, const lsched_task_event *events, size_t n,
                                       size_t elem_size, int32_t *status, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    struct call call = {.kind = &call_tasks_report,
                        .n = n,
                        .elem_size = n ? arg_stride(events, elem_size) : 0,
                        .elements = events,
                        .status = status};
    return door_apply(c, &call, err);
}

/* ---- import ---- */

/* True if the device is in mode mig and its MIG table has the profile of the shape. */
static int device_has_profile(const struct columns *k, uint32_t node, uint32_t i, uint32_t shape) {
    const struct mig_table *t = device_mig_table(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + i);
    return t && device_mig_profile(k, t, shape) != MIG_NONE;
}

/* Chooses the devices with the most free room for an import that fits nowhere, because the task
 * runs there in any case. */
static uint32_t freest(const struct columns *k, uint32_t node, uint32_t shape, uint32_t need) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             mask = 0;
    for (; need > 0; need--) {
        uint32_t best = NO_ROW;
        for (uint32_t i = 0; i < n; i++) {
            if (mask >> i & 1) continue;
            if (k->c[C_SHAPE_MIG_SLICES].u8[shape] && !device_has_profile(k, node, i, shape))
                continue;
            if (best == NO_ROW || k->c[C_DEVICE_FREE_MILLI].u16[first + i] >
                                      k->c[C_DEVICE_FREE_MILLI].u16[first + best])
                best = i;
        }
        if (best == NO_ROW) break; /* the node has fewer usable devices than the task needs */
        mask |= 1u << best;
    }
    return mask;
}

/* Checks that the NUMA nodes and network cards that an import names exist. */
static int32_t import_inside(const struct columns *k, uint32_t node, const lsched_task_import *m,
                             lsched_error *err) {
    uint32_t machine = node_machine(k, node), numa = 0, nics = 0;
    if (machine != NO_ROW) {
        numa = k->c[C_MACHINE_N_NUMA].u8[machine];
        nics = k->c[C_MACHINE_N_NICS].u8[machine];
    }
    if (m->numa_mask >> numa)
        return fail(err, LSCHED_E_RANGE, "NUMA mask %#x: the node has %u NUMA nodes that are known",
                    m->numa_mask, numa);
    if (m->nic_mask >> nics)
        return fail(err, LSCHED_E_RANGE,
                    "network card mask %#x: the node has %u network cards that are known",
                    m->nic_mask, nics);
    return LSCHED_OK;
}

/* Checks the first slices: only MIG devices of the task have them, and an instance of its profile
 * can begin there. */
static int32_t import_starts(const struct columns *k, uint32_t node, uint32_t shape,
                             const struct hold *hold, lsched_error *err) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < LSCHED_DEVICES_PER_NODE_MAX; i++) {
        uint32_t start = hold_start(hold, i), p = MIG_NONE;
        const struct mig_table *t = NULL;
        if (hold->mask >> i & 1) t = device_mig_table(k, first + i);
        if (t) p = device_mig_profile(k, t, shape);
        if (start && p == MIG_NONE)
            return fail(err, LSCHED_E_INVAL,
                        "device starts: slice %u of device %u, where the task has no MIG instance",
                        start, i);
        if (p != MIG_NONE && !(t->profiles[p].starts >> start & 1))
            return fail(err, LSCHED_E_INVAL,
                        "device starts: MIG profile %s cannot begin at slice %u of device %u",
                        t->profiles[p].name, start, i);
    }
    return LSCHED_OK;
}

/* Determines what an import holds inside the node: the named devices, else devices with room, else
 * the allowed devices with the most free room. */
static int32_t import_hold(const struct columns *k, uint32_t node, uint32_t shape,
                           struct hold *hold, uint32_t *excess, lsched_error *err) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape], n = k->c[C_NODE_N_DEVICES].u8[node];
    if (hold->mask >> n)
        return fail(err, LSCHED_E_RANGE, "device mask %#x: the node has %u devices", hold->mask, n);
    int is_named = hold->numa || hold->nics;
    if (hold->mask || (need == 0 && is_named)) {
        if ((uint32_t)__builtin_popcount(hold->mask) != need)
            return fail(err, LSCHED_E_RANGE, "device mask %#x names %d devices; the task has %u",
                        hold->mask, __builtin_popcount(hold->mask), need);
        struct hold named = *hold;
        int32_t rc = import_starts(k, node, shape, hold, err);
        if (rc != LSCHED_OK) return rc;
        if (!is_named && !device_select_rest(k, node, shape, DEVICE_NOW, hold)) *hold = named;
        hold->starts = named.starts;
        *excess |= !device_select_allows(k, node, shape, DEVICE_NOW, hold);
        return LSCHED_OK;
    }
    if (device_select(k, node, shape, DEVICE_NOW, NULL, hold)) return LSCHED_OK;
    if (need > n)
        return fail(err, LSCHED_E_RANGE,
                    "the task has %u devices, the node %u: name a node that can run it", need, n);
    *excess = 1;
    memset(hold, 0, sizeof *hold);
    hold->mask = freest(k, node, shape, need);
    if ((uint32_t)__builtin_popcount(hold->mask) < need)
        return fail(err, LSCHED_E_RANGE,
                    "the task has %u devices; %d of the node have its MIG profile", need,
                    __builtin_popcount(hold->mask));
    return LSCHED_OK;
}

/* Returns the use of all queues together. A root queue can add up to 2^62 / queues without this
 * check, so the scan happens only with amounts that no real cluster has. */
static int64_t used_by_roots(const struct columns *k, uint32_t kind) {
    int64_t sum = 0;
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++)
        if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_PARENT].u32[q] == NO_ROW)
            sum += k->c[C_QUEUE_USED + kind].i64[q];
    return sum;
}

/* Bounds the sums of a node, a queue and the cluster: an import is accepted without regard to
 * free room. */
static int32_t check_import_totals(const struct columns *k, uint32_t node, uint32_t queue,
                                   uint32_t shape, int64_t gpu, lsched_error *err) {
    const int64_t most = LSCHED_AMOUNT_MAX - 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t amount = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[shape], used = 0;
        if (amount == 0) continue;
        int64_t held = k->c[C_NODE_CAP + r].i64[node] - k->c[C_NODE_FREE + r].i64[node];
        if (amount > most - held)
            return fail(err, LSCHED_E_RANGE, "with this task, what its node holds would pass 2^62");
        for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
            used = k->c[C_QUEUE_USED + r].i64[q];
            if (amount > most - used)
                return fail(err, LSCHED_E_RANGE,
                            "with this task, what a queue uses would pass 2^62");
        }
        if (used + amount > LSCHED_AMOUNT_MAX / table_live(k, T_QUEUE) &&
            amount > most - used_by_roots(k, r))
            return fail(err, LSCHED_E_RANGE, "with this task, what all queues use would pass 2^62");
    }
    return LSCHED_OK;
}

/* Handles an import that was asked to stop before the library knew it: the task runs, and is
 * evicted without a decision. */
static int32_t import_leaves(struct columns *k, uint32_t task, const lsched_task_import *m) {
    int64_t now = (int64_t)meta(k, M_NOW);
    struct evict_spec s = {.now = now, .release_at = m->release_us ? m->release_us : now};
    uint32_t releasing, decision;
    int32_t rc = task_evict(k, task, &s, &releasing, &decision);
    if (rc == LSCHED_OK) future_note(k, s.release_at);
    return rc;
}

/* True if all devices of the mask (an empty mask: any device of the node) can have an instance of
 * the shape's MIG profile. */
static int devices_have(const struct columns *k, uint32_t node, uint32_t shape, uint32_t mask) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], found = 0;
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0) return 1;
    for (uint32_t i = 0; i < n; i++) found |= (uint32_t)device_has_profile(k, node, i, shape) << i;
    return mask ? (mask & ~found) == 0 : found != 0;
}

/* Chooses the alternative of the group that matches the imported devices. Alternative 0 is also the
 * value of a caller that gives none. If the profile has another size on other models, the size that
 * the device has is chosen. */
static int32_t import_choose(const struct columns *k, uint32_t row, uint32_t bound_to,
                             uint32_t node, const lsched_task_import *m, uint32_t *alternative,
                             lsched_error *err) {
    uint32_t n = k->c[C_GROUP_N_ALTERNATIVES].u32[row];
    *alternative = m->alternative;
    if (*alternative >= n)
        return fail(err, LSCHED_E_RANGE, "alternative %u; the group has %u", *alternative, n);
    /* import_hold reports this */
    if (m->device_mask >> k->c[C_NODE_N_DEVICES].u8[node]) return LSCHED_OK;
    if (devices_have(k, node, group_alternative(k, row, *alternative), m->device_mask))
        return LSCHED_OK;
    for (uint32_t a = 1; a < n && m->alternative == 0; a++) {
        if (bound_to != NO_ROW && a != bound_to) continue;
        *alternative = a;
        if (devices_have(k, node, group_alternative(k, row, a), m->device_mask)) return LSCHED_OK;
    }
    *alternative = m->alternative;
    uint32_t name = k->c[C_SHAPE_PROFILE].u32[group_alternative(k, row, *alternative)];
    lsched_text profile = text_of(k, intern_text(k, T_STRING, name));
    if (m->device_mask)
        return fail(
            err, LSCHED_E_RANGE,
            "device mask %#x: not all of these devices have the MIG profile %.*s of the task",
            m->device_mask, (int)profile.len, profile.ptr);
    return fail(err, LSCHED_E_RANGE, "no device of the node has the MIG profile %.*s of the task",
                (int)profile.len, profile.ptr);
}

/* Determines the alternative; all running tasks of a group must have the same one. */
static int32_t import_alternative(const struct columns *k, uint32_t job, uint32_t group,
                                  uint32_t node, const lsched_task_import *m, uint32_t *alternative,
                                  uint32_t *shape, lsched_error *err) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], group), leaf = job_leaf(k, job, group);
    int bound = leaf != NO_ROW && (k->c[C_LEAF_PLACED].u32[leaf] || k->c[C_LEAF_LEAVING].u32[leaf]);
    uint32_t bound_to = bound ? k->c[C_LEAF_ALTERNATIVE].u8[leaf] : NO_ROW;
    int32_t rc = import_choose(k, row, bound_to, node, m, alternative, err);
    if (rc != LSCHED_OK) return rc;
    if (bound && *alternative != bound_to)
        return fail(err, LSCHED_E_STATE,
                    "alternative %u; tasks of the group that are placed already have %u",
                    *alternative, bound_to);
    *shape = group_alternative(k, row, *alternative);
    return LSCHED_OK;
}

/* Applies the consequences of an import for the job, and for nominations on the node and of the
 * task. */
static int32_t import_settle(struct columns *k, uint32_t task, const lsched_task_import *m) {
    uint32_t job = k->c[C_TASK_JOB].u32[task], node = k->c[C_TASK_NODE].u32[task];
    int64_t now = (int64_t)meta(k, M_NOW);
    int32_t rc = LSCHED_OK;
    if (m->state == LSCHED_TASK_RELEASING) rc = import_leaves(k, task, m);
    /* A job that has a place is not refused because of its duration: a refused job is put up for
     * admission again. */
    if (rc == LSCHED_OK && k->c[C_JOB_PHASE].u8[job] == JOB_REFUSED) job_ask_again(k, job);
    if (rc == LSCHED_OK) rc = job_settle_losses(k, job, now, NULL, NULL);
    if (rc == LSCHED_OK) rc = node_trim_nominations(k, node, now, NULL, NULL);
    /* A releasing import will end: nominations that wait for its room stay. */
    if (rc == LSCHED_OK && m->state != LSCHED_TASK_RELEASING)
        rc = task_trim_nominations(k, task, now, NULL, NULL);
    return rc;
}

static int32_t element_task_import(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_task_import m;
    uint32_t job = NO_ROW, node = NO_ROW, task = NO_ROW, decision;
    int32_t rc = arg_struct(&m, sizeof m, element, call->elem_size, "task import", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(m.reserved_zero, "reserved_zero", NULL, "task import", i, err);
    if (rc == LSCHED_OK) rc = arg_ref(k, m.job, m.job_name, LSCHED_KIND_JOB, &job, err);
    if (rc == LSCHED_OK) rc = arg_ref(k, m.node, m.node_name, LSCHED_KIND_NODE, &node, err);
    if (rc == LSCHED_OK)
        rc = find_task(k, id_make(k, LSCHED_KIND_JOB, job), m.task_index, &job, &task, err);
    if (rc != LSCHED_OK) return rc;
    uint8_t is = task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[task];
    if (releasing_find(k, job, m.task_index) != NO_ROW) is = LSCHED_TASK_RELEASING;
    if (is != LSCHED_TASK_NONE) return wrong_state(k, job, m.task_index, is, "be imported", err);
    if (m.state != 0 && m.state != LSCHED_TASK_RUNNING && m.state != LSCHED_TASK_RELEASING)
        return fail(err, LSCHED_E_INVAL, "import: state %u; expected running or releasing",
                    m.state);
    rc = arg_instant(m.start_us, "start_us", err);
    if (rc == LSCHED_OK) rc = arg_reported(k, m.start_us, "start_us", err);
    if (rc == LSCHED_OK) rc = arg_instant(m.release_us, "release_us", err);
    if (rc != LSCHED_OK) return rc;
    uint32_t group = job_group_of_task(k, job, m.task_index), shape = NO_ROW, alternative = 0;
    rc = import_alternative(k, job, group, node, &m, &alternative, &shape, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t excess = 0, q, kind;
    struct hold hold = {.starts = m.device_starts,
                        .mask = m.device_mask,
                        .nics = (uint16_t)m.nic_mask,
                        .numa = (uint8_t)m.numa_mask};
    int64_t left;
    rc = import_inside(k, node, &m, err);
    if (rc == LSCHED_OK) rc = import_hold(k, node, shape, &hold, &excess, err);
    int64_t gpu = rc == LSCHED_OK ? hold_milli(k, node, shape, &hold) : 0;
    if (rc == LSCHED_OK)
        rc = check_import_totals(k, node, k->c[C_JOB_QUEUE].u32[job], shape, gpu, err);
    if (rc != LSCHED_OK) return rc;
    excess |= !node_able(k, node, shape) || !node_fits_apart(k, node, shape);
    struct resource_part_limit limit;
    excess |= !queue_has_room(k, k->c[C_JOB_QUEUE].u32[job], shape, gpu, 1, &q, &kind, &left);
    excess |= !resource_part_has_room(k, k->c[C_JOB_QUEUE].u32[job], shape, node, &hold, &limit);
    hold.recut = 0; /* the MIG instance of the import exists already */
    struct place_spec p = {.job = job,
                           .group = group,
                           .node = node,
                           .alternative = (uint8_t)alternative,
                           .hold = hold,
                           .index = m.task_index,
                           .state = LSCHED_TASK_RUNNING,
                           .excess = (uint8_t)excess,
                           .now = m.start_us};
    rc = task_place(k, &p, &task, &decision);
    return rc == LSCHED_OK ? import_settle(k, task, &m) : rc;
}

static lsched_text task_import_name(const struct columns *k, const struct call *call, size_t i) {
    lsched_task_import d;
    if (arg_struct(&d, sizeof d, call_element(call, i), call->elem_size, "", NULL))
        return (lsched_text){NULL, 0};
    return d.job ? arg_name_of(k, d.job) : arg_text(d.job_name);
}

static const struct call_kind call_tasks_import = {.op = CALL_TASKS_IMPORT,
                                                   .apply = element_task_import,
                                                   .what = "job",
                                                   .name_of = task_import_name};

LSCHED_API int32_t lsched_tasks_import(lsched_cluster *c, const lsched_task_import *tasks, size_t n,
                                       size_t elem_size, int32_t *status, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    struct call call = {.kind = &call_tasks_import,
                        .n = n,
                        .elem_size = n ? arg_stride(tasks, elem_size) : 0,
                        .elements = tasks,
                        .status = status};
    return door_apply(c, &call, err);
}

/* ---- usage ---- */

static int32_t element_usage_report(struct lsched_cluster *c, const struct call *call, size_t i,
                                    const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_usage_sample s;
    uint32_t job = NO_ROW, task = NO_ROW;
    int32_t rc = arg_struct(&s, sizeof s, element, call->elem_size, "usage sample", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(s.reserved_zero, "reserved_zero", NULL, "usage sample", i, err);
    if (rc == LSCHED_OK) rc = find_task(k, s.job, s.task_index, &job, &task, err);
    if (rc != LSCHED_OK) return rc;
    uint8_t state = task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[task];
    if (!task_holds(state)) return wrong_state(k, job, s.task_index, state, "have usage", err);
    rc = arg_kind(k, s.kind, "usage sample", err);
    if (rc != LSCHED_OK) return rc;
    if (s.amount < 0 || s.amount > LSCHED_AMOUNT_MAX)
        return fail(err, LSCHED_E_RANGE, "usage sample: amount %lld", (long long)s.amount);
    rc = arg_time(s.at_us, "usage sample: at_us", err);
    if (rc == LSCHED_OK) rc = arg_reported(k, s.at_us, "usage sample: at_us", err);
    if (rc != LSCHED_OK) return rc;
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
        return fail(err, LSCHED_E_TIME, "usage sample: older than the one that is known");
    }
    set_i64(k, C_USAGE_AMOUNT, u, s.amount);
    set_i64(k, C_USAGE_AT, u, s.at_us);
    if (s.kind == LSCHED_GPU) usage_busy(k, task, u);
    return LSCHED_OK;
}

static lsched_text usage_sample_name(const struct columns *k, const struct call *call, size_t i) {
    lsched_usage_sample d;
    if (arg_struct(&d, sizeof d, call_element(call, i), call->elem_size, "", NULL))
        return (lsched_text){NULL, 0};
    return arg_name_of(k, d.job);
}

static const struct call_kind call_usage_report = {.op = CALL_USAGE_REPORT,
                                                   .apply = element_usage_report,
                                                   .what = "job",
                                                   .name_of = usage_sample_name};

LSCHED_API int32_t lsched_usage_report(lsched_cluster *c, const lsched_usage_sample *samples,
                                       size_t n, size_t elem_size, int32_t *status,
                                       lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    struct call call = {.kind = &call_usage_report,
                        .n = n,
                        .elem_size = n ? arg_stride(samples, elem_size) : 0,
                        .elements = samples,
                        .status = status};
    return door_apply(c, &call, err);
}

/* ---- settle ---- */

struct settling {
    struct id_set withdrawn, named;
    const lsched_text *reasons;
};

static lsched_text reason_of(const struct settling *y, size_t i) {
    lsched_text none = {NULL, 0};
    return y->reasons ? arg_text(y->reasons[i]) : none;
}

/* Records the refusals of all rejected decisions, before a rejection withdraws other decisions. The
 * recorded refusals therefore do not depend on the order of the batch. */
static int32_t note_refusals(struct columns *k, const struct call *call) {
    const struct settling *y = call->more;
    const lsched_id *ids = call->elements;
    const lsched_outcome *outcomes = call->second;
    for (size_t i = 0; i < call->n; i++) {
        uint32_t d;
        /* element_settle reports this */
        if (outcomes[i] != LSCHED_REJECTED ||
            arg_id(k, ids[i], LSCHED_KIND_DECISION, &d, NULL) != LSCHED_OK)
            continue;
        lsched_text reason = reason_of(y, i);
        if (reason.len > LIMIT_REFUSAL_REASON_BYTES) continue;
        if (!refusal_counts(k, d)) continue;
        int32_t rc = refusal_note(k, d, reason);
        if (rc != LSCHED_OK) return rc;
    }
    return undo_room(k);
}

static int32_t element_settle(struct lsched_cluster *c, const struct call *call, size_t i,
                              const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    struct settling *y = call->more;
    struct id_set *w = &y->withdrawn;
    lsched_id id = *(const lsched_id *)element;
    lsched_outcome how = ((const lsched_outcome *)call->second)[i];
    uint32_t d;
    if (how != LSCHED_CONFIRMED && how != LSCHED_REJECTED)
        return fail(err, LSCHED_E_INVAL, "outcome %d; expected confirmed or rejected", how);
    if (how == LSCHED_REJECTED && y->reasons && !y->reasons[i].ptr && y->reasons[i].len)
        return fail(err, LSCHED_E_NULL, "a reason has %llu bytes and no text",
                    (unsigned long long)y->reasons[i].len);
    if (how == LSCHED_REJECTED && reason_of(y, i).len > LIMIT_REFUSAL_REASON_BYTES)
        return fail(err, LSCHED_E_RANGE, "a reason of %llu bytes; expected at most %u",
                    (unsigned long long)reason_of(y, i).len, LIMIT_REFUSAL_REASON_BYTES);
    if (id_set_has(&y->named, id))
        return fail(err, LSCHED_E_STATE, "the decision is named twice in the batch: element %u too",
                    id_set_by(&y->named, id));
    y->named.element = w->element = (uint32_t)i;
    id_set_add(&y->named, id);
    if (y->named.failed) return LSCHED_E_NOMEM;
    int32_t rc = i == 0 ? note_refusals(k, call) : LSCHED_OK;
    if (rc != LSCHED_OK) return rc;
    rc = arg_id(k, id, LSCHED_KIND_DECISION, &d, err);
    /* an earlier element of the batch withdrew this decision */
    if (rc == LSCHED_E_STALE && how == LSCHED_REJECTED && id_set_has(w, id)) return LSCHED_OK;
    if (rc == LSCHED_E_STALE && id_set_has(w, id))
        return fail(err, LSCHED_E_STATE,
                    "withdrawn by element %u of this batch, which rejects a member of its gang; "
                    "ask REJECTED for it",
                    id_set_by(w, id));
    if (rc != LSCHED_OK) return rc;
    uint32_t task = k->c[C_DECISION_TASK].u32[d];
    if (how == LSCHED_CONFIRMED) {
        if (k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_PROPOSED)
            return fail(err, LSCHED_E_STATE, "the decision is confirmed already");
        task_confirm(k, task);
        return LSCHED_OK;
    }
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING ||
        k->c[C_DECISION_KIND].u8[d] == LSCHED_PAUSE ||
        k->c[C_DECISION_KIND].u8[d] == LSCHED_SUSPEND) {
        /* the orchestrator refused to stop the task: the task is not chosen again for a while */
        uint32_t cost = job_cost(k, k->c[C_TASK_JOB].u32[task]);
        if (cost == NO_ROW) return LSCHED_E_NOMEM;
        set_i64(k, C_COST_REFUSED_AT, cost, (int64_t)meta(k, M_NOW));
    }
    rc = decision_reject(k, d, (int64_t)meta(k, M_NOW), id_set_tell, w);
    return rc == LSCHED_OK && w->failed ? LSCHED_E_NOMEM : rc;
}

static const struct call_kind call_settle = {.op = CALL_SETTLE, .apply = element_settle};

LSCHED_API int32_t lsched_settle(lsched_cluster *c, const lsched_id *decisions,
                                 const lsched_outcome *outcomes, size_t n,
                                 lsched_settle_report *report, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || (n && !outcomes)) return fail(err, LSCHED_E_NULL, "cluster or outcomes is NULL");
    lsched_settle_report r = LSCHED_SETTLE_REPORT_INIT;
    if (report) {
        rc = arg_struct(&r, sizeof r, report, 0, "settle report", err);
        if (rc == LSCHED_OK)
            rc = arg_reserved(r.reserved_zero, "reserved_zero", "settle report", err);
        if (rc != LSCHED_OK) return rc;
        if (r.withdrawn_capacity && !r.withdrawn)
            return fail(err, LSCHED_E_NULL, "the settle report has a capacity and no array");
    }
    struct settling y = {.reasons = r.reasons};
    struct id_set *w = &y.withdrawn;
    id_set_init(w, &c->alloc);
    id_set_init(&y.named, &c->alloc);
    struct call call = {.kind = &call_settle,
                        .n = n,
                        .elem_size = sizeof *decisions,
                        .elements = decisions,
                        .second = outcomes,
                        .status = r.status,
                        .more = &y};
    rc = door_apply(c, &call, err);
    if (rc >= 0 && report) {
        r.n_withdrawn = 0;
        /* Decisions that the orchestrator rejected itself are not reported as withdrawn. A
         * confirmed decision that a later element withdrew is reported. */
        for (size_t i = 0; i < n; i++)
            if (outcomes[i] == LSCHED_REJECTED) id_set_forget(w, decisions[i]);
        for (size_t i = 0; i < w->n; i++) {
            if (w->ids[i] == 0) continue;
            if (r.n_withdrawn < r.withdrawn_capacity) r.withdrawn[r.n_withdrawn] = w->ids[i];
            r.n_withdrawn++;
        }
        arg_out(report, &r, (uint32_t)sizeof r);
    }
    id_set_close(w);
    id_set_close(&y.named);
    return rc < 0 ? rc : LSCHED_OK;
}

/* api_tasks.c -- calls about tasks: reports of events, imports, reports of usage, and settling.
 * docs/semantics.md 4 to 6 has the tables of task states. */
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
#include "model/jobs/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/task_row.h"
#include "model/jobs/losses.h"
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/decision_reject.h"
#include "model/jobs/job.h"

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

/* Is called after a task of the job has become done. If all tasks of the job are done, removes
 * the job. Otherwise applies the gang rule to the job. */
static int32_t task_is_done(struct columns *k, uint32_t job) {
    if (job_count(k, job).done < k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]])
        return job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
    int32_t rc = tasks_drop_all(k, job, NULL, NULL);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) job_remove(k, job);
    return rc;
}

/* Handles the end of an evicted task. ended: 1 if the task had completed its work before it was
 * stopped, 0 if it was stopped by the eviction. */
static int32_t task_left(struct columns *k, uint32_t job, uint32_t task, uint32_t releasing,
                         int ended) {
    int32_t rc = releasing_end(k, releasing);
    if (rc != LSCHED_OK) return rc;
    if (!ended) return job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    if (state != LSCHED_TASK_NONE) { /* the task was placed or nominated again in the meantime */
        task_release(k, task, LSCHED_TASK_DONE);
        return task_is_done(k, job);
    }
    task_end_waiting(k, task);
    return task_is_done(k, job);
}

static int32_t task_ended(struct columns *k, uint32_t job, uint32_t task) {
    queue_news(k, k->c[C_JOB_QUEUE].u32[job]);
    task_release(k, task, LSCHED_TASK_DONE);
    return task_is_done(k, job);
}

static int32_t task_failed(struct columns *k, uint32_t job, uint32_t task, int64_t at,
                           int64_t now) {
    int32_t rc =
        retry_failed(k, job, k->c[C_TASK_NODE].u32[task], k->c[C_TASK_START].i64[task], at);
    if (rc != LSCHED_OK) return rc;
    queue_news(k, k->c[C_JOB_QUEUE].u32[job]);
    task_release(k, task, LSCHED_TASK_NONE);
    return job_settle_losses(k, job, at > now ? at : now, NULL, NULL);
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
    if (rc == LSCHED_OK) rc = arg_task(k, e.job, e.task_index, &job, &task, err);
    if (rc != LSCHED_OK) return rc;
    uint8_t state = task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[task];
    int64_t now = (int64_t)meta(k, M_NOW), at = e.at_us ? e.at_us : now;
    if (at > now) set_meta(k, M_NOW, (uint64_t)at);
    uint32_t releasing = releasing_find(k, job, e.task_index);
    if (releasing != NO_ROW && (e.event == LSCHED_EVENT_ENDED || e.event == LSCHED_EVENT_FAILED))
        return task_left(k, job, task, releasing, e.event == LSCHED_EVENT_ENDED);
    static const struct {
        uint8_t least, most; /* lowest and highest state of a task in which the event is allowed */
        const char *what;
    } events[] = {[LSCHED_EVENT_STARTED] = {LSCHED_TASK_PROPOSED, LSCHED_TASK_CONFIRMED, "start"},
                  [LSCHED_EVENT_ENDED] = {LSCHED_TASK_CONFIRMED, LSCHED_TASK_RELEASING, "end"},
                  [LSCHED_EVENT_FAILED] = {LSCHED_TASK_CONFIRMED, LSCHED_TASK_RELEASING, "fail"}};
    if (e.event >= sizeof events / sizeof *events || !events[e.event].what)
        return fail(err, LSCHED_E_INVAL, "task event %u; expected LSCHED_EVENT_*", e.event);
    if (state < events[e.event].least || state > events[e.event].most)
        return wrong_state(k, job, e.task_index, state, events[e.event].what, err);
    if (e.event == LSCHED_EVENT_FAILED) return task_failed(k, job, task, at, now);
    if (e.event == LSCHED_EVENT_ENDED) return task_ended(k, job, task);
    task_start(k, task, at);
    return LSCHED_OK;
}

static const struct call_kind call_tasks_report = {.op = CALL_TASKS_REPORT,
                                                   .apply = element_task_report,
                                                   .what = "job",
                                                   .struct_size = sizeof(lsched_task_event),
                                                   .id_at = offsetof(lsched_task_event, job)};

LSCHED_API int32_t lsched_tasks_report(lsched_cluster *c, const lsched_task_event *events, size_t n,
                                       size_t elem_size, int32_t *status, lsched_error *err) {
    return door_batch(c, &call_tasks_report, events, n, elem_size, NULL, status, err);
}

/* ---- import ---- */

/* True if the device is in mode mig and its MIG table has the profile of the shape. */
static int device_has_profile(const struct columns *k, uint32_t node, uint32_t i, uint32_t shape) {
    const struct mig_table *t = device_mig_table(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + i);
    return t && device_mig_profile(k, t, shape) != MIG_NONE;
}

/* Chooses `need` devices for an imported task for which no devices have room: those with the most
 * free milli-GPUs. A choice is necessary, because the task runs on the node in any case. */
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
        return fail(err, LSCHED_E_RANGE, "NUMA mask %#x: only %u NUMA nodes of the node are known",
                    m->numa_mask, numa);
    if (m->nic_mask >> nics)
        return fail(err, LSCHED_E_RANGE,
                    "network card mask %#x: only %u network cards of the node are known",
                    m->nic_mask, nics);
    return LSCHED_OK;
}

/* Checks hold->starts: only MIG devices of the task can have a first slice, and an instance of
 * the task's profile must be able to begin at that slice. */
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
                        "device starts: slice %u is given for device %u, but the task has no MIG "
                        "instance there",
                        start, i);
        if (p != MIG_NONE && !(t->profiles[p].starts >> start & 1))
            return fail(err, LSCHED_E_INVAL,
                        "device starts: MIG profile %s cannot begin at slice %u of device %u",
                        t->profiles[p].name, start, i);
    }
    return LSCHED_OK;
}

/* Determines the hold of an imported task: the devices that the import names; if it names none,
 * devices with room; if there are none, the devices with the most free milli-GPUs. Sets *excess
 * if the hold exceeds the free amounts of the node. */
static int32_t import_hold(const struct columns *k, uint32_t node, uint32_t shape,
                           struct hold *hold, uint32_t *excess, lsched_error *err) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape], n = k->c[C_NODE_N_DEVICES].u8[node];
    if (hold->mask >> n)
        return fail(err, LSCHED_E_RANGE,
                    "device mask %#x: it names devices that do not exist; the node has %u devices",
                    hold->mask, n);
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
                    "the task has %u devices, but the node has only %u; name a node that can run "
                    "the task",
                    need, n);
    *excess = 1;
    memset(hold, 0, sizeof *hold);
    hold->mask = freest(k, node, shape, need);
    if ((uint32_t)__builtin_popcount(hold->mask) < need)
        return fail(err, LSCHED_E_RANGE,
                    "the task has %u devices, but only %d devices of the node have its MIG "
                    "profile",
                    need, __builtin_popcount(hold->mask));
    return LSCHED_OK;
}

/* Returns the sum of the use of all root queues, by reading all queues. The caller needs the sum
 * only if a root queue uses more than 2^62 / (number of queues), which does not happen in real
 * clusters. */
static int64_t used_by_roots(const struct columns *k, uint32_t kind) {
    int64_t sum = 0;
    steps_add(k, table_rows(k, T_QUEUE));
    EACH_LIVE(k, T_QUEUE, q)
        if (k->c[C_QUEUE_PARENT].u32[q] == NO_ROW) sum += k->c[C_QUEUE_USED + kind].i64[q];
    return sum;
}

/* Checks that the sums of amounts of the node, the queue and the cluster do not overflow. This is
 * necessary because an import is accepted even if there is no free room. */
static int32_t check_import_totals(const struct columns *k, uint32_t node, uint32_t queue,
                                   uint32_t shape, int64_t gpu, lsched_error *err) {
    const int64_t most = LSCHED_AMOUNT_MAX - 1;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t amount = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[shape], used = 0;
        if (amount == 0) continue;
        int64_t held = k->c[C_NODE_CAP + r].i64[node] - k->c[C_NODE_FREE + r].i64[node];
        if (amount > most - held)
            return fail(
                err, LSCHED_E_RANGE,
                "with this task, the amounts that tasks hold on its node would exceed 2^62");
        for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
            used = k->c[C_QUEUE_USED + r].i64[q];
            if (amount > most - used)
                return fail(err, LSCHED_E_RANGE,
                            "with this task, the use of a queue would exceed 2^62");
        }
        if (used + amount > LSCHED_AMOUNT_MAX / table_live(k, T_QUEUE) &&
            amount > most - used_by_roots(k, r))
            return fail(err, LSCHED_E_RANGE,
                        "with this task, the use of all queues together would exceed 2^62");
    }
    return LSCHED_OK;
}

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

/* True if each device of the mask can have an instance of the shape's MIG profile. If the mask is
 * empty: true if any device of the node can. */
static int devices_have(const struct columns *k, uint32_t node, uint32_t shape, uint32_t mask) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], found = 0;
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0) return 1;
    for (uint32_t i = 0; i < n; i++) found |= (uint32_t)device_has_profile(k, node, i, shape) << i;
    return mask ? (mask & ~found) == 0 : found != 0;
}

/* Sets *alternative to the shape alternative of the group that matches the imported devices. If
 * the import names alternative 0, which is also the default, another alternative can be chosen:
 * if a MIG profile has different sizes on different models, each size is an alternative, and the
 * one with the size of the devices is chosen. */
static int32_t import_choose(const struct columns *k, uint32_t row, uint32_t bound_to,
                             uint32_t node, const lsched_task_import *m, uint32_t *alternative,
                             lsched_error *err) {
    uint32_t n = k->c[C_GROUP_N_ALTERNATIVES].u32[row];
    *alternative = m->alternative;
    if (*alternative >= n)
        return fail(err, LSCHED_E_RANGE, "alternative %u; the group has %u", *alternative, n);
    /* import_hold() reports this error */
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

/* Determines the alternative and the task shape of an import. All placed tasks of a group must
 * have the same alternative. */
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
                    "alternative %u is given, but placed tasks of the same group have "
                    "alternative %u",
                    *alternative, bound_to);
    *shape = group_alternative(k, row, *alternative);
    return LSCHED_OK;
}

/* Applies the consequences of an import: to the job, and to nominations that lose their room or
 * that anti-affinity to the task forbids. */
static int32_t import_settle(struct columns *k, uint32_t task, const lsched_task_import *m) {
    uint32_t job = k->c[C_TASK_JOB].u32[task], node = k->c[C_TASK_NODE].u32[task];
    int64_t now = (int64_t)meta(k, M_NOW);
    int32_t rc = LSCHED_OK;
    if (m->state == LSCHED_TASK_RELEASING) rc = import_leaves(k, task, m);
    /* The library does not refuse a job with a running task because of its duration. Therefore the
     * next cycle decides again whether a refused job is admitted. */
    if (rc == LSCHED_OK && k->c[C_JOB_PHASE].u8[job] == JOB_REFUSED) job_ask_again(k, job);
    if (rc == LSCHED_OK) rc = job_settle_losses(k, job, now, NULL, NULL);
    if (rc == LSCHED_OK) rc = node_trim_nominations(k, node, now, NULL, NULL);
    /* A releasing task will be gone, so nominations that anti-affinity to it forbids now can
     * stay. */
    if (rc == LSCHED_OK && m->state != LSCHED_TASK_RELEASING)
        rc = task_trim_nominations(k, task, now, NULL, NULL);
    return rc;
}

/* Finds the job and the node of an import, and checks that the task is not placed yet. */
static int32_t import_find(const struct columns *k, const lsched_task_import *m, uint32_t *job,
                           uint32_t *node, lsched_error *err) {
    uint32_t task = NO_ROW;
    int32_t rc = arg_ref(k, m->job, m->job_name, LSCHED_KIND_JOB, job, err);
    if (rc == LSCHED_OK) rc = arg_ref(k, m->node, m->node_name, LSCHED_KIND_NODE, node, err);
    if (rc == LSCHED_OK)
        rc = arg_task(k, id_make(k, LSCHED_KIND_JOB, *job), m->task_index, job, &task, err);
    if (rc != LSCHED_OK) return rc;
    uint8_t is = task == NO_ROW ? LSCHED_TASK_NONE : k->c[C_TASK_STATE].u8[task];
    if (releasing_find(k, *job, m->task_index) != NO_ROW) is = LSCHED_TASK_RELEASING;
    if (is != LSCHED_TASK_NONE) return wrong_state(k, *job, m->task_index, is, "be imported", err);
    if (m->state != 0 && m->state != LSCHED_TASK_RUNNING && m->state != LSCHED_TASK_RELEASING)
        return fail(err, LSCHED_E_INVAL, "import: state %u; expected running or releasing",
                    m->state);
    rc = arg_instant(m->start_us, "start_us", err);
    if (rc == LSCHED_OK) rc = arg_reported(k, m->start_us, "start_us", err);
    return rc == LSCHED_OK ? arg_instant(m->release_us, "release_us", err) : rc;
}

/* True if the imported task needs more than its node has free, or more than the limits of its
 * queue or of a resource part leave. */
static int import_exceeds(const struct columns *k, uint32_t job, uint32_t node, uint32_t shape,
                          int64_t gpu, const struct hold *hold) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], limiting, kind;
    int64_t left;
    struct resource_part_limit limit;
    return !node_able(k, node, shape) || !node_fits_apart(k, node, shape) ||
           !queue_has_room(k, queue, shape, gpu, 1, &limiting, &kind, &left) ||
           !resource_part_has_room(k, queue, shape, node, hold, &limit);
}

static int32_t element_task_import(struct lsched_cluster *c, const struct call *call, size_t i,
                                   const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_task_import m;
    uint32_t job = NO_ROW, node = NO_ROW, task = NO_ROW, decision;
    int32_t rc = arg_struct(&m, sizeof m, element, call->elem_size, "task import", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(m.reserved_zero, "reserved_zero", NULL, "task import", i, err);
    if (rc == LSCHED_OK) rc = import_find(k, &m, &job, &node, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t group = job_group_of_task(k, job, m.task_index), shape = NO_ROW, alternative = 0;
    rc = import_alternative(k, job, group, node, &m, &alternative, &shape, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t excess = 0;
    struct hold hold = {.starts = m.device_starts,
                        .mask = m.device_mask,
                        .nics = (uint16_t)m.nic_mask,
                        .numa = (uint8_t)m.numa_mask};
    rc = import_inside(k, node, &m, err);
    if (rc == LSCHED_OK) rc = import_hold(k, node, shape, &hold, &excess, err);
    int64_t gpu = rc == LSCHED_OK ? hold_milli(k, node, shape, &hold) : 0;
    if (rc == LSCHED_OK)
        rc = check_import_totals(k, node, k->c[C_JOB_QUEUE].u32[job], shape, gpu, err);
    if (rc != LSCHED_OK) return rc;
    excess |= (uint32_t)import_exceeds(k, job, node, shape, gpu, &hold);
    hold.recut = 0; /* the MIG instances of an imported task exist already */
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

static const struct call_kind call_tasks_import = {.op = CALL_TASKS_IMPORT,
                                                   .apply = element_task_import,
                                                   .what = "job",
                                                   .struct_size = sizeof(lsched_task_import),
                                                   .name_at =
                                                       offsetof(lsched_task_import, job_name),
                                                   .id_at = offsetof(lsched_task_import, job)};

LSCHED_API int32_t lsched_tasks_import(lsched_cluster *c, const lsched_task_import *tasks, size_t n,
                                       size_t elem_size, int32_t *status, lsched_error *err) {
    return door_batch(c, &call_tasks_import, tasks, n, elem_size, NULL, status, err);
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
    if (rc == LSCHED_OK) rc = arg_task(k, s.job, s.task_index, &job, &task, err);
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
                                       size_t n, size_t elem_size, int32_t *status,
                                       lsched_error *err) {
    return door_batch(c, &call_usage_report, samples, n, elem_size, NULL, status, err);
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

/* Records the refusals of all rejected decisions of the batch, before any of the rejections
 * withdraws other decisions. Therefore the recorded refusals do not depend on the order of the
 * batch. */
static int32_t note_refusals(struct columns *k, const struct call *call) {
    const struct settling *y = call->more;
    const lsched_id *ids = call->elements;
    const lsched_outcome *outcomes = call->second;
    for (size_t i = 0; i < call->n; i++) {
        uint32_t d;
        /* element_settle() reports these errors */
        if (outcomes[i] != LSCHED_OUTCOME_REJECTED ||
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

/* Checks outcome i of a batch and its reason, and that no earlier element of the batch names the
 * same decision. */
static int32_t settle_check(struct settling *y, lsched_id id, lsched_outcome how, size_t i,
                            lsched_error *err) {
    if (how != LSCHED_OUTCOME_CONFIRMED && how != LSCHED_OUTCOME_REJECTED)
        return fail(err, LSCHED_E_INVAL, "outcome %d; expected confirmed or rejected", how);
    if (how == LSCHED_OUTCOME_REJECTED && y->reasons && !y->reasons[i].ptr && y->reasons[i].len)
        return fail(err, LSCHED_E_NULL,
                    "the length of a reason is %llu bytes, but its text is NULL",
                    (unsigned long long)y->reasons[i].len);
    if (how == LSCHED_OUTCOME_REJECTED && reason_of(y, i).len > LIMIT_REFUSAL_REASON_BYTES)
        return fail(err, LSCHED_E_RANGE, "a reason has %llu bytes; expected at most %u",
                    (unsigned long long)reason_of(y, i).len, LIMIT_REFUSAL_REASON_BYTES);
    if (id_set_has(&y->named, id))
        return fail(err, LSCHED_E_STATE,
                    "the decision occurs twice in the batch: also as element %u",
                    id_set_by(&y->named, id));
    y->named.element = y->withdrawn.element = (uint32_t)i;
    id_set_add(&y->named, id);
    return y->named.failed ? LSCHED_E_NOMEM : LSCHED_OK;
}

static int32_t settle_confirmation(struct columns *k, uint32_t d, lsched_error *err) {
    if (k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_PROPOSED)
        return fail(err, LSCHED_E_STATE, "the decision is confirmed already");
    task_confirm(k, k->c[C_DECISION_TASK].u32[d]);
    return LSCHED_OK;
}

static int32_t settle_rejection(struct columns *k, uint32_t d, struct id_set *withdrawn) {
    uint32_t task = k->c[C_DECISION_TASK].u32[d], kind = k->c[C_DECISION_KIND].u8[d];
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING || kind == LSCHED_DECIDE_PAUSE ||
        kind == LSCHED_DECIDE_SUSPEND) {
        /* the orchestrator refused to stop the task, so the task is not chosen again for a grace
         * time */
        uint32_t cost = job_cost(k, k->c[C_TASK_JOB].u32[task]);
        if (cost == NO_ROW) return LSCHED_E_NOMEM;
        set_i64(k, C_COST_REFUSED_AT, cost, (int64_t)meta(k, M_NOW));
    }
    int32_t rc = decision_reject(k, d, (int64_t)meta(k, M_NOW), id_set_tell, withdrawn);
    return rc == LSCHED_OK && withdrawn->failed ? LSCHED_E_NOMEM : rc;
}

static int32_t element_settle(struct lsched_cluster *c, const struct call *call, size_t i,
                              const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    struct settling *y = call->more;
    struct id_set *w = &y->withdrawn;
    lsched_id id = *(const lsched_id *)element;
    lsched_outcome how = ((const lsched_outcome *)call->second)[i];
    uint32_t d;
    int32_t rc = settle_check(y, id, how, i, err);
    if (rc == LSCHED_OK && i == 0) rc = note_refusals(k, call);
    if (rc != LSCHED_OK) return rc;
    rc = arg_id(k, id, LSCHED_KIND_DECISION, &d, err);
    /* an earlier element of the batch withdrew this decision */
    if (rc == LSCHED_E_STALE && how == LSCHED_OUTCOME_REJECTED && id_set_has(w, id))
        return LSCHED_OK;
    if (rc == LSCHED_E_STALE && id_set_has(w, id))
        return fail(err, LSCHED_E_STATE,
                    "element %u of this batch rejects a member of the same gang, which withdraws "
                    "this decision; report REJECTED for it, too",
                    id_set_by(w, id));
    if (rc != LSCHED_OK) return rc;
    return how == LSCHED_OUTCOME_CONFIRMED ? settle_confirmation(k, d, err)
                                           : settle_rejection(k, d, w);
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
            return fail(err, LSCHED_E_NULL, "the settle report has a capacity, but no array");
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
        /* Decisions that the batch itself rejects are not reported as withdrawn. A decision that
         * one element confirms and the rejection of a later element withdraws is reported. */
        for (size_t i = 0; i < n; i++)
            if (outcomes[i] == LSCHED_OUTCOME_REJECTED) id_set_forget(w, decisions[i]);
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

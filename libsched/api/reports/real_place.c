/* real_place.c -- see real_place.h. */
#include "api/reports/real_place.h"

#include "base/text_out.h"
#include "model/devices/device_mig.h"
#include "model/devices/device_select.h"
#include "model/jobs/job.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/losses.h"
#include "model/jobs/nominated_tasks.h"
#include "api/reports/proposed_tasks.h"
#include "model/jobs/releasing.h"
#include "model/jobs/task.h"
#include "model/jobs/task_row.h"
#include "model/machine/machine.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"

/* ---- the place that the orchestrator names ---- */

/* True if the device is in mode mig and its MIG table has the profile of the shape. */
static int device_has_profile(const struct columns *k, uint32_t node, uint32_t i, uint32_t shape) {
    const struct mig_table *t = device_mig_table(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + i);
    return t && device_mig_profile(k, t, shape) != MIG_NONE;
}

/* Returns by what a device is chosen for a running task: closed devices come last. */
static int32_t freeness(const struct columns *k, uint32_t device) {
    return device_is_closed(k, device) ? -1 : k->c[C_DEVICE_FREE_MILLI].u16[device];
}

/* Chooses `need` devices for a running task for which no devices have room: those with the most
 * free milli-GPUs. A choice is necessary, because the task runs on the node in any case. */
static device_set freest(const struct columns *k, uint32_t node, uint32_t shape, uint32_t need) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    device_set mask = 0;
    for (; need > 0; need--) {
        uint32_t best = NO_ROW;
        for (uint32_t i = 0; i < n; i++) {
            if (device_set_has(mask, i)) continue;
            if (k->c[C_SHAPE_MIG_SLICES].u8[shape] && !device_has_profile(k, node, i, shape))
                continue;
            if (best == NO_ROW || freeness(k, first + i) > freeness(k, first + best)) best = i;
        }
        if (best == NO_ROW) break; /* the node has fewer usable devices than the task needs */
        mask |= device_set_bit(best);
    }
    return mask;
}

/* Checks that the NUMA nodes and network cards that the orchestrator names exist. */
static int32_t real_place_inside(const struct columns *k, uint32_t node, const struct real_place *p,
                                 lsched_error *err) {
    uint32_t machine = node_machine(k, node), numa = 0, nics = 0;
    if (machine != NO_ROW) {
        numa = k->c[C_MACHINE_N_NUMA].u8[machine];
        nics = k->c[C_MACHINE_N_NICS].u8[machine];
    }
    if (p->numa_mask >> numa)
        return fail(err, LSCHED_E_RANGE, "NUMA mask %#x: only %s of the node are known",
                    p->numa_mask, counted(numa, "NUMA node").text);
    if (p->nic_mask >> nics)
        return fail(err, LSCHED_E_RANGE, "network card mask %#x: only %s of the node are known",
                    p->nic_mask, counted(nics, "network card").text);
    return LSCHED_OK;
}

/* Checks hold->starts: only MIG devices of the task can have a first slice, and an instance of
 * the task's profile must be able to begin at that slice. */
static int32_t real_place_starts(const struct columns *k, uint32_t node, uint32_t shape,
                                 const struct hold *hold, lsched_error *err) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < LSCHED_DEVICES_PER_NODE_MAX; i++) {
        uint32_t start = hold_start(hold, i), p = MIG_NONE;
        const struct mig_table *t = NULL;
        if (device_set_has(hold->mask, i)) t = device_mig_table(k, first + i);
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

/* Determines the hold of the task: the devices that the orchestrator names; if it names none,
 * devices with room; if there are none, the devices with the most free milli-GPUs. */
static int32_t real_place_hold(const struct columns *k, uint32_t node, uint32_t shape,
                               struct hold *hold, lsched_error *err) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape], n = k->c[C_NODE_N_DEVICES].u8[node];
    if (hold->mask & ~device_set_below(n))
        return arg_devices_refuse(hold->mask, n, "the real place", err);
    int is_named = hold->numa || hold->nics;
    if (hold->mask || (need == 0 && is_named)) {
        if (device_set_count(hold->mask) != need)
            return fail(err, LSCHED_E_RANGE, "the place names %s (%s); the task has %u",
                        counted(device_set_count(hold->mask), "device").text,
                        device_set_list(hold->mask).text, need);
        struct hold named = *hold;
        int32_t rc = real_place_starts(k, node, shape, hold, err);
        if (rc != LSCHED_OK) return rc;
        if (!is_named && !device_select_rest(k, node, shape, DEVICE_NOW, hold)) *hold = named;
        hold->starts = named.starts;
        return LSCHED_OK;
    }
    if (device_select(k, node, shape, DEVICE_NOW, NULL, hold)) return LSCHED_OK;
    if (need > n)
        return fail(err, LSCHED_E_RANGE,
                    "the task has %s, but the node has only %u; name a node that can run the task",
                    counted(need, "device").text, n);
    memset(hold, 0, sizeof *hold);
    hold->mask = freest(k, node, shape, need);
    if (device_set_count(hold->mask) < need)
        return fail(
            err, LSCHED_E_RANGE, "the task has %s, but only %s of the node have its MIG profile",
            counted(need, "device").text, counted(device_set_count(hold->mask), "device").text);
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
 * necessary because a running task is accepted even if there is no free room. */
static int32_t real_place_totals(const struct columns *k, uint32_t node, uint32_t queue,
                                 uint32_t shape, int64_t gpu, lsched_error *err) {
    const int64_t most = QUEUE_USED_MOST;
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
    if (!shape_n_supplies(k, shape)) return LSCHED_OK;
    const struct supply_need *needs = shape_supplies(k, shape);
    for (uint32_t i = 0; i < shape_n_supplies(k, shape); i++)
        if (needs[i].amount >
            most - k->c[C_PLACE_USED].i64[k->c[C_SUPPLY_ROOT].u32[needs[i].supply]])
            return fail(err, LSCHED_E_RANGE,
                        "with this task, the use of a supply would exceed 2^62");
    return LSCHED_OK;
}

/* True if each device of the mask can have an instance of the shape's MIG profile. If the mask is
 * empty: true if any device of the node can. */
static int devices_have(const struct columns *k, uint32_t node, uint32_t shape, device_set mask) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node];
    device_set found = 0;
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0) return 1;
    for (uint32_t i = 0; i < n; i++)
        if (device_has_profile(k, node, i, shape)) found |= device_set_bit(i);
    return mask ? (mask & ~found) == 0 : found != 0;
}

/* Sets *alternative to the shape alternative of the group that matches the real devices. If the
 * orchestrator names alternative 0, which is also the default, another one can be chosen: if a MIG
 * profile has different sizes on different models, each size is an alternative, and the
 * one with the size of the devices is chosen. */
static int32_t real_place_choose(const struct columns *k, uint32_t row, uint32_t bound_to,
                                 const struct real_place *p, uint32_t *alternative,
                                 lsched_error *err) {
    uint32_t node = p->node;
    uint32_t n = k->c[C_GROUP_N_ALTERNATIVES].u32[row];
    *alternative = p->alternative;
    if (*alternative >= n)
        return fail(err, LSCHED_E_RANGE, "alternative %u; the group has %u", *alternative, n);
    /* real_place_hold() reports this error */
    if (p->devices & ~device_set_below(k->c[C_NODE_N_DEVICES].u8[node])) return LSCHED_OK;
    if (devices_have(k, node, group_alternative(k, row, *alternative), p->devices))
        return LSCHED_OK;
    for (uint32_t a = 1; a < n && p->alternative == 0; a++) {
        if (bound_to != NO_ROW && a != bound_to) continue;
        *alternative = a;
        if (devices_have(k, node, group_alternative(k, row, a), p->devices)) return LSCHED_OK;
    }
    *alternative = p->alternative;
    uint32_t name = k->c[C_SHAPE_PROFILE].u32[group_alternative(k, row, *alternative)];
    lsched_text profile = text_of(k, intern_text(k, T_STRING, name));
    if (p->devices)
        return fail(err, LSCHED_E_RANGE,
                    "not all of devices %s have the MIG profile %.*s of the task",
                    device_set_list(p->devices).text, (int)profile.len, profile.ptr);
    return fail(err, LSCHED_E_RANGE, "no device of the node has the MIG profile %.*s of the task",
                (int)profile.len, profile.ptr);
}

/* Determines the alternative and the task shape. All placed tasks of a group must
 * have the same alternative. */
static int32_t real_place_alternative(const struct columns *k, uint32_t group,
                                      const struct real_place *p, uint32_t *alternative,
                                      uint32_t *shape, lsched_error *err) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[p->job], group),
             leaf = job_leaf(k, p->job, group);
    int bound = leaf != NO_ROW && (k->c[C_LEAF_PLACED].u32[leaf] || k->c[C_LEAF_LEAVING].u32[leaf]);
    uint32_t bound_to = bound ? k->c[C_LEAF_ALTERNATIVE].u8[leaf] : NO_ROW;
    int32_t rc = real_place_choose(k, row, bound_to, p, alternative, err);
    if (rc != LSCHED_OK) return rc;
    if (bound && *alternative != bound_to)
        return fail(err, LSCHED_E_STATE,
                    "alternative %u is given, but placed tasks of the same group have "
                    "alternative %u",
                    *alternative, bound_to);
    *shape = group_alternative(k, row, *alternative);
    return LSCHED_OK;
}

/* True if the task needs more than its node has free, or more than the limits of its
 * queue or of a resource part leave. */
static int real_place_exceeds(const struct columns *k, uint32_t job, uint32_t node, uint32_t shape,
                              int64_t gpu, const struct hold *hold) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], limiting, kind;
    int64_t left;
    struct resource_part_limit limit;
    return !node_able(k, node, shape) || !node_fits_apart(k, node, shape) ||
           !queue_has_room(k, queue, shape, gpu, 1, &limiting, &kind, &left) ||
           !resource_part_has_room(k, queue, shape, node, hold, &limit);
}

/* ---- booking ---- */

int32_t real_place_book(struct columns *k, const struct real_place *p, uint32_t *task,
                        lsched_error *err) {
    uint32_t group = job_group_of_task(k, p->job, p->index), node = p->node, shape = NO_ROW,
             alternative = 0, decision;
    struct hold hold = {.starts = p->device_starts,
                        .mask = p->devices,
                        .nics = (uint16_t)p->nic_mask,
                        .numa = (uint8_t)p->numa_mask};
    int32_t rc = real_place_alternative(k, group, p, &alternative, &shape, err);
    if (rc == LSCHED_OK) rc = real_place_inside(k, node, p, err);
    if (rc == LSCHED_OK) rc = real_place_hold(k, node, shape, &hold, err);
    if (rc != LSCHED_OK) return rc;
    int64_t gpu = hold_milli(k, node, shape, &hold);
    rc = real_place_totals(k, node, k->c[C_JOB_QUEUE].u32[p->job], shape, gpu, err);
    if (rc == LSCHED_OK)
        rc = node_trim_proposals(k, node, shape, &hold, (int64_t)meta(k, M_NOW), NULL, NULL);
    if (rc != LSCHED_OK) return rc;
    int excess = !device_select_allows(k, node, shape, DEVICE_NOW, &hold) ||
                 real_place_exceeds(k, p->job, node, shape, gpu, &hold);
    hold.recut = 0; /* the MIG instances of a running task exist already */
    struct place_spec s = {.job = p->job,
                           .group = group,
                           .node = node,
                           .alternative = (uint8_t)alternative,
                           .hold = hold,
                           .index = p->index,
                           .state = LSCHED_TASK_RUNNING,
                           .excess = (uint8_t)excess,
                           .now = p->start_us,
                           .since = p->since_us};
    return task_place(k, &s, task, &decision);
}

int32_t real_place_settle(struct columns *k, const struct real_place *p, uint32_t task,
                          int leaves) {
    uint32_t job = p->job;
    int64_t now = (int64_t)meta(k, M_NOW);
    /* The library does not refuse a job with a running task because of its duration. Therefore the
     * next cycle decides again whether a refused job is admitted. */
    if (k->c[C_JOB_PHASE].u8[job] == JOB_REFUSED) job_ask_again(k, job);
    int32_t rc = job_settle_losses(k, job, now, NULL, NULL);
    if (rc == LSCHED_OK) rc = node_trim_nominations(k, p->node, now, NULL, NULL);
    /* A releasing task will be gone, so nominations that anti-affinity to it forbids now can
     * stay. */
    if (rc == LSCHED_OK && !leaves) rc = task_trim_nominations(k, task, now, NULL, NULL);
    return rc;
}

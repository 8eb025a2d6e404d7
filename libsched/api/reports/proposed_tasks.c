/* proposed_tasks.c -- see proposed_tasks.h. */
#include "api/reports/proposed_tasks.h"

#include "model/devices/contention.h"
#include "model/devices/device_mig.h"
#include "model/devices/device_select.h"
#include "model/jobs/decision_reject.h"
#include "model/jobs/task_row.h"
#include "model/nodes/node.h"
#include "model/shapes/daily_demand.h"
#include "model/store/steps.h"
#include "model/told/change_feed.h"

/* What a running task of a shape lacks on a node. */
struct proposal_lack {
    uint32_t node, shape;
    const struct hold *hold;
    device_set devices; /* devices of the hold that do not take the task */
    device_set crowded; /* those of `devices` that have room, but work beside which it is barred */
    int inside;         /* 1: the hold does not fit as a whole, such as its NUMA node */
    int places;         /* 1: the node takes no further task (tasks_max) */
};

/* Returns 1 if the device has room for a task of the shape, and only neighbours bar the task. */
static int only_neighbours_bar(const struct columns *k, uint32_t device, uint32_t shape) {
    if (!contention_bars(k, device, shape, DEVICE_APART)) return 0;
    struct device_part room = device_room(k, device, DEVICE_APART);
    return device_could(k, device, shape, &room);
}

/* Returns the devices of the hold that cannot hold one more task of the shape. On a device in mode
 * MIG, the slices of the task's instance must be free. */
static device_set devices_lacking(const struct columns *k, const struct proposal_lack *l) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[l->node];
    device_set lacking = 0;
    DEVICE_SET_EACH(m, l->hold->mask) {
        uint32_t i = m.at, d = first + i;
        int lacks = !device_takes(k, d, l->shape, DEVICE_APART);
        if (!lacks && device_is_mig(k, d) && k->c[C_SHAPE_MIG_SLICES].u8[l->shape])
            lacks = (device_mig_bits(k, d, l->shape, hold_start(l->hold, i)) &
                     device_mig_used(k, d, DEVICE_APART)) != 0;
        if (lacks) lacking |= device_set_bit(i);
    }
    return lacking;
}

static struct proposal_lack lack_of(const struct columns *k, uint32_t node, uint32_t shape,
                                    const struct hold *hold) {
    struct proposal_lack l = {.node = node, .shape = shape, .hold = hold};
    l.devices = devices_lacking(k, &l);
    DEVICE_SET_EACH(m, l.devices)
        if (only_neighbours_bar(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + m.at, shape))
            l.crowded |= device_set_bit(m.at);
    l.inside =
        (hold->numa || hold->nics) && !device_select_allows(k, node, shape, DEVICE_APART, hold);
    l.places = node_places(k, node, DEVICE_APART) <= 0;
    return l;
}

/* Returns 1 if the node lacks an amount of a kind, except gpu, that the other shape asks for. */
static int kinds_lack(const struct columns *k, const struct proposal_lack *l, uint32_t other) {
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (r == LSCHED_GPU || k->c[C_SHAPE_REQ + r].i64[other] == 0) continue;
        int64_t asked = k->c[C_SHAPE_REQ + r].i64[l->shape];
        int daily = daily_demand_row(k, C_SHAPE_DAY, l->shape, r) != NO_ROW;
        if (asked && (daily ? !daily_demand_fits(k, l->node, l->shape, r, DEVICE_APART)
                            : asked > k->c[C_NODE_FREE + r].i64[l->node]))
            return 1;
    }
    return 0;
}

/* Returns 1 if both tasks hold slices of the same device in mode MIG that overlap, if both hold a
 * device without MIG that has too little room, or if the table of slow-downs bars them from a
 * device that both hold. */
static int devices_collide(const struct columns *k, const struct proposal_lack *l, uint32_t task) {
    struct hold other = task_hold(k, task);
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[l->node];
    DEVICE_SET_EACH(m, other.mask & l->devices) {
        uint32_t i = m.at, d = first + i;
        if (device_set_has(l->crowded, i) && !work_kinds_bar(k, l->shape, task_shape(k, task)))
            continue;
        if (!device_is_mig(k, d) || !k->c[C_SHAPE_MIG_SLICES].u8[l->shape] ||
            (device_mig_bits(k, d, l->shape, hold_start(l->hold, i)) &
             device_mig_bits(k, d, task_shape(k, task), hold_start(&other, i))))
            return 1;
    }
    return l->inside && ((other.numa & l->hold->numa) || (other.nics & l->hold->nics));
}

static int stands_in_way(const struct columns *k, const struct proposal_lack *l, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_PROPOSED || d == NO_ROW ||
        k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_PROPOSED)
        return 0;
    return l->places || kinds_lack(k, l, task_shape(k, task)) || devices_collide(k, l, task);
}

/* Returns 1 if task a was proposed after task b. In one decision group, the order is that of job
 * names and task indexes. */
static int is_later(const struct columns *k, uint32_t a, uint32_t b) {
    uint64_t x = k->c[C_DECISION_GROUP].u64[k->c[C_TASK_DECISION].u32[a]],
             y = k->c[C_DECISION_GROUP].u64[k->c[C_TASK_DECISION].u32[b]];
    if (x != y) return x > y;
    int c = text_compare(k, k->c[C_JOB_NAME].u32[k->c[C_TASK_JOB].u32[a]],
                         k->c[C_JOB_NAME].u32[k->c[C_TASK_JOB].u32[b]]);
    return c != 0 ? c > 0 : k->c[C_TASK_INDEX].u32[a] > k->c[C_TASK_INDEX].u32[b];
}

static uint32_t latest_in_way(const struct columns *k, const struct proposal_lack *l) {
    uint32_t best = NO_ROW;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[l->node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        if (stands_in_way(k, l, t) && (best == NO_ROW || is_later(k, t, best))) best = t;
    }
    return best;
}

int32_t node_trim_proposals(struct columns *k, uint32_t node, uint32_t shape,
                            const struct hold *hold, int64_t now, withdrawn_fn tell, void *user) {
    for (;;) {
        struct proposal_lack l = lack_of(k, node, shape, hold);
        uint32_t t = latest_in_way(k, &l);
        if (t == NO_ROW) return LSCHED_OK;
        uint32_t why = change_feed_because(k, LSCHED_BECAUSE_ROOM);
        decision_tell(k, t, tell, user);
        int32_t rc = decision_reject(k, k->c[C_TASK_DECISION].u32[t], now, tell, user);
        change_feed_because(k, why);
        if (rc != LSCHED_OK) return rc;
    }
}

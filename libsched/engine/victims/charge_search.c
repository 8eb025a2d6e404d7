/* charge_search.c -- see charge_search.h. */
#include "engine/victims/charge_search.h"

#include "engine/victims/victim_search.h"
#include "engine/queues/queue_rules.h"
#include "model/devices/device_select.h"

static enum device_when when_of(const struct lsched_cycle *y) {
    return y->later ? DEVICE_LATER : DEVICE_NOW;
}

void charge_begin(struct lsched_cycle *y, struct charge_search *s, uint32_t job, uint32_t group) {
    const struct columns *k = y->k;
    uint32_t shape = leaf_shape(k, job, group);
    *s = (struct charge_search){
        .job = job, .group = group, .shape = shape, .varies = shape_charge_varies(k, shape)};
    y->charge_max = 0;
    if (s->varies && k->c[C_SHAPE_ISOLATION].u8[shape])
        y->charge_max = k->c[C_SHAPE_DEVICES].u32[shape] * DEVICE_WHOLE - 1;
}

int charge_go_on(struct lsched_cycle *y, struct charge_search *s, int32_t rc, uint32_t node) {
    const struct columns *k = y->k;
    struct hold hold;
    if (rc < 0) return 0;
    if (rc == 0 && s->limited) y->why = s->why;
    if (rc == 0) {
        int again = y->charge_max && !s->limited && !y->stop;
        y->charge_max = 0;
        return again;
    }
    s->found = 1;
    if (!s->varies || !device_select_cheapest(k, node, s->shape, when_of(y), NULL, &hold)) return 0;
    int64_t gpu = hold_milli(k, node, s->shape, &hold);
    if (queue_rules_allow_charge(y, s->job, s->group, gpu, 1) || y->why.kind != LSCHED_GPU)
        return 0;
    y->charge_asked = gpu;
    s->found = 0;
    s->limited = 1;
    s->why = y->why;
    y->charge_max = (uint32_t)gpu - 1;
    return gpu > 1;
}

/* True if the job's side stays within its entitlement in reclaim when the task is charged `gpu`
 * milli-GPUs. The nominal share was checked before; the amount that is really charged must pass
 * the same test. */
static int keeps_right(const struct lsched_cycle *y, int64_t gpu) {
    const struct victim_search *h = y->search;
    if (!h || h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts || !(h->kinds >> LSCHED_GPU & 1))
        return 1;
    for (uint32_t i = 0; i < h->n_path && h->share_ok[i]; i++) {
        int64_t right = victim_rules_right(y, h->path[i], LSCHED_GPU, h->guarantee[i]);
        int64_t used = y->k->c[C_QUEUE_USED + LSCHED_GPU].i64[h->path[i]];
        if (right != LSCHED_UNLIMITED && used + gpu > right) return 0;
    }
    return 1;
}

static int may_charge(struct lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu) {
    return queue_rules_allow_charge(y, job, group, gpu, 1) && keeps_right(y, gpu);
}

int charge_allow(struct lsched_cycle *y, uint32_t job, uint32_t group, uint32_t node,
                 struct hold *hold) {
    const struct columns *k = y->k;
    uint32_t shape = leaf_shape(k, job, group);
    struct resource_part_limit limit;
    struct hold cheap;
    if (!shape_charge_varies(k, shape)) return 1;
    int64_t gpu = hold_milli(k, node, shape, hold), less;
    if (may_charge(y, job, group, gpu)) return 1;
    y->charge_asked = gpu;
    if (!device_select_cheapest(k, node, shape, when_of(y), NULL, &cheap)) return 0;
    less = hold_milli(k, node, shape, &cheap);
    if (less >= gpu) return 0;
    y->charge_asked = less;
    if (!may_charge(y, job, group, less)) return 0;
    if (resource_part_count(k) &&
        !resource_part_has_room(k, k->c[C_JOB_QUEUE].u32[job], shape, node, &cheap, &limit))
        return 0;
    *hold = cheap;
    return 1;
}

int64_t charge_wanted(const struct lsched_cycle *y, uint32_t job, uint32_t group) {
    int64_t least = shape_least_milli(y->k, leaf_shape(y->k, job, group));
    return y->charge_asked > least ? y->charge_asked : least;
}

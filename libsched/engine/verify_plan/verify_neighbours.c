/* verify_neighbours.c -- see verify_neighbours.h. */
#include "engine/verify_plan/verify_neighbours.h"

#include "engine/verify/verify_read.h"
#include "model/shapes/work_kind.h"

/* True if tasks can share the device. */
static int verify_neighbours_share(const struct columns *k, uint32_t device) {
    uint8_t mode = k->c[C_DEVICE_SHARE].u8[device];
    return mode == LSCHED_SHARING_FRACTION || mode == LSCHED_SHARING_MPS ||
           mode == LSCHED_SHARING_TIME_SLICE;
}

/* True if a device that both hold can be shared. */
static int verify_neighbours_meet(const struct columns *k, uint32_t node, uint32_t a, uint32_t b) {
    struct verify_devices one = verify_devices_of(k, a), other = verify_devices_of(k, b);
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (verify_has_device(&one, i) && verify_has_device(&other, i) &&
            verify_neighbours_share(k, verify_device_row(k, node, i)))
            return 1;
    return 0;
}

/* Returns the greatest slow-down of a task of the shape, in thousandths. */
static uint32_t verify_neighbours_worst(const struct columns *k, const struct contention_table *t,
                                        uint32_t shape) {
    uint32_t mine = k->c[C_SHAPE_WORK].u8[shape], worst = 1000;
    int shares = k->c[C_SHAPE_DEVICES].u32[shape] > 0 && k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0 &&
                 k->c[C_SHAPE_DEVICE_MILLI].u32[shape] < 1000;
    for (uint32_t other = 1; shares && mine && other <= t->n; other++) {
        uint32_t suffers = t->milli[mine - 1][other - 1], harms = t->milli[other - 1][mine - 1];
        if (t->most && (suffers > t->most || harms > t->most)) continue;
        if (suffers > worst) worst = suffers;
    }
    return worst;
}

int64_t verify_neighbours_estimate(const struct columns *k, uint32_t job) {
    const struct contention_table *t = work_kinds(k);
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], worst = 1000;
    int64_t us = k->c[C_JOB_DURATION].i64[job];
    if (!t || !t->alone) return us;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++) {
        uint32_t row = group_row(k, shape, g);
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
            uint32_t milli = verify_neighbours_worst(k, t, group_alternative(k, row, a));
            if (milli > worst) worst = milli;
        }
    }
    /* whole thousands and the rest apart, so that nothing overflows; an end after all time is none
     */
    int64_t whole = us / 1000, rest = us % 1000 * worst / 1000;
    return whole > (LSCHED_NEVER_US - 1 - rest) / worst ? LSCHED_NEVER_US - 1
                                                        : whole * worst + rest;
}

int32_t verify_neighbours(struct check *c, uint32_t task, int nominated) {
    const struct columns *k = c->k;
    const struct contention_table *t = work_kinds(k);
    uint32_t node = k->c[C_TASK_NODE].u32[task],
             mine = k->c[C_SHAPE_WORK].u8[verify_shape(k, task)];
    if (!t || t->most == 0 || mine == 0) return LSCHED_OK;
    for (uint32_t o = k->c[C_NODE_TASK_FIRST].u32[node]; o != NO_ROW;
         o = k->c[C_TASK_NODE_NEXT].u32[o]) {
        uint32_t other = k->c[C_SHAPE_WORK].u8[verify_shape(k, o)];
        if (o == task || other == 0 || (nominated && verify_leaves(k, o)) ||
            !verify_neighbours_meet(k, node, task, o))
            continue;
        uint32_t suffers = t->milli[mine - 1][other - 1], harms = t->milli[other - 1][mine - 1];
        if (suffers <= t->most && harms <= t->most) continue;
        return check_fail(c,
                          "%s is placed beside %s on a device of %s: of '%s' and '%s', one is "
                          "slowed down to %u thousandths of its time, more than %u",
                          NAME(T_TASK, task), NAME(T_TASK, o), NAME(T_NODE, node),
                          t->name[mine - 1], t->name[other - 1], suffers > harms ? suffers : harms,
                          t->most);
    }
    return LSCHED_OK;
}

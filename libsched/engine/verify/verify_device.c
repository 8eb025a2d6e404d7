/*
 * verify_device.c -- see verify_device.h.
 *
 * The check does not use device_part.c. A task is charged the smallest number of thousandths of the
 * device that covers the amount that the task asks for. It is not checked whether an imported task
 * is allowed on its device. If the task asks for more than the device has, or for an amount that
 * the device does not state, the task is charged the whole device.
 */
#include "engine/verify/verify_device.h"

#include "engine/verify/verify_mig.h"
#include "engine/verify/verify_read.h"

/* Returns the smallest number m for which m thousandths of `all` are at least `amount`. */
static uint32_t thousandths(int64_t amount, int64_t all) {
    uint32_t lo = 0, hi = 1000;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if ((wide_i128)all * mid >= (wide_i128)amount * 1000)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Returns the thousandths of the device that an instance of the shape's MIG profile is charged.
 * Returns 0 if the device cannot have such an instance. */
static uint32_t instance_milli(const struct columns *k, uint32_t device, uint32_t shape) {
    const struct mig_table *t = verify_mig_table(k, device);
    if (k->c[C_DEVICE_SHARE].u8[device] != LSCHED_SHARING_MIG || !t) return 0;
    uint32_t p = verify_mig_profile(k, t, shape);
    return p < t->n_profiles ? t->profiles[p].slices * 1000u / t->slices : 0;
}

static struct device_charge instance_part(const struct columns *k, uint32_t device,
                                          uint32_t shape) {
    uint32_t milli = instance_milli(k, device, shape), devices = k->c[C_SHAPE_DEVICES].u32[shape];
    struct device_charge p = {.may = milli > 0};
    p.milli = milli ? milli : k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape] / devices;
    p.memory = p.limit = (wide_i128)k->c[C_DEVICE_MEM].i64[device] * p.milli / 1000;
    return p;
}

struct device_charge verify_device_charge(const struct columns *k, uint32_t device,
                                          uint32_t shape) {
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape]) return instance_part(k, device, shape);
    uint32_t class = k->c[C_DEVICE_CLASS].u16[device],
             sm_count = k->c[C_DEVCLASS_SM_COUNT].u32[class],
             asked_sm_count = k->c[C_SHAPE_SM_COUNT].u32[shape],
             share = k->c[C_SHAPE_DEVICE_MILLI].u32[shape], milli = share;
    int64_t memory = k->c[C_DEVICE_MEM].i64[device], asked = k->c[C_SHAPE_DEVICE_MEM].i64[shape],
            limit = k->c[C_SHAPE_DEVICE_LIMIT].i64[shape];
    uint8_t mode = k->c[C_DEVICE_SHARE].u8[device];
    int enough = asked <= memory && asked_sm_count <= sm_count;
    int capped =
        /* an overcommit of 0 stands for 1000 thousandths, which is no overcommit */
        mode == LSCHED_SHARING_MPS && k->c[C_DEVCLASS_OVERCOMMIT].u32[class] <= 1000;
    if (enough && asked && thousandths(asked, memory) > milli) milli = thousandths(asked, memory);
    if (enough && asked_sm_count && thousandths(asked_sm_count, sm_count) > milli)
        milli = thousandths(asked_sm_count, sm_count);
    if (milli == 0) milli = 1;
    if (!enough) milli = 1000;
    wide_i128 part = asked ? asked : (wide_i128)memory * (share ? share : milli) / 1000;
    int alone = milli == 1000 || k->c[C_SHAPE_ISOLATION].u8[shape] > (capped ? 1 : 0);
    if (alone)
        return (struct device_charge){1000, sm_count, part, memory,
                                      enough && mode != LSCHED_SHARING_MIG};
    if (limit > memory) limit = memory;
    struct device_charge p = {milli, asked_sm_count, part, limit > part ? limit : part,
                              mode != LSCHED_SHARING_WHOLE && mode != LSCHED_SHARING_MIG};
    uint32_t node = k->c[C_DEVICE_NODE].u32[device];
    /* On a node without rows in SHARED (the table of devices that tasks share), a task is charged
     * its full memory limit. */
    if (k->c[C_NODE_SHARED_FIRST].u32[node] == NO_ROW) p.memory = p.limit;
    return p;
}

wide_i128 verify_device_amount(const struct columns *k, uint32_t task, uint32_t kind) {
    uint32_t shape = verify_shape(k, task), node = k->c[C_TASK_NODE].u32[task];
    wide_i128 sum = 0;
    if (kind != LSCHED_GPU) return k->c[C_SHAPE_REQ + kind].i64[shape];
    struct verify_devices held = verify_devices_of(k, task);
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (verify_has_device(&held, i))
            sum += verify_device_charge(k, verify_device_row(k, node, i), shape).milli;
    return sum;
}

/* True if the use of one of the node's devices cannot be described by a share of the GPU and an
 * amount of memory alone. Such a device needs a row in SHARED. */
static int counts_more(const struct columns *k, uint32_t node) {
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + i, class = k->c[C_DEVICE_CLASS].u16[d],
                 mode = k->c[C_DEVICE_SHARE].u8[d];
        if (mode != LSCHED_SHARING_WHOLE &&
            (mode != LSCHED_SHARING_FRACTION || k->c[C_DEVCLASS_SM_COUNT].u32[class] ||
             k->c[C_DEVCLASS_OVERCOMMIT].u32[class] > 1000))
            return 1;
    }
    return 0;
}

int32_t verify_device_shared_node(struct check *c, uint32_t node) {
    int has = c->k->c[C_NODE_SHARED_FIRST].u32[node] != NO_ROW, more = counts_more(c->k, node);
    if (has == more) return LSCHED_OK;
    return check_fail(c, "%s has %s to count of its devices, and %s rows for it",
                      NAME(T_NODE, node), more ? "more" : "no more", has ? "has" : "no");
}

int32_t verify_device_shared(struct check *c, uint32_t node, uint32_t i,
                             const struct device_charge *held,
                             const struct device_charge *releasing,
                             const struct device_charge *claimed, int marked) {
    const struct columns *k = c->k;
    uint32_t first = k->c[C_NODE_SHARED_FIRST].u32[node];
    if (first == NO_ROW) return LSCHED_OK;
    uint32_t s = first + i, d = k->c[C_NODE_DEVICE_FIRST].u32[node] + i,
             class = k->c[C_DEVICE_CLASS].u16[d],
             overcommit = k->c[C_DEVCLASS_OVERCOMMIT].u32[class];
    wide_i128 sm_count = (wide_i128)k->c[C_DEVCLASS_SM_COUNT].u32[class] - held->sm_count,
              limit =
                  (wide_i128)k->c[C_DEVICE_MEM].i64[d] * (overcommit ? overcommit : 1000) / 1000;
    if (limit > LSCHED_AMOUNT_MAX) limit = LSCHED_AMOUNT_MAX;
    limit -= held->limit;
    if (k->c[C_SHARED_SM_FREE].i32[s] != sm_count || k->c[C_SHARED_LIMIT_FREE].i64[s] != limit)
        return check_fail(
            c,
            "device %u of %s records %d SMs and %lld bytes of limits as free; expected "
            "%lld and %lld",
            i, NAME(T_NODE, node), k->c[C_SHARED_SM_FREE].i32[s],
            (long long)k->c[C_SHARED_LIMIT_FREE].i64[s], verify_shown(sm_count),
            verify_shown(limit));
    if ((sm_count < 0 || limit < 0) && !marked)
        return check_fail(
            c, "device %u of %s gives %lld SMs and %lld bytes of limits more than it has", i,
            NAME(T_NODE, node), verify_shown(-sm_count), verify_shown(-limit));
    wide_i128 sm_come = releasing->sm_count - claimed->sm_count,
              limit_come = releasing->limit - claimed->limit;
    if (k->c[C_SHARED_COMING_SM].i32[s] != sm_come ||
        k->c[C_SHARED_COMING_LIMIT].i64[s] != limit_come)
        return check_fail(
            c,
            "device %u of %s expects %d SMs and %lld bytes of limits; it should expect "
            "%lld and %lld",
            i, NAME(T_NODE, node), k->c[C_SHARED_COMING_SM].i32[s],
            (long long)k->c[C_SHARED_COMING_LIMIT].i64[s], verify_shown(sm_come),
            verify_shown(limit_come));
    if (marked || (!claimed->milli && !claimed->sm_count)) return LSCHED_OK;
    return sm_count + sm_come < 0 || limit + limit_come < 0
               ? check_fail(c, "nominations on device %u of %s exceed its SMs or its limits", i,
                            NAME(T_NODE, node))
               : LSCHED_OK;
}

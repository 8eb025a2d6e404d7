/* device.c -- see device.h. Cost: O(devices of the hold); giving back also O(tasks on the node) per device. */
#include "model/device.h"

#include "model/device_mig.h"
#include "model/task.h"

static int model_allowed(const struct columns *k, uint32_t device, uint32_t shape) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape];
    if (n == 0) return 1;
    const uint32_t *models = text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]);
    for (uint32_t i = 0; i < n; i++)
        if (models[i] == k->c[C_DEVICE_MODEL].u32[device]) return 1;
    return 0;
}

uint32_t device_milli_need(const struct columns *k, uint32_t device, uint32_t shape) {
    (void)device;
    return k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
}

int64_t device_memory_need(const struct columns *k, uint32_t device, uint32_t shape) {
    int64_t asked = k->c[C_SHAPE_DEVICE_MEM].i64[shape];
    if (asked) return asked;
    int64_t mem = k->c[C_DEVICE_MEM].i64[device], milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    return mem / 1000 * milli + mem % 1000 * milli / 1000;
}

int64_t hold_milli(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    int64_t sum = 0;
    for (uint32_t m = h->mask; m; m &= m - 1)
        sum += device_milli_need(
            k, k->c[C_NODE_DEVICE_FIRST].u32[node] + (uint32_t)__builtin_ctz(m), shape);
    return sum;
}

int device_could(const struct columns *k, uint32_t device, uint32_t shape, int64_t free_milli,
                 int64_t free_memory) {
    uint32_t milli = device_milli_need(k, device, shape);
    if (free_milli < milli || !model_allowed(k, device, shape)) return 0;
    if (milli < 1000 && k->c[C_DEVICE_SHARE].u8[device] == LSCHED_SHARE_WHOLE) return 0;
    return free_memory >= device_memory_need(k, device, shape);
}

static int64_t memory_free(const struct columns *k, uint32_t device, enum device_when when) {
    int64_t f = k->c[C_DEVICE_MEM_FREE].i64[device], c = k->c[C_DEVICE_COMING_MEM].i64[device];
    if (when == DEVICE_EMPTY) return k->c[C_DEVICE_MEM].i64[device];
    return when == DEVICE_LATER || (when == DEVICE_NOW && c < 0) ? f + c : f;
}

int device_takes(const struct columns *k, uint32_t device, uint32_t shape, enum device_when when) {
    if (device_mig_asked(k, device, shape))
        return model_allowed(k, device, shape) &&
               device_mig_could(k, device, shape, device_mig_used(k, device, when));
    return device_could(k, device, shape, device_milli_free(k, device, when),
                        memory_free(k, device, when));
}

void devices_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    uint8_t whole = k->c[C_NODE_GPU_WHOLE].u8[node];
    for (uint32_t m = h->mask; m; m &= m - 1) {
        uint32_t d = first + (uint32_t)__builtin_ctz(m), milli = device_milli_need(k, d, shape);
        uint32_t f = k->c[C_DEVICE_FREE_MILLI].u16[d];
        whole = (uint8_t)(whole - (f == 1000));
        set_u16(k, C_DEVICE_FREE_MILLI, d, (uint16_t)(f > milli ? f - milli : 0));
        add_i64(k, C_DEVICE_MEM_FREE, d, -device_memory_need(k, d, shape));
        if (device_is_mig(k, d)) device_mig_take(k, node, d - first, shape, h);
    }
    set_u8(k, C_NODE_GPU_WHOLE, node, whole);
}

/* What is free of a device, from the tasks that hold it: exact also after an import took too much. The task that gives back has
 * left the node's list already. */
static void device_refill(struct columns *k, uint32_t node, uint32_t device, uint32_t index) {
    uint32_t used = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        if (!(k->c[C_TASK_MASK].u16[t] >> index & 1) ||
            k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED)
            continue;
        used += device_milli_need(k, device, task_shape(k, t));
    }
    uint16_t f = (uint16_t)(used < 1000 ? 1000 - used : 0),
             old = k->c[C_DEVICE_FREE_MILLI].u16[device];
    if (f == 1000 && old != 1000)
        set_u8(k, C_NODE_GPU_WHOLE, node, (uint8_t)(k->c[C_NODE_GPU_WHOLE].u8[node] + 1));
    set_u16(k, C_DEVICE_FREE_MILLI, device, f);
}

void devices_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t m = h->mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        add_i64(k, C_DEVICE_MEM_FREE, first + i, device_memory_need(k, first + i, shape));
        device_refill(k, node, first + i, i);
        if (device_is_mig(k, first + i)) device_mig_give(k, node, i, shape, h);
    }
}

void devices_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign, int claim) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t m = h->mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m), d = first + i;
        int32_t milli = (int32_t)device_milli_need(k, d, shape) * sign;
        set_i32(k, C_DEVICE_COMING_MILLI, d, k->c[C_DEVICE_COMING_MILLI].i32[d] + milli);
        add_i64(k, C_DEVICE_COMING_MEM, d, device_memory_need(k, d, shape) * sign);
        if (!device_is_mig(k, d)) continue;
        if (claim)
            device_mig_claim(k, node, i, shape, h, sign < 0);
        else
            device_mig_leave(k, node, i, shape, h, sign > 0);
    }
}

int devices_short(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    for (uint32_t m = h->mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m), d = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
        if (device_is_mig(k, d) && device_mig_short(k, node, i, shape, h)) return 1;
        if (k->c[C_DEVICE_FREE_MILLI].u16[d] + k->c[C_DEVICE_COMING_MILLI].i32[d] < 0 ||
            k->c[C_DEVICE_MEM_FREE].i64[d] + k->c[C_DEVICE_COMING_MEM].i64[d] < 0)
            return 1;
    }
    return 0;
}

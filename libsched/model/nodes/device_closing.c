/* device_closing.c -- see device_closing.h. */
#include "model/nodes/device_closing.h"

#include "model/nodes/node.h"

/* Moves the device's own amounts into the amounts of its node (sign 1, the device opens), or out of
 * them (sign -1, the device closes). The node's capacity is changed by the caller, together with
 * the amount FREE that follows from it. */
static void amounts_move(struct columns *k, uint32_t node, uint32_t index, int sign) {
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + index, used = device_used(k, node, d, index);
    uint16_t open = (uint16_t)(used < 1000 ? 1000 - used : 0);
    uint8_t whole = k->c[C_NODE_GPU_WHOLE].u8[node];
    add_i64(k, C_NODE_FREE + LSCHED_GPU, node, -sign * (int64_t)used);
    add_i64(k, C_NODE_COMING + LSCHED_GPU, node,
            sign * (int64_t)k->c[C_DEVICE_COMING_MILLI].i32[d]);
    set_u16(k, C_DEVICE_FREE_MILLI, d, sign > 0 ? open : 0);
    if (open == 1000) set_u8(k, C_NODE_GPU_WHOLE, node, (uint8_t)(whole + sign));
    set_u8(k, C_NODE_CLOSED, node, (uint8_t)(k->c[C_NODE_CLOSED].u8[node] - sign));
}

int32_t device_closing_set(struct columns *k, uint32_t node, uint32_t index, uint8_t closed) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + index;
    uint8_t was = k->c[C_DEVICE_CLOSED].u8[d];
    if (was == closed) return LSCHED_OK;
    set_u8(k, C_DEVICE_CLOSED, d, closed);
    touch_node(k, node);
    if (!was == !closed) return LSCHED_OK;
    int sign = closed ? -1 : 1;
    amounts_move(k, node, index, sign);
    return node_set_capacity(k, node, LSCHED_GPU,
                             k->c[C_NODE_CAP + LSCHED_GPU].i64[node] + sign * INT64_C(1000));
}

void device_closing_failed(struct columns *k, uint32_t node, uint32_t index) {
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + index, n = k->c[C_DEVICE_FAILURES].u32[d];
    if (n < UINT32_MAX) set_u32(k, C_DEVICE_FAILURES, d, n + 1);
}

uint64_t device_closing_failures(const struct columns *k, uint32_t node) {
    uint64_t sum = 0;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        sum += k->c[C_DEVICE_FAILURES].u32[first + i];
    return sum;
}

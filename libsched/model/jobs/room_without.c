/* room_without.c -- see room_without.h. */
#include "model/jobs/room_without.h"

#include <string.h>

#include "model/jobs/task_row.h"
#include "model/devices/contention.h"
#include "model/devices/device_match.h"
#include "model/devices/device_mig.h"
#include "model/nodes/node.h"

static int asks_inside(const struct columns *k, uint32_t node, uint32_t shape) {
    return shape_asks_inside(k, shape) && node_machine(k, node) != NO_ROW;
}

/* Counts the task on the MIG slices of device i (sign -1), or stops counting it there (sign 1).
 * More than one task can be counted on a slice, because an imported state can have several tasks
 * on it. */
static void slices_add(const struct columns *k, uint32_t node, uint32_t task, uint32_t i, int sign,
                       struct room_without *m) {
    struct hold hold = task_hold(k, task);
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
    uint32_t bits = device_mig_bits(k, device, task_shape(k, task), hold_start(&hold, i));
    for (; bits; bits &= bits - 1) {
        uint32_t at = 4 * (uint32_t)__builtin_ctz(bits), n = m->slices[i] >> at & 15;
        if (sign < 0 ? n < 15 : n > 0)
            m->slices[i] = sign < 0 ? m->slices[i] + (1u << at) : m->slices[i] - (1u << at);
    }
}

static void slices_of(const struct columns *k, uint32_t node, struct room_without *m) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t])
            continue;
        DEVICE_SET_EACH(mask, task_device_set(k, t)) slices_add(k, node, t, mask.at, -1, m);
    }
}

/* Computes again whether the shape could use device i of the node. */
static void room_without_look(const struct columns *k, uint32_t node, uint32_t i,
                              struct room_without *m) {
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
    int could =
        k->c[C_SHAPE_MIG_SLICES].u8[m->shape]
            ? device_allowed(k, device, m->shape) &&
                  m->device[i].milli >= device_milli_need(k, device, m->shape) &&
                  device_mig_could(k, device, m->shape, mig_begins(m->slices[i]))
            : device_could(k, device, m->shape, &m->device[i]) && !(m->barred && m->beside[i]);
    m->could &= ~device_set_bit(i);
    if (could) m->could |= device_set_bit(i);
}

void room_without_of(const struct columns *k, uint32_t node, uint32_t shape,
                     struct room_without *m) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
    m->shape = shape;
    m->could = 0;
    m->places = node_places(k, node, DEVICE_LATER);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        daily_room_of(k, node, r, DEVICE_LATER, &m->amount[r]);
    for (uint32_t i = 0; i < n; i++) m->device[i] = device_room(k, first + i, DEVICE_LATER);
    m->barred = work_kind_barred(k, shape);
    for (uint32_t i = 0; m->barred && i < n; i++)
        m->beside[i] = contention_beside(k, first + i, m->barred, DEVICE_LATER);
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape]) {
        memset(m->slices, 0, n * sizeof m->slices[0]);
        slices_of(k, node, m);
    }
    for (uint32_t i = 0; k->c[C_SHAPE_DEVICES].u32[shape] && i < n; i++)
        room_without_look(k, node, i, m);
    m->has_inside = asks_inside(k, node, shape);
    if (!m->has_inside) return;
    struct machine spare;
    inside_of(k, node, machine_get(k, node_machine(k, node), &spare), DEVICE_LATER, &m->inside);
}

void room_without_add(const struct columns *k, uint32_t node, uint32_t task, int sign,
                      struct room_without *m) {
    uint32_t shape = task_shape(k, task), first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    struct hold hold = task_hold(k, task);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        daily_room_add(k, shape, r,
                       r == LSCHED_GPU && k->c[C_NODE_CLOSED].u8[node]
                           ? hold_open_milli(k, node, shape, &hold)
                           : task_amount(k, task, r),
                       sign, &m->amount[r]);
    m->places += sign;
    int bars = m->barred && work_kinds_bar(k, m->shape, shape);
    DEVICE_SET_EACH(mask, task_device_set(k, task)) {
        uint32_t i = mask.at;
        struct device_part need, *there = &m->device[i];
        device_need(k, first + i, shape, &need);
        there->milli += sign * need.milli;
        there->memory += sign * need.memory;
        if (k->c[C_SHAPE_MIG_SLICES].u8[m->shape]) slices_add(k, node, task, i, sign, m);
        if (device_shared(k, first + i) != NO_ROW) {
            there->sm_count += sign * need.sm_count;
            there->limit += sign * need.limit;
        }
        if (bars && contention_can_be(k, first + i)) m->beside[i] -= (uint32_t)sign;
        if (k->c[C_SHAPE_DEVICES].u32[m->shape]) room_without_look(k, node, i, m);
    }
    if (!m->has_inside) return;
    inside_add(k, shape, &hold, sign, &m->inside);
}

/* True if the task can get its devices out of the mask `from`. Devices that each fit the task
 * alone can be unsuitable as a set. */
static int room_without_does(const struct columns *k, uint32_t node, const struct room_without *m,
                             device_set from) {
    struct machine spare;
    struct device_select_ask ask;
    struct hold hold = {0};
    struct match_graph friends;
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[m->shape];
    int matches = need > 1 && device_match_asked(k, m->shape);
    if (matches) device_match_graph(k, node, m->shape, &friends);
    if (node_machine(k, node) == NO_ROW)
        return !shape_needs_machine(k, m->shape) &&
               (!matches || match_graph_have(&friends, from, need));
    device_select_links_open(&ask, k, node, m->shape, DEVICE_LATER, &spare);
    ask.from = from;
    if (matches) ask.friends = &friends;
    if (m->has_inside) ask.inside = m->inside;
    return device_select_links(&ask, &hold);
}

int room_without_could(const struct columns *k, const struct room_without *m, uint32_t task) {
    device_set could = m->could | task_device_set(k, task);
    return device_set_count(could) >= k->c[C_SHAPE_DEVICES].u32[m->shape];
}

int room_without_holds_on(const struct columns *k, uint32_t node, const struct room_without *m,
                          device_set from) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[m->shape];
    if (m->places <= 0 || device_set_count(from) < need) return 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (daily_room_left(&m->amount[r]) < 0) return 0;
        /* for GPUs, the devices decide below */
        if (r != LSCHED_GPU && daily_room_count(k, m->shape, r, &m->amount[r]) < 1) return 0;
    }
    return !k->c[C_SHAPE_PICKY].u8[m->shape] || room_without_does(k, node, m, from);
}

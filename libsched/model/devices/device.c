/* device.c -- see device.h. Cost: O(devices of the hold). devices_give() costs O(tasks on the
 * node) for each device in addition. */
#include "model/devices/device.h"

#include "base/bits.h"
#include "model/store/blocks.h"
#include "model/store/steps.h"
#include "model/shapes/device_class.h"
#include "model/devices/contention.h"
#include "model/devices/device_mig.h"
#include "model/shapes/node_rules.h"
#include "model/shapes/shape.h"
#include "model/shapes/leaf.h"

int device_allowed(const struct columns *k, uint32_t device, uint32_t shape) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape], taints = device_taints_row(k, device);
    if (taints != NO_ROW && rules_taints_judge(k, taints, shape, NULL) != RULES_ALLOW) return 0;
    if (n == 0) return device_selector_takes(k, shape, device);
    const uint32_t *models = text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]);
    for (uint32_t i = 0; i < n; i++)
        if (models[i] == k->c[C_DEVICE_MODEL].u32[device])
            return device_selector_takes(k, shape, device);
    return 0;
}

device_set devices_avoided(const struct columns *k, uint32_t node, uint32_t shape) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             n = k->c[C_NODE_TAINTED].u8[node] ? k->c[C_NODE_N_DEVICES].u8[node] : 0u;
    device_set avoided = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = device_taints_row(k, first + i);
        if (row != NO_ROW && rules_taints_avoided(k, row, shape)) avoided |= device_set_bit(i);
    }
    return avoided;
}

/* ---- what a task takes ---- */

/* Returns the properties of the device on which the amounts that a task takes depend. */
static struct device_kind device_kind_of(const struct columns *k, uint32_t device) {
    uint32_t class = k->c[C_DEVICE_CLASS].u16[device],
             overcommit = k->c[C_DEVCLASS_OVERCOMMIT].u32[class];
    return (struct device_kind){.memory = k->c[C_DEVICE_MEM].i64[device],
                                .sm_count = k->c[C_DEVCLASS_SM_COUNT].u32[class],
                                .overcommit_milli = overcommit ? overcommit : DEVICE_WHOLE,
                                .mode = k->c[C_DEVICE_SHARE].u8[device]};
}

static struct device_ask ask_of(const struct columns *k, uint32_t shape) {
    return (struct device_ask){.milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape],
                               .sm_count = k->c[C_SHAPE_SM_COUNT].u32[shape],
                               .memory = k->c[C_SHAPE_DEVICE_MEM].i64[shape],
                               .limit = k->c[C_SHAPE_DEVICE_LIMIT].i64[shape],
                               .isolation = k->c[C_SHAPE_ISOLATION].u8[shape]};
}

static int share_need(const struct columns *k, uint32_t device, uint32_t milli,
                      struct device_part *need) {
    uint8_t mode = k->c[C_DEVICE_SHARE].u8[device];
    int64_t memory = k->c[C_DEVICE_MEM].i64[device],
            part = milli == DEVICE_WHOLE ? memory
                                         : memory / 1000 * milli + memory % 1000 * milli / 1000;
    uint32_t class = k->c[C_DEVICE_CLASS].u16[device];
    *need = (struct device_part){
        .milli = milli,
        .sm_count = milli == DEVICE_WHOLE ? k->c[C_DEVCLASS_SM_COUNT].u32[class] : 0,
        .memory = part,
        .limit = part};
    return mode != LSCHED_SHARING_MIG && (milli == DEVICE_WHOLE || mode != LSCHED_SHARING_WHOLE);
}

/* Computes the amounts that a task with a MIG profile takes: a MIG instance is charged by its
 * memory slices. If an import puts the task on a device without MIG, the charge is the nominal
 * share with which the task was counted while it waited. */
static int mig_need(const struct columns *k, uint32_t device, uint32_t shape,
                    struct device_part *need) {
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape);
    int64_t nominal = k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape] / k->c[C_SHAPE_DEVICES].u32[shape];
    share_need(k, device, p == MIG_NONE ? (uint32_t)nominal : mig_milli(t, p), need);
    need->sm_count = 0;
    return p != MIG_NONE;
}

int device_need(const struct columns *k, uint32_t device, uint32_t shape,
                struct device_part *need) {
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape]) return mig_need(k, device, shape, need);
    if (shape_asks_share_alone(k, shape))
        return share_need(k, device, k->c[C_SHAPE_DEVICE_MILLI].u32[shape], need);
    struct device_kind kind = device_kind_of(k, device);
    struct device_ask ask = ask_of(k, shape);
    int may = device_part_of(&kind, &ask, need);
    /* without a SHARED row there is no sum of limits, so the whole limit is taken as memory */
    if (need->milli < DEVICE_WHOLE && device_shared(k, device) == NO_ROW)
        need->memory = need->limit;
    return may;
}

uint32_t device_milli_need(const struct columns *k, uint32_t device, uint32_t shape) {
    struct device_part need;
    device_need(k, device, shape, &need);
    return (uint32_t)need.milli;
}

int64_t device_memory_need(const struct columns *k, uint32_t device, uint32_t shape) {
    struct device_part need;
    device_need(k, device, shape, &need);
    return need.memory;
}

int64_t hold_milli(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    int64_t sum = 0;
    if (!k->c[C_SHAPE_MIG_SLICES].u8[shape] && shape_asks_share_alone(k, shape))
        return (int64_t)k->c[C_SHAPE_DEVICE_MILLI].u32[shape] * device_set_count(h->mask);
    DEVICE_SET_EACH(m, h->mask)
        sum += device_milli_need(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + m.at, shape);
    return sum;
}

int64_t hold_open_milli(const struct columns *k, uint32_t node, uint32_t shape,
                        const struct hold *h) {
    struct hold open = *h;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    DEVICE_SET_EACH(m, k->c[C_NODE_CLOSED].u8[node] ? h->mask : 0)
        if (device_is_closed(k, first + m.at)) open.mask &= ~device_set_bit(m.at);
    return hold_milli(k, node, shape, &open);
}

int device_could(const struct columns *k, uint32_t device, uint32_t shape,
                 const struct device_part *room) {
    struct device_part need;
    return room->milli > 0 && device_allowed(k, device, shape) &&
           device_need(k, device, shape, &need) && device_part_fits(&need, room);
}

static int64_t seen_free(int64_t free, int64_t coming, enum device_when when) {
    return when == DEVICE_LATER || (when == DEVICE_NOW && coming < 0) ? free + coming : free;
}

struct device_part device_room(const struct columns *k, uint32_t device, enum device_when when) {
    uint32_t s = device_shared(k, device);
    struct device_part room = {.sm_count = INT64_MAX, .limit = INT64_MAX};
    if (when == DEVICE_EMPTY) {
        struct device_kind kind = device_kind_of(k, device);
        if (device_is_closed(k, device)) return (struct device_part){0};
        return device_part_all(&kind);
    }
    room.milli = device_milli_free(k, device, when);
    room.memory =
        seen_free(k->c[C_DEVICE_MEM_FREE].i64[device], k->c[C_DEVICE_COMING_MEM].i64[device], when);
    if (s == NO_ROW) return room;
    room.sm_count = seen_free(k->c[C_SHARED_SM_FREE].i32[s], k->c[C_SHARED_COMING_SM].i32[s], when);
    room.limit =
        seen_free(k->c[C_SHARED_LIMIT_FREE].i64[s], k->c[C_SHARED_COMING_LIMIT].i64[s], when);
    return room;
}

/* Returns 1 if a task that asks for whole devices can take this device. The check is short,
 * because most tasks ask for whole devices. */
static int device_takes_whole(const struct columns *k, uint32_t device, uint32_t shape,
                              enum device_when when) {
    return device_milli_free(k, device, when) == DEVICE_WHOLE &&
           k->c[C_DEVICE_SHARE].u8[device] != LSCHED_SHARING_MIG &&
           device_allowed(k, device, shape);
}

static int takes_part(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when) {
    if (device_mig_asked(k, device, shape))
        return device_allowed(k, device, shape) &&
               device_milli_free(k, device, when) >= device_milli_need(k, device, shape) &&
               device_mig_could(k, device, shape, device_mig_used(k, device, when)) &&
               ((when != DEVICE_NOW && when != DEVICE_LATER) ||
                !device_mig_awaited(k, device, shape));
    if (device_milli_free(k, device, when) <= 0) return 0; /* fast check: no milli-GPU is free */
    if (contention_bars(k, device, shape, when)) return 0;
    struct device_part room = device_room(k, device, when);
    return device_could(k, device, shape, &room);
}

int device_takes(const struct columns *k, uint32_t device, uint32_t shape, enum device_when when) {
    return devices_asked_whole(k, shape) ? device_takes_whole(k, device, shape, when)
                                         : takes_part(k, device, shape, when);
}

/* Returns 1 if tasks of the shape can take every device of the node of which all is free, except
 * devices in mode MIG, and no device of the node has taints, is being released or nominated for. */
static int takes_any_whole(const struct columns *k, uint32_t node, uint32_t shape) {
    return devices_asked_whole(k, shape) && k->c[C_NODE_FUTURE].u32[node] == 0 &&
           k->c[C_SHAPE_N_MODELS].u32[shape] == 0 && k->c[C_SHAPE_SELECTOR].u32[shape] == NO_ROW &&
           k->c[C_NODE_TAINTED].u8[node] == 0;
}

/* Does what devices_taking() does, if takes_any_whole(). */
static device_set taking_whole(const struct columns *k, uint32_t node, enum device_when when,
                               uint32_t most) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    uint64_t word[2] = {0, 0};
    const uint16_t *milli = k->c[C_DEVICE_FREE_MILLI].u16 + first;
    const uint8_t *mode = k->c[C_DEVICE_SHARE].u8 + first,
                  *closed = k->c[C_DEVICE_CLOSED].u8 + first;
    for (uint32_t i = 0; i < n && most > 0; i++) {
        uint32_t takes = (when == DEVICE_EMPTY ? !closed[i] : milli[i] == DEVICE_WHOLE) &&
                         mode[i] != LSCHED_SHARING_MIG;
        word[i / DEVICE_SET_WORD] |= (uint64_t)takes << i % DEVICE_SET_WORD;
        most -= takes;
    }
    return device_set_of_words(word[0], word[1]);
}

device_set devices_taking(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when, uint32_t most) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             found = 0;
    uint64_t word[2] = {0, 0};
    int whole = devices_asked_whole(k, shape);
    if (whole && n > 0 && takes_any_whole(k, node, shape)) return taking_whole(k, node, when, most);
    for (uint32_t i = 0; i < n && found < most; i++) {
        uint32_t takes = (uint32_t)(whole ? device_takes_whole(k, first + i, shape, when)
                                          : takes_part(k, first + i, shape, when));
        word[i / DEVICE_SET_WORD] |= (uint64_t)takes << i % DEVICE_SET_WORD;
        found += takes;
    }
    return device_set_of_words(word[0], word[1]);
}

/* True if the number of devices that can take a task of the shape is known without a look at each
 * device; sets *n to this number. */
static int known_count(const struct columns *k, uint32_t node, uint32_t shape,
                       enum device_when when, uint32_t *n) {
    /* a device in mode MIG has a SHARED row */
    if (k->c[C_NODE_SHARED_FIRST].u32[node] != NO_ROW || !takes_any_whole(k, node, shape)) return 0;
    *n = when == DEVICE_EMPTY
             ? (uint32_t)k->c[C_NODE_N_DEVICES].u8[node] - k->c[C_NODE_CLOSED].u8[node]
             : k->c[C_NODE_GPU_WHOLE].u8[node];
    return 1;
}

uint32_t devices_count(const struct columns *k, uint32_t node, uint32_t shape,
                       enum device_when when) {
    uint32_t n;
    if (known_count(k, node, shape, when, &n)) return n;
    return device_set_count(devices_taking(k, node, shape, when, k->c[C_NODE_N_DEVICES].u8[node]));
}

int devices_suffice(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                    uint32_t need) {
    uint32_t n;
    if (known_count(k, node, shape, when, &n)) return need <= n;
    return device_set_count(devices_taking(k, node, shape, when, need)) >= need;
}

/* Adds `need` to the free memory, SMs and memory limits of the device (sign 1) or subtracts it
 * (sign -1). These free amounts can become negative; the free share is not changed here. */
static void rest_add(struct columns *k, uint32_t device, const struct device_part *need, int sign) {
    uint32_t s = device_shared(k, device);
    add_i64(k, C_DEVICE_MEM_FREE, device, need->memory * sign);
    if (s == NO_ROW) return;
    set_i32(k, C_SHARED_SM_FREE, s, k->c[C_SHARED_SM_FREE].i32[s] + (int32_t)need->sm_count * sign);
    add_i64(k, C_SHARED_LIMIT_FREE, s, need->limit * sign);
}

void devices_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    uint8_t whole = k->c[C_NODE_GPU_WHOLE].u8[node];
    DEVICE_SET_EACH(m, h->mask) {
        uint32_t d = first + m.at, f = k->c[C_DEVICE_FREE_MILLI].u16[d];
        struct device_part need;
        device_need(k, d, shape, &need);
        whole = (uint8_t)(whole - (f == 1000));
        set_u16(k, C_DEVICE_FREE_MILLI, d, (uint16_t)(f > need.milli ? f - need.milli : 0));
        rest_add(k, d, &need, -1);
        if (device_is_mig(k, d)) device_mig_take(k, node, d - first, shape, h);
    }
    set_u8(k, C_NODE_GPU_WHOLE, node, whole);
    contention_count(k, node, shape, h, 1, 0);
}

uint32_t device_used(const struct columns *k, uint32_t node, uint32_t device, uint32_t index) {
    uint32_t used = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        if (!device_set_has(task_device_set(k, t), index) ||
            k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED)
            continue;
        used += device_milli_need(k, device, task_shape(k, t));
    }
    return used;
}

int64_t device_beyond(const struct columns *k, uint32_t device) {
    uint32_t node = k->c[C_DEVICE_NODE].u32[device];
    /* more than LSCHED_TASKS_PER_JOB_MAX releasing tasks of a whole device could give back */
    if (device_is_closed(k, device)) return INT64_C(1) << 40;
    if (!k->c[C_NODE_EXCESS].u8[node]) return 0;
    uint32_t used = device_used(k, node, device, device - k->c[C_NODE_DEVICE_FIRST].u32[node]);
    return used > DEVICE_WHOLE ? used - DEVICE_WHOLE : 0;
}

/* Computes the device's free share again from the tasks of the node. Before the call, the task
 * that gives its share back must have left the node's list of tasks. */
static void device_refill(struct columns *k, uint32_t node, uint32_t device, uint32_t index) {
    if (device_is_closed(k, device)) return;
    uint32_t used = device_used(k, node, device, index);
    uint16_t f = (uint16_t)(used < 1000 ? 1000 - used : 0),
             old = k->c[C_DEVICE_FREE_MILLI].u16[device];
    if (f == 1000 && old != 1000)
        set_u8(k, C_NODE_GPU_WHOLE, node, (uint8_t)(k->c[C_NODE_GPU_WHOLE].u8[node] + 1));
    set_u16(k, C_DEVICE_FREE_MILLI, device, f);
}

void devices_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    DEVICE_SET_EACH(m, h->mask) {
        uint32_t i = m.at;
        struct device_part need;
        device_need(k, first + i, shape, &need);
        rest_add(k, first + i, &need, 1);
        device_refill(k, node, first + i, i);
        if (device_is_mig(k, first + i)) device_mig_give(k, node, i, shape, h);
    }
    contention_count(k, node, shape, h, -1, 0);
}

static void coming_add(struct columns *k, uint32_t device, const struct device_part *need,
                       int sign) {
    uint32_t s = device_shared(k, device);
    set_i32(k, C_DEVICE_COMING_MILLI, device,
            k->c[C_DEVICE_COMING_MILLI].i32[device] + (int32_t)need->milli * sign);
    add_i64(k, C_DEVICE_COMING_MEM, device, need->memory * sign);
    if (s == NO_ROW) return;
    set_i32(k, C_SHARED_COMING_SM, s,
            k->c[C_SHARED_COMING_SM].i32[s] + (int32_t)need->sm_count * sign);
    add_i64(k, C_SHARED_COMING_LIMIT, s, need->limit * sign);
}

void devices_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign, int claim) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    DEVICE_SET_EACH(m, h->mask) {
        uint32_t i = m.at, d = first + i;
        struct device_part need;
        device_need(k, d, shape, &need);
        coming_add(k, d, &need, sign);
        if (!device_is_mig(k, d)) continue;
        if (claim)
            device_mig_claim(k, node, i, shape, h, sign < 0);
        else
            device_mig_leave(k, node, i, shape, h, sign > 0);
    }
    contention_count(k, node, shape, h, 0, sign);
}

int devices_short(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h) {
    DEVICE_SET_EACH(m, h->mask) {
        uint32_t i = m.at, d = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
        if (device_is_mig(k, d) && device_mig_short(k, node, i, shape, h)) return 1;
        struct device_part then = device_room(k, d, DEVICE_LATER);
        if (then.milli < 0 || then.memory < 0 || then.sm_count < 0 || then.limit < 0) return 1;
    }
    return contention_will_bar(k, node, shape, h);
}

/* ---- new devices ---- */

static int device_counts_more(const struct columns *k, uint32_t device) {
    struct device_kind kind = device_kind_of(k, device);
    return kind.mode > LSCHED_SHARING_FRACTION ||
           (kind.mode == LSCHED_SHARING_FRACTION &&
            (kind.sm_count || kind.overcommit_milli > DEVICE_WHOLE));
}

int32_t devices_share(struct columns *k, uint32_t node) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             i = 0;
    while (i < n && !device_counts_more(k, first + i)) i++;
    if (i == n) return LSCHED_OK;
    uint32_t shared = block_new(k, BLOCKS_SHARED, n);
    int32_t rc = shared == NO_ROW ? LSCHED_E_NOMEM : undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_NODE_SHARED_FIRST, node, shared);
    for (i = 0; i < n; i++) {
        struct device_part all = device_room(k, first + i, DEVICE_EMPTY);
        set_i32(k, C_SHARED_SM_FREE, shared + i, (int32_t)all.sm_count);
        set_i64(k, C_SHARED_LIMIT_FREE, shared + i, all.limit);
    }
    return LSCHED_OK;
}

/* ---- requests of waiting tasks ---- */

static int model_named(const struct task_spec *t, lsched_text model) {
    for (uint32_t i = 0; i < t->n_models; i++)
        if (text_order(t->models[i], model) == 0) return 1;
    return t->n_models == 0;
}

/* Returns the milli-GPUs that the request needs on a device of the class; 0 if the request does
 * not allow the class or the device is too small. */
static uint32_t milli_of_class(const struct columns *k, uint32_t class, const struct task_spec *t) {
    struct device_spec spec;
    struct device_part need;
    lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
    device_class_spec(k, class, &spec, attributes);
    struct device_kind kind = {spec.memory_bytes, spec.sm_count, DEVICE_WHOLE,
                               LSCHED_SHARING_FRACTION};
    struct device_ask ask = {.sm_count = t->sm_count, .memory = t->device_memory};
    if (spec.share == LSCHED_SHARING_MIG || !model_named(t, spec.model)) return 0;
    return device_part_of(&kind, &ask, &need) ? (uint32_t)need.milli : 0;
}

static int shape_names_model(const struct columns *k, uint32_t shape, lsched_text model) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape];
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (text_order(text_of(k, intern_text(k, T_STRING, models[i])), model) == 0) return 1;
    return n == 0;
}

/* Returns the milli-GPUs that a task of the shape is charged on a device of the class; 0 if the
 * class cannot hold the task. */
static int64_t shape_milli_of_class(const struct columns *k, uint32_t class, uint32_t shape) {
    struct device_spec spec;
    struct device_part need;
    lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
    device_class_spec(k, class, &spec, attributes);
    struct device_kind kind = {spec.memory_bytes, spec.sm_count,
                               spec.overcommit_milli ? spec.overcommit_milli : DEVICE_WHOLE,
                               spec.share};
    struct device_ask ask = ask_of(k, shape);
    if (!shape_names_model(k, shape, spec.model)) return 0;
    return device_part_of(&kind, &ask, &need) ? need.milli : 0;
}

int64_t shape_cheapest_milli(const struct columns *k, uint32_t shape) {
    int64_t least = 0;
    if (!shape_charge_varies(k, shape)) return shape_least_milli(k, shape);
    steps_add(k, table_rows(k, T_DEVCLASS));
    for (uint32_t class = 0; class < table_rows(k, T_DEVCLASS); class ++) {
        int64_t milli =
            row_is_live(k, T_DEVCLASS, class) ? shape_milli_of_class(k, class, shape) : 0;
        if (milli > 0 && (least == 0 || milli < least)) least = milli;
    }
    return least ? least * k->c[C_SHAPE_DEVICES].u32[shape] : shape_least_milli(k, shape);
}

uint32_t request_nominal_milli(const struct columns *k, const struct task_spec *t) {
    uint32_t most = 0;
    if (t->device_milli) return t->device_milli;
    if (t->device_memory == 0 && t->sm_count == 0) return DEVICE_WHOLE;
    for (uint32_t class = 0; class < table_rows(k, T_DEVCLASS); class ++) {
        uint32_t milli = row_is_live(k, T_DEVCLASS, class) ? milli_of_class(k, class, t) : 0;
        if (milli > most) most = milli;
    }
    return most ? most : DEVICE_WHOLE;
}

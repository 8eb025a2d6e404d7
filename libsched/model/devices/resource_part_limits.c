/*
 * resource_part_limits.c -- the amounts that the queues' limits on resource parts leave for one
 * task; see resource_part.h.
 *
 * On one node, a limit on a resource part decides how many devices of a model a task can take, or
 * whether the task can be on the node at all. A device has one model. Therefore the devices of
 * each model can be reduced independently of other models. From each model the devices with the
 * least free share are kept; this never reduces the number of devices that a task can take below
 * what the limit allows.
 */
#include "base/hash.h"
#include "model/devices/resource_part.h"
#include "model/devices/device.h"
#include "model/shapes/pool.h"

/* Returns 1 if a task of the shape has the same charge on every device. If the shape asks for
 * isolation, the charge can be the whole device on some devices only. */
static int is_uniform(const struct columns *k, uint32_t shape) {
    return !shape_charge_varies(k, shape);
}

static int64_t each_milli(const struct columns *k, uint32_t shape) {
    uint32_t devices = k->c[C_SHAPE_DEVICES].u32[shape];
    return devices ? k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape] / devices : 0;
}

static int allows_model(const struct columns *k, uint32_t shape, uint32_t model, int alone) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape];
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    if (alone && n != 1) return 0;
    for (uint32_t i = 0; i < n; i++)
        if (models[i] == model) return 1;
    return n == 0;
}

/* Returns the largest amount of the resource part that one task of the shape can hold on any
 * node; 0 if such a task never holds any. */
static int64_t resource_part_limits_most_of(const struct columns *k, uint32_t part,
                                            uint32_t shape) {
    uint32_t base = k->c[C_DERIVED_BASE].u32[part], model = k->c[C_DERIVED_MODEL].u32[part],
             profile = k->c[C_DERIVED_PROFILE].u32[part];
    int64_t asked = k->c[C_SHAPE_REQ + base].i64[shape];
    if (base != LSCHED_GPU) return asked;
    if (profile != NO_ROW && profile != k->c[C_SHAPE_PROFILE].u32[shape]) return 0;
    if (model != NO_ROW && !allows_model(k, shape, model, 0)) return 0;
    return is_uniform(k, shape) ? asked : (int64_t)k->c[C_SHAPE_DEVICES].u32[shape] * 1000;
}

int resource_part_could(const struct columns *k, uint32_t part, uint32_t shape, uint32_t node) {
    uint32_t pool = k->c[C_DERIVED_POOL].u32[part], model = k->c[C_DERIVED_MODEL].u32[part];
    if (resource_part_limits_most_of(k, part, shape) == 0) return 0;
    if (node == NO_ROW) return 1;
    if (pool != NO_ROW && !node_in_pool(k, node, pool)) return 0;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
    for (uint32_t i = 0; model != NO_ROW && i < n; i++) {
        uint32_t other = k->c[C_DEVICE_MODEL].u32[first + i];
        if (other != model && allows_model(k, shape, other, 0)) return 0;
    }
    return 1;
}

static void note_short(struct resource_part_short *s, uint32_t part, int64_t left) {
    uint32_t i = 0;
    while (i < s->n && s->of[i].part != part) i++;
    if (i == s->n) {
        s->of[s->n].part = part;
        s->of[s->n++].left = left;
    }
    if (left < s->of[i].left) s->of[i].left = left;
}

void resource_part_find_short(const struct columns *k, uint32_t queue, uint32_t shape,
                              struct resource_part_short *s) {
    int64_t each = is_uniform(k, shape) ? each_milli(k, shape) : 0;
    s->n = 0;
    for (uint32_t q = resource_part_count(k) ? queue : NO_ROW; q != NO_ROW;
         q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW;
             a = k->c[C_QAMOUNT_NEXT].u32[a]) {
            uint32_t d = k->c[C_QAMOUNT_DERIVED].u32[a];
            int64_t limit = k->c[C_QAMOUNT_LIMIT_NOW].i64[a],
                    most = resource_part_limits_most_of(k, d, shape),
                    left = limit - k->c[C_QAMOUNT_USED].i64[a];
            if (limit == LSCHED_UNLIMITED || left >= most) continue;
            if (left < 0) left = 0;
            if (k->c[C_DERIVED_BASE].u32[d] == LSCHED_GPU && each > 0) left -= left % each;
            note_short(s, d, left);
        }
    }
}

uint64_t resource_part_short_hash(const struct resource_part_short *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++)
        sum += hash_mix(s->of[i].part + 1u, (uint64_t)s->of[i].left + 1u);
    return sum;
}

/* Among devices of equal charge, the one with the least free share comes first, then the one with
 * the lowest device number. */
device_set resource_part_cheapest(const struct columns *k, uint32_t node, uint32_t shape,
                                  device_set from, int64_t left) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], most = k->c[C_SHAPE_DEVICES].u32[shape];
    device_set kept = 0;
    while (most-- > 0) {
        uint32_t best = NO_ROW, best_need = 0, best_free = 0;
        DEVICE_SET_EACH(m, from & ~kept) {
            uint32_t i = m.at, need = device_milli_need(k, first + i, shape),
                     room = k->c[C_DEVICE_FREE_MILLI].u16[first + i];
            if (best != NO_ROW && (need > best_need || (need == best_need && room >= best_free)))
                continue;
            best = i;
            best_need = need;
            best_free = room;
        }
        if (best == NO_ROW || best_need > left) break;
        left -= best_need;
        kept |= device_set_bit(best);
    }
    return kept;
}

/* Returns the largest sum of charges that any `devices` devices of the mask `from` can have. */
static int64_t dearest(const struct columns *k, uint32_t first, uint32_t shape, device_set from,
                       uint32_t devices) {
    int64_t sum = 0;
    for (device_set taken = 0; devices-- > 0;) {
        uint32_t best = NO_ROW, best_need = 0;
        DEVICE_SET_EACH(m, from & ~taken) {
            uint32_t i = m.at, need = device_milli_need(k, first + i, shape);
            if (best != NO_ROW && need <= best_need) continue;
            best = i;
            best_need = need;
        }
        if (best == NO_ROW) break;
        sum += best_need;
        taken |= device_set_bit(best);
    }
    return sum;
}

int resource_part_narrow(const struct columns *k, uint32_t node, uint32_t shape, device_set *from,
                         const struct resource_part_short *s) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             devices = k->c[C_SHAPE_DEVICES].u32[shape];
    for (uint32_t j = 0; j < s->n; j++) {
        uint32_t d = s->of[j].part, pool = k->c[C_DERIVED_POOL].u32[d],
                 model = k->c[C_DERIVED_MODEL].u32[d];
        device_set of_model = 0;
        if (pool != NO_ROW && !node_in_pool(k, node, pool)) continue;
        /* here the limit leaves less than the task would hold */
        if (k->c[C_DERIVED_BASE].u32[d] != LSCHED_GPU) return 0;
        DEVICE_SET_EACH(m, *from)
            if (model == NO_ROW || k->c[C_DEVICE_MODEL].u32[first + m.at] == model)
                of_model |= device_set_bit(m.at);
        if (dearest(k, first, shape, of_model, devices) <= s->of[j].left) continue;
        device_set kept = resource_part_cheapest(k, node, shape, of_model, s->of[j].left);
        *from &= ~of_model | kept;
    }
    return device_set_count(*from) >= devices;
}

/* ---- one queue after the other ---- */

/* Records the limit of the QAMOUNT row `row` in *out if this limit leaves less than `amount`. If
 * *out already has a limit, the limit whose resource part comes first by name is kept. */
static void note_limit(const struct columns *k, uint32_t row, int64_t amount,
                       struct resource_part_limit *out, int *found) {
    uint32_t d = k->c[C_QAMOUNT_DERIVED].u32[row];
    int64_t limit = k->c[C_QAMOUNT_LIMIT_NOW].i64[row],
            left = limit - k->c[C_QAMOUNT_USED].i64[row];
    if (amount <= 0 || limit == LSCHED_UNLIMITED || left >= amount) return;
    if (*found && text_compare(k, kind_name(k, out->kind), k->c[C_DERIVED_NAME].u32[d]) < 0) return;
    *found = 1;
    *out = (struct resource_part_limit){k->c[C_QAMOUNT_QUEUE].u32[row], KINDS_MAX + d, left, limit,
                                        amount};
}

/* only: row of DERIVED of the one resource part to check, or NO_ROW for all resource parts */
static int resource_part_limits_has_room(const struct columns *k, uint32_t queue, uint32_t only,
                                         uint32_t shape, uint32_t node, const struct hold *h,
                                         struct resource_part_limit *out) {
    int found = 0;
    for (uint32_t q = resource_part_count(k) ? queue : NO_ROW; q != NO_ROW && !found;
         q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW;
             a = k->c[C_QAMOUNT_NEXT].u32[a]) {
            uint32_t d = k->c[C_QAMOUNT_DERIVED].u32[a];
            if (only == NO_ROW || only == d)
                note_limit(k, a, resource_part_held(k, d, shape, node, h), out, &found);
        }
    return !found;
}

int resource_part_has_room(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                           const struct hold *h, struct resource_part_limit *out) {
    return resource_part_limits_has_room(k, queue, NO_ROW, shape, node, h, out);
}

int resource_part_has_room_of(const struct columns *k, uint32_t queue, uint32_t part,
                              uint32_t shape, uint32_t node, const struct hold *h,
                              struct resource_part_limit *out) {
    return resource_part_limits_has_room(k, queue, part, shape, node, h, out);
}

int resource_part_is_certain(const struct columns *k, uint32_t kind, uint32_t shape) {
    uint32_t d = kind - KINDS_MAX, model = k->c[C_DERIVED_MODEL].u32[d],
             profile = k->c[C_DERIVED_PROFILE].u32[d];
    return k->c[C_DERIVED_POOL].u32[d] == NO_ROW && k->c[C_SHAPE_DEVICES].u32[shape] > 0 &&
           is_uniform(k, shape) &&
           (profile == NO_ROW || profile == k->c[C_SHAPE_PROFILE].u32[shape]) &&
           (model == NO_ROW || allows_model(k, shape, model, 1));
}

int resource_part_certain_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t n,
                               struct resource_part_limit *out) {
    int64_t each = k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape];
    int found = 0;
    for (uint32_t q = resource_part_count(k) ? queue : NO_ROW; q != NO_ROW && !found;
         q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW;
             a = k->c[C_QAMOUNT_NEXT].u32[a])
            if (resource_part_is_certain(k, KINDS_MAX + k->c[C_QAMOUNT_DERIVED].u32[a], shape))
                note_limit(k, a, each * n, out, &found);
    return !found;
}

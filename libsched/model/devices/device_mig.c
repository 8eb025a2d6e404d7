/* device_mig.c -- see device_mig.h. Most functions cost what mig.h says. Three functions read all
 * tasks of the node and cost O(tasks on the node): device_mig_give(); device_mig_take() for an
 * import onto slices that other tasks hold; device_mig_leave() on a node with the flag EXCESS. */
#include "model/devices/device_mig.h"
#include "model/news/grown_nodes.h"
#include "model/shapes/leaf.h"

const struct mig_table *device_mig_table(const struct columns *k, uint32_t device) {
    uint32_t table = k->c[C_DEVCLASS_MIG_TABLE].u8[k->c[C_DEVICE_CLASS].u16[device]];
    return table && device_is_mig(k, device) ? mig_table_at(table - 1) : NULL;
}

uint32_t device_mig_profile(const struct columns *k, const struct mig_table *t, uint32_t shape) {
    uint32_t row = k->c[C_SHAPE_PROFILE].u32[shape], slices = k->c[C_SHAPE_MIG_SLICES].u8[shape];
    if (!t || row == NO_ROW) return MIG_NONE;
    lsched_text name = text_of(k, intern_text(k, T_STRING, row));
    for (uint32_t p = 0; p < t->n_profiles; p++)
        if (t->profiles[p].slices == slices && mig_profile_is(t, p, name)) return p;
    return MIG_NONE;
}

static int is_fixed(const struct columns *k, uint32_t device) {
    return k->c[C_DEVCLASS_MIG_STATIC].u8[k->c[C_DEVICE_CLASS].u16[device]];
}

static uint32_t geometry_of(const struct columns *k, uint32_t device) {
    return k->c[C_SHARED_GEOMETRY].u32[device_shared(k, device)];
}

uint32_t device_mig_used(const struct columns *k, uint32_t device, enum device_when when) {
    if (when == DEVICE_EMPTY || !device_is_mig(k, device)) return 0;
    uint32_t s = device_shared(k, device), busy = k->c[C_SHARED_MIG_BUSY].u8[s];
    switch (when) {
    case DEVICE_NOW: return busy | k->c[C_SHARED_MIG_CLAIMED].u8[s];
    case DEVICE_LATER:
        return (busy & ~(uint32_t)k->c[C_SHARED_MIG_COMING].u8[s]) |
               k->c[C_SHARED_MIG_CLAIMED].u8[s];
    default: return busy;
    }
}

/* Returns the existing layout without the idle instances that overlap the slices of a
 * nomination. */
static uint32_t standing_geometry(const struct columns *k, const struct mig_table *t,
                                  uint32_t device, uint32_t used) {
    uint32_t g = geometry_of(k, device), s = device_shared(k, device);
    uint32_t claimed = k->c[C_SHARED_MIG_CLAIMED].u8[s] & used;
    if (!claimed) return g;
    for (uint32_t m = mig_begins(g) & ~used; m; m &= m - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(m);
        if (mig_bits(t, mig_at(g, at), at) & claimed) g = mig_remove(g, at);
    }
    return g;
}

static int holds_now(const struct columns *k, uint32_t task, uint32_t index) {
    return device_set_has(task_device_set(k, task), index) &&
           k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_NOMINATED;
}

/* Returns 1 if a task that is not releasing holds the media engines of the device. Costs O(tasks
 * on the node). */
static int media_stay(const struct columns *k, uint32_t node, uint32_t index) {
    const struct mig_table *t = device_mig_table(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + index);
    for (uint32_t task = k->c[C_NODE_TASK_FIRST].u32[node]; task != NO_ROW;
         task = k->c[C_TASK_NODE_NEXT].u32[task]) {
        int leaves =
            k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[task];
        uint32_t p = device_mig_profile(k, t, task_shape(k, task));
        if (!leaves && holds_now(k, task, index) && p != MIG_NONE && t->profiles[p].media) return 1;
    }
    return 0;
}

int device_mig_awaited(const struct columns *k, uint32_t device, uint32_t shape) {
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape), node = k->c[C_DEVICE_NODE].u32[device];
    uint32_t index = device - k->c[C_NODE_DEVICE_FIRST].u32[node];
    if (p == MIG_NONE || !t->profiles[p].media) return 0;
    /* the tasks are read, because GEOMETRY does not have an imported instance that overlaps
     * another held instance */
    if (media_stay(k, node, index)) return 1;
    for (uint32_t task = k->c[C_NODE_TASK_FIRST].u32[node]; task != NO_ROW;
         task = k->c[C_TASK_NODE_NEXT].u32[task]) {
        uint32_t claimed = k->c[C_SHARED_MIG_CLAIMED].u8[device_shared(k, device)];
        struct hold h = task_hold(k, task);
        if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_NOMINATED || !device_set_has(h.mask, index))
            continue;
        uint32_t other = task_shape(k, task), q = device_mig_profile(k, t, other);
        if (q != MIG_NONE && t->profiles[q].media &&
            (device_mig_bits(k, device, other, hold_start(&h, index)) & claimed))
            return 1;
    }
    return 0;
}

static int is_awaited(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when) {
    return (when == DEVICE_NOW || when == DEVICE_LATER) && device_mig_awaited(k, device, shape);
}

int device_mig_could(const struct columns *k, uint32_t device, uint32_t shape, uint32_t used) {
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape);
    struct mig_choice choice;
    return p != MIG_NONE && mig_choose(t, p, standing_geometry(k, t, device, used), used,
                                       !is_fixed(k, device), NULL, &choice);
}

int device_mig_choose(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when, struct mig_choice *choice, uint64_t *lost) {
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape), used = device_mig_used(k, device, when);
    if (p == MIG_NONE || is_awaited(k, device, shape, when) ||
        !mig_choose(t, p, standing_geometry(k, t, device, used), used, !is_fixed(k, device), NULL,
                    choice))
        return 0;
    *lost = mig_worth(t, used, NULL) - mig_worth(t, used | mig_bits(t, p, choice->start), NULL);
    return 1;
}

int device_mig_allows(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when, uint32_t start, struct mig_choice *choice) {
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape), used = device_mig_used(k, device, when);
    return p != MIG_NONE && !is_awaited(k, device, shape, when) &&
           mig_choose_at(t, p, standing_geometry(k, t, device, used), used, !is_fixed(k, device),
                         start, choice);
}

uint32_t device_mig_bits(const struct columns *k, uint32_t device, uint32_t shape, uint32_t start) {
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape);
    return p == MIG_NONE ? 0 : mig_bits(t, p, start) & 0xFF;
}

/* ---- taking and giving back ---- */

/* Records a change of a layout that decisions never change. Such a layout decides which tasks the
 * node can ever hold. */
static void layouts_changed(struct columns *k, uint32_t node) {
    structure_raise(k);
    touch_node(k, node);
}

/* The slices and instances of one device that tasks hold. busy: mask of held slices. stays: mask
 * of the slices that tasks hold that are not releasing. */
struct mig_holders {
    /* begin[s], bit p: a task holds an instance of profile p that begins at slice s */
    uint8_t begin[MIG_SLICES];
    uint32_t busy, stays;
};

static void add_holder(const struct mig_table *t, uint32_t profile, uint32_t start, int leaves,
                       struct mig_holders *held) {
    if (profile == MIG_NONE || start >= MIG_SLICES) return;
    uint32_t bits = mig_bits(t, profile, start) & 0xFF;
    held->begin[start] |= (uint8_t)(1u << profile);
    held->busy |= bits;
    if (!leaves) held->stays |= bits;
}

static void read_holders(const struct columns *k, uint32_t node, uint32_t index,
                         struct mig_holders *held) {
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + index;
    const struct mig_table *t = device_mig_table(k, device);
    *held = (struct mig_holders){{0}, 0, 0};
    for (uint32_t task = k->c[C_NODE_TASK_FIRST].u32[node]; task != NO_ROW;
         task = k->c[C_TASK_NODE_NEXT].u32[task]) {
        if (!holds_now(k, task, index)) continue;
        struct hold h = task_hold(k, task);
        int leaves =
            k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[task];
        add_holder(t, device_mig_profile(k, t, task_shape(k, task)), hold_start(&h, index), leaves,
                   held);
    }
}

/* Returns the layout `g`, changed so that it agrees with the instances that tasks hold. An idle
 * instance that overlaps held slices is removed, because the report of the task is newer than the
 * report of the layout. An instance that a task holds is added, unless another held instance
 * overlaps it. The loops are ordered by slice and profile. Therefore the result does not depend
 * on the order in which tasks were reported. */
static uint32_t layout_beside(const struct mig_table *t, uint32_t g,
                              const struct mig_holders *held) {
    uint32_t kept = 0;
    for (uint32_t m = mig_begins(g); m; m &= m - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(m), p = mig_at(g, at), bits = mig_bits(t, p, at);
        if (held->begin[at] >> p & 1)
            kept |= bits;
        else if (bits & held->busy)
            g = mig_remove(g, at);
    }
    for (uint32_t at = 0; at < MIG_SLICES; at++)
        for (uint32_t m = held->begin[at]; m; m &= m - 1) {
            uint32_t p = (uint32_t)__builtin_ctz(m);
            struct mig_choice choice;
            if (!mig_choose_at(t, p, g, kept, 1, at, &choice)) continue;
            g = mig_cut(g, p, &choice);
            kept |= mig_bits(t, p, at);
        }
    return g;
}

static void set_layout(struct columns *k, uint32_t device, uint32_t geometry) {
    uint32_t s = device_shared(k, device);
    if (k->c[C_SHARED_GEOMETRY].u32[s] == geometry) return;
    set_u32(k, C_SHARED_GEOMETRY, s, geometry);
    if (is_fixed(k, device))
        layouts_changed(k, k->c[C_DEVICE_NODE].u32[device]); /* only an import can cause this */
}

static void set_held(struct columns *k, uint32_t shared, const struct mig_holders *held) {
    set_u8(k, C_SHARED_MIG_BUSY, shared, (uint8_t)held->busy);
    set_u8(k, C_SHARED_MIG_COMING, shared, (uint8_t)(held->busy & ~held->stays));
}

void device_mig_take(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h) {
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + index, s = device_shared(k, device);
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape), start = hold_start(h, index);
    uint32_t g = k->c[C_SHARED_GEOMETRY].u32[s], busy = k->c[C_SHARED_MIG_BUSY].u8[s];
    struct mig_choice choice;
    /* possible only for an imported task: its device does not have the profile */
    if (p == MIG_NONE) return;
    if (mig_choose_at(t, p, g, busy, 1, start, &choice)) {
        set_layout(k, device, mig_cut(g, p, &choice));
        set_u8(k, C_SHARED_MIG_BUSY, s, (uint8_t)(busy | mig_bits(t, p, start)));
    } else { /* an import onto slices that other tasks hold */
        struct mig_holders held;
        read_holders(k, node, index, &held);
        add_holder(t, p, start, 0, &held);
        set_held(k, s, &held);
        set_layout(k, device, layout_beside(t, g, &held));
    }
}

void device_mig_give(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h) {
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + index, s = device_shared(k, device);
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape), start = hold_start(h, index);
    struct mig_holders held;
    read_holders(k, node, index, &held);
    set_held(k, s, &held);
    uint32_t g = k->c[C_SHARED_GEOMETRY].u32[s];
    int unmade = (h->recut >> index & 1) && p != MIG_NONE && mig_at(g, start) == p;
    if (unmade && !(held.busy >> start & 1)) g = mig_remove(g, start);
    set_layout(k, device, layout_beside(t, g, &held));
}

static void mark(struct columns *k, uint32_t column, uint32_t node, uint32_t index, uint32_t shape,
                 const struct hold *h, int on) {
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + index, s = device_shared(k, device);
    uint32_t bits = device_mig_bits(k, device, shape, hold_start(h, index)),
             was = k->c[column].u8[s];
    set_u8(k, column, s, (uint8_t)(on ? was | bits : was & ~bits));
}

void device_mig_claim(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                      const struct hold *h, int on) {
    mark(k, C_SHARED_MIG_CLAIMED, node, index, shape, h, on);
}

void device_mig_leave(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                      const struct hold *h, int on) {
    /* a slice is in MIG_COMING when all tasks on the slice are releasing */
    if (on && k->c[C_NODE_EXCESS].u8[node]) {
        struct mig_holders held;
        read_holders(k, node, index, &held);
        set_held(k, k->c[C_NODE_SHARED_FIRST].u32[node] + index, &held);
        return;
    }
    mark(k, C_SHARED_MIG_COMING, node, index, shape, h, on);
}

int device_mig_short(const struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h) {
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + index, s = device_shared(k, device);
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t stays = k->c[C_SHARED_MIG_BUSY].u8[s] & ~(uint32_t)k->c[C_SHARED_MIG_COMING].u8[s];
    if (device_mig_bits(k, device, shape, hold_start(h, index)) & stays) return 1;
    uint32_t p = device_mig_profile(k, t, shape);
    return p != MIG_NONE && t->profiles[p].media && media_stay(k, node, index);
}

int device_mig_set(struct columns *k, uint32_t node, uint32_t index, uint32_t geometry) {
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + index, s = device_shared(k, device);
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t was = k->c[C_SHARED_GEOMETRY].u32[s], busy = k->c[C_SHARED_MIG_BUSY].u8[s];
    for (uint32_t at = 0; at < MIG_SLICES; at++) {
        uint32_t old = mig_at(was, at), p = mig_at(geometry, at);
        if (old == p) continue;
        if (old != MIG_NONE && (busy >> at & 1)) return 0;
        if (p != MIG_NONE && (mig_bits(t, p, at) & busy)) return 0;
    }
    set_u32(k, C_SHARED_GEOMETRY, s, geometry);
    layouts_changed(k, node);
    node_grew(k, node);
    return 1;
}

/*
 * verify_mig.c -- recomputes the MIG state: the tasks of a device lie on slices that the MIG table
 * allows, and no two tasks lie on one slice; the columns of used, coming and claimed slices equal
 * what the tasks hold, release and are nominated for; the instances on a device are a layout that
 * the device can have, and every task has an instance.
 *
 * Only the tables of mig.c are used. Starts, sizes and overlaps are checked slice by slice. On a
 * device where an import put a task beyond the room (the task is marked), tasks may share slices;
 * all other rules hold there, too.
 */
#include "engine/verify/verify_parts.h"
#include "model/store/intern.h"
#include "model/mig/mig.h"

struct cut_slices {
    /* tasks per slice: placed, releasing, nominated */
    uint8_t held[MIG_SLICES], releasing[MIG_SLICES], claimed[MIG_SLICES];
    /* number of tasks marked as excess */
    uint32_t excess;
    /* nominations for a profile with media engines (+me) */
    uint32_t media;
    /* by slice, bit p: a task holds an instance of profile p that begins at the slice */
    uint32_t begins[MIG_SLICES];
};

static const struct mig_table *table_of_device(const struct columns *k, uint32_t device) {
    uint32_t table = k->c[C_DEVCLASS_MIG_TABLE].u8[k->c[C_DEVICE_CLASS].u16[device]];
    return table ? mig_table_at(table - 1) : NULL;
}

/* Returns the MIG profile that the shape asks for, found by name and size, and its number; NULL if
 * the table has no such profile. */
static const struct mig_profile *profile_of(const struct columns *k, const struct mig_table *t,
                                            uint32_t shape, uint32_t *number) {
    uint32_t row = k->c[C_SHAPE_PROFILE].u32[shape];
    if (row == NO_ROW) return NULL;
    lsched_text name = text_of(k, intern_text(k, T_STRING, row));
    for (uint32_t p = 0; p < t->n_profiles; p++) {
        const struct mig_profile *f = &t->profiles[p];
        *number = p;
        if (strlen(f->name) == name.len && memcmp(f->name, name.ptr, (size_t)name.len) == 0 &&
            f->slices == k->c[C_SHAPE_MIG_SLICES].u8[shape])
            return f;
    }
    return NULL;
}

static int32_t count_instance(struct check *c, uint32_t task, uint32_t i, const struct mig_table *t,
                              struct cut_slices *s) {
    const struct columns *k = c->k;
    uint32_t node = k->c[C_TASK_NODE].u32[task], number = 0;
    uint32_t start = (uint32_t)(k->c[C_TASK_STARTS].u64[task] >> 4 * i & 15);
    const struct mig_profile *f = profile_of(k, t, verify_shape(k, task), &number);
    uint8_t state = verify_state_of(k, task), marked = k->c[C_TASK_EXCESS].u8[task];
    s->excess += marked;
    int asks = k->c[C_SHAPE_PROFILE].u32[verify_shape(k, task)] != NO_ROW;
    if (!f && !asks && k->c[C_TASK_IMPORTED].u8[task] && start == 0) return LSCHED_OK;
    if (!f)
        return check_fail(c, "%s is on device %u of %s, cut by %s, and asks for no profile of it",
                          NAME(T_TASK, task), i, NAME(T_NODE, node), t->name);
    if (start >= MIG_SLICES || !(f->starts >> start & 1) || start + f->slices > t->slices)
        return check_fail(c, "%s has %s at slice %u of device %u of %s, where it cannot begin",
                          NAME(T_TASK, task), f->name, start, i, NAME(T_NODE, node));
    int leaves = state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[task];
    for (uint32_t at = start; at < start + f->slices && at < MIG_SLICES; at++) {
        if (state == LSCHED_TASK_NOMINATED) {
            s->claimed[at]++;
            continue;
        }
        s->held[at]++;
        s->releasing[at] = (uint8_t)(s->releasing[at] + leaves);
    }
    if (state == LSCHED_TASK_NOMINATED)
        s->media += f->media;
    else
        s->begins[start] |= 1u << number;
    uint32_t stands =
        k->c[C_SHARED_GEOMETRY].u32[k->c[C_NODE_SHARED_FIRST].u32[node] + i] >> 4 * start & 15;
    if (state != LSCHED_TASK_NOMINATED && !marked && stands != number + 1)
        return check_fail(c, "%s has %s at slice %u of device %u of %s, where no such one stands",
                          NAME(T_TASK, task), f->name, start, i, NAME(T_NODE, node));
    return LSCHED_OK;
}

/* Checks the instances of a device: each has a known profile and begins at an allowed slice, and
 * none overlaps another instance or the slices that a task holds in another instance. */
static int32_t check_layout(struct check *c, uint32_t node, uint32_t i, const struct mig_table *t,
                            const struct cut_slices *held, uint32_t geometry) {
    uint32_t over[MIG_SLICES] = {0}, media = 0;
    for (uint32_t s = 0; s < MIG_SLICES; s++) {
        uint32_t nibble = geometry >> 4 * s & 15;
        const struct mig_profile *f = nibble - 1 < t->n_profiles ? &t->profiles[nibble - 1] : NULL;
        if (nibble == 0) continue;
        if (!f || !(f->starts >> s & 1) || s + f->slices > t->slices)
            return check_fail(c, "device %u of %s has profile number %u at slice %u of %s", i,
                              NAME(T_NODE, node), nibble, s, t->name);
        media += f->media;
        for (uint32_t at = s; at < s + f->slices; at++) {
            if (held->held[at] && !(held->begins[s] >> (nibble - 1) & 1))
                return check_fail(c,
                                  "%s at slice %u of device %u of %s is held by no task and lies "
                                  "on slice %u, which a task holds",
                                  f->name, s, i, NAME(T_NODE, node), at);
            if (over[at]++)
                return check_fail(c, "two instances of device %u of %s lie on slice %u", i,
                                  NAME(T_NODE, node), at);
        }
    }
    if (media > 1)
        return check_fail(c, "device %u of %s has %u instances with its media engines", i,
                          NAME(T_NODE, node), media);
    return LSCHED_OK;
}

static uint32_t mask_of(const uint8_t *count) {
    uint32_t mask = 0;
    for (uint32_t s = 0; s < MIG_SLICES; s++) mask |= (uint32_t)(count[s] > 0) << s;
    return mask;
}

static int32_t check_masks(struct check *c, uint32_t node, uint32_t i, const struct cut_slices *s) {
    const struct columns *k = c->k;
    uint32_t row = k->c[C_NODE_SHARED_FIRST].u32[node] + i;
    uint32_t busy = k->c[C_SHARED_MIG_BUSY].u8[row], coming = k->c[C_SHARED_MIG_COMING].u8[row],
             claimed = k->c[C_SHARED_MIG_CLAIMED].u8[row], comes = 0;
    for (uint32_t at = 0; at < MIG_SLICES; at++)
        comes |= (uint32_t)(s->held[at] && s->held[at] == s->releasing[at]) << at;
    if (busy != mask_of(s->held) || claimed != mask_of(s->claimed) || coming != comes)
        return check_fail(c,
                          "device %u of %s: slices %#x used, %#x coming, %#x claimed; tasks hold "
                          "%#x, give back %#x, claim %#x",
                          i, NAME(T_NODE, node), busy, coming, claimed, mask_of(s->held), comes,
                          mask_of(s->claimed));
    for (uint32_t at = 0; at < MIG_SLICES; at++)
        if ((s->held[at] > 1 && !s->excess) || s->claimed[at] > 1 ||
            (s->claimed[at] && s->held[at] > s->releasing[at]))
            return check_fail(c, "slice %u of device %u of %s: %u tasks hold it, %u claim it", at,
                              i, NAME(T_NODE, node), s->held[at], s->claimed[at]);
    /* tasks that hold media engines need no check here: check_layout allows one such instance per
     * device */
    if (s->media > 1)
        return check_fail(c, "%u tasks claim the media engines of device %u of %s", s->media, i,
                          NAME(T_NODE, node));
    return LSCHED_OK;
}

static int32_t verify_mig_check_device(struct check *c, uint32_t node, uint32_t i) {
    const struct columns *k = c->k;
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
    const struct mig_table *t = table_of_device(k, device);
    int mig = k->c[C_DEVICE_SHARE].u8[device] == LSCHED_SHARE_MIG;
    struct cut_slices s;
    if (mig != (t != NULL) || (mig && k->c[C_NODE_SHARED_FIRST].u32[node] == NO_ROW))
        return check_fail(c, "device %u of %s is in share mode %u %s a MIG table", i,
                          NAME(T_NODE, node), k->c[C_DEVICE_SHARE].u8[device],
                          t ? "with" : "without");
    if (!mig) return LSCHED_OK;
    memset(&s, 0, sizeof s);
    int32_t rc = LSCHED_OK;
    for (uint32_t task = k->c[C_NODE_TASK_FIRST].u32[node]; task != NO_ROW && rc == LSCHED_OK;
         task = k->c[C_TASK_NODE_NEXT].u32[task])
        if (k->c[C_TASK_MASK].u16[task] >> i & 1) rc = count_instance(c, task, i, t, &s);
    uint32_t row = k->c[C_NODE_SHARED_FIRST].u32[node] + i;
    if (rc == LSCHED_OK) rc = check_layout(c, node, i, t, &s, k->c[C_SHARED_GEOMETRY].u32[row]);
    return rc == LSCHED_OK ? check_masks(c, node, i, &s) : rc;
}

/* Checks the MIG fields of one task. The task has start slices only on its own devices that are in
 * MIG mode. Devices that the orchestrator has still to repartition belong to a placement that the
 * orchestrator has not confirmed. */
static int32_t verify_mig_check_task(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    uint32_t node = k->c[C_TASK_NODE].u32[task], mask = k->c[C_TASK_MASK].u16[task],
             recut = k->c[C_TASK_RECUT].u16[task], cut = 0;
    uint64_t starts = k->c[C_TASK_STARTS].u64[task];
    for (uint32_t i = 0; node != NO_ROW && i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (k->c[C_DEVICE_SHARE].u8[k->c[C_NODE_DEVICE_FIRST].u32[node] + i] == LSCHED_SHARE_MIG)
            cut |= mask & 1u << i;
    if (node != NO_ROW && k->c[C_SHAPE_PROFILE].u32[verify_shape(k, task)] != NO_ROW && mask != cut)
        return check_fail(
            c, "%s asks for a MIG instance and has devices %#x of %s, of which %#x are cut",
            NAME(T_TASK, task), mask, NAME(T_NODE, node), cut);
    if ((recut & ~cut) || (recut && verify_state_of(k, task) != LSCHED_TASK_PROPOSED))
        return check_fail(c, "%s has devices %#x, is to have %#x cut, and is in state %u",
                          NAME(T_TASK, task), mask, recut, verify_state_of(k, task));
    for (uint32_t i = 0; i < LSCHED_DEVICES_PER_NODE_MAX; i++)
        if ((starts >> 4 * i & 15) && !(cut >> i & 1))
            return check_fail(c, "%s begins at slice %u of device %u, which is not cut for it",
                              NAME(T_TASK, task), (uint32_t)(starts >> 4 * i & 15), i);
    return LSCHED_OK;
}

int32_t verify_mig(struct check *c) {
    const struct columns *k = c->k;
    int32_t rc = LSCHED_OK;
    for (uint32_t node = 0; node < table_rows(k, T_NODE) && rc == LSCHED_OK; node++)
        for (uint32_t i = 0;
             row_is_live(k, T_NODE, node) && i < k->c[C_NODE_N_DEVICES].u8[node] && rc == LSCHED_OK;
             i++)
            rc = verify_mig_check_device(c, node, i);
    for (uint32_t t = 0; t < table_rows(k, T_TASK) && rc == LSCHED_OK; t++)
        if (row_is_live(k, T_TASK, t)) rc = verify_mig_check_task(c, t);
    return rc;
}

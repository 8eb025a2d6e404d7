/*
 * verify_mig.c -- see verify_mig.h.
 *
 * The check uses only the tables of mig.c. It checks starts, sizes and overlaps slice by slice. If
 * an import put a task on a device without enough free slices, the task is marked as excess. On the
 * device of a marked task, tasks are allowed to share slices; all other rules also hold on that
 * device.
 */
#include "engine/verify/verify_mig.h"

#include "engine/verify/verify_read.h"

struct cut_slices {
    uint8_t held[MIG_SLICES],  /* number of tasks that hold each slice */
        releasing[MIG_SLICES], /* number of releasing tasks on each slice */
        claimed[MIG_SLICES];   /* number of tasks that are nominated for each slice */
    /* number of tasks that are marked as excess */
    uint32_t excess;
    /* number of nominations for a profile with media engines (a name with +me) */
    uint32_t media;
    /* begins[s], bit p: a task holds an instance of profile p that begins at slice s */
    uint32_t begins[MIG_SLICES];
};

const struct mig_table *verify_mig_table(const struct columns *k, uint32_t device) {
    uint32_t table = k->c[C_DEVCLASS_MIG_TABLE].u8[k->c[C_DEVICE_CLASS].u16[device]];
    return table ? mig_table_at(table - 1) : NULL;
}

uint32_t verify_mig_profile(const struct columns *k, const struct mig_table *t, uint32_t shape) {
    uint32_t row = k->c[C_SHAPE_PROFILE].u32[shape], p = 0;
    if (row == NO_ROW) return t->n_profiles;
    lsched_text name = text_of(k, intern_text(k, T_STRING, row));
    while (p < t->n_profiles && (t->profiles[p].slices != k->c[C_SHAPE_MIG_SLICES].u8[shape] ||
                                 !mig_profile_is(t, p, name)))
        p++;
    return p;
}

static int32_t count_instance(struct check *c, uint32_t task, uint32_t i, const struct mig_table *t,
                              struct cut_slices *s) {
    const struct columns *k = c->k;
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = verify_shape(k, task),
             number = verify_mig_profile(k, t, shape);
    uint32_t start = i < 16 ? (uint32_t)(verify_starts_of(k, task) >> 4 * i & 15) : 0;
    const struct mig_profile *f = number < t->n_profiles ? &t->profiles[number] : NULL;
    uint8_t marked = k->c[C_TASK_EXCESS].u8[task];
    s->excess += marked;
    int asks = k->c[C_SHAPE_PROFILE].u32[shape] != NO_ROW,
        nominated = verify_state_of(k, task) == LSCHED_TASK_NOMINATED;
    if (!f && !asks && k->c[C_TASK_IMPORTED].u8[task] && start == 0) return LSCHED_OK;
    if (!f)
        return check_fail(
            c,
            "%s is on device %u of %s with the MIG table %s, but asks for no profile of "
            "this table",
            NAME(T_TASK, task), i, NAME(T_NODE, node), t->name);
    if (start >= MIG_SLICES || !(f->starts >> start & 1) || start + f->slices > t->slices)
        return check_fail(
            c,
            "%s has an instance of %s at slice %u of device %u of %s, where this profile "
            "cannot begin",
            NAME(T_TASK, task), f->name, start, i, NAME(T_NODE, node));
    for (uint32_t at = start; at < start + f->slices && at < MIG_SLICES; at++) {
        s->claimed[at] = (uint8_t)(s->claimed[at] + nominated);
        s->held[at] = (uint8_t)(s->held[at] + !nominated);
        s->releasing[at] = (uint8_t)(s->releasing[at] + verify_leaves(k, task));
    }
    if (nominated) {
        s->media += f->media;
        return LSCHED_OK;
    }
    s->begins[start] |= 1u << number;
    uint32_t stands =
        k->c[C_SHARED_GEOMETRY].u32[k->c[C_NODE_SHARED_FIRST].u32[node] + i] >> 4 * start & 15;
    if (!marked && stands != number + 1)
        return check_fail(
            c,
            "%s has an instance of %s at slice %u of device %u of %s, but the device has "
            "no such instance there",
            NAME(T_TASK, task), f->name, start, i, NAME(T_NODE, node));
    return LSCHED_OK;
}

/* Checks the instances of a device. Each instance must have a known profile and begin at a slice
 * that the profile allows. No instance overlaps another instance, or slices that a task holds in
 * another instance. */
static int32_t check_layout(struct check *c, uint32_t node, uint32_t i, const struct mig_table *t,
                            const struct cut_slices *held, uint32_t geometry) {
    uint32_t over[MIG_SLICES] = {0}, media = 0;
    for (uint32_t s = 0; s < MIG_SLICES; s++) {
        uint32_t nibble = geometry >> 4 * s & 15;
        const struct mig_profile *f = nibble - 1 < t->n_profiles ? &t->profiles[nibble - 1] : NULL;
        if (nibble == 0) continue;
        if (!f || !(f->starts >> s & 1) || s + f->slices > t->slices)
            return check_fail(
                c,
                "device %u of %s has an instance of profile number %u at slice %u, which the "
                "MIG table %s does not allow",
                i, NAME(T_NODE, node), nibble, s, t->name);
        media += f->media;
        for (uint32_t at = s; at < s + f->slices; at++) {
            if (held->held[at] && !(held->begins[s] >> (nibble - 1) & 1))
                return check_fail(
                    c,
                    "the idle instance of %s at slice %u of device %u of %s overlaps slice %u, "
                    "which a task holds",
                    f->name, s, i, NAME(T_NODE, node), at);
            if (over[at]++)
                return check_fail(c, "two instances of device %u of %s overlap on slice %u", i,
                                  NAME(T_NODE, node), at);
        }
    }
    if (media > 1)
        return check_fail(
            c, "device %u of %s has %u instances that use its media engines; at most one can", i,
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
        return check_fail(
            c,
            "device %u of %s records the slices %#x as used, %#x as releasing and %#x as "
            "nominated; its tasks hold %#x, release %#x and are nominated for %#x",
            i, NAME(T_NODE, node), busy, coming, claimed, mask_of(s->held), comes,
            mask_of(s->claimed));
    for (uint32_t at = 0; at < MIG_SLICES; at++)
        if ((s->held[at] > 1 && !s->excess) || s->claimed[at] > 1 ||
            (s->claimed[at] && s->held[at] > s->releasing[at]))
            return check_fail(
                c, "slice %u of device %u of %s: %u tasks hold it and %u are nominated for it", at,
                i, NAME(T_NODE, node), s->held[at], s->claimed[at]);
    /* Tasks that hold media engines need no check here, because check_layout allows only one
     * instance with media engines on a device. */
    if (s->media > 1)
        return check_fail(
            c,
            "%u tasks are nominated for the media engines of device %u of %s; at most "
            "one can be",
            s->media, i, NAME(T_NODE, node));
    return LSCHED_OK;
}

static int32_t verify_mig_check_device(struct check *c, uint32_t node, uint32_t i) {
    const struct columns *k = c->k;
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
    const struct mig_table *t = verify_mig_table(k, device);
    int mig = k->c[C_DEVICE_SHARE].u8[device] == LSCHED_SHARING_MIG;
    struct cut_slices s;
    if (mig != (t != NULL) || (mig && k->c[C_NODE_SHARED_FIRST].u32[node] == NO_ROW))
        return check_fail(c, "device %u of %s is in share mode %u, but it is stored %s a MIG table",
                          i, NAME(T_NODE, node), k->c[C_DEVICE_SHARE].u8[device],
                          t ? "with" : "without");
    if (!mig) return LSCHED_OK;
    memset(&s, 0, sizeof s);
    int32_t rc = LSCHED_OK;
    for (uint32_t task = k->c[C_NODE_TASK_FIRST].u32[node]; task != NO_ROW && rc == LSCHED_OK;
         task = k->c[C_TASK_NODE_NEXT].u32[task]) {
        struct verify_devices held = verify_devices_of(k, task);
        if (verify_has_device(&held, i)) rc = count_instance(c, task, i, t, &s);
    }
    uint32_t row = k->c[C_NODE_SHARED_FIRST].u32[node] + i;
    if (rc == LSCHED_OK) rc = check_layout(c, node, i, t, &s, k->c[C_SHARED_GEOMETRY].u32[row]);
    return rc == LSCHED_OK ? check_masks(c, node, i, &s) : rc;
}

/* Checks the MIG fields of one task. Only devices of the task that are in MIG mode have a start
 * slice. If devices of the task are still to be repartitioned, the orchestrator must not have
 * confirmed the task's placement yet. */
static int32_t verify_mig_check_task(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    uint32_t node = k->c[C_TASK_NODE].u32[task], recut = k->c[C_TASK_RECUT].u16[task];
    struct verify_devices held = verify_devices_of(k, task), cut = {{0, 0}};
    uint64_t starts = verify_starts_of(k, task);
    for (uint32_t i = 0; node != NO_ROW && i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (k->c[C_DEVICE_SHARE].u8[verify_device_row(k, node, i)] == LSCHED_SHARING_MIG &&
            verify_has_device(&held, i))
            cut.word[i / 64] |= UINT64_C(1) << i % 64;
    if (node != NO_ROW && k->c[C_SHAPE_PROFILE].u32[verify_shape(k, task)] != NO_ROW &&
        (held.word[0] != cut.word[0] || held.word[1] != cut.word[1]))
        return check_fail(c,
                          "%s asks for a MIG instance and has devices %s of %s, of which %s have a "
                          "MIG layout",
                          NAME(T_TASK, task), verify_devices_shown(&held).text, NAME(T_NODE, node),
                          verify_devices_shown(&cut).text);
    if ((recut & ~cut.word[0]) || (recut && verify_state_of(k, task) != LSCHED_TASK_PROPOSED))
        return check_fail(
            c,
            "%s has devices %s, waits for a new MIG layout of %#x, and is in state %u, "
            "which do not go together",
            NAME(T_TASK, task), verify_devices_shown(&held).text, recut, verify_state_of(k, task));
    for (uint32_t i = 0; i < 16; i++)
        if ((starts >> 4 * i & 15) && !verify_has_device(&cut, i))
            return check_fail(
                c,
                "%s begins at slice %u of device %u, where the MIG layout has no instance "
                "for it",
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

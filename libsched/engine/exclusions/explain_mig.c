/* explain_mig.c -- see explain_mig.h. Cost: O(devices). */
#include "engine/exclusions/explain_mig.h"

#include "model/devices/device_mig.h"
#include "model/nodes/node.h"

struct slices {
    uint32_t devices; /* devices of ready nodes that have the profile */
    uint32_t fixed;   /* devices, among those counted in `devices`, that are never repartitioned */
    uint32_t enough;  /* devices with at least as many free memory slices as the profile needs */
    uint32_t fit;
    /* the profile, from the table of the first device that has it */
    const struct mig_profile *profile;
};

static void look_at_device(const struct columns *k, uint32_t device, uint32_t shape,
                           struct slices *s) {
    const struct mig_table *t = device_mig_table(k, device);
    uint32_t p = device_mig_profile(k, t, shape);
    if (p == MIG_NONE || !device_allowed(k, device, shape)) return;
    uint32_t used = device_mig_used(k, device, DEVICE_NOW);
    uint32_t left = t->slices - (uint32_t)__builtin_popcount(used & ((1u << t->slices) - 1));
    if (!s->profile) s->profile = &t->profiles[p];
    s->devices++;
    s->fixed += k->c[C_DEVCLASS_MIG_STATIC].u8[k->c[C_DEVICE_CLASS].u16[device]];
    s->enough += left >= t->profiles[p].slices;
    s->fit += (uint32_t)device_takes(k, device, shape, DEVICE_NOW);
}

static void explain_mig_put_starts(uint32_t starts, struct text_out *o) {
    for (uint32_t m = starts; m; m &= m - 1)
        text_put(o, "%s%u",
                 m == starts     ? ""
                 : (m & (m - 1)) ? ", "
                                 : " or ",
                 (uint32_t)__builtin_ctz(m));
}

static struct slices look_at_devices(const struct columns *k, uint32_t shape) {
    struct slices s = {0, 0, 0, 0, NULL};
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n) || k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY) continue;
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[n]; i++)
            look_at_device(k, k->c[C_NODE_DEVICE_FIRST].u32[n] + i, shape, &s);
    }
    return s;
}

void explain_mig_put_fixed(const struct columns *k, uint32_t shape, struct text_out *o) {
    if (!k->c[C_SHAPE_MIG_SLICES].u8[shape]) return;
    struct slices s = look_at_devices(k, shape);
    if (s.devices == 0 || s.fixed < s.devices) return;
    text_put(o, "; the MIG layout of the %u device%s that could have it is never changed",
             s.devices, plural(s.devices));
}

void explain_mig(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t shape = waiting_shape(k, &e->w);
    if (!k->c[C_SHAPE_MIG_SLICES].u8[shape]) return;
    struct slices s = look_at_devices(k, shape);
    PUT_LINE(e->o, "slices", "%s",
             shown_name(k, intern_text(k, T_STRING, k->c[C_SHAPE_PROFILE].u32[shape])).text);
    if (!s.profile) {
        text_put(e->o, ": no device on a ready node can have such a MIG layout\n");
        return;
    }
    text_put(e->o, " takes %u slice%s from ", s.profile->slices, s.profile->slices == 1 ? "" : "s");
    explain_mig_put_starts(s.profile->starts, e->o);
    text_put(e->o, " on: %u device%s can have it", s.devices, s.devices == 1 ? "" : "s");
    if (s.fixed) text_put(e->o, " (%u never recut)", s.fixed);
    text_put(e->o, ", %u ha%s so many free, %u in such a place\n", s.enough,
             s.enough == 1 ? "s" : "ve", s.fit);
}

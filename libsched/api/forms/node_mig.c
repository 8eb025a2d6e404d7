/* node_mig.c -- see node_mig.h. */
#include "api/forms/node_mig.h"

#include <stdio.h>
#include <string.h>

#include "base/text_out.h"
#include "model/devices/device_mig.h"

/* A text of names with commas between them, for messages. Names that do not fit into the text are
 * dropped. */
struct mig_names {
    char text[160];
    size_t n;
};

static void names_add(struct mig_names *to, const char *name) {
    size_t len = strlen(name), comma = to->n ? 2 : 0;
    if (to->n + comma + len + 1 > sizeof to->text) return;
    memcpy(to->text + to->n, ", ", comma);
    memcpy(to->text + to->n + comma, name, len + 1);
    to->n += comma + len;
}

const struct mig_table *arg_mig_table(lsched_text name, const char *what, lsched_error *err) {
    struct mig_names there = {{0}, 0};
    name = arg_text(name);
    const struct mig_table *t = mig_table_named(name), *other;
    if (t) return t;
    for (uint32_t i = 0; (other = mig_table_at(i)); i++) names_add(&there, other->name);
    fail(err, LSCHED_E_NOENT, "%s: there is no MIG table '%.*s'; the known tables are %s", what,
         (int)name.len, name.ptr, there.text);
    return NULL;
}

uint32_t arg_mig_profile(const struct mig_table *t, lsched_text name, const char *what,
                         lsched_error *err) {
    struct mig_names there = {{0}, 0};
    name = arg_text(name);
    uint32_t p = mig_profile_named(t, name);
    if (p != MIG_NONE) return p;
    for (uint32_t i = 0; i < t->n_profiles; i++) names_add(&there, t->profiles[i].name);
    fail(err, LSCHED_E_NOENT, "%s: %s has no MIG profile '%.*s'; its profiles are %s", what,
         t->name, (int)name.len, name.ptr, there.text);
    return MIG_NONE;
}

int32_t arg_mig_instances(const struct mig_table *t, const lsched_mig_instance *list, uint32_t n,
                          uint32_t busy, const char *what, uint32_t *geometry, uint32_t *slices,
                          lsched_error *err) {
    *geometry = 0;
    if (slices) *slices = 0;
    if (n > t->slices)
        return fail(err, LSCHED_E_INVAL, "%s: one device has %s, but %s has only %s", what,
                    counted(n, "MIG instance").text, t->name, counted(t->slices, "slice").text);
    if (n && !list) return fail(err, LSCHED_E_NULL, "%s: MIG instances is NULL", what);
    for (uint32_t i = 0; i < n; i++) {
        int32_t rc =
            arg_reserved_at(list[i].reserved_zero, "reserved_zero", what, "MIG instance", i, err);
        if (rc != LSCHED_OK) return rc;
        uint32_t p = arg_mig_profile(t, list[i].profile, what, err), start = list[i].start;
        if (p == MIG_NONE) return LSCHED_E_NOENT;
        uint32_t used = mig_covered(t, *geometry, mig_begins(*geometry));
        if (start >= MIG_SLICES || !(t->profiles[p].starts >> start & 1))
            return fail(err, LSCHED_E_INVAL, "%s: MIG profile %s cannot begin at slice %u of %s",
                        what, t->profiles[p].name, start, t->name);
        if (!(mig_starts(t, p, used) >> start & 1) ||
            !mig_geometry_legal(t, mig_add(*geometry, p, start)))
            return fail(
                err, LSCHED_E_INVAL,
                "%s: MIG instance %s at slice %u overlaps an instance before it in the list", what,
                t->profiles[p].name, start);
        *geometry = mig_add(*geometry, p, start);
        if (slices && (busy >> i & 1)) *slices |= mig_bits(t, p, start);
    }
    return LSCHED_OK;
}

int32_t node_read_mig(const lsched_device_desc *v, struct device_spec *spec, const char *node,
                      int len, lsched_error *err) {
    char what[LSCHED_NAME_BYTES_MAX + 16];
    snprintf(what, sizeof what, "node '%.*s'", len, node);
    lsched_text name = arg_text(v->mig_table);
    if (v->share_mode != LSCHED_SHARING_MIG) {
        if (name.len || v->n_instances || v->mig_static)
            return fail(err, LSCHED_E_INVAL,
                        "%s: a MIG table or MIG instances are given, but the share mode is %u",
                        what, v->share_mode);
        return LSCHED_OK;
    }
    const struct mig_table *t =
        name.len ? arg_mig_table(name, what, err) : mig_table_for(v->model, v->memory_bytes);
    if (!t && name.len) return LSCHED_E_NOENT;
    if (!t)
        return fail(err, LSCHED_E_NOENT,
                    "%s: no MIG table is known for model '%.*s' with %lld MiB; name one with "
                    "mig_table",
                    what, (int)v->model.len, v->model.ptr, (long long)(v->memory_bytes >> 20));
    if (v->mig_static > 1)
        return fail(err, LSCHED_E_INVAL, "%s: mig_static %u; expected 0 or 1", what, v->mig_static);
    spec->mig_table = (uint8_t)(mig_table_number(t) + 1);
    spec->mig_static = (uint8_t)v->mig_static;
    return arg_mig_instances(t, v->instances, v->n_instances, 0, what, &spec->geometry, NULL, err);
}

int32_t node_mig_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                        lsched_error *err) {
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    char what[LSCHED_NAME_BYTES_MAX + 32];
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], geometry;
    snprintf(what, sizeof what, "node '%.*s'", (int)name.len, name.ptr);
    if (u->mig_device >= n)
        return fail(err, LSCHED_E_RANGE, "%s: device %u; it has %u", what, u->mig_device, n);
    const struct mig_table *t =
        device_mig_table(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + u->mig_device);
    if (!t)
        return fail(err, LSCHED_E_STATE, "%s: device %u is not in share mode MIG", what,
                    u->mig_device);
    int32_t rc =
        arg_mig_instances(t, u->mig_instances, u->n_mig_instances, 0, what, &geometry, NULL, err);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (device_mig_set(k, node, u->mig_device, geometry)) return LSCHED_OK;
    return fail(err, LSCHED_E_BUSY,
                "%s: device %u: a task holds an instance that would disappear, or slices "
                "that another instance would use",
                what, u->mig_device);
}

/*
 * api_mig.c -- the MIG tables, and plans for changes of the MIG layout, for orchestrators.
 *
 * Planning needs no cluster: an orchestrator describes devices, asks how to change their layout,
 * and then carries the steps out. The arguments are checked and converted to geometries (mig.h).
 * model/mig/mig_plan.h computes the plan, which is returned as a list of steps.
 */
#include <string.h>

#include "api/forms/node_mig.h"
#include "base/alloc.h"
#include "base/text_out.h"
#include "model/devices/device_mig.h"
#include "model/mig/mig_plan.h"

static lsched_text static_text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

LSCHED_API const char *lsched_mig_tables_at(size_t i) {
    const struct mig_table *t = i < UINT32_MAX ? mig_table_at((uint32_t)i) : NULL;
    return t ? t->name : NULL;
}

LSCHED_API size_t lsched_mig_tables_size(void) {
    size_t n = 0;
    while (lsched_mig_tables_at(n)) n++;
    return n;
}

LSCHED_API int32_t lsched_mig_table_find(lsched_text model, int64_t memory_bytes,
                                         lsched_text *table, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    model = arg_text(model);
    if (!table) return fail(err, LSCHED_E_NULL, "table is NULL");
    const struct mig_table *t = mig_table_for(model, memory_bytes);
    if (!t)
        return fail(err, LSCHED_E_NOENT,
                    "no MIG table for model '%.*s' with %lld MiB; take one of lsched_mig_tables_at",
                    (int)model.len, model.ptr, (long long)(memory_bytes >> 20));
    *table = static_text(t->name);
    return LSCHED_OK;
}

LSCHED_API size_t lsched_mig_profiles_size(lsched_text table) {
    const struct mig_table *t = arg_mig_table(table, "MIG", NULL);
    return t ? t->n_profiles : 0;
}

LSCHED_API int32_t lsched_mig_profiles_at(lsched_text table, size_t i, lsched_mig_profile *out,
                                          lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!out) return fail(err, LSCHED_E_NULL, "profile is NULL");
    const struct mig_table *t = arg_mig_table(table, "MIG", err);
    if (!t) return LSCHED_E_NOENT;
    if (i >= t->n_profiles)
        return fail(err, LSCHED_E_NOENT, "the MIG table '%s' has %u profiles", t->name,
                    t->n_profiles);
    const uint32_t number = (uint32_t)i;
    const struct mig_profile *p = &t->profiles[number];
    lsched_mig_profile mine = {.size = sizeof mine,
                               .number = number,
                               .name = static_text(p->name),
                               .memory_bytes = (int64_t)p->mem_mib << 20,
                               .slices = p->slices,
                               .compute = p->compute,
                               .starts = p->starts,
                               .max = p->max,
                               .sm_count = p->sms,
                               .share_milli = mig_milli(t, number),
                               .media = p->media,
                               .vendor_id = p->vendor};
    rc = arg_out(out, &mine, sizeof mine);
    return rc < 0 ? fail(err, rc, "profile: size is %u", out->size) : rc;
}

/* ---- planning ---- */

static int32_t mig_order_add(const struct mig_table *t, const lsched_mig_request *requests,
                             uint32_t i, struct mig_order *order, lsched_error *err) {
    const lsched_mig_request *r = &requests[i];
    int32_t rc = arg_reserved_at(r->reserved_zero, "reserved_zero", NULL, "MIG request", i, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t p = arg_mig_profile(t, r->profile, "MIG request", err);
    if (p == MIG_NONE) return LSCHED_E_NOENT;
    if (r->count > UINT32_MAX / 2 - order->want[p])
        return fail(err, LSCHED_E_RANGE,
                    "%u instances of %s; expected at most %u of one profile together", r->count,
                    t->profiles[p].name, UINT32_MAX / 2);
    order->want[p] += r->count;
    return LSCHED_OK;
}

static int32_t read_order(const struct mig_table *t, const lsched_mig_request *requests, uint32_t n,
                          const lsched_mig_costs *costs, struct mig_order *order,
                          lsched_error *err) {
    memset(order, 0, sizeof *order);
    order->create_cost = costs ? costs->create : 1;
    order->destroy_cost = costs ? costs->destroy : 1;
    if (order->create_cost > MIG_PLAN_COST_MAX || order->destroy_cost > MIG_PLAN_COST_MAX)
        return fail(err, LSCHED_E_RANGE,
                    "cost of a MIG step: create is %u and destroy %u; expected at most %d",
                    order->create_cost, order->destroy_cost, MIG_PLAN_COST_MAX);
    for (uint32_t i = 0; i < n; i++) {
        int32_t rc = mig_order_add(t, requests, i, order, err);
        if (rc != LSCHED_OK && err && LSCHED_HAS(err, index)) err->index = i;
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Writes the steps for one device, in an order in which they can be carried out: first the
 * instances to destroy, then those to create, then the existing instances to use. */
static uint32_t write_steps(const struct mig_table *t, const struct mig_state *before,
                            const struct mig_target *target, uint32_t device,
                            lsched_mig_step *steps, uint32_t room, uint32_t n) {
    static const uint32_t kinds[] = {LSCHED_MIG_DESTROY, LSCHED_MIG_CREATE, LSCHED_MIG_TAKE};
    const uint32_t starts[] = {target->destroys, target->creates, target->given & ~target->creates};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t m = starts[i]; m; m &= m - 1, n++) {
            uint32_t s = (uint32_t)__builtin_ctz(m);
            uint32_t g = kinds[i] == LSCHED_MIG_DESTROY ? before->geometry : target->geometry;
            if (n < room)
                steps[n] = (lsched_mig_step){kinds[i], device, s, 0,
                                             static_text(t->profiles[mig_at(g, s)].name)};
        }
    return n;
}

struct planning {
    struct alloc alloc;
    struct mig_state *state;
    struct mig_target *target;
    struct mig_order order;
    struct mig_result result;
};

static int32_t plan_devices(struct planning *p, const struct mig_table *t,
                            const lsched_mig_device *devices, uint32_t n, lsched_error *err) {
    for (uint32_t i = 0; i < n; i++) {
        int32_t rc =
            arg_mig_instances(t, devices[i].instances, devices[i].n_instances, devices[i].busy,
                              "MIG device", &p->state[i].geometry, &p->state[i].busy, err);
        if (rc != LSCHED_OK && err && LSCHED_HAS(err, index)) err->index = i;
        if (rc != LSCHED_OK) return rc;
    }
    int32_t rc = mig_plan(&p->alloc, t, p->state, n, &p->order, p->target, &p->result);
    if (rc != LSCHED_OK)
        return fail(err, rc, "out of memory for a plan of %s", counted(n, "device").text);
    if (!p->result.found)
        return fail(
            err, LSCHED_E_STATE, "the idle slices of %s have no room for the wanted instances%s",
            counted(n, "device").text,
            p->result.exact ? "" : " (the search was stopped before it had tried all layouts)");
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_mig_plan(lsched_text table, const lsched_mig_device *devices, uint32_t n,
                                   const lsched_mig_request *requests, uint32_t n_requests,
                                   const lsched_mig_costs *costs, const lsched_allocator *allocator,
                                   lsched_mig_step *steps, uint32_t room, lsched_mig_info *info,
                                   lsched_error *err) {
    struct planning p;
    memset(&p, 0, sizeof p);
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    const struct mig_table *t = arg_mig_table(table, "MIG", err);
    if (!t) return LSCHED_E_NOENT;
    if ((n && !devices) || (n_requests && !requests) || (room && !steps))
        return fail(err, LSCHED_E_NULL, "devices, requests or steps are NULL");
    if (n > LSCHED_MIG_DEVICES_MAX)
        return fail(err, LSCHED_E_LIMIT, "%s; at most %u at a time", counted(n, "device").text,
                    LSCHED_MIG_DEVICES_MAX);
    rc = arg_allocator(allocator, "MIG plan", err);
    if (rc == LSCHED_OK) rc = alloc_init(&p.alloc, allocator, UINT64_MAX);
    if (rc != LSCHED_OK) return rc;
    rc = read_order(t, requests, n_requests, costs, &p.order, err);
    if (rc != LSCHED_OK) return rc;
    p.state = alloc_new(&p.alloc, (n + 1ul) * sizeof *p.state);
    p.target = alloc_new(&p.alloc, (n + 1ul) * sizeof *p.target);
    rc = p.state && p.target
             ? plan_devices(&p, t, devices, n, err)
             : fail(err, LSCHED_E_NOMEM, "out of memory for %s", counted(n, "device").text);
    uint32_t written = 0;
    for (uint32_t i = 0; rc == LSCHED_OK && i < n; i++)
        written = write_steps(t, &p.state[i], &p.target[i], i, steps, room, written);
    alloc_free(&p.alloc, p.state, (n + 1ul) * sizeof *p.state);
    alloc_free(&p.alloc, p.target, (n + 1ul) * sizeof *p.target);
    if (rc != LSCHED_OK) return rc;
    lsched_mig_info mine = {sizeof mine, p.result.exact, p.result.cost};
    if (info && (rc = arg_out(info, &mine, sizeof mine)) < 0)
        return fail(err, rc, "info: size is %u", info->size);
    return (int32_t)written;
}

/* ---- instances of a node ---- */

LSCHED_API int32_t lsched_mig_instances_next(const lsched_cluster *c, lsched_id id, uint32_t device,
                                             uint64_t *cursor, lsched_mig_instance_info *out,
                                             lsched_error *err) {
    uint32_t node;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    const struct columns *k = &c->k;
    rc = arg_id(k, id, LSCHED_KIND_NODE, &node, err);
    if (rc != LSCHED_OK) return rc;
    if (device >= k->c[C_NODE_N_DEVICES].u8[node])
        return fail(err, LSCHED_E_RANGE, "device %u: the node has %s", device,
                    counted((uint32_t)k->c[C_NODE_N_DEVICES].u8[node], "device").text);
    const struct mig_table *t = device_mig_table(k, k->c[C_NODE_DEVICE_FIRST].u32[node] + device);
    if (!t) return 0;
    uint32_t s = k->c[C_NODE_SHARED_FIRST].u32[node] + device, g = k->c[C_SHARED_GEOMETRY].u32[s];
    uint32_t at = *cursor < MIG_SLICES ? (uint32_t)*cursor : MIG_SLICES;
    while (at < MIG_SLICES && mig_at(g, at) == MIG_NONE) at++;
    *cursor = at;
    if (at >= MIG_SLICES) return 0;
    const lsched_mig_instance_info found = {.size = sizeof found,
                                            .start = at,
                                            .profile = static_text(t->profiles[mig_at(g, at)].name),
                                            .busy = k->c[C_SHARED_MIG_BUSY].u8[s] >> at & 1};
    rc = arg_out(out, &found, sizeof found);
    if (rc != LSCHED_OK)
        return fail(err, rc, "out: its size is not set; set it to sizeof of the struct");
    ++*cursor;
    return 1;
}

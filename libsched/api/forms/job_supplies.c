/* job_supplies.c -- see job_supplies.h. */
#include "api/forms/job_supplies.h"

static int32_t job_supplies_read_one(const struct columns *k, lsched_supply_need *need,
                                     const char *where, lsched_error *err) {
    int32_t rc = arg_name(&need->supply, "supply", err);
    if (rc == LSCHED_OK) rc = arg_reserved(need->reserved_zero, "reserved_zero", where, err);
    if (rc != LSCHED_OK) return rc;
    int len = (int)need->supply.len;
    if (need->amount <= 0 || need->amount > LSCHED_SUPPLY_NEED_MAX)
        return fail(err, LSCHED_E_RANGE,
                    "%s: a task needs %lld of supply '%.*s'; expected 1 to %lld", where,
                    (long long)need->amount, len, need->supply.ptr,
                    (long long)LSCHED_SUPPLY_NEED_MAX);
    if (supply_find(k, need->supply) != NO_ROW) return LSCHED_OK;
    return fail(err, LSCHED_E_NOENT,
                "%s: no supply is called '%.*s'; add it with lsched_supplies_add", where, len,
                need->supply.ptr);
}

int32_t job_supplies_read(const struct columns *k, const lsched_group_desc *g,
                          struct supply_spec *list, struct task_spec *t, const char *where,
                          lsched_error *err) {
    size_t stride;
    if (g->n_supplies == 0) return LSCHED_OK;
    if (!g->supplies) return fail(err, LSCHED_E_NULL, "%s: supplies is NULL", where);
    if (g->n_supplies > LSCHED_SUPPLIES_PER_TASK_MAX)
        return fail(err, LSCHED_E_LIMIT, "%s: a task needs %u supplies; at most %d", where,
                    g->n_supplies, LSCHED_SUPPLIES_PER_TASK_MAX);
    int32_t rc =
        arg_stride(g->supplies, g->n_supplies, g->supply_elem_size, "supplies", &stride, err);
    for (uint32_t i = 0; i < g->n_supplies && rc == LSCHED_OK; i++) {
        lsched_supply_need need;
        rc = arg_struct(&need, sizeof need, (const char *)g->supplies + i * stride, stride,
                        "supply need", err);
        if (rc == LSCHED_OK) rc = job_supplies_read_one(k, &need, where, err);
        if (rc != LSCHED_OK) return rc;
        uint32_t j = t->n_supplies++;
        for (; j > 0 && text_order(need.supply, list[j - 1].name) < 0; j--) list[j] = list[j - 1];
        if (j > 0 && text_order(need.supply, list[j - 1].name) == 0)
            return fail(err, LSCHED_E_INVAL, "%s: it names supply '%.*s' twice", where,
                        (int)need.supply.len, need.supply.ptr);
        list[j] = (struct supply_spec){need.supply, need.amount};
    }
    t->supplies = list;
    return rc;
}

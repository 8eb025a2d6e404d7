/* api_pools.c -- pools of nodes, and resource parts. */
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/job_rules.h"
#include "model/devices/resource_part.h"
#include "model/shapes/resource_kind.h"
#include "model/shapes/pool.h"

#include <stdio.h>

/* ---- pools ---- */

static int32_t element_pool_add(struct lsched_cluster *c, const struct call *call, size_t i,
                                const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_pool_desc d;
    lsched_label sorted[LIMIT_LABELS_PER_NODE];
    char where[LSCHED_NAME_BYTES_MAX + 16];
    uint32_t row;
    (void)i;
    int32_t rc = arg_struct(&d, sizeof d, element, call->elem_size, "pool", err);
    if (rc == LSCHED_OK) rc = arg_name(&d.name, "pool", err);
    if (rc != LSCHED_OK) return rc;
    snprintf(where, sizeof where, "pool '%.*s'", (int)d.name.len, d.name.ptr);
    if (pool_find(k, d.name) != NO_ROW)
        return fail(err, LSCHED_E_EXISTS, "%s exists already", where);
    if (d.n_labels == 0)
        return fail(err, LSCHED_E_INVAL,
                    "%s: it has no labels; expected at least one label, by which its nodes are "
                    "found",
                    where);
    rc = job_rules_labels(d.labels, d.n_labels, LIMIT_LABELS_PER_NODE, sorted, where, err);
    if (rc != LSCHED_OK) return rc;
    rc = pool_add(k, d.name, sorted, d.n_labels, d.tag, &row);
    if (rc == LSCHED_E_LIMIT && pool_count(k) == LSCHED_POOLS_MAX)
        return fail(err, rc, "%s: the cluster already has %d pools, which is the maximum", where,
                    LSCHED_POOLS_MAX);
    return rc;
}

static const struct call_kind call_pools_add = {.op = CALL_POOLS_ADD, .apply = element_pool_add};

LSCHED_API int32_t lsched_pools_add(lsched_cluster *c, const lsched_pool_desc *pools, size_t n,
                                    size_t elem_size, const lsched_batch_opts *opts,
                                    int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_pools_add,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = pools,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- resource parts ---- */

/* Checks a name that can be empty. */
static int32_t read_name(lsched_text *t, const char *what, lsched_error *err) {
    int is_null = !t->ptr && t->len && t->len != LSCHED_NUL_TERMINATED; /* arg_name() refuses it */
    if (!is_null) *t = arg_text(*t);
    return t->len ? arg_name(t, what, err) : LSCHED_OK;
}

static int32_t api_pools_read_part(const struct columns *k, lsched_resource_part *p,
                                   struct resource_part_spec *spec, lsched_error *err) {
    int32_t rc = arg_name(&p->name, "resource", err);
    if (rc == LSCHED_OK) rc = read_name(&p->model, "device model", err);
    if (rc == LSCHED_OK) rc = read_name(&p->mig_profile, "MIG profile", err);
    if (rc == LSCHED_OK) rc = read_name(&p->pool, "pool", err);
    if (rc != LSCHED_OK) return rc;
    int len = (int)p->name.len;
    const char *name = p->name.ptr;
    *spec = (struct resource_part_spec){p->kind ? p->kind : LSCHED_GPU, p->model, p->mig_profile,
                                        NO_ROW};
    if (spec->base >= kind_count(k))
        return fail(err, LSCHED_E_KEY, "resource '%.*s': kind %u is unknown; expected 1 to %u", len,
                    name, p->kind, kind_count(k) - 1);
    if (p->model.len + p->mig_profile.len + p->pool.len == 0)
        return fail(err, LSCHED_E_INVAL,
                    "resource '%.*s' says no part: expected a model, a MIG profile or a pool", len,
                    name);
    if (spec->base != LSCHED_GPU && p->model.len + p->mig_profile.len > 0)
        return fail(err, LSCHED_E_INVAL,
                    "resource '%.*s': only gpu has parts by model and by MIG profile; for other "
                    "resources, name only a pool",
                    len, name);
    if (p->pool.len == 0) return LSCHED_OK;
    spec->pool = pool_find(k, p->pool);
    if (spec->pool != NO_ROW) return LSCHED_OK;
    return fail(err, LSCHED_E_NOENT, "resource '%.*s': no pool is called '%.*s'", len, name,
                (int)p->pool.len, p->pool.ptr);
}

/* Writes words for the properties of a resource part, such as "model 'H100', pool 'spot'", to
 * out[] and returns out. */
static const char *part_words(const lsched_resource_part *p, char *out, size_t room) {
    const struct {
        const char *word;
        lsched_text text;
    } parts[] = {{"model", p->model}, {"MIG profile", p->mig_profile}, {"pool", p->pool}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int len = (int)(parts[i].text.len > 60 ? 60 : parts[i].text.len);
        if (len == 0 || n >= room) continue;
        n += (size_t)snprintf(out + n, room - n, "%s%s '%.*s'", n ? ", " : "", parts[i].word, len,
                              parts[i].text.ptr);
    }
    return out;
}

static int32_t element_resource_add_part(struct lsched_cluster *c, const struct call *call,
                                         size_t i, const void *element, lsched_error *err) {
    lsched_resource_part p;
    struct resource_part_spec spec;
    char words[256] = "";
    (void)i;
    int32_t rc = arg_struct(&p, sizeof p, element, call->elem_size, "resource", err);
    if (rc == LSCHED_OK) rc = api_pools_read_part(&c->k, &p, &spec, err);
    if (rc != LSCHED_OK) return rc;
    rc = resource_part_add(&c->k, p.name, &spec);
    if (rc == LSCHED_E_LIMIT)
        return fail(err, rc, "at most %u resource kinds that are a part of another",
                    LIMIT_RESOURCE_PARTS);
    if (rc == LSCHED_E_EXISTS)
        return fail(err, rc, "resource '%.*s' exists already, with another meaning than %s",
                    (int)p.name.len, p.name.ptr, part_words(&p, words, sizeof words));
    if (rc >= 0) *(int32_t *)call->more = rc;
    return rc;
}

static const struct call_kind call_resource_add_part = {
    .op = CALL_RESOURCE_ADD_PART, .apply = element_resource_add_part, .is_single = 1};

LSCHED_API int32_t lsched_resource_add_part(lsched_cluster *c, const lsched_resource_part *part,
                                            lsched_error *err) {
    int32_t kind = 0, rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !part) return fail(err, LSCHED_E_NULL, "cluster or part is NULL");
    struct call call = {.kind = &call_resource_add_part,
                        .n = 1,
                        .elem_size = part->size,
                        .elements = part,
                        .more = &kind};
    rc = door_apply(c, &call, err);
    return rc < 0 ? rc : kind;
}

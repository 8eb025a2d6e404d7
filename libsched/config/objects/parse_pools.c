/*
 * parse_pools.c -- see parse_pools.h. A scenario writes:
 *
 *   pools: {spot: {tier: spot}}
 *   resource_parts: {"gpu:H100": H100-80GB, "gpu:spot": {pool: spot},
 *                    "cpu:spot": {kind: cpu, pool: spot}}
 */
#include <string.h>

#include "config/objects/parse_pools.h"
#include "config/read/quantity_reader.h"

/* ---- pools ---- */

static int32_t top_pool(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct action *action = out;
    struct scn_list labels = {0};
    lsched_pool_desc *pool = read_add(r, &action->items, &action->marks, sizeof *pool, key);
    if (!pool) return LSCHED_E_NOMEM;
    *pool = (lsched_pool_desc)LSCHED_POOL_DESC_INIT;
    int32_t code = read_single_name(r, key, &pool->name);
    if (!code) code = read_map(r, value, "labels", NULL, 0, &labels, read_label);
    if (!code && labels.n == 0)
        code = read_expected(r, LSCHED_E_INVAL, value, "labels that the nodes of the pool have");
    pool->labels = labels.items;
    pool->n_labels = labels.n;
    return code ? code : 1;
}

int32_t read_pools(struct field_reader *r, uint32_t value, void *out) {
    return step_action_map(r, value, out, ACTION_POOLS, "pools", top_pool);
}

/* ---- resource parts ---- */

static int32_t part_kind(struct field_reader *r, uint32_t value, void *out) {
    lsched_text name;
    int32_t code = read_text(r, value, &name);
    if (code) return code;
    uint32_t kind = read_kind_named(r, name.ptr);
    if (kind == LSCHED_ANY_RESOURCE || kind >= LSCHED_RESOURCE_KINDS_MAX)
        return read_expected(r, LSCHED_E_KEY, value, "a resource kind");
    *(uint32_t *)out = kind;
    return 0;
}

static int32_t parse_pools_read_part(struct field_reader *r, uint32_t value,
                                     lsched_resource_part *part) {
    static const struct field fields[] = {
        FIELD(lsched_resource_part, "kind", part_kind, kind),
        FIELD(lsched_resource_part, "model", read_text, model),
        FIELD(lsched_resource_part, "mig", read_text, mig_profile),
        FIELD(lsched_resource_part, "pool", read_text, pool),
    };
    if (!read_is(r, value, YTREE_MAP)) return read_text(r, value, &part->model);
    return READ_MAP(r, value, "a part of a resource", fields, part, NULL);
}

static int32_t top_part(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct action *action = out;
    struct lsched_scenario *s = r->scenario;
    lsched_resource_part *part = read_add(r, &action->items, &action->marks, sizeof *part, key);
    if (!part) return LSCHED_E_NOMEM;
    *part = (lsched_resource_part)LSCHED_RESOURCE_PART_INIT;
    part->kind = LSCHED_GPU;
    int32_t code = read_single_name(r, key, &part->name);
    if (!code) code = parse_pools_read_part(r, value, part);
    if (code) return code;
    if (read_kind_named(r, part->name.ptr))
        return read_expected(r, LSCHED_E_EXISTS, key, "a resource kind that is not there already");
    if (s->n_models == SCENARIO_MODELS)
        return read_expected(r, LSCHED_E_LIMIT, key, "fewer models with a quota");
    s->model_base[s->n_models] = (uint8_t)part->kind;
    s->models[s->n_models++] = part->name.ptr;
    return 1;
}

int32_t read_parts(struct field_reader *r, uint32_t value, void *out) {
    return step_action_map(r, value, out, ACTION_MODELS, "device models", top_part);
}

/* parse_tasks.c -- reads what one task needs: the leaves of `tasks:` and `groups:`, and the
 * entries of `task_mix:`. */
#include <string.h>

#include "config/objects/parse_claim.h"
#include "config/objects/scenario_parts.h"

struct leaf_form {
    lsched_group_desc group;
    struct scn_list amounts;   /* elements are lsched_amount */
    struct scn_list selectors; /* elements are lsched_selector */
    struct scn_list models;    /* elements are lsched_text */
    struct scn_list demand;    /* elements are lsched_demand_step */
    struct scn_list tolerations, node_terms, job_terms;
    struct topology_form topology;
    struct claim_form claim;
    lsched_device_request beside; /* the keys of a request that are written beside `gpu:` */
    /* index of the value of a key that only a leaf may have; 0: none was written */
    uint32_t counted;
    uint32_t groups; /* index of the value of the inner groups */
};

/* ---- topology ---- */

static int32_t wish_mode(struct field_reader *r, uint32_t value, void *out) {
    struct topology_form *form = out;
    lsched_text t;
    int32_t code = read_text(r, value, &t);
    if (code) return code;
    form->mode = t.len == 8 && memcmp(t.ptr, "balanced", 8) == 0 ? LSCHED_DOMAINS_BALANCED
                                                                 : LSCHED_DOMAINS_FEWEST;
    if (form->mode == LSCHED_DOMAINS_FEWEST && (t.len != 6 || memcmp(t.ptr, "fewest", 6) != 0))
        return read_expected(r, LSCHED_E_KEY, value, "\"fewest\" or \"balanced\"");
    return 0;
}

/* Reads one level of task blocks: {level: rack, tasks: 4}. */
static int32_t wish_slice(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_slice, "level", read_text, level),
        FIELD(lsched_slice, "tasks", read_count, tasks),
    };
    lsched_slice *s = read_add(r, out, NULL, sizeof *s, value);
    if (!s) return read_no_memory(r);
    *s = (lsched_slice){{NULL, 0}, 0, 0};
    return read_map(r, value, "a slice", fields, 2, s, NULL);
}

/* Reads one level of task blocks, or a list of them, the widest level first. */
static int32_t wish_slices(struct field_reader *r, uint32_t value, void *out) {
    struct topology_form *form = out;
    return read_one_or_items(r, value, wish_slice, &form->slices);
}

int32_t read_topology_wish(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(struct topology_form, "tree", read_text, tree),
        FIELD(struct topology_form, "required", read_text, required),
        FIELD(struct topology_form, "preferred", read_text, preferred),
        {"deal", wish_mode, 0},
        {"slices", wish_slices, 0},
    };
    struct topology_form *form = out;
    form->given = value;
    return read_map(r, value, "a topology wish", fields, sizeof fields / sizeof *fields, form,
                    NULL);
}

int32_t read_topology_apply(const struct field_reader *r, const struct topology_form *form,
                            lsched_group_desc *group) {
    const lsched_text *a = &form->tree, *b = &group->topology;
    if (!form->given) return 0;
    if (a->ptr && b->ptr && (a->len != b->len || memcmp(a->ptr, b->ptr, a->len) != 0))
        return read_expected(r, LSCHED_E_KEY, form->given,
                             "the same tree for the topology and the spread of a group");
    if (a->ptr) group->topology = *a;
    group->required_level = form->required;
    group->preferred_level = form->preferred;
    group->topology_mode = form->mode;
    group->slices = form->slices.items;
    group->n_slices = form->slices.n;
    return 0;
}

/* Reads the topology spread of a leaf group: rack, or {level: rack, max: 2, tree: site}. */
static int32_t leaf_spread(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_group_desc, "level", read_text, spread_level),
        FIELD(lsched_group_desc, "max", read_count, spread_max),
        FIELD(lsched_group_desc, "tree", read_text, topology),
    };
    lsched_group_desc *group = out;
    group->spread_max = 1;
    if (!read_is(r, value, YTREE_MAP)) return read_text(r, value, &group->spread_level);
    int32_t code = read_map(r, value, "a spread", fields, 3, group, NULL);
    if (!code && !group->spread_level.ptr)
        code = read_expected(r, LSCHED_E_KEY, value, "a spread with \"level\"");
    return code;
}

/* ---- a leaf ---- */

static int32_t leaf_count(struct field_reader *r, uint32_t value, void *out) {
    struct leaf_form *form = out;
    form->counted = value;
    return read_count(r, value, &form->group.max_count);
}

static int32_t leaf_min(struct field_reader *r, uint32_t value, void *out) {
    struct leaf_form *form = out;
    form->counted = value;
    int32_t code = read_u32(r, value, &form->group.min_count);
    if (form->group.min_count == 0) form->group.min_count = LSCHED_MIN_NONE;
    return code;
}

/* Reads the condition on one label: zone: a, zone: [a, b], or zone: "*" for any value. */
static int32_t leaf_selector(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct scn_list values = {NULL, 0, 0};
    lsched_selector *selector = read_add(r, out, NULL, sizeof *selector, value);
    size_t len;
    if (!selector) return LSCHED_E_NOMEM;
    *selector = (lsched_selector)LSCHED_SELECTOR_INIT;
    int32_t code = read_text(r, key, &selector->key);
    int any = read_is(r, value, YTREE_SCALAR) && strcmp(read_chars(r, value, &len), "*") == 0;
    if (!code && !any) code = read_names(r, value, &values);
    if (!code && !any && values.n == 0)
        code = read_expected(r, LSCHED_E_TYPE, value, "at least one value");
    selector->values = values.items;
    selector->n_values = values.n;
    return code ? code : 1;
}

static int32_t leaf_select(struct field_reader *r, uint32_t value, void *list) {
    return read_map(r, value, "labels", NULL, 0, list, leaf_selector);
}

struct demand_form {
    int64_t from_us;
    struct scn_list amounts;
};

static int32_t demand_amount(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct demand_form *form = out;
    return read_amount_key(r, key, value, &form->amounts);
}

static int32_t demand_item(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD(struct demand_form, "from", read_duration, from_us)};
    struct demand_form form;
    memset(&form, 0, sizeof form);
    int32_t code = read_map(r, value, "a step of demand", fields, 1, &form, demand_amount);
    for (uint32_t i = 0; !code && i < form.amounts.n; i++) {
        lsched_demand_step *step = read_add(r, list, NULL, sizeof *step, value);
        if (!step) return LSCHED_E_NOMEM;
        lsched_amount amount = ((const lsched_amount *)form.amounts.items)[i];
        *step = (lsched_demand_step){sizeof *step, amount.kind, form.from_us, amount.amount};
    }
    return code;
}

static int32_t leaf_demand(struct field_reader *r, uint32_t value, void *list) {
    return read_items(r, value, "steps of demand", demand_item, list);
}

static int32_t leaf_groups(struct field_reader *r, uint32_t value, void *out) {
    (void)r;
    *(uint32_t *)out = value;
    return 0;
}

static int32_t parse_tasks_leaf_amount(struct field_reader *r, uint32_t key, uint32_t value,
                                       void *out) {
    struct leaf_form *form = out;
    form->counted = value;
    return read_amount_key(r, key, value, &form->amounts);
}

static const struct field leaf_fields[] = {
    FIELD(struct leaf_form, "name", read_text, group.name),
    {"count", leaf_count, 0},
    {"min", leaf_min, 0},
    FIELD(struct leaf_form, "devices", read_count, group.gpu_devices),
    FIELD(struct leaf_form, "gpu_memory", read_memory, group.gpu_memory_bytes),
    FIELD(struct leaf_form, "models", read_names, models),
    FIELD(struct leaf_form, "select", leaf_select, selectors),
    FIELD(struct leaf_form, "claim", read_claim, claim),
    FIELD(struct leaf_form, "alternatives", read_alternatives, claim),
    FIELD(struct leaf_form, "gpu_memory_limit", read_memory, beside.memory_limit_bytes),
    FIELD(struct leaf_form, "gpu_cores", read_count, beside.cores),
    FIELD(struct leaf_form, "gpu_order", claim_order, beside.order),
    FIELD(struct leaf_form, "isolation", claim_isolation, beside.isolation),
    FIELD(struct leaf_form, "links", claim_link, beside.link),
    FIELD(struct leaf_form, "numa", claim_numa, beside.numa),
    FIELD(struct leaf_form, "nics", read_u32, beside.nics),
    FIELD(struct leaf_form, "mig", read_text, beside.mig_profile),
    FIELD(struct leaf_form, "topology", read_topology_wish, topology),
    FIELD(struct leaf_form, "spread", leaf_spread, group),
    FIELD(struct leaf_form, "demand", leaf_demand, demand),
    FIELD(struct leaf_form, "demand_period", read_duration, group.demand_period_us),
    FIELD(struct leaf_form, "tolerations", read_tolerations, tolerations),
    FIELD(struct leaf_form, "affinity", read_affinity, node_terms),
    FIELD(struct leaf_form, "job_affinity", read_job_affinity, job_terms),
    FIELD(struct leaf_form, "min_groups", read_count, group.min_groups),
    FIELD(struct leaf_form, "groups", leaf_groups, groups),
};

static int32_t leaf_finish(struct field_reader *r, uint32_t value, struct leaf_form *form) {
    lsched_group_desc *group = &form->group;
    int alone = !form->claim.given && claim_is_memory(group, &form->amounts);
    if (alone || claim_is_beside(&form->beside)) {
        int32_t code = claim_beside(r, value, &form->beside, group, &form->amounts, &form->models,
                                    &form->claim);
        if (code) return code;
    }
    group->device_requests = form->claim.requests.items;
    group->n_device_requests = form->claim.requests.n;
    group->request = form->amounts.items;
    group->n_request = form->amounts.n;
    group->selectors = form->selectors.items;
    group->n_selectors = form->selectors.n;
    group->device_models = form->models.items;
    group->n_device_models = form->models.n;
    group->demand = form->demand.items;
    group->n_demand = form->demand.n;
    group->tolerations = form->tolerations.items;
    group->n_tolerations = form->tolerations.n;
    group->node_terms = form->node_terms.items;
    group->n_node_terms = form->node_terms.n;
    group->job_terms = form->job_terms.items;
    group->n_job_terms = form->job_terms.n;
    return read_topology_apply(r, &form->topology, group);
}

int32_t read_group(struct field_reader *r, uint32_t value, lsched_group_desc *out,
                   uint32_t *children) {
    struct leaf_form form;
    memset(&form, 0, sizeof form);
    form.group = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    int32_t code =
        read_map(r, value, "a group of tasks", leaf_fields,
                 sizeof leaf_fields / sizeof *leaf_fields, &form, parse_tasks_leaf_amount);
    if (code) return code;
    if (form.groups && form.counted)
        return read_expected(r, LSCHED_E_KEY, form.counted,
                             "no tasks in a group that holds groups");
    if (!form.groups && form.group.min_groups)
        return read_expected(r, LSCHED_E_KEY, value,
                             "\"min_groups\" only in a group that holds groups");
    code = leaf_finish(r, value, &form);
    *out = form.group;
    *children = form.groups;
    return code;
}

/* ---- task mix ---- */

struct mix_form {
    int64_t count;
    struct leaf_form leaf;
};

static int32_t mix_amount(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct mix_form *form = out;
    return read_amount_key(r, key, value, &form->leaf.amounts);
}

static int32_t mix_count(struct field_reader *r, uint32_t value, void *out) {
    return read_units(r, value, UNITS_COUNT, out);
}

static int32_t mix_item(struct field_reader *r, uint32_t value, void *action) {
    static const struct field fields[] = {
        FIELD(struct mix_form, "count", mix_count, count),
        FIELD(struct mix_form, "devices", read_count, leaf.group.gpu_devices),
        FIELD(struct mix_form, "gpu_memory", read_memory, leaf.group.gpu_memory_bytes),
        FIELD(struct mix_form, "models", read_names, leaf.models),
        FIELD(struct mix_form, "select", leaf_select, leaf.selectors),
        FIELD(struct mix_form, "tolerations", read_tolerations, leaf.tolerations),
        FIELD(struct mix_form, "affinity", read_affinity, leaf.node_terms),
        FIELD(struct mix_form, "claim", read_claim, leaf.claim),
        FIELD(struct mix_form, "mig", read_text, leaf.beside.mig_profile),
    };
    struct mix_form form;
    memset(&form, 0, sizeof form);
    form.count = 1;
    form.leaf.group = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    int32_t code =
        read_map(r, value, "a task mix", fields, sizeof fields / sizeof *fields, &form, mix_amount);
    if (code) return code;
    /* cannot fail for the topology, because a task mix has none */
    code = leaf_finish(r, value, &form.leaf);
    if (code) return code;
    struct action *mix = action;
    lsched_mix_entry *entry = read_add(r, &mix->items, &mix->marks, sizeof *entry, value);
    lsched_group_desc *task = scn_memory_take(r->memory, 1, sizeof *task);
    if (!entry || !task) return read_no_memory(r);
    *task = form.leaf.group;
    *entry = (lsched_mix_entry){sizeof *entry, 0, task, form.count};
    return 0;
}

int32_t read_task_mix(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = read_action(r, step->step, ACTION_TASK_MIX, value);
    return action ? read_items(r, value, "tasks", mix_item, action) : LSCHED_E_NOMEM;
}

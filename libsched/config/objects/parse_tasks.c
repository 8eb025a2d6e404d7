/* parse_tasks.c -- see parse_tasks.h. */
#include <string.h>

#include "config/objects/parse_claim.h"
#include "config/objects/parse_rules.h"
#include "config/objects/parse_supplies.h"
#include "config/objects/parse_tasks.h"
#include "config/read/quantity_reader.h"

struct leaf_form {
    /* must be the first member, because read_amount_key() takes a pointer to the whole struct as a
     * pointer to this list */
    struct scn_list amounts;
    lsched_group_desc group;
    struct topology_form topology;
    struct claim_form claim;
    /* the keys of a device request that the group has beside `gpu:` */
    lsched_device_request beside;
    /* index in the YAML tree of the value of a key that only a leaf group is allowed to have; 0:
     * the text has no such key */
    uint32_t counted;
    /* index in the YAML tree of the value of `groups`; 0: the group is a leaf group */
    uint32_t groups;
};

/* ---- topology ---- */

static int32_t wish_mode(struct field_reader *r, uint32_t value, void *out) {
    int balanced = read_is_word(r, value, "balanced");
    if (!balanced && !read_is_word(r, value, "fewest"))
        return read_expected(r, LSCHED_E_KEY, value, "\"fewest\" or \"balanced\"");
    *(uint32_t *)out = balanced ? LSCHED_DOMAINS_BALANCED : LSCHED_DOMAINS_FEWEST;
    return 0;
}

/* Reads one entry of `task_blocks`, such as {level: rack, tasks: 4}: each block of 4 tasks must be
 * in one rack. The entry for the widest level comes first in the list. */
static int32_t wish_slice(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_slice, "level", read_text, level),
        FIELD(lsched_slice, "tasks", read_count, tasks),
    };
    lsched_slice *s = read_add(r, out, NULL, sizeof *s, value);
    if (!s) return read_no_memory(r);
    *s = (lsched_slice){{NULL, 0}, 0, 0};
    return READ_MAP(r, value, "a task block", fields, s, NULL);
}

int32_t read_topology_wish(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(struct topology_form, "tree", read_text, tree),
        FIELD(struct topology_form, "required", read_text, required),
        FIELD(struct topology_form, "preferred", read_text, preferred),
        FIELD(struct topology_form, "exclusive", read_text, exclusive),
        FIELD(struct topology_form, "assignment", wish_mode, mode),
        FIELD_EACH(struct topology_form, "task_blocks", wish_slice, slices, n_slices),
    };
    struct topology_form *form = out;
    form->given = value;
    return READ_MAP(r, value, "a topology wish", fields, form, NULL);
}

int32_t read_topology_apply(const struct field_reader *r, const struct topology_form *form,
                            lsched_group_desc *group) {
    const lsched_text *a = &form->tree, *b = &group->topology;
    if (!form->given) return 0;
    if (a->ptr && b->ptr && (a->len != b->len || memcmp(a->ptr, b->ptr, a->len) != 0))
        return read_expected(r, LSCHED_E_KEY, form->given,
                             "the same tree for the topology and the topology spread of a group");
    if (a->ptr) group->topology = *a;
    group->required_level = form->required;
    group->preferred_level = form->preferred;
    group->exclusive_level = form->exclusive;
    group->topology_mode = form->mode;
    group->slices = form->slices;
    group->n_slices = form->n_slices;
    return 0;
}

/* Reads the topology spread of a leaf group, written as a level such as rack, or as a map such as
 * {level: rack, max: 2, tree: site}. */
static int32_t leaf_spread(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_group_desc, "level", read_text, spread_level),
        FIELD(lsched_group_desc, "max", read_count, spread_max),
        FIELD(lsched_group_desc, "tree", read_text, topology),
    };
    lsched_group_desc *group = out;
    group->spread_max = 1;
    if (!read_is(r, value, YTREE_MAP)) return read_text(r, value, &group->spread_level);
    int32_t code = READ_MAP(r, value, "a topology spread", fields, group, NULL);
    if (!code && !group->spread_level.ptr)
        code = read_expected(r, LSCHED_E_KEY, value, "a topology spread with \"level\"");
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

int32_t read_members(struct field_reader *r, uint32_t value, void *out) {
    int32_t code = read_u32(r, value, out);
    uint32_t *members = out;
    if (*members == 0) *members = LSCHED_NO_MEMBERS;
    return code;
}

static int32_t leaf_fixed(struct field_reader *r, uint32_t value, void *out) {
    uint32_t *flags = out;
    uint32_t fixed = 0;
    int32_t code = read_bool(r, value, &fixed);
    if (fixed) *flags |= LSCHED_GROUP_FIXED_AT_START;
    return code;
}

/* Reads the condition on the label `key`. The condition is a value, a list of values such as [a,
 * b], or "*" for any value. */
static int32_t leaf_selector(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct scn_list values = {NULL, 0, 0};
    lsched_selector *selector = read_add(r, out, NULL, sizeof *selector, value);
    if (!selector) return LSCHED_E_NOMEM;
    *selector = (lsched_selector)LSCHED_SELECTOR_INIT;
    int32_t code = read_text(r, key, &selector->key);
    int any = read_is_word(r, value, "*");
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
    /* must be the first member, because read_amount_key() takes a pointer to the whole struct as a
     * pointer to this list */
    struct scn_list amounts;
    int64_t from_us;
};

static int32_t demand_item(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD(struct demand_form, "from", read_duration, from_us)};
    struct demand_form form;
    memset(&form, 0, sizeof form);
    int32_t code = READ_MAP(r, value, "a step of demand", fields, &form, read_amount_key);
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

static int32_t parse_tasks_leaf_amount(struct field_reader *r, uint32_t key, uint32_t value,
                                       void *out) {
    struct leaf_form *form = out;
    form->counted = value;
    return read_amount_key(r, key, value, &form->amounts);
}

static const struct field leaf_fields[] = {
    FIELD(struct leaf_form, "name", read_text, group.name),
    FIELD_KEY("count", leaf_count),
    FIELD_KEY("min", leaf_min),
    FIELD(struct leaf_form, "devices", read_count, group.gpu_devices),
    FIELD(struct leaf_form, "gpu_memory", read_memory, group.gpu_memory_bytes),
    FIELD_LIST(struct leaf_form, "models", read_names, group.device_models, group.n_device_models),
    FIELD_LIST(struct leaf_form, "select", leaf_select, group.selectors, group.n_selectors),
    FIELD_WITH(struct leaf_form, "claim", read_claim, 0, claim),
    FIELD_WITH(struct leaf_form, "alternatives", read_claim, 1, claim),
    FIELD(struct leaf_form, "gpu_memory_limit", read_memory, beside.memory_limit_bytes),
    FIELD(struct leaf_form, "gpu_sm_count", read_count, beside.sm_count),
    FIELD_WORD(struct leaf_form, "gpu_order", claim_orders, beside.order),
    FIELD_WORD(struct leaf_form, "isolation", claim_isolations, beside.isolation),
    FIELD_WORD(struct leaf_form, "links", claim_links, beside.link),
    FIELD_WORD(struct leaf_form, "numa", claim_numas, beside.numa),
    FIELD(struct leaf_form, "nics", read_u32, beside.nics),
    FIELD(struct leaf_form, "mig", read_text, beside.mig_profile),
    FIELD(struct leaf_form, "topology", read_topology_wish, topology),
    FIELD(struct leaf_form, "topology_spread", leaf_spread, group),
    FIELD(struct leaf_form, "max_tasks_per_node", read_count, group.max_tasks_per_node),
    FIELD(struct leaf_form, "members", read_members, group.members),
    FIELD(struct leaf_form, "fixed_at_start", leaf_fixed, group.flags),
    FIELD_LIST(struct leaf_form, "demand", leaf_demand, group.demand, group.n_demand),
    FIELD(struct leaf_form, "demand_period", read_duration, group.demand_period_us),
    FIELD_EACH(struct leaf_form, "tolerations", read_toleration, group.tolerations,
               group.n_tolerations),
    FIELD_LIST(struct leaf_form, "affinity", read_affinity, group.node_affinities,
               group.n_node_affinities),
    FIELD_EACH(struct leaf_form, "job_affinity", read_job_rule, group.job_affinities,
               group.n_job_affinities),
    FIELD_LIST(struct leaf_form, "supplies", read_supply_needs, group.supplies, group.n_supplies),
    FIELD(struct leaf_form, "work_kind", read_text, group.work_kind),
    FIELD(struct leaf_form, "min_groups", read_count, group.min_groups),
    FIELD(struct leaf_form, "groups", read_later, groups),
};

const struct field_home group_home = {"a group of tasks", leaf_fields,
                                      sizeof leaf_fields / sizeof *leaf_fields};

static int32_t leaf_finish(struct field_reader *r, uint32_t value, struct leaf_form *form) {
    lsched_group_desc *group = &form->group;
    int alone = !form->claim.given && claim_is_memory(group, &form->amounts);
    if (alone || claim_is_beside(&form->beside)) {
        int32_t code = claim_beside(r, value, &form->beside, group, &form->amounts, &form->claim);
        if (code) return code;
    }
    group->device_requests = form->claim.requests.items;
    group->n_device_requests = form->claim.requests.n;
    group->request = form->amounts.items;
    group->n_request = form->amounts.n;
    return read_topology_apply(r, &form->topology, group);
}

int32_t read_group(struct field_reader *r, uint32_t value, lsched_group_desc *out,
                   uint32_t *children) {
    struct leaf_form form;
    memset(&form, 0, sizeof form);
    form.group = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    int32_t code =
        READ_MAP(r, value, "a group of tasks", leaf_fields, &form, parse_tasks_leaf_amount);
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
    /* must be the first member, because read_amount_key() takes a pointer to the whole struct as a
     * pointer to leaf.amounts */
    struct leaf_form leaf;
    int64_t count;
};

static int32_t mix_item(struct field_reader *r, uint32_t value, void *action) {
    static const struct field fields[] = {
        FIELD_WITH(struct mix_form, "count", read_units, UNITS_COUNT, count),
        FIELD(struct mix_form, "devices", read_count, leaf.group.gpu_devices),
        FIELD(struct mix_form, "gpu_memory", read_memory, leaf.group.gpu_memory_bytes),
        FIELD_LIST(struct mix_form, "models", read_names, leaf.group.device_models,
                   leaf.group.n_device_models),
        FIELD_LIST(struct mix_form, "select", leaf_select, leaf.group.selectors,
                   leaf.group.n_selectors),
        FIELD_EACH(struct mix_form, "tolerations", read_toleration, leaf.group.tolerations,
                   leaf.group.n_tolerations),
        FIELD_LIST(struct mix_form, "affinity", read_affinity, leaf.group.node_affinities,
                   leaf.group.n_node_affinities),
        FIELD_WITH(struct mix_form, "claim", read_claim, 0, leaf.claim),
        FIELD(struct mix_form, "mig", read_text, leaf.beside.mig_profile),
    };
    struct mix_form form;
    memset(&form, 0, sizeof form);
    form.count = 1;
    form.leaf.group = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    int32_t code = READ_MAP(r, value, "a task mix", fields, &form, read_amount_key);
    if (code) return code;
    /* a task mix has no key `topology`, therefore leaf_finish() finds no error of the topology */
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
    return step_action_items(r, value, out, ACTION_TASK_MIX, "tasks", mix_item);
}

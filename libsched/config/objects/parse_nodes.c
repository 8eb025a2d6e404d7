/*
 * parse_nodes.c -- see parse_nodes.h.
 *
 * An entry of `nodes:` is a template. A template with a range or a count describes many nodes. The
 * nodes share the memory of the template's amounts and devices, and also of its labels unless the
 * value of a label is a range. Therefore each of 100,000 equal nodes needs memory only for one
 * lsched_node_desc and one name.
 */
#include <string.h>

#include "base/limits.h"
#include "config/read/name_range.h"
#include "config/objects/parse_claim.h"
#include "config/objects/parse_machine.h"
#include "config/objects/parse_mig.h"
#include "config/objects/parse_nodes.h"
#include "config/objects/parse_rules.h"
#include "config/read/quantity_reader.h"

/* no times that a text can give */
#define NODE_STAYS  (-1) /* the node has no absence */
#define NODE_LEFT_0 (-2) /* the node leaves at the time 0, which means no absence without an end */

struct label_form {
    lsched_text key;
    lsched_text value;
    /* range of values for the nodes of the template; NULL if all these nodes have the same value */
    struct name_range *values;
};

struct node_form {
    struct name_range name;
    uint32_t count; /* value of the template's key `count`; 0: the text does not have the key */
    uint32_t cordoned, draining;
    uint32_t label_node; /* 1 if each node of the template gets the label node_level */
    uint32_t labels_vary;
    struct scn_list amounts; /* elements are lsched_amount */
    struct scn_list labels;  /* elements are struct label_form */
    uint32_t machine;        /* index in the YAML tree of the value of `machine`; 0: none */
    lsched_node_desc desc;   /* the fields that are equal for all nodes of the template */
};

/* The topology level with this name has one domain for each node. If a topology has this level,
 * each node gets a label with this key and with the node's name as value, unless the text gives the
 * node such a label. */
static const char node_level[] = "node";

/* ---- topology ---- */

static int32_t topology_levels(struct field_reader *r, uint32_t value, void *out) {
    lsched_topology_desc *desc = out;
    struct scn_list levels = {NULL, 0, 0};
    int32_t code = read_names(r, value, &levels);
    desc->levels = levels.items;
    desc->n_levels = levels.n;
    for (uint32_t i = 0; i < levels.n; i++)
        if (strcmp(desc->levels[i].ptr, node_level) == 0) r->label_nodes = 1;
    return code;
}

/* Adds a topology with the name "default" to the action. The caller can then read another name. */
static int32_t parse_nodes_topology_add(struct field_reader *r, uint32_t value,
                                        lsched_topology_desc **out, struct action *action) {
    *out = read_add(r, &action->items, &action->marks, sizeof **out, value);
    if (!*out) return LSCHED_E_NOMEM;
    **out = (lsched_topology_desc)LSCHED_TOPOLOGY_DESC_INIT;
    (*out)->name = (lsched_text){"default", 7};
    r->scenario->n_topologies++;
    return 0;
}

static int32_t topology_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_topology_desc, "name", read_text, name),
        FIELD_KEY("levels", topology_levels),
        FIELD(lsched_topology_desc, "tag", read_u64, tag),
    };
    lsched_topology_desc *desc;
    int32_t code = parse_nodes_topology_add(r, value, &desc, out);
    return code ? code : READ_MAP(r, value, "a topology", fields, desc, NULL);
}

/* Reads one or more topologies. The value is a list of levels such as [zone, rack, node], a map
 * such as {name: network, levels: [...]}, or a list of such maps. */
int32_t read_topologies(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = step_action_add(r, step, ACTION_TOPOLOGIES, value);
    const struct ytree_node *node = ytree_at(&r->tree, value);
    if (!action) return LSCHED_E_NOMEM;
    if (node->kind == YTREE_LIST && node->n > 0 && !read_is(r, node->first, YTREE_MAP)) {
        lsched_topology_desc *desc;
        int32_t code = parse_nodes_topology_add(r, value, &desc, action);
        return code ? code : topology_levels(r, value, desc);
    }
    return read_one_or_items(r, value, topology_item, action);
}

/* ---- devices ---- */

/* Words for the sharing modes, in the order of LSCHED_SHARING_*. */
static const char *const device_sharing[] = {"whole", "fraction", "mig", "mps", "time-slice"};

/* Reads the factor by which the memory of a device can be overcommitted. With 1.5, the sum of the
 * memory limits of the tasks on a device can be 1.5 times the memory of the device. */
static int32_t device_overcommit(struct field_reader *r, uint32_t value, void *out) {
    int64_t milli = 0;
    int32_t code = read_units(r, value, &milli, UNITS_WEIGHT_MILLI);
    if (!code && (milli < 1000 || milli > DEVICE_OVERCOMMIT_MAX))
        code = read_expected(r, LSCHED_E_RANGE, value, "a factor from 1 to 100");
    *(uint32_t *)out = (uint32_t)milli;
    return code;
}

static int32_t device_links(struct field_reader *r, uint32_t value, void *out) {
    (void)out;
    /* links describe the whole node, therefore node_inside() reads them later */
    r->gpu_links = value;
    return 0;
}

static int32_t device_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_device_desc, "count", read_count, count),
        FIELD_LIST(lsched_device_desc, "attributes", read_attributes, attributes, n_attributes),
        FIELD(lsched_device_desc, "model", read_text, model),
        FIELD(lsched_device_desc, "memory", read_memory, memory_bytes),
        FIELD_WORD(lsched_device_desc, "sharing", device_sharing, share_mode),
        FIELD(lsched_device_desc, "sm_count", read_count, sm_count),
        FIELD(lsched_device_desc, "memory_overcommit", device_overcommit, memory_overcommit_milli),
        FIELD(lsched_device_desc, "mig_table", read_text, mig_table),
        FIELD_EACH(lsched_device_desc, "geometry", read_instance, instances, n_instances),
        FIELD_WITH(lsched_device_desc, "repartition", read_flag_not, 1, mig_static),
        FIELD_KEY("links", device_links),
    };
    uint32_t count = 1;
    int32_t code = 0;
    int is_number = read_is(r, value, YTREE_SCALAR);
    if (is_number) code = read_u32(r, value, &count);
    if (code || count == 0) return code;
    lsched_device_desc *desc = read_add(r, out, NULL, sizeof *desc, value);
    if (!desc) return LSCHED_E_NOMEM;
    *desc = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
    /* every device needs the name of its model; "gpu" is used if the text does not name a model */
    desc->model = (lsched_text){"gpu", 3};
    desc->count = count;
    return is_number ? 0 : READ_MAP(r, value, "GPUs", fields, desc, NULL);
}

/* ---- nodes ---- */

static int32_t parse_nodes_node_label(struct field_reader *r, uint32_t key, uint32_t value,
                                      void *out) {
    struct node_form *form = out;
    struct name_range range = {0};
    struct label_form *label = read_add(r, &form->labels, NULL, sizeof *label, value);
    if (!label) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &label->key);
    if (!code) code = read_range(r, value, &range);
    if (!code && range.n_sets == 0) code = read_range_name(r, &range, 0, &label->value);
    if (!code && range.n_sets > 0) {
        label->values = scn_memory_take(r->memory, 1, sizeof range);
        if (!label->values) return read_no_memory(r);
        *label->values = range;
        form->labels_vary = 1;
    }
    if (!code && strcmp(label->key.ptr, node_level) == 0) form->label_node = 0;
    return code ? code : 1;
}

static int32_t parse_nodes_node_labels(struct field_reader *r, uint32_t value, void *out) {
    return read_map(r, value, "labels", NULL, 0, out, parse_nodes_node_label);
}

static int32_t node_amount(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct node_form *form = out;
    if (read_kind(r, key) == LSCHED_GPU)
        return complain_at(
            &r->complain, LSCHED_E_KEY, read_mark(r, key),
            "expected \"gpus\", got \"gpu\": a node's GPUs are counted by its devices");
    return read_amount_key(r, key, value, &form->amounts);
}

/* Reads the links, NUMA nodes and network cards of a node. The text has `machine:` at the node, or
 * only `links:` at the GPUs of the node. A node with both keys is an error. */
static int32_t node_inside(struct field_reader *r, struct node_form *form) {
    const lsched_device_desc *devices = form->desc.devices;
    uint32_t n = 0, links = r->gpu_links;
    r->gpu_links = 0;
    for (uint32_t i = 0; i < form->desc.n_devices; i++)
        n += devices[i].count < LSCHED_DEVICES_PER_NODE_MAX ? devices[i].count
                                                            : LSCHED_DEVICES_PER_NODE_MAX;
    if (form->machine && links)
        return read_expected(
            r, LSCHED_E_KEY, links,
            "no key \"links\" in \"gpus\", because the node has the key \"machine\"");
    if (n > LSCHED_DEVICES_PER_NODE_MAX || (!form->machine && !links)) return 0;
    return read_machine(r, form->machine, links, n, &form->desc.machine);
}

/* Reads the time at which a node leaves, or the word "none", which becomes NODE_STAYS. */
static int32_t read_stay(struct field_reader *r, uint32_t value, void *out) {
    int64_t *leaves = out;
    *leaves = NODE_STAYS;
    if (read_is_word(r, value, "none")) return 0;
    int32_t code = read_time(r, value, leaves);
    if (!code && *leaves == 0) *leaves = NODE_LEFT_0;
    return code;
}

/* Checks a node that stays: it is not back, and leaves not again. A node that left at the time 0
 * must come back: the times 0 and 0 say that it stays. */
static int32_t settle_leaves(struct field_reader *r, uint32_t value, int64_t *leaves, int64_t back,
                             int64_t every) {
    int stays = *leaves == NODE_STAYS, left = *leaves == NODE_LEFT_0;
    if (!stays && !left) return 0;
    *leaves = 0;
    if (stays && (back || every))
        return read_expected(r, LSCHED_E_KEY, value,
                             "no key \"back\" and no key \"leaves_every\", because the node has "
                             "\"leaves: none\" and stays");
    if (left && !back)
        return read_expected(
            r, LSCHED_E_KEY, value,
            "a time after 1970 at which the node leaves, a later time \"back\", or "
            "\"leaves: none\" for a node that stays");
    return 0;
}

static int32_t node_form_read(struct field_reader *r, uint32_t value, struct node_form *form) {
    static const struct field fields[] = {
        FIELD(struct node_form, "name", read_range, name),
        FIELD(struct node_form, "count", read_count, count),
        FIELD_KEY("labels", parse_nodes_node_labels),
        FIELD_EACH(struct node_form, "gpus", device_item, desc.devices, desc.n_devices),
        FIELD(struct node_form, "machine", read_later, machine),
        FIELD(struct node_form, "cordoned", read_bool, cordoned),
        FIELD(struct node_form, "draining", read_bool, draining),
        FIELD_LIST(struct node_form, "taints", read_taints, desc.taints, desc.n_taints),
        FIELD(struct node_form, "tasks_max", read_count, desc.tasks_max),
        FIELD_WITH(struct node_form, "price", read_units, UNITS_MONEY_MICRO,
                   desc.price_micro_per_hour),
        FIELD_WITH(struct node_form, "power", read_units, UNITS_POWER_MILLIWATT,
                   desc.power_milliwatt),
        FIELD(struct node_form, "tag", read_u64, desc.tag),
        FIELD(struct node_form, "leaves", read_stay, desc.leaves_us),
        FIELD(struct node_form, "back", read_time, desc.back_us),
        FIELD(struct node_form, "leaves_every", read_duration, desc.leaves_every_us),
    };
    memset(form, 0, sizeof *form);
    form->desc = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
    form->label_node = r->label_nodes;
    r->gpu_links = 0;
    int32_t code = READ_MAP(r, value, "a node", fields, form, node_amount);
    if (!code && !form->name.text)
        code = read_expected(r, LSCHED_E_KEY, value, "a node with a name");
    if (!code)
        code = settle_leaves(r, value, &form->desc.leaves_us, form->desc.back_us,
                             form->desc.leaves_every_us);
    return code ? code : node_inside(r, form);
}

/* Writes the labels of node i of the template's n nodes. If the value of a label is a range, the
 * values of the range are divided evenly among the nodes: with 2 values and 6 nodes, the first 3
 * nodes get the first value. */
static int32_t node_write_labels(struct field_reader *r, const struct node_form *form, uint64_t i,
                                 uint64_t n, lsched_node_desc *desc) {
    const struct label_form *from = form->labels.items;
    lsched_label *labels =
        scn_memory_take(r->memory, form->labels.n + form->label_node, sizeof *labels);
    int32_t code = labels ? 0 : read_no_memory(r);
    for (uint32_t k = 0; !code && k < form->labels.n; k++) {
        labels[k] = (lsched_label){from[k].key, from[k].value};
        uint64_t values = from[k].values ? from[k].values->count : 1;
        uint64_t which = n <= values ? i : i * values / n;
        if (from[k].values) code = read_range_name(r, from[k].values, which, &labels[k].value);
    }
    if (!code && form->label_node)
        labels[form->labels.n] = (lsched_label){{node_level, sizeof node_level - 1}, desc->name};
    desc->labels = labels;
    desc->n_labels = form->labels.n + form->label_node;
    return code;
}

static int32_t node_expand(struct field_reader *r, uint32_t value, const struct node_form *form,
                           struct action *action) {
    uint64_t n = 0;
    int varies = form->labels_vary || form->label_node;
    int32_t code = read_template(r, value, &form->name, form->count, &n);
    lsched_node_desc desc = form->desc;
    desc.state = form->draining   ? LSCHED_NODE_DRAINING
                 : form->cordoned ? LSCHED_NODE_CORDONED
                                  : LSCHED_NODE_READY;
    desc.capacity = form->amounts.items;
    desc.n_capacity = form->amounts.n;
    for (uint64_t i = 0; !code && i < n; i++) {
        lsched_node_desc *item = read_add(r, &action->items, &action->marks, sizeof *item, value);
        if (!item) return LSCHED_E_NOMEM;
        code = read_template_name(r, &form->name, form->count, i, &desc.name);
        if (!code && (i == 0 || varies)) code = node_write_labels(r, form, i, n, &desc);
        *item = desc;
    }
    return code;
}

static int32_t node_item(struct field_reader *r, uint32_t value, void *action) {
    struct node_form form;
    int32_t code = node_form_read(r, value, &form);
    return code ? code : node_expand(r, value, &form, action);
}

int32_t read_nodes(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = step_action_add(r, step, ACTION_NODES, value);
    if (!action) return LSCHED_E_NOMEM;
    int32_t code = read_items(r, value, "nodes", node_item, action);
    if (step->is_initial) r->scenario->n_nodes = action->items.n;
    return code;
}

/* ---- updates ---- */

struct node_update_form {
    const lsched_text *names;
    uint32_t n_names;
    struct scn_list amounts; /* elements are lsched_amount */
    lsched_node_update update;
};

#define UPDATE(key, reader, member, bit)                                                         \
    {                                                                                            \
        .name = key, .read = reader, .offset = offsetof(struct node_update_form, update.member), \
        .set = offsetof(struct node_update_form, update.set), .param = bit                       \
    }
#define UPDATE_LIST(key, reader, member, n, bit)                                                 \
    {                                                                                            \
        .name = key, .read = reader, .offset = offsetof(struct node_update_form, update.member), \
        .count = offsetof(struct node_update_form, update.n),                                    \
        .set = offsetof(struct node_update_form, update.set), .param = bit                       \
    }

static int32_t update_state(struct field_reader *r, uint32_t value, void *out, uint32_t state) {
    struct node_update_form *form = out;
    uint32_t wanted = 0;
    int32_t code = read_bool(r, value, &wanted);
    form->update.set |= LSCHED_NODE_SET_STATE;
    form->update.state = wanted ? state : LSCHED_NODE_READY;
    return code;
}

/* Reads the largest number of tasks, or the word "unlimited", which becomes 0. */
static int32_t update_tasks_max(struct field_reader *r, uint32_t value, void *out) {
    return read_is_word(r, value, "unlimited") ? 0 : read_count(r, value, out);
}

static int32_t update_price(struct field_reader *r, uint32_t value, void *out) {
    return read_units(r, value, out, UNITS_MONEY_MICRO);
}

static int32_t update_amount(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct node_update_form *form = out;
    form->update.set |= LSCHED_NODE_SET_CAPACITY;
    return read_amount_key(r, key, value, &form->amounts);
}

/* Adds the label node_level to the labels of an update. The labels of an update replace all labels
 * of the node, and the node would otherwise lose this label. */
static int32_t update_label_node(struct field_reader *r, lsched_node_update *update) {
    lsched_label *labels = scn_memory_take(r->memory, update->n_labels + 1ul, sizeof *labels);
    if (!labels) return read_no_memory(r);
    for (uint32_t i = 0; i < update->n_labels; i++) {
        labels[i] = update->labels[i];
        if (strcmp(labels[i].key.ptr, node_level) == 0) return 0;
    }
    labels[update->n_labels++] = (lsched_label){{node_level, sizeof node_level - 1}, update->name};
    update->labels = labels;
    return 0;
}

static int32_t update_expand(struct field_reader *r, uint32_t value, struct node_update_form *form,
                             struct action *action) {
    form->update.size = sizeof form->update;
    form->update.capacity = form->amounts.items;
    form->update.n_capacity = form->amounts.n;
    for (uint32_t i = 0; i < form->n_names; i++) {
        lsched_node_update *update =
            read_add(r, &action->items, &action->marks, sizeof *update, value);
        if (!update) return LSCHED_E_NOMEM;
        *update = form->update;
        update->name = form->names[i];
        int labels = r->label_nodes && (form->update.set & LSCHED_NODE_SET_LABELS);
        int32_t code = labels ? update_label_node(r, update) : 0;
        if (code) return code;
    }
    return 0;
}

static int32_t update_item(struct field_reader *r, uint32_t value, void *action) {
    static const struct field fields[] = {
        FIELD_LIST(struct node_update_form, "name", read_names, names, n_names),
        FIELD_KEY_WITH("cordoned", update_state, LSCHED_NODE_CORDONED),
        FIELD_KEY_WITH("draining", update_state, LSCHED_NODE_DRAINING),
        UPDATE_LIST("labels", read_plain_labels, labels, n_labels, LSCHED_NODE_SET_LABELS),
        UPDATE_LIST("taints", read_taints, taints, n_taints, LSCHED_NODE_SET_TAINTS),
        UPDATE("tasks_max", update_tasks_max, tasks_max, LSCHED_NODE_SET_TASKS_MAX),
        UPDATE("tag", read_u64, tag, LSCHED_NODE_SET_TAG),
        UPDATE("price", update_price, price_micro_per_hour, LSCHED_NODE_SET_PRICE),
        UPDATE("leaves", read_stay, leaves_us, LSCHED_NODE_SET_ABSENCE),
        UPDATE("back", read_time, back_us, LSCHED_NODE_SET_ABSENCE),
        UPDATE("leaves_every", read_duration, leaves_every_us, LSCHED_NODE_SET_ABSENCE),
        UPDATE("mig", read_recut_device, size, LSCHED_NODE_SET_MIG),
    };
    struct node_update_form form;
    memset(&form, 0, sizeof form);
    int32_t code = READ_MAP(r, value, "a node's update", fields, &form, update_amount);
    if (!code && form.n_names == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "an update with a name");
    if (!code)
        code = settle_leaves(r, value, &form.update.leaves_us, form.update.back_us,
                             form.update.leaves_every_us);
    return code ? code : update_expand(r, value, &form, action);
}

int32_t read_update_nodes(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_UPDATE_NODES, "updates", update_item);
}

int32_t read_node_state(struct field_reader *r, uint32_t value, void *step, uint32_t state) {
    struct node_update_form form;
    struct scn_list names = {NULL, 0, 0};
    struct action *action = step_action_add(r, step, ACTION_UPDATE_NODES, value);
    memset(&form, 0, sizeof form);
    if (!action) return LSCHED_E_NOMEM;
    form.update.set = LSCHED_NODE_SET_STATE;
    form.update.state = state;
    int32_t code = read_names(r, value, &names);
    form.names = names.items;
    form.n_names = names.n;
    return code ? code : update_expand(r, value, &form, action);
}

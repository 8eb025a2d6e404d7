/*
 * parse_nodes.c -- reads `topology:`, `nodes:`, and the keys with which later steps change nodes.
 *
 * A template with a range or a count describes many nodes. They share its amounts, its devices
 * and, unless a label value is a range, its labels. Therefore 100,000 equal nodes cost one
 * descriptor and one name each.
 */
#include <string.h>

#include "base/limits.h"
#include "config/read/name_range.h"
#include "config/objects/parse_claim.h"
#include "config/objects/parse_mig.h"
#include "config/objects/scenario_parts.h"

struct label_form {
    lsched_text key;
    lsched_text value;
    struct name_range *values; /* NULL if all nodes of the template have the same value */
};

struct node_form {
    struct name_range name;
    uint32_t named;
    uint32_t count; /* number of nodes of the template; 0: not given */
    uint32_t cordoned, draining;
    uint32_t tasks_max;
    struct scn_list taints; /* elements are lsched_taint */
    uint32_t label_node;    /* 1 if each node gets the label node_level */
    uint32_t labels_vary;
    struct scn_list amounts; /* elements are lsched_amount */
    struct scn_list labels;  /* elements are struct label_form */
    struct scn_list devices; /* elements are lsched_device_desc */
    uint32_t machine;        /* index of the value in the YAML tree; 0: not given */
    const lsched_machine_desc *inside;
    int64_t price, power;
    uint64_t tag;
};

struct action *read_action(struct field_reader *r, struct step *step, enum action_kind kind,
                           uint32_t value) {
    struct action *action = read_add(r, &step->actions, NULL, sizeof *action, value);
    if (!action) return NULL;
    action->kind = (uint32_t)kind;
    action->mark = read_mark(r, value);
    action->at_us = r->base_us;
    return action;
}

/* A topology level of this name means the single node. Each node gets a label with this key and
 * its own name as value. */
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

/* Adds a topology to the action. A topology without a name is called "default". */
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
        {"levels", topology_levels, 0},
        FIELD(lsched_topology_desc, "tag", read_u64, tag),
    };
    lsched_topology_desc *desc;
    int32_t code = parse_nodes_topology_add(r, value, &desc, out);
    return code ? code
                : read_map(r, value, "a topology", fields, sizeof fields / sizeof *fields, desc,
                           NULL);
}

/* Reads [zone, rack, node], or {name: network, levels: [...]}, or a list of such maps. */
int32_t read_topologies(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = read_action(r, step->step, ACTION_TOPOLOGIES, value);
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

static int32_t device_share(struct field_reader *r, uint32_t value, void *out) {
    /* the words are in the order of LSCHED_SHARE_* */
    static const char *const words[] = {"whole", "fraction", "mig", "mps", "time-slice"};
    return read_word(r, value, words, 5, out);
}

/* Reads a factor: 1.5 means that the memory limits of the tasks on a device may add up to 1.5
 * times its memory. */
static int32_t device_overcommit(struct field_reader *r, uint32_t value, void *out) {
    int64_t milli = 0;
    int32_t code = read_units(r, value, UNITS_WEIGHT_MILLI, &milli);
    if (!code && (milli < 1000 || milli > DEVICE_OVERCOMMIT_MAX))
        code = read_expected(r, LSCHED_E_RANGE, value, "a factor from 1 to 100");
    *(uint32_t *)out = (uint32_t)milli;
    return code;
}

static int32_t device_links(struct field_reader *r, uint32_t value, void *out) {
    (void)out;
    r->gpu_links = value; /* the links belong to the node: node_inside() reads them */
    return 0;
}

static int32_t device_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_device_desc, "count", read_count, count),
        {"attributes", read_attributes, 0},
        FIELD(lsched_device_desc, "model", read_text, model),
        FIELD(lsched_device_desc, "memory", read_memory, memory_bytes),
        FIELD(lsched_device_desc, "share", device_share, share_mode),
        FIELD(lsched_device_desc, "cores", read_count, cores),
        FIELD(lsched_device_desc, "memory_overcommit", device_overcommit, memory_overcommit_milli),
        FIELD(lsched_device_desc, "mig_table", read_text, mig_table),
        {"geometry", read_geometry, 0},
        {"recut", read_recut, 0},
        {"links", device_links, 0},
    };
    uint32_t count = 1;
    int32_t code = 0;
    int is_number = read_is(r, value, YTREE_SCALAR);
    if (is_number) code = read_u32(r, value, &count);
    if (code || count == 0) return code;
    lsched_device_desc *desc = read_add(r, out, NULL, sizeof *desc, value);
    if (!desc) return LSCHED_E_NOMEM;
    *desc = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
    /* a device needs a model name; "gpu" is the name of devices without one */
    desc->model = (lsched_text){"gpu", 3};
    desc->count = count;
    return is_number
               ? 0
               : read_map(r, value, "GPUs", fields, sizeof fields / sizeof *fields, desc, NULL);
}

static int32_t node_devices(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, device_item, list);
}

/* ---- nodes ---- */

static int32_t parse_nodes_node_name(struct field_reader *r, uint32_t value, void *out) {
    struct node_form *form = out;
    form->named = 1;
    return read_range(r, value, &form->name);
}

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
    size_t len;
    if (read_kind(r, read_chars(r, key, &len)) == LSCHED_GPU)
        return complain_at(
            &r->complain, LSCHED_E_KEY, read_mark(r, key),
            "expected \"gpus\", got \"gpu\": a node's GPUs are counted by its devices");
    return read_amount_key(r, key, value, &form->amounts);
}

static int32_t parse_nodes_node_machine(struct field_reader *r, uint32_t value, void *uint32_out) {
    (void)r;
    *(uint32_t *)uint32_out = value;
    return 0;
}

/* Reads `machine:`, or the `links:` of the node's GPUs, which describe only the links. A node must
 * not have both. */
static int32_t node_inside(struct field_reader *r, struct node_form *form) {
    const lsched_device_desc *devices = form->devices.items;
    uint32_t n = 0, links = r->gpu_links;
    r->gpu_links = 0;
    for (uint32_t i = 0; i < form->devices.n; i++)
        n += devices[i].count < LSCHED_DEVICES_PER_NODE_MAX ? devices[i].count
                                                            : LSCHED_DEVICES_PER_NODE_MAX;
    if (form->machine && links)
        return read_expected(r, LSCHED_E_KEY, links, "no \"links\" of GPUs beside a machine");
    if (n > LSCHED_DEVICES_PER_NODE_MAX || (!form->machine && !links)) return 0;
    return read_machine(r, form->machine, links, n, &form->inside);
}

static int32_t node_form_read(struct field_reader *r, uint32_t value, struct node_form *form) {
    static const struct field fields[] = {
        {"name", parse_nodes_node_name, 0},
        FIELD(struct node_form, "count", read_count, count),
        {"labels", parse_nodes_node_labels, 0},
        FIELD(struct node_form, "gpus", node_devices, devices),
        FIELD(struct node_form, "machine", parse_nodes_node_machine, machine),
        FIELD(struct node_form, "cordoned", read_bool, cordoned),
        FIELD(struct node_form, "draining", read_bool, draining),
        FIELD(struct node_form, "taints", read_taints, taints),
        FIELD(struct node_form, "tasks_max", read_count, tasks_max),
        FIELD(struct node_form, "price", read_price, price),
        FIELD(struct node_form, "power", read_power, power),
        FIELD(struct node_form, "tag", read_u64, tag),
    };
    memset(form, 0, sizeof *form);
    form->label_node = r->label_nodes;
    r->gpu_links = 0;
    int32_t code =
        read_map(r, value, "a node", fields, sizeof fields / sizeof *fields, form, node_amount);
    if (code) return code;
    if (!form->named) return read_expected(r, LSCHED_E_KEY, value, "a node with a name");
    return node_inside(r, form);
}

/* Writes the labels of node i of n. A range of values is spread evenly over the nodes, in order. */
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
    lsched_node_desc desc = LSCHED_NODE_DESC_INIT;
    desc.state = form->draining   ? LSCHED_NODE_DRAINING
                 : form->cordoned ? LSCHED_NODE_CORDONED
                                  : LSCHED_NODE_READY;
    desc.taints = form->taints.items;
    desc.n_taints = form->taints.n;
    desc.tasks_max = form->tasks_max;
    desc.tag = form->tag;
    desc.capacity = form->amounts.items;
    desc.n_capacity = form->amounts.n;
    desc.devices = form->devices.items;
    desc.n_devices = form->devices.n;
    desc.machine = form->inside;
    desc.price_micro_per_hour = form->price;
    desc.power_milliwatt = form->power;
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
    struct action *action = read_action(r, step->step, ACTION_NODES, value);
    if (!action) return LSCHED_E_NOMEM;
    int32_t code = read_items(r, value, "nodes", node_item, action);
    if (step->is_initial) r->scenario->n_nodes = action->items.n;
    return code;
}

/* ---- updates ---- */

struct node_update_form {
    struct scn_list names; /* elements are lsched_text */
    struct scn_list taints, labels;
    struct scn_list amounts;
    lsched_node_update update;
};

static int32_t update_cordoned(struct field_reader *r, uint32_t value, void *out) {
    struct node_update_form *form = out;
    uint32_t cordoned = 0;
    int32_t code = read_bool(r, value, &cordoned);
    form->update.set |= LSCHED_NODE_SET_STATE;
    form->update.state = cordoned ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
    return code;
}

static int32_t update_draining(struct field_reader *r, uint32_t value, void *out) {
    struct node_update_form *form = out;
    uint32_t draining = 0;
    int32_t code = read_bool(r, value, &draining);
    form->update.set |= LSCHED_NODE_SET_STATE;
    form->update.state = draining ? LSCHED_NODE_DRAINING : LSCHED_NODE_READY;
    return code;
}

/* Replaces all taints of the node; [] removes them. */
static int32_t update_taints(struct field_reader *r, uint32_t value, void *out) {
    struct node_update_form *form = out;
    form->update.set |= LSCHED_NODE_SET_TAINTS;
    return read_taints(r, value, &form->taints);
}

static int32_t update_labels(struct field_reader *r, uint32_t value, void *out) {
    struct node_update_form *form = out;
    form->update.set |= LSCHED_NODE_SET_LABELS;
    return read_plain_labels(r, value, &form->labels);
}

/* Reads a number, or "unlimited" for no bound. */
static int32_t update_tasks_max(struct field_reader *r, uint32_t value, void *out) {
    struct node_update_form *form = out;
    size_t len;
    form->update.set |= LSCHED_NODE_SET_TASKS_MAX;
    if (read_is(r, value, YTREE_SCALAR) && strcmp(read_chars(r, value, &len), "unlimited") == 0)
        return 0;
    return read_count(r, value, &form->update.tasks_max);
}

static int32_t update_tag(struct field_reader *r, uint32_t value, void *out) {
    struct node_update_form *form = out;
    form->update.set |= LSCHED_NODE_SET_TAG;
    return read_u64(r, value, &form->update.tag);
}

static int32_t update_price(struct field_reader *r, uint32_t value, void *out) {
    struct node_update_form *form = out;
    form->update.set |= LSCHED_NODE_SET_PRICE;
    return read_price(r, value, &form->update.price_micro_per_hour);
}

static int32_t update_mig(struct field_reader *r, uint32_t value, void *out) {
    struct node_update_form *form = out;
    form->update.set |= LSCHED_NODE_SET_MIG;
    return read_recut_device(r, value, &form->update);
}

static int32_t update_amount(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct node_update_form *form = out;
    form->update.set |= LSCHED_NODE_SET_CAPACITY;
    return read_amount_key(r, key, value, &form->amounts);
}

/* Adds the label node_level, which new labels would otherwise remove from the node. */
static int32_t update_label_node(struct field_reader *r, const struct node_update_form *form,
                                 lsched_node_update *update) {
    lsched_label *labels = scn_memory_take(r->memory, form->labels.n + 1ul, sizeof *labels);
    if (!labels) return read_no_memory(r);
    for (uint32_t i = 0; i < form->labels.n; i++) {
        labels[i] = ((const lsched_label *)form->labels.items)[i];
        if (strcmp(labels[i].key.ptr, node_level) == 0) return 0;
    }
    labels[form->labels.n] = (lsched_label){{node_level, sizeof node_level - 1}, update->name};
    update->labels = labels;
    update->n_labels = form->labels.n + 1;
    return 0;
}

static int32_t update_expand(struct field_reader *r, uint32_t value, struct node_update_form *form,
                             struct action *action) {
    const lsched_text *names = form->names.items;
    form->update.size = sizeof form->update;
    form->update.capacity = form->amounts.items;
    form->update.n_capacity = form->amounts.n;
    form->update.taints = form->taints.items;
    form->update.n_taints = form->taints.n;
    form->update.labels = form->labels.items;
    form->update.n_labels = form->labels.n;
    for (uint32_t i = 0; i < form->names.n; i++) {
        lsched_node_update *update =
            read_add(r, &action->items, &action->marks, sizeof *update, value);
        if (!update) return LSCHED_E_NOMEM;
        *update = form->update;
        update->name = names[i];
        int labels = r->label_nodes && (form->update.set & LSCHED_NODE_SET_LABELS);
        int32_t code = labels ? update_label_node(r, form, update) : 0;
        if (code) return code;
    }
    return 0;
}

static int32_t update_item(struct field_reader *r, uint32_t value, void *action) {
    static const struct field fields[] = {
        FIELD(struct node_update_form, "name", read_names, names),
        {"cordoned", update_cordoned, 0},
        {"draining", update_draining, 0},
        {"labels", update_labels, 0},
        {"taints", update_taints, 0},
        {"tasks_max", update_tasks_max, 0},
        {"tag", update_tag, 0},
        {"price", update_price, 0},
        {"mig", update_mig, 0},
    };
    struct node_update_form form;
    memset(&form, 0, sizeof form);
    int32_t code = read_map(r, value, "a node's update", fields, sizeof fields / sizeof *fields,
                            &form, update_amount);
    if (!code && form.names.n == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "an update with a name");
    return code ? code : update_expand(r, value, &form, action);
}

int32_t read_update_nodes(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = read_action(r, step->step, ACTION_UPDATE_NODES, value);
    return action ? read_items(r, value, "updates", update_item, action) : LSCHED_E_NOMEM;
}

static int32_t parse_nodes_set_state(struct field_reader *r, uint32_t value,
                                     struct step_reader *step, uint32_t state) {
    struct node_update_form form;
    struct action *action = read_action(r, step->step, ACTION_UPDATE_NODES, value);
    memset(&form, 0, sizeof form);
    if (!action) return LSCHED_E_NOMEM;
    form.update.set = LSCHED_NODE_SET_STATE;
    form.update.state = state;
    int32_t code = read_names(r, value, &form.names);
    return code ? code : update_expand(r, value, &form, action);
}

int32_t read_cordon(struct field_reader *r, uint32_t value, void *out) {
    return parse_nodes_set_state(r, value, out, LSCHED_NODE_CORDONED);
}

int32_t read_drain(struct field_reader *r, uint32_t value, void *out) {
    return parse_nodes_set_state(r, value, out, LSCHED_NODE_DRAINING);
}

int32_t read_uncordon(struct field_reader *r, uint32_t value, void *out) {
    return parse_nodes_set_state(r, value, out, LSCHED_NODE_READY);
}

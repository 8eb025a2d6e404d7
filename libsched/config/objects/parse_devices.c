/* parse_devices.c -- see parse_devices.h. One item can name several nodes and devices; each device
 * of each node becomes one lsched_device_update. */
#include <string.h>

#include "config/objects/parse_devices.h"
#include "config/objects/parse_device_set.h"
#include "config/objects/parse_mig.h"
#include "config/objects/parse_rules.h"
#include "config/read/quantity_reader.h"

struct device_form {
    const lsched_text *nodes;
    uint32_t n_nodes;
    struct scn_list devices;  /* elements are uint32_t */
    struct scn_list geometry; /* elements are lsched_mig_instance */
    struct scn_list taints;   /* elements are lsched_taint */
    lsched_device_update update;
};

static int32_t device_number(struct field_reader *r, uint32_t value, void *list) {
    struct scn_list *devices = list;
    uint32_t first = 0, last = 0;
    int32_t code = read_device_span(r, value, UINT32_MAX, &first, &last);
    for (uint32_t d = first; !code && d <= last; d++) {
        for (uint32_t i = 0; i < devices->n; i++)
            if (((const uint32_t *)devices->items)[i] == d)
                return read_expected(r, LSCHED_E_RANGE, value, "each device once");
        uint32_t *device = read_add(r, devices, NULL, sizeof *device, value);
        if (!device) return LSCHED_E_NOMEM;
        *device = d;
    }
    return code;
}

static int32_t device_numbers(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, device_number, list);
}

static int32_t device_health(struct field_reader *r, uint32_t value, void *out) {
    /* words of the states, in the order of LSCHED_HEALTH_* */
    static const char *const words[] = {"ok", "cordoned", "failed"};
    struct device_form *form = out;
    form->update.set |= LSCHED_DEVICE_SET_HEALTH;
    return read_word(r, value, words, 3, &form->update.health);
}

static int32_t device_geometry(struct field_reader *r, uint32_t value, void *out) {
    struct device_form *form = out;
    form->update.set |= LSCHED_DEVICE_SET_MIG;
    return read_items(r, value, "MIG instances", read_instance, &form->geometry);
}

static int32_t device_taints(struct field_reader *r, uint32_t value, void *out) {
    struct device_form *form = out;
    form->update.set |= LSCHED_DEVICE_SET_TAINTS;
    return read_taints(r, value, &form->taints);
}

static int32_t device_expand(struct field_reader *r, uint32_t value, struct device_form *form,
                             struct action *action) {
    form->update.size = sizeof form->update;
    form->update.mig_instances = form->geometry.items;
    form->update.n_mig_instances = form->geometry.n;
    form->update.taints = form->taints.items;
    form->update.n_taints = form->taints.n;
    int32_t code = read_budget(r, value, (uint64_t)form->n_nodes * form->devices.n);
    for (uint32_t i = 0; !code && i < form->n_nodes; i++)
        for (uint32_t d = 0; d < form->devices.n; d++) {
            lsched_device_update *update =
                read_add(r, &action->items, &action->marks, sizeof *update, value);
            if (!update) return LSCHED_E_NOMEM;
            *update = form->update;
            update->node_name = form->nodes[i];
            update->device = ((const uint32_t *)form->devices.items)[d];
        }
    return code;
}

static int32_t update_device_item(struct field_reader *r, uint32_t value, void *action) {
    static const struct field fields[] = {
        FIELD_LIST(struct device_form, "node", read_names, nodes, n_nodes),
        FIELD(struct device_form, "device", device_numbers, devices),
        FIELD_KEY("health", device_health),
        FIELD_KEY("geometry", device_geometry),
        FIELD_KEY("taints", device_taints),
    };
    struct device_form form;
    memset(&form, 0, sizeof form);
    int32_t code = READ_MAP(r, value, "a device's update", fields, &form, NULL);
    if (!code && (form.n_nodes == 0 || form.devices.n == 0))
        code = read_expected(r, LSCHED_E_KEY, value, "an update with \"node\" and \"device\"");
    if (!code && !form.update.set)
        code = read_expected(r, LSCHED_E_KEY, value,
                             "an update with \"health\", \"geometry\" or \"taints\"");
    return code ? code : device_expand(r, value, &form, action);
}

int32_t read_update_devices(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_UPDATE_DEVICES, "updates of devices",
                             update_device_item);
}

/* ---- foreign use ---- */

struct foreign_form {
    /* must be the first member, because read_amount_key() takes a pointer to the whole struct as a
     * pointer to this list */
    struct scn_list amounts;
    const lsched_text *nodes;
    uint32_t n_nodes;
    uint64_t device_words[LSCHED_DEVICE_WORDS];
};

static int32_t foreign_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD_LIST(struct foreign_form, "node", read_names, nodes, n_nodes),
        FIELD(struct foreign_form, "devices", read_device_words, device_words),
    };
    struct action *action = out;
    struct foreign_form form;
    memset(&form, 0, sizeof form);
    int32_t code = READ_MAP(r, value, "foreign use", fields, &form, read_amount_key);
    if (!code && form.n_nodes == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "foreign use with \"node\"");
    if (!code) code = read_budget(r, value, form.n_nodes);
    for (uint32_t i = 0; !code && i < form.n_nodes; i++) {
        lsched_foreign_use *use = read_add(r, &action->items, &action->marks, sizeof *use, value);
        if (!use) return LSCHED_E_NOMEM;
        *use = (lsched_foreign_use)LSCHED_FOREIGN_USE_INIT;
        use->node_name = form.nodes[i];
        use->amounts = form.amounts.items;
        use->n_amounts = form.amounts.n;
        memcpy(use->device_words, form.device_words, sizeof use->device_words);
    }
    return code;
}

int32_t read_foreign_use(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_FOREIGN, "foreign use", foreign_item);
}

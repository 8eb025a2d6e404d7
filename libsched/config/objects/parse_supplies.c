/*
 * parse_supplies.c -- see parse_supplies.h. A scenario writes:
 *
 *   supplies: {ansys: 10, watts: unlimited, channels: {amount: 64, tag: 7}}
 *   update_supplies: [{supply: watts, at: {row: A, rack: r1}, amount: 5000, others: 200}]
 */
#include "config/objects/parse_supplies.h"

#include <string.h>

#include "config/read/quantity_reader.h"

static int32_t supply_amount(struct field_reader *r, uint32_t value, void *out) {
    if (!read_is_word(r, value, "unlimited")) return read_units(r, value, out, UNITS_COUNT);
    *(int64_t *)out = LSCHED_UNLIMITED;
    return 0;
}

static int32_t top_supply(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_supply_desc, "amount", supply_amount, amount),
        FIELD(lsched_supply_desc, "tag", read_u64, tag),
    };
    struct action *action = out;
    lsched_supply_desc *supply = read_add(r, &action->items, &action->marks, sizeof *supply, key);
    if (!supply) return LSCHED_E_NOMEM;
    *supply = (lsched_supply_desc)LSCHED_SUPPLY_DESC_INIT;
    int32_t code = read_single_name(r, key, &supply->name);
    if (!code)
        code = read_is(r, value, YTREE_MAP) ? READ_MAP(r, value, "a supply", fields, supply, NULL)
                                            : supply_amount(r, value, &supply->amount);
    return code ? code : 1;
}

int32_t read_supplies(struct field_reader *r, uint32_t value, void *out) {
    return step_action_map(r, value, out, ACTION_SUPPLIES, "supplies", top_supply);
}

static int32_t place_amount(struct field_reader *r, uint32_t value, void *out) {
    lsched_supply_update *u = out;
    u->set |= LSCHED_SUPPLY_SET_AMOUNT;
    return supply_amount(r, value, &u->amount);
}

static int32_t place_others(struct field_reader *r, uint32_t value, void *out) {
    lsched_supply_update *u = out;
    u->set |= LSCHED_SUPPLY_SET_FOREIGN;
    return read_units(r, value, &u->foreign, UNITS_COUNT);
}

static int32_t place_at(struct field_reader *r, uint32_t value, void *out) {
    struct scn_list labels = {0};
    lsched_supply_update *u = out;
    int32_t code = read_map(r, value, "labels", NULL, 0, &labels, read_label);
    u->labels = labels.items;
    u->n_labels = labels.n;
    return code;
}

static int32_t supply_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_supply_update, "supply", read_text, supply),
        FIELD(lsched_supply_update, "topology", read_text, topology),
        FIELD_KEY("at", place_at),
        FIELD_KEY("amount", place_amount),
        FIELD_KEY("others", place_others),
    };
    struct action *action = out;
    lsched_supply_update *u = read_add(r, &action->items, &action->marks, sizeof *u, value);
    if (!u) return LSCHED_E_NOMEM;
    *u = (lsched_supply_update)LSCHED_SUPPLY_UPDATE_INIT;
    int32_t code = READ_MAP(r, value, "an amount of a supply", fields, u, NULL);
    if (!code && !u->supply.ptr)
        code = read_expected(r, LSCHED_E_KEY, value, "an amount with \"supply\"");
    return code;
}

int32_t read_update_supplies(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_UPDATE_SUPPLIES, "amounts of supplies",
                             supply_item);
}

static int32_t need_entry(struct field_reader *r, uint32_t key, uint32_t value, void *list) {
    lsched_supply_need *need = read_add(r, list, NULL, sizeof *need, value);
    if (!need) return LSCHED_E_NOMEM;
    *need = (lsched_supply_need)LSCHED_SUPPLY_NEED_INIT;
    int32_t code = read_text(r, key, &need->supply);
    if (!code) code = read_units(r, value, &need->amount, UNITS_COUNT);
    return code ? code : 1;
}

int32_t read_supply_needs(struct field_reader *r, uint32_t value, void *list) {
    return read_map(r, value, "supplies", NULL, 0, list, need_entry);
}

/* api_supplies.c -- the functions of supplies.h. */
#include <libsched/supplies.h>

#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/topology_names.h"
#include "base/limits.h"
#include "base/text_out.h"
#include "model/shapes/domain.h"
#include "model/supplies/supply.h"

#include <stdio.h>

static int32_t supplies_check_amount(int64_t amount, const char *where, lsched_error *err) {
    if (amount == LSCHED_UNLIMITED || (amount >= 0 && amount <= LSCHED_AMOUNT_MAX))
        return LSCHED_OK;
    return fail(err, LSCHED_E_RANGE,
                "%s: the amount is %lld; expected 0 to 2^62, or LSCHED_UNLIMITED", where,
                (long long)amount);
}

/* ---- adding ---- */

static int32_t element_supply_add(struct lsched_cluster *c, const struct call *call, size_t i,
                                  const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_supply_desc d;
    char where[LSCHED_NAME_BYTES_MAX + 16];
    int32_t rc = arg_struct(&d, sizeof d, element, call->elem_size, "supply", err);
    if (rc == LSCHED_OK) rc = arg_name(&d.name, "supply", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d.reserved_zero, "reserved_zero", NULL, "supply", i, err);
    if (rc != LSCHED_OK) return rc;
    snprintf(where, sizeof where, "supply '%.*s'", (int)d.name.len, d.name.ptr);
    rc = supplies_check_amount(d.amount, where, err);
    if (rc != LSCHED_OK) return rc;
    if (supply_find(k, d.name) != NO_ROW)
        return fail(err, LSCHED_E_EXISTS, "%s exists already", where);
    if (table_rows(k, T_SUPPLY) >= LSCHED_SUPPLIES_MAX)
        return fail(err, LSCHED_E_LIMIT, "%s: the cluster already has %d supplies", where,
                    LSCHED_SUPPLIES_MAX);
    return supply_add(k, d.name, d.tag, d.amount);
}

static const struct call_kind call_supplies_add = {.op = CALL_SUPPLIES_ADD,
                                                   .apply = element_supply_add,
                                                   .what = "supply",
                                                   .struct_size = sizeof(lsched_supply_desc),
                                                   .name_at = offsetof(lsched_supply_desc, name)};

LSCHED_API int32_t lsched_supplies_add(lsched_cluster *c, const lsched_supply_desc *supplies,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_supplies_add,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = supplies,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- the place that labels name ---- */

struct place_words {
    lsched_text supply, topology;
    const lsched_label *labels;
    size_t n_labels;
};

/* Sets *value to the value of the label with the key. Returns 0 if no label has the key. */
static int place_label(const struct place_words *w, lsched_text key, lsched_text *value) {
    for (size_t i = 0; i < w->n_labels; i++) {
        *value = arg_text(w->labels[i].value);
        if (text_order(arg_text(w->labels[i].key), key) == 0) return 1;
    }
    return 0;
}

/* Sets *domain to the domain that the labels name: the values of the first n_labels levels of the
 * topology. */
static int32_t supplies_find_domain(const struct columns *k, const struct place_words *w,
                                    const char *where, uint32_t *domain, lsched_error *err) {
    uint32_t tree = topology_find(k, w->topology);
    if (tree == NO_ROW) return topology_names_no_tree(k, w->topology, LSCHED_E_NOENT, where, err);
    uint32_t levels = k->c[C_TOPOLOGY_N_LEVELS].u32[tree], parent = NO_ROW;
    for (uint32_t l = 0; l < w->n_labels; l++) {
        lsched_text value, key = l < levels ? topology_level_key(k, tree, l) : (lsched_text){"", 0};
        if (l >= levels || !place_label(w, key, &value))
            return fail(err, LSCHED_E_KEY,
                        "%s: %s must name a domain by the first levels of its topology, and "
                        "level %u ('%.*s') is not among them",
                        where, counted(w->n_labels, "label").text, l + 1, (int)key.len, key.ptr);
        struct index_key at = index_key_domain(tree, l, parent, value.ptr, (size_t)value.len);
        parent = index_find(k, T_IX_DOMAIN, &at);
        if (parent == NO_ROW)
            return fail(err, LSCHED_E_NOENT, "%s: no node is in a domain %.*s=%.*s there", where,
                        (int)key.len, key.ptr, (int)value.len, value.ptr);
    }
    *domain = parent;
    return LSCHED_OK;
}

/* Sets *supply and *domain (NO_ROW: the whole cluster) to what the words name. */
static int32_t supplies_find(const struct columns *k, struct place_words *w, uint32_t *supply,
                             uint32_t *domain, lsched_error *err) {
    char where[LSCHED_NAME_BYTES_MAX + 16];
    int32_t rc = arg_name(&w->supply, "supply", err);
    if (rc != LSCHED_OK) return rc;
    snprintf(where, sizeof where, "supply '%.*s'", (int)w->supply.len, w->supply.ptr);
    *domain = NO_ROW;
    *supply = supply_find(k, w->supply);
    if (*supply == NO_ROW)
        return fail(err, LSCHED_E_NOENT,
                    "no supply is called '%.*s'; add it with lsched_supplies_add",
                    (int)w->supply.len, w->supply.ptr);
    if (w->n_labels == 0) return LSCHED_OK;
    if (!w->labels) return fail(err, LSCHED_E_NULL, "%s: labels is NULL", where);
    w->topology = arg_text(w->topology);
    return supplies_find_domain(k, w, where, domain, err);
}

/* ---- amounts ---- */

static int32_t supplies_check_update(const lsched_supply_update *u, size_t i, lsched_error *err) {
    int32_t rc = arg_reserved_at(u->reserved_zero, "reserved_zero", NULL, "supply", i, err);
    if (rc != LSCHED_OK) return rc;
    if (u->set == 0 || u->set & ~(uint32_t)(LSCHED_SUPPLY_SET_AMOUNT | LSCHED_SUPPLY_SET_FOREIGN))
        return fail(err, LSCHED_E_INVAL, "supply: set is %#x; expected LSCHED_SUPPLY_SET_*",
                    u->set);
    if (u->set & LSCHED_SUPPLY_SET_AMOUNT) rc = supplies_check_amount(u->amount, "supply", err);
    if (rc == LSCHED_OK && (u->set & LSCHED_SUPPLY_SET_FOREIGN) &&
        (u->foreign < 0 || u->foreign > LSCHED_AMOUNT_MAX / 2))
        return fail(err, LSCHED_E_RANGE, "supply: others use %lld; expected 0 to 2^61",
                    (long long)u->foreign);
    return rc;
}

static int32_t element_supply_update(struct lsched_cluster *c, const struct call *call, size_t i,
                                     const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_supply_update u;
    uint32_t supply, domain;
    int32_t rc = arg_struct(&u, sizeof u, element, call->elem_size, "supply", err);
    if (rc == LSCHED_OK) rc = supplies_check_update(&u, i, err);
    struct place_words w = {u.supply, u.topology, u.labels, u.n_labels};
    if (rc == LSCHED_OK) rc = supplies_find(k, &w, &supply, &domain, err);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t place = supply_place(k, supply, domain);
    int fresh = place == NO_ROW;
    if (fresh) rc = supply_place_add(k, supply, domain, &place);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    int64_t amount = k->c[C_PLACE_AMOUNT].i64[place], foreign = k->c[C_PLACE_FOREIGN].i64[place],
            was = amount, was_foreign = foreign;
    if (u.set & LSCHED_SUPPLY_SET_AMOUNT) amount = u.amount;
    if (u.set & LSCHED_SUPPLY_SET_FOREIGN) foreign = u.foreign;
    if (!fresh && amount == was && foreign == was_foreign)
        return call_is_idempotent(call) ? LSCHED_UNCHANGED : LSCHED_OK;
    supply_place_set(k, place, amount, foreign);
    return LSCHED_OK;
}

static const struct call_kind call_supplies_update = {.op = CALL_SUPPLIES_UPDATE,
                                                      .apply = element_supply_update,
                                                      .what = "supply",
                                                      .struct_size = sizeof(lsched_supply_update),
                                                      .name_at =
                                                          offsetof(lsched_supply_update, supply)};

LSCHED_API int32_t lsched_supplies_update(lsched_cluster *c, const lsched_supply_update *updates,
                                          size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                          int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_supplies_update,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = updates,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- reading ---- */

static lsched_text last_value(const struct columns *k, uint32_t place) {
    struct reader r = reader_of(k, k->c[C_PLACE_PATH].u32[place]);
    lsched_text value = {"", 0};
    for (uint32_t l = 0; l < k->c[C_PLACE_LEVELS].u32[place]; l++) value = reader_text(&r);
    return value;
}

static int32_t supplies_tell(const struct columns *k, uint32_t place, lsched_supply_info *out) {
    uint32_t supply = k->c[C_PLACE_SUPPLY].u32[place], tree = k->c[C_PLACE_TOPOLOGY].u32[place];
    lsched_supply_info i = {.size = sizeof i,
                            .levels = k->c[C_PLACE_LEVELS].u32[place],
                            .supply = supply_name(k, supply),
                            .topology = tree == NO_ROW
                                            ? (lsched_text){"", 0}
                                            : text_of(k, k->c[C_TOPOLOGY_NAME].u32[tree]),
                            .domain = last_value(k, place),
                            .tag = k->c[C_SUPPLY_TAG].u64[supply],
                            .amount = k->c[C_PLACE_AMOUNT].i64[place],
                            .foreign = k->c[C_PLACE_FOREIGN].i64[place],
                            .used = k->c[C_PLACE_USED].i64[place],
                            .coming = k->c[C_PLACE_COMING].i64[place],
                            .left = supply_left(k, place, SUPPLY_NOW)};
    return arg_out(out, &i, sizeof i);
}

LSCHED_API int32_t lsched_supplies_next(const lsched_cluster *c, uint64_t *cursor,
                                        lsched_supply_info *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !cursor || !out) return fail(err, LSCHED_E_NULL, "cluster, cursor or out is NULL");
    if (*cursor >= table_rows(&c->k, T_PLACE)) return 0;
    rc = supplies_tell(&c->k, (uint32_t)(*cursor)++, out);
    return rc == LSCHED_OK ? 1 : rc;
}

LSCHED_API int32_t lsched_supply_get(const lsched_cluster *c, lsched_text supply,
                                     lsched_text topology, const lsched_label *labels,
                                     size_t n_labels, lsched_supply_info *out, lsched_error *err) {
    struct place_words w = {supply, topology, labels, n_labels};
    uint32_t row, domain;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    rc = supplies_find(&c->k, &w, &row, &domain, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t place = supply_place(&c->k, row, domain);
    if (place == NO_ROW)
        return fail(err, LSCHED_E_NOENT, "the domain is no place of supply '%.*s'",
                    (int)w.supply.len, w.supply.ptr);
    return supplies_tell(&c->k, place, out);
}

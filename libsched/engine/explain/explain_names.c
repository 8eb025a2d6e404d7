/* explain_names.c -- see explain_names.h. */
#include "engine/explain/explain_names.h"

#include "engine/explain/near_word.h"
#include "model/nodes/node.h"
#include "model/shapes/shape.h"

/* ---- labels ---- */

static int is_among(lsched_text value, struct reader values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (text_order(reader_text(&values), value) == 0) return 1;
    return n == 0;
}

static int node_has(const struct columns *k, uint32_t node, lsched_text key, struct reader values,
                    uint32_t n) {
    lsched_text value;
    return node_label(k, node, key.ptr, (size_t)key.len, &value) && is_among(value, values, n);
}

static int any_has(const struct columns *k, lsched_text key, struct reader values, uint32_t n) {
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++)
        if (row_is_live(k, T_NODE, node) && node_has(k, node, key, values, n)) return 1;
    return 0;
}

/* Writes the value, among all values that nodes have for the label `key`, that is most similar to
 * `value`. If no node has the label, writes the label name that is most similar to `key`. */
static void explain_names_put_nearest(const struct columns *k, lsched_text key, lsched_text value,
                                      struct text_out *o) {
    struct near_word v = {.want = value}, l = {.want = key};
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (!row_is_live(k, T_NODE, node)) continue;
        struct reader r = reader_of(k, intern_text(k, T_LABELS, k->c[C_NODE_LABELS].u32[node]));
        for (uint32_t i = 0, n = reader_u32(&r); i < n; i++) {
            lsched_text has = reader_text(&r), is = reader_text(&r);
            if (text_order(has, key) == 0)
                near_word_offer(&v, is);
            else
                near_word_offer(&l, has);
        }
    }
    if (v.rank)
        text_put(o, " (there is %s=%s)", shown(key).text, shown(v.best).text);
    else if (l.rank > 1)
        text_put(o, " (no node has the label; there is %s)", shown(l.best).text);
    else
        text_put(o, " (no node has the label)");
}

void explain_names_labels(const struct columns *k, uint32_t shape, uint32_t node,
                          struct text_out *o) {
    uint32_t n = k->c[C_SHAPE_N_SELECTORS].u32[shape], said = 0;
    struct reader r = reader_of(k, intern_text(k, T_SHAPE, shape));
    r.p += k->c[C_SHAPE_SELECTORS].u32[shape];
    for (uint32_t i = 0; i < n; i++) {
        lsched_text key = reader_text(&r), first = {"", 0};
        uint32_t n_values = reader_u32(&r);
        struct reader values = r;
        for (uint32_t v = 0; v < n_values; v++) {
            lsched_text value = reader_text(&r);
            if (v == 0) first = value;
        }
        if (node == NO_ROW ? any_has(k, key, values, n_values)
                           : node_has(k, node, key, values, n_values))
            continue;
        text_put(o, said++ ? " and %s" : " with the label %s", shown(key).text);
        for (uint32_t v = 0; v < n_values; v++) {
            lsched_text value = reader_text(&values);
            text_put(o, v ? " or %s" : "=%s", shown(value).text);
        }
        if (!any_has(k, key, values, 0) || n_values) explain_names_put_nearest(k, key, first, o);
    }
}

/* ---- models ---- */

/* Offers the model names of all devices as candidates for the most similar name. Returns 1 if a
 * device has the model `wanted`. */
static uint32_t offer_models(const struct columns *k, uint32_t wanted, struct near_word *near) {
    uint32_t known = 0;
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (!row_is_live(k, T_NODE, node)) continue;
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
            uint32_t model = k->c[C_DEVICE_MODEL].u32[first + i];
            lsched_text name = text_of(k, intern_text(k, T_STRING, model));
            known |= model == wanted;
            if (name.len) near_word_offer(near, name);
        }
    }
    return known;
}

void explain_names_models(const struct columns *k, uint32_t shape, struct text_out *o) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape], known = 0;
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    if (n == 0) return;
    struct near_word near = {.rank = 0};
    for (uint32_t i = 0; i < n; i++) {
        near.want = text_of(k, intern_text(k, T_STRING, models[i]));
        text_put(o, i ? " or %s" : " with device model %s", shown(near.want).text);
        known |= offer_models(k, models[i], &near);
    }
    if (known) return;
    if (near.rank)
        text_put(o, " (there is %s)", shown(near.best).text);
    else
        text_put(o, " (no device names its model)");
}

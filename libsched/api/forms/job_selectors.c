/* job_selectors.c -- see job_selectors.h. Cost: about 20 us for each new selector, and about 1 us
 * for each pair of selector and device class that was not evaluated before. */
#include "api/forms/job_selectors.h"

#include "lua/selector/lua_selector.h"
#include "lua/state/luajit_hold.h"
#include <stdio.h>

#include "api/door/args.h"
#include "base/suggest.h"
#include "model/shapes/device_class.h"
#include "model/shapes/device_selector.h"
#include "model/shapes/shape.h"

void job_selectors_close(struct lsched_cluster *c) {
    selectors_close(c->selectors);
    c->selectors = NULL;
}

/* Converts a device class to the struct that the evaluator reads. attributes: memory of the
 * caller for LSCHED_ATTRIBUTES_MAX elements. */
static struct selector_device device_of(const struct columns *k, uint32_t devclass,
                                        lsched_label *attributes) {
    struct device_spec spec;
    device_class_spec(k, devclass, &spec, attributes);
    return (struct selector_device){spec.model, spec.memory_bytes, spec.sm_count,
                                    spec.share, attributes,        spec.n_attributes};
}

static int32_t take_in_hand(struct lsched_cluster *c, uint32_t selector, struct selector_form *form,
                            lsched_error *err) {
    int32_t rc = luajit_held(c->luajit, err);
    if (rc == LSCHED_OK && !c->selectors) rc = selectors_open(&c->alloc, &c->selectors, err);
    if (rc != LSCHED_OK) return rc;
    return selector_begin(c->selectors, text_of(&c->k, intern_text(&c->k, T_SELECTOR, selector)),
                          form, err);
}

/* ---- attributes that must exist ---- */

static const char *const own_names[] = {"model", "memory", "sm_count", "mode", "numa", NULL};

static int is_own_name(lsched_text name) {
    for (int i = 0; own_names[i]; i++)
        if (text_order(name, (lsched_text){own_names[i], strlen(own_names[i])}) == 0) return 1;
    return 0;
}

/* True if any device has the attribute. Also true if the cluster has no device, because later
 * devices can have the attribute. */
static int is_known(const struct columns *k, lsched_text name, struct suggest *s) {
    int any = 0;
    suggest_begin(s, name.ptr, (size_t)name.len);
    for (uint32_t row = 0; row < table_rows(k, T_DEVCLASS); row++) {
        struct device_spec spec;
        lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
        if (!row_is_live(k, T_DEVCLASS, row)) continue;
        any = 1;
        device_class_spec(k, row, &spec, attributes);
        for (uint32_t i = 0; i < spec.n_attributes; i++) {
            if (text_order(attributes[i].key, name) == 0) return 1;
            suggest_offer(s, attributes[i].key.ptr, (size_t)attributes[i].key.len);
        }
    }
    return !any;
}

static int32_t unknown_attribute(lsched_text name, const struct suggest *s, const char *begin,
                                 const char *instead, lsched_error *err) {
    int len = (int)name.len;
    if (s->best)
        return fail(err, LSCHED_E_KEY, "%sno device has an attribute '%.*s'; did you mean '%.*s'?",
                    begin, len, name.ptr, (int)s->best_len, s->best);
    return fail(err, LSCHED_E_KEY, "%sno device has an attribute '%.*s'%s", begin, len, name.ptr,
                instead);
}

static int32_t check_reads(const struct columns *k, lsched_text text,
                           const struct selector_form *form, lsched_error *err) {
    for (uint32_t i = 0; i < form->n_reads; i++) {
        const struct selector_read *r = &form->reads[i];
        lsched_text name = {text.ptr + r->key.at, r->key.len};
        struct suggest s;
        char begin[48];
        if (r->may_lack || is_known(k, name, &s)) continue;
        snprintf(begin, sizeof begin, "selector:%u:%u: ", r->line, r->column);
        int32_t rc = unknown_attribute(
            name, &s, begin,
            "; an attribute that some devices lack is read as device.attributes[\"x\"]", err);
        if (err && err->size >= offsetof(lsched_error, index)) {
            err->line = r->line;
            err->column = r->column;
        }
        return rc;
    }
    return LSCHED_OK;
}

/* Checks the attribute names in the lists match and distinct. */
static int32_t job_claims_check_lists(const struct columns *k, uint32_t shape, lsched_error *err) {
    struct reader r;
    if (!shape_part(k, shape, SHAPE_PART_CLAIM, &r)) return LSCHED_OK;
    reader_text(&r);
    for (int list = 0; list < 2; list++)
        for (uint32_t n = reader_u32(&r); n > 0; n--) {
            lsched_text name = reader_text(&r);
            struct suggest s;
            if (is_own_name(name) || is_known(k, name, &s)) continue;
            return unknown_attribute(name, &s, list ? "distinct: " : "match: ", "", err);
        }
    return LSCHED_OK;
}

/* ---- evaluating selectors ---- */

/* Evaluates a new selector: stores its conditions, and its answer for every device class. */
static int32_t ask_all(struct lsched_cluster *c, uint32_t selector, lsched_error *err) {
    struct columns *k = &c->k;
    struct selector_form form;
    int32_t rc = take_in_hand(c, selector, &form, err);
    if (rc == LSCHED_OK)
        rc = check_reads(k, text_of(k, intern_text(k, T_SELECTOR, selector)), &form, err);
    if (rc == LSCHED_OK) rc = device_selector_put_parts(k, selector, form.parts, form.n_parts);
    for (uint32_t row = 0; row < table_rows(k, T_DEVCLASS) && rc == LSCHED_OK; row++) {
        lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
        lsched_error why = LSCHED_ERROR_INIT;
        uint8_t answer = 0;
        if (!row_is_live(k, T_DEVCLASS, row)) continue;
        struct selector_device d = device_of(k, row, attributes);
        rc = selector_ask(c->selectors, &d, &answer, &why);
        if (rc != LSCHED_OK) return fail(err, rc, "%s", why.message);
        if (answer & SELECTOR_FAILS) {
            fail(err, LSCHED_E_TYPE, "%s, on a device of model '%.*s'", why.message,
                 (int)d.model.len, d.model.ptr);
            if (err && err->size >= offsetof(lsched_error, index)) {
                err->line = why.line;
                err->column = why.column;
            }
            return LSCHED_E_TYPE;
        }
        rc = device_selector_put_answer(k, selector, row, answer);
    }
    return rc;
}

int32_t job_selectors_of_shape(struct lsched_cluster *c, uint32_t shape, lsched_error *err) {
    uint32_t selector = c->k.c[C_SHAPE_SELECTOR].u32[shape];
    int32_t rc = LSCHED_OK;
    if (c->k.c[C_SHAPE_PICKY].u8[shape] & PICKY_MATCH)
        rc = job_claims_check_lists(&c->k, shape, err);
    if (rc == LSCHED_OK && selector != NO_ROW && device_selector_is_new(&c->k, selector))
        rc = ask_all(c, selector, err);
    return rc;
}

/* Evaluates the selector of one task shape. where: words for the group and the alternative in
 * error messages. */
static int32_t of_alternative(struct lsched_cluster *c, uint32_t shape, const char *where,
                              lsched_error *err) {
    lsched_error mine = LSCHED_ERROR_INIT;
    int32_t rc = job_selectors_of_shape(c, shape, &mine);
    if (rc == LSCHED_OK || rc == LSCHED_E_NOMEM) return rc;
    fail(err, rc, "%s%s", where, mine.message);
    if (err && err->size >= offsetof(lsched_error, index)) {
        err->line = mine.line;
        err->column = mine.column;
    }
    return rc;
}

int32_t job_selectors_of_job(struct lsched_cluster *c, uint32_t job, lsched_error *err) {
    const struct columns *k = &c->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
    for (uint32_t g = 0; g < n; g++) {
        uint32_t row = group_row(k, jobshape, g), several = k->c[C_GROUP_N_ALTERNATIVES].u32[row];
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
            char where[48] = "";
            int at = n > 1 ? snprintf(where, sizeof where, "group %u: ", g) : 0;
            if (several > 1) snprintf(where + at, sizeof where - (size_t)at, "alternative %u: ", a);
            int32_t rc = of_alternative(c, group_alternative(k, row, a), where, err);
            if (rc != LSCHED_OK) return rc;
        }
    }
    return LSCHED_OK;
}

/* Writes the rows of the node's device classes with a serial number above `serial` to rows[],
 * each row once, and returns their number. */
static uint32_t new_classes(const struct columns *k, uint32_t node, uint64_t serial,
                            uint32_t rows[LSCHED_DEVICES_PER_NODE_MAX]) {
    uint32_t n = 0, first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint32_t row = k->c[C_DEVICE_CLASS].u16[first + i], j = 0;
        if (intern_serial(k, T_DEVCLASS, row) <= serial) continue;
        while (j < n && rows[j] != row) j++;
        if (j == n) rows[n++] = row;
    }
    return n;
}

static int32_t ask_about(struct lsched_cluster *c, uint32_t selector, const uint32_t *rows,
                         uint32_t n, lsched_error *err) {
    int32_t rc = take_in_hand(c, selector, NULL, err);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
        lsched_error why = LSCHED_ERROR_INIT;
        uint8_t answer = 0;
        struct selector_device d = device_of(&c->k, rows[i], attributes);
        rc = selector_ask(c->selectors, &d, &answer, &why);
        if (rc != LSCHED_OK) return fail(err, rc, "%s", why.message);
        rc = device_selector_put_answer(&c->k, selector, rows[i], answer);
    }
    return rc;
}

int32_t job_selectors_of_node(struct lsched_cluster *c, uint32_t node, uint64_t serial,
                              lsched_error *err) {
    uint32_t rows[LSCHED_DEVICES_PER_NODE_MAX],
        n = table_live(&c->k, T_SELECTOR) ? new_classes(&c->k, node, serial, rows) : 0;
    int32_t rc = LSCHED_OK;
    for (uint32_t s = 0; n && s < table_rows(&c->k, T_SELECTOR) && rc == LSCHED_OK; s++)
        if (row_is_live(&c->k, T_SELECTOR, s)) rc = ask_about(c, s, rows, n, err);
    return rc;
}

/* ---- after a load ---- */

static int32_t verify_one(struct lsched_cluster *c, uint32_t selector, lsched_error *err) {
    const struct columns *k = &c->k;
    struct selector_form form;
    lsched_text text = text_of(k, intern_text(k, T_SELECTOR, selector));
    int32_t rc = take_in_hand(c, selector, &form, err);
    if (rc == LSCHED_E_NOLUA || rc == LSCHED_E_NOMEM) return rc;
    int good = rc == LSCHED_OK && form.n_parts == device_selector_n_parts(k, selector);
    for (uint32_t i = 0; good && i < form.n_parts; i++) {
        lsched_text part = device_selector_part_text(k, selector, i);
        good = part.ptr == text.ptr + form.parts[i].at && part.len == form.parts[i].len;
    }
    for (uint32_t row = 0; good && row < table_rows(k, T_DEVCLASS); row++) {
        lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
        uint8_t answer = 0;
        if (!row_is_live(k, T_DEVCLASS, row)) continue;
        struct selector_device d = device_of(k, row, attributes);
        rc = selector_ask(c->selectors, &d, &answer, NULL);
        if (rc == LSCHED_E_NOMEM) return rc;
        good = rc == LSCHED_OK && answer == selector_answer(k, selector, row);
    }
    if (good) return LSCHED_OK;
    return fail(err, LSCHED_E_CORRUPT,
                "the stored result of the selector '%.*s' differs from its value now",
                (int)text.len, text.ptr);
}

int32_t job_selectors_verify(struct lsched_cluster *c, lsched_error *err) {
    int32_t rc = LSCHED_OK;
    for (uint32_t s = 0; s < table_rows(&c->k, T_SELECTOR) && rc == LSCHED_OK; s++) {
        if (!row_is_live(&c->k, T_SELECTOR, s)) continue;
        rc = verify_one(c, s, err);
        if (rc == LSCHED_E_NOLUA) return LSCHED_OK;
    }
    return rc;
}

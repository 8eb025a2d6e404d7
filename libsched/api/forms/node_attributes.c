/* node_attributes.c -- see node_attributes.h. */
#include "api/forms/node_attributes.h"

#include "api/door/args.h"

/* True if the key is reserved: the name means a property of every device in match lists or
 * selectors, and an attribute with this name would be ambiguous. */
static int is_taken(lsched_text key) {
    static const char *const words[] = {"model", "memory", "sm_count",
                                        "mode",  "numa",   "attributes"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (text_order(key, (lsched_text){words[i], strlen(words[i])}) == 0) return 1;
    return 0;
}

static int32_t read_one(lsched_label a, lsched_label *sorted, uint32_t n, const char *name, int len,
                        lsched_error *err) {
    int32_t rc = arg_name(&a.key, "device attribute", err);
    if (rc != LSCHED_OK) return rc;
    a.value = arg_text(a.value);
    if (a.value.len > LSCHED_NAME_BYTES_MAX)
        return fail(err, LSCHED_E_INVAL,
                    "node '%.*s': the value of attribute '%.*s' is longer than 255 bytes", len,
                    name, (int)a.key.len, a.key.ptr);
    if (is_taken(a.key))
        return fail(err, LSCHED_E_INVAL,
                    "node '%.*s': an attribute cannot be called '%.*s', because every device has "
                    "an attribute of this name already",
                    len, name, (int)a.key.len, a.key.ptr);
    uint32_t j = n;
    for (; j > 0 && text_order(a.key, sorted[j - 1].key) < 0; j--) sorted[j] = sorted[j - 1];
    sorted[j] = a;
    if (j == 0 || text_order(a.key, sorted[j - 1].key) != 0) return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL, "node '%.*s': attribute '%.*s' is given twice", len, name,
                (int)a.key.len, a.key.ptr);
}

int32_t node_read_attributes(const lsched_device_desc *d, lsched_label *sorted,
                             struct device_spec *spec, const char *name, int len,
                             lsched_error *err) {
    if (d->n_attributes > LSCHED_ATTRIBUTES_MAX)
        return fail(err, LSCHED_E_LIMIT,
                    "node '%.*s': a device has %u attributes; at most %d are allowed", len, name,
                    d->n_attributes, LSCHED_ATTRIBUTES_MAX);
    if (d->n_attributes && !d->attributes)
        return fail(err, LSCHED_E_NULL, "node '%.*s': attributes is NULL", len, name);
    for (uint32_t i = 0; i < d->n_attributes; i++) {
        int32_t rc = read_one(d->attributes[i], sorted, i, name, len, err);
        if (rc != LSCHED_OK) return rc;
    }
    spec->attributes = sorted;
    spec->n_attributes = d->n_attributes;
    return LSCHED_OK;
}

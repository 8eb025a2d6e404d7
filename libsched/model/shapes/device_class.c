/* device_class.c -- see device_class.h. Canonical bytes: model, memory, mode, MIG table, flag for
 * a static MIG layout, SMs, over-commit, attributes. */
#include "model/shapes/device_class.h"

void device_class_encode(struct bytes *b, const struct device_spec *spec) {
    bytes_text(b, spec->model);
    bytes_i64(b, spec->memory_bytes);
    bytes_u32(b, spec->share | (uint32_t)spec->mig_table << 8 | (uint32_t)spec->mig_static << 16);
    bytes_u32(b, spec->sm_count);
    bytes_u32(b, spec->overcommit_milli);
    bytes_u32(b, spec->n_attributes);
    for (uint32_t i = 0; i < spec->n_attributes; i++) {
        bytes_text(b, spec->attributes[i].key);
        bytes_text(b, spec->attributes[i].value);
    }
}

int32_t device_class_get(struct columns *k, const struct device_spec *spec, uint32_t *row) {
    struct bytes b;
    int created = 0;
    bytes_init(&b, k->alloc);
    device_class_encode(&b, spec);
    *row = b.failed ? NO_ROW : intern_get(k, T_DEVCLASS, b.p, b.n, &created);
    int32_t rc = *row == NO_ROW               ? LSCHED_E_NOMEM
                 : *row >= DEVICE_CLASSES_MAX ? LSCHED_E_LIMIT
                                              : LSCHED_OK;
    bytes_close(&b);
    if (rc != LSCHED_OK || !created) return rc;
    set_u32(k, C_DEVCLASS_SM_COUNT, *row, spec->sm_count);
    set_u32(k, C_DEVCLASS_OVERCOMMIT, *row, spec->overcommit_milli);
    set_u8(k, C_DEVCLASS_MIG_TABLE, *row, spec->mig_table);
    set_u8(k, C_DEVCLASS_MIG_STATIC, *row, spec->mig_static);
    return LSCHED_OK;
}

void device_class_drop(struct columns *k, uint32_t row) {
    intern_drop(k, T_DEVCLASS, row);
}

void device_class_spec(const struct columns *k, uint32_t row, struct device_spec *spec,
                       lsched_label *attributes) {
    struct reader r = reader_of(k, intern_text(k, T_DEVCLASS, row));
    memset(spec, 0, sizeof *spec);
    spec->model = reader_text(&r);
    spec->memory_bytes = reader_i64(&r);
    uint32_t modes = reader_u32(&r);
    spec->share = (uint8_t)modes;
    spec->mig_table = (uint8_t)(modes >> 8);
    spec->mig_static = (uint8_t)(modes >> 16);
    spec->sm_count = reader_u32(&r);
    spec->overcommit_milli = reader_u32(&r);
    spec->n_attributes = reader_u32(&r);
    spec->attributes = attributes;
    for (uint32_t i = 0; i < spec->n_attributes && i < LSCHED_ATTRIBUTES_MAX; i++) {
        attributes[i].key = reader_text(&r);
        attributes[i].value = reader_text(&r);
    }
}

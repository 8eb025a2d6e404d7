/*
 * check_devclasses.c -- checks device classes: the canonical bytes must decode to possible
 * properties of a device, and the columns must be equal to the bytes.
 *
 * All code that reads a property of a device relies on this check: the mode exists; the MIG table
 * exists if and only if the mode is MIG; the attributes are sorted. Cost: one pass over the
 * bytes.
 */
#include "model/check/check_devclasses.h"

#include "model/shapes/device_class.h"
#include "model/mig/mig.h"

static int text_is_name(lsched_text t) {
    return t.len > 0 && t.len <= LSCHED_NAME_BYTES_MAX;
}

/* Returns 1 if the attributes are sorted by key and each key occurs once. */
static int attributes_are_right(struct reader *r) {
    lsched_text last = {"", 0};
    uint32_t n = reader_u32(r);
    if (r->bad || n > LSCHED_ATTRIBUTES_MAX) return 0;
    for (uint32_t i = 0; i < n; i++) {
        lsched_text key = reader_text(r), value = reader_text(r);
        if (r->bad || !text_is_name(key) || value.len > LSCHED_NAME_BYTES_MAX ||
            (i > 0 && text_order(last, key) >= 0))
            return 0;
        last = key;
    }
    return 1;
}

static int check_devclasses_class_is_right(const struct columns *k, uint32_t class) {
    struct reader r = reader_of(k, intern_text(k, T_DEVCLASS, class));
    lsched_text model = reader_text(&r);
    int64_t memory = reader_i64(&r);
    uint32_t modes = reader_u32(&r), sm_count = reader_u32(&r), overcommit = reader_u32(&r);
    uint32_t mode = modes & 0xFF, table = modes >> 8 & 0xFF, fixed = modes >> 16;
    if (r.bad || !text_is_name(model) || memory < 0 || mode > LSCHED_SHARING_TIME_SLICE) return 0;
    if ((mode == LSCHED_SHARING_MIG) != (table != 0) || (table && !mig_table_at(table - 1)) ||
        fixed > (mode == LSCHED_SHARING_MIG))
        return 0;
    return attributes_are_right(&r) && r.p == r.end && !r.bad &&
           sm_count == k->c[C_DEVCLASS_SM_COUNT].u32[class] &&
           overcommit == k->c[C_DEVCLASS_OVERCOMMIT].u32[class] &&
           table == k->c[C_DEVCLASS_MIG_TABLE].u8[class] &&
           fixed == k->c[C_DEVCLASS_MIG_STATIC].u8[class];
}

int32_t check_devclasses(struct check *c) {
    EACH_LIVE(c->k, T_DEVCLASS, d)
        if (!check_devclasses_class_is_right(c->k, d))
            return check_fail(
                c, "%s differs from its canonical bytes, or describes a device that cannot exist",
                NAME(T_DEVCLASS, d));
    return LSCHED_OK;
}

/*
 * verify_claims.c -- see verify_claims.h. The check does not use match_graph.c or device_match.c.
 * Instead it reads the bytes of the shape again and compares each pair of devices.
 */
#include "engine/verify/verify_claims.h"

#include "engine/verify/verify_read.h"
#include "base/selection.h"
#include "model/shapes/device_class.h"
#include "model/machine/machine.h"

/* ---- alternatives ---- */

static int32_t verify_claims_check_leaf(struct check *c, uint32_t leaf) {
    const struct columns *k = c->k;
    uint32_t job = k->c[C_LEAF_JOB].u32[leaf], a = k->c[C_LEAF_ALTERNATIVE].u8[leaf],
             row = verify_group_row(k, job, k->c[C_LEAF_GROUP].u32[leaf]);
    if (a >= k->c[C_GROUP_N_ALTERNATIVES].u32[row])
        return check_fail(c, "%s has alternative %u of %u", NAME(T_JOB, job), a,
                          k->c[C_GROUP_N_ALTERNATIVES].u32[row]);
    if (a && k->c[C_LEAF_PLACED].u32[leaf] + k->c[C_LEAF_LEAVING].u32[leaf] == 0)
        return check_fail(c, "%s has chosen alternative %u, but has no task", NAME(T_JOB, job), a);
    return LSCHED_OK;
}

/* ---- selectors ---- */

static uint8_t answer_of(const struct columns *k, uint32_t selector, uint32_t devclass) {
    uint32_t word = devclass / 8;
    if (word >= k->c[C_SELECTOR_WORDS].u32[selector]) return SELECTOR_UNASKED;
    uint64_t w = k->c[C_ANSWER_WORD].u64[k->c[C_SELECTOR_ANSWERS].u32[selector] + word];
    return (uint8_t)(w >> 8 * (devclass % 8));
}

static int32_t check_selector(struct check *c, uint32_t s) {
    const struct columns *k = c->k;
    uint32_t text = k->c[C_SELECTOR_BLOB].u32[s], parts = k->c[C_SELECTOR_PARTS].u32[s],
             n = text_len(k, parts) / (uint32_t)sizeof(struct selector_span);
    const struct selector_span *span = text_bytes(k, parts);
    if (text_len(k, parts) % sizeof *span || n == 0 || n > SELECTOR_PARTS_MAX)
        return check_fail(c, "%s has parts of %u bytes", NAME(T_SELECTOR, s), text_len(k, parts));
    for (uint32_t i = 0; i < n; i++)
        if (span[i].at > text_len(k, text) || span[i].len > text_len(k, text) - span[i].at)
            return check_fail(c, "%s: part %u lies outside of the text", NAME(T_SELECTOR, s), i);
    for (uint32_t d = 0; d < table_rows(k, T_DEVCLASS); d++) {
        uint8_t answer = answer_of(k, s, d), part = answer & 0x3F;
        if (!row_is_live(k, T_DEVCLASS, d) || answer == SELECTOR_TAKES) continue;
        if (part < SELECTOR_PART || (uint32_t)(part - SELECTOR_PART) >= n)
            return check_fail(c, "%s says %u of class %u", NAME(T_SELECTOR, s), answer, d);
    }
    return LSCHED_OK;
}

/* ---- match and distinct ---- */

static int is(lsched_text name, const char *word) {
    return name.len == strlen(word) && memcmp(name.ptr, word, strlen(word)) == 0;
}

/* Writes the value of a device's attribute as bytes into `out`. Two values give the same bytes if
 * and only if the values are equal. Returns the number of bytes, 0 if the device does not have the
 * attribute. */
static size_t value_of(const struct columns *k, uint32_t node, uint32_t i, lsched_text name,
                       char out[LSCHED_NAME_BYTES_MAX + 2]) {
    struct device_spec spec;
    lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + i, row = node_machine(k, node);
    lsched_text found = {NULL, 0};
    int64_t number = -1;
    device_class_spec(k, k->c[C_DEVICE_CLASS].u16[device], &spec, attributes);
    for (uint32_t a = 0; a < spec.n_attributes; a++)
        if (text_order(attributes[a].key, name) == 0) found = attributes[a].value;
    if (is(name, "model")) found = spec.model;
    if (is(name, "memory")) number = spec.memory_bytes;
    if (is(name, "sm_count")) number = spec.sm_count;
    if (is(name, "mode")) number = spec.share;
    if (is(name, "numa") && row != NO_ROW) {
        struct machine spare;
        uint8_t numa = machine_get(k, row, &spare)->s.device_numa[i];
        number = numa == LSCHED_NO_NUMA ? -1 : numa;
    }
    if (found.ptr) memcpy(out + 1, found.ptr, (size_t)found.len);
    if (number >= 0) memcpy(out + 1, &number, sizeof number);
    out[0] = '=';
    return number >= 0 ? 1 + sizeof number : found.ptr ? 1 + (size_t)found.len : 0;
}

static int pair_is_allowed(const struct columns *k, uint32_t node, uint32_t i, uint32_t j,
                           struct reader r) {
    reader_text(&r);
    for (int list = 0; list < 2; list++)
        for (uint32_t n = reader_u32(&r); n > 0; n--) {
            char a[LSCHED_NAME_BYTES_MAX + 2], b[LSCHED_NAME_BYTES_MAX + 2];
            lsched_text name = reader_text(&r);
            size_t na = value_of(k, node, i, name, a), nb = value_of(k, node, j, name, b);
            int alike = na == nb && memcmp(a, b, na) == 0;
            if (na == 0 || nb == 0 || alike == (list == 1)) return 0;
        }
    return 1;
}

/* Checks the devices of one placed task against the task's device claim. Imported tasks are not
 * checked, because the orchestrator chose their devices. */
static int32_t verify_claims_check_task(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    uint32_t shape = verify_shape(k, task), selector = k->c[C_SHAPE_SELECTOR].u32[shape],
             node = k->c[C_TASK_NODE].u32[task];
    struct verify_devices held = verify_devices_of(k, task);
    if (!verify_is_on_node(k, task) || k->c[C_TASK_IMPORTED].u8[task]) return LSCHED_OK;
    struct reader r = verify_section(k, shape, SHAPE_PART_CLAIM);
    for (uint32_t i = 0; r.p && i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        if (!verify_has_device(&held, i)) continue;
        uint32_t devclass = k->c[C_DEVICE_CLASS].u16[k->c[C_NODE_DEVICE_FIRST].u32[node] + i];
        if (selector != NO_ROW && answer_of(k, selector, devclass) != SELECTOR_TAKES)
            return check_fail(c, "%s has device %u of %s, which its selector does not allow",
                              NAME(T_TASK, task), i, NAME(T_NODE, node));
        for (uint32_t j = 0; j < i; j++)
            if (verify_has_device(&held, j) && !pair_is_allowed(k, node, i, j, r))
                return check_fail(
                    c, "%s has devices %u and %u of %s, which its request does not allow together",
                    NAME(T_TASK, task), j, i, NAME(T_NODE, node));
    }
    return LSCHED_OK;
}

int32_t verify_claims(struct check *c) {
    int32_t rc = verify_each(c, T_LEAF, verify_claims_check_leaf);
    if (rc == LSCHED_OK) rc = verify_each(c, T_SELECTOR, check_selector);
    return rc == LSCHED_OK ? verify_each(c, T_TASK, verify_claims_check_task) : rc;
}

/* parse_mig.c -- see parse_mig.h. */
#include "config/objects/parse_mig.h"

#include <string.h>

int32_t read_instance(struct field_reader *r, uint32_t value, void *list) {
    size_t len;
    const char *text = read_scalar(r, value, &len);
    const char *at = memchr(text, '@', len);
    size_t profile = at ? (size_t)(at - text) : 0;
    if (!at || profile == 0 || len != profile + 2 || at[1] < '0' || at[1] > '7')
        return read_expected(r, LSCHED_E_TYPE, value,
                             "a profile and its first memory slice, such as 3g.40gb@4");
    lsched_mig_instance *in = read_add(r, list, NULL, sizeof *in, value);
    if (!in) return LSCHED_E_NOMEM;
    in->start = (uint32_t)(at[1] - '0');
    return read_copy(r, text, profile, &in->profile);
}

int32_t read_recut_device(struct field_reader *r, uint32_t value, void *update) {
    static const struct field fields[] = {
        FIELD(lsched_node_update, "device", read_u32, mig_device),
        FIELD_EACH(lsched_node_update, "geometry", read_instance, mig_instances, n_mig_instances),
    };
    return READ_MAP(r, value, "a device", fields, update, NULL);
}

static int32_t start_item(struct field_reader *r, uint32_t value, void *out) {
    struct start_list *starts = out;
    uint32_t slice = 0;
    int32_t code = read_u32(r, value, &slice);
    if (!code && slice > 7)
        code = read_expected(r, LSCHED_E_RANGE, value, "a memory slice, 0 to 7");
    if (!code && starts->n == LSCHED_MIG_INDEXES_MAX)
        code = read_expected(r, LSCHED_E_RANGE, value, "at most 16 slices");
    if (!code) starts->slice[starts->n++] = (uint8_t)slice;
    return code;
}

int32_t read_starts(struct field_reader *r, uint32_t value, void *starts) {
    return read_one_or_items(r, value, start_item, starts);
}

uint64_t starts_on(const struct start_list *starts, const uint64_t *device_words, int *same) {
    uint64_t packed = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 64 * LSCHED_DEVICE_WORDS; i++) {
        if (!(device_words[i / 64] >> i % 64 & 1)) continue;
        if (n < starts->n && i < LSCHED_MIG_INDEXES_MAX)
            packed |= (uint64_t)starts->slice[n] << 4 * i;
        n++;
    }
    *same = n == starts->n;
    return packed;
}

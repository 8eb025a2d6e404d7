/* parse_device_set.c -- see parse_device_set.h. */
#include "config/objects/parse_device_set.h"

static int32_t mask_item(struct field_reader *r, uint32_t value, void *mask) {
    uint32_t device = 0;
    int32_t code = read_u32(r, value, &device);
    if (!code && device > 31)
        code = read_expected(r, LSCHED_E_RANGE, value, "a device number below 32");
    if (!code) *(uint32_t *)mask |= 1u << device;
    return code;
}

int32_t read_device_mask(struct field_reader *r, uint32_t value, void *mask) {
    return read_one_or_items(r, value, mask_item, mask);
}

static int32_t words_item(struct field_reader *r, uint32_t value, void *words) {
    uint32_t device = 0;
    int32_t code = read_u32(r, value, &device);
    if (!code && device >= 64 * LSCHED_DEVICE_WORDS)
        code = read_expected(r, LSCHED_E_RANGE, value, "a device number below 128");
    if (!code) ((uint64_t *)words)[device / 64] |= (uint64_t)1 << device % 64;
    return code;
}

int32_t read_device_words(struct field_reader *r, uint32_t value, void *words) {
    return read_one_or_items(r, value, words_item, words);
}

/* api_device_sets.c -- sets of devices of one node: the short form, and the devices one by one. */
#include "base/call_args.h"
#include "base/device_set.h"

LSCHED_API int32_t lsched_device_mask(const uint64_t *words, uint32_t *mask, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!words || !mask) return fail(err, LSCHED_E_NULL, "device_words or mask is NULL");
    device_set set = device_set_of_array(words);
    *mask = device_set_short(set);
    if (device_set_is_short(set)) return (int32_t)device_set_count(set);
    return fail(err, LSCHED_E_RANGE,
                "devices %s do not fit into a mask of 32 bits; read device_words, or use "
                "lsched_device_list",
                device_set_text(set).text);
}

LSCHED_API int32_t lsched_device_list(const uint64_t *words, uint32_t *indexes, size_t capacity,
                                      lsched_error *err) {
    size_t n = 0;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!words || (capacity && !indexes))
        return fail(err, LSCHED_E_NULL, "device_words or indexes is NULL");
    device_set set = device_set_of_array(words);
    DEVICE_SET_EACH(m, set)
        if (n < capacity) indexes[n++] = m.at;
    return (int32_t)device_set_count(set);
}

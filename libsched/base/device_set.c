/* device_set.c -- see device_set.h. */
#include "base/device_set.h"

#include <inttypes.h>
#include <stdio.h>

struct device_set_text device_set_text(device_set set) {
    struct device_set_text t;
    uint64_t low = device_set_low(set), high = device_set_high(set);
    if (high)
        snprintf(t.text, sizeof t.text, "%#" PRIx64 "%016" PRIx64, high, low);
    else
        snprintf(t.text, sizeof t.text, "%#" PRIx64, low);
    return t;
}

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

struct device_set_list device_set_list(device_set set) {
    struct device_set_list t = {"none"};
    int bits = (int)(8 * sizeof set), used = 0;
    for (int i = 0; i < bits && set >> i; i++) {
        int first = i;
        if (!(set >> i & 1)) continue;
        while (i + 1 < bits && (set >> (i + 1) & 1)) i++;
        size_t room = sizeof t.text - (size_t)used;
        used += i > first ? snprintf(t.text + used, room, "%s%d-%d", used ? " " : "", first, i)
                          : snprintf(t.text + used, room, "%s%d", used ? " " : "", i);
    }
    return t;
}

/* refused.h -- checks a call that must be refused: its code, its message, and that the image of the
 * cluster is unchanged. For cmocka tests with an api_world. */
#ifndef LSCHED_TESTS_REFUSED_H
#define LSCHED_TESTS_REFUSED_H

#include <string.h>

#include "support/api_world.h"

/* What a refused call must look like. mention: words of the message, "" for any message. */
static void refused(struct api_world *w, const char *call, int32_t got, int32_t want,
                    const lsched_error *err, const char *mention, uint64_t image_before) {
    if (got != want) {
        fail_msg("%s: expected %s, got %s (%s)", call, lsched_error_name(want),
                 lsched_error_name(got), err->message);
    }
    if (err->code != want) fail_msg("%s: the record says %s", call, lsched_error_name(err->code));
    if (!err->message[0] || !strstr(err->message, mention)) {
        fail_msg("%s: the message does not mention \"%s\": %s", call, mention, err->message);
    }
    if (api_image(w->cluster) != image_before) fail_msg("%s: the cluster has changed", call);
}

/* `err` may be used by the call. */
#define REFUSED(w, want, mention, call)                                  \
    do {                                                                 \
        lsched_error err = LSCHED_ERROR_INIT;                            \
        const uint64_t image_before = api_image((w)->cluster);           \
        const int32_t got = (int32_t)(call);                             \
        refused((w), #call, got, (want), &err, (mention), image_before); \
    } while (0)

#endif

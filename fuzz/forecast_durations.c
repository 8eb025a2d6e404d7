/* forecast_durations.c -- bytes that claim to be a saved table of durations, with the checksum made
 * right so that mutations get past it. What loads can be used like any other table, and its image
 * loads again as the same table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/forecast.h>

#include "base/hash.h"
#include "forecast/durations/run_image.h"

static void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void saves_as(const lsched_forecast_durations *d, const unsigned char *bytes, size_t n) {
    unsigned char *again = malloc(n);
    must(again != NULL, "memory");
    must(lsched_forecast_durations_save(d, again, n, NULL) == (int32_t)n, "save");
    must(memcmp(again, bytes, n) == 0, "the image of a loaded table is another one");
    free(again);
}

static void can_be_used(lsched_forecast_durations *d) {
    static const char *const users[] = {"a", "b", "c", "a"};
    for (int i = 0; i < 4; i++) {
        int64_t out = -1;
        must(lsched_forecast_duration_add(d, lsched_cstr(users[i]), i * 1000, NULL) == LSCHED_OK,
             "add");
        must(lsched_forecast_duration_get(d, lsched_cstr(users[i]), LSCHED_NEVER_US, 0, &out,
                                          NULL) == LSCHED_OK,
             "get");
        must(out >= 0, "a duration below 0");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct run_image_head head;
    lsched_forecast_durations *d = NULL, *small = NULL, *copy = NULL;
    lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
    unsigned char *bytes = malloc(size + 1);
    must(bytes != NULL, "memory");
    memcpy(bytes, data, size);
    if (size >= sizeof head) {
        memcpy(&head, bytes, sizeof head);
        head.checksum = hash_bytes(bytes + sizeof head, size - sizeof head, head.version);
        memcpy(bytes, &head, sizeof head);
    }
    opts.users_max = 3;
    if (lsched_forecast_durations_load(&opts, bytes, size, &small, NULL) == LSCHED_OK)
        can_be_used(small);
    if (lsched_forecast_durations_load(NULL, bytes, size, &d, NULL) == LSCHED_OK) {
        if (size <= sizeof head + LSCHED_FORECAST_USERS_DEFAULT * sizeof(struct run_image_row))
            saves_as(d, bytes, size);
        must(lsched_forecast_durations_clone(d, &copy, NULL) == LSCHED_OK, "clone");
        can_be_used(d);
        can_be_used(copy);
    }
    lsched_forecast_durations_destroy(small);
    lsched_forecast_durations_destroy(copy);
    lsched_forecast_durations_destroy(d);
    free(bytes);
    return 0;
}

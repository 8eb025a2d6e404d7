/* api_empty.h -- the cluster of api_world.h without its jobs, as the world of each test of a file:
 * setup and teardown of cmocka, and calls that must succeed. Include it after cmocka.h. */
#ifndef LSCHED_TESTS_API_EMPTY_H
#define LSCHED_TESTS_API_EMPTY_H

#include "support/api_world.h"
#include "support/settle.h" /* its parameter err must not shadow the one below */

static struct api_world world;
static lsched_error err;

static inline int begin(void **unused) {
    (void)unused;
    err = (lsched_error)LSCHED_ERROR_INIT;
    int32_t rc = api_world_make(&world, NULL);
    lsched_id jobs[] = {world.busy, world.open, world.later};
    return rc < 0 || lsched_jobs_remove(world.cluster, jobs, 3, NULL, NULL, NULL) < 0;
}

static inline int end(void **unused) {
    (void)unused;
    api_world_drop(&world);
    return 0;
}

/* Fails the test with the message in err if the call fails. */
#define MUST(call)                                                              \
    do {                                                                        \
        if ((call) < 0) fail_msg("%s:%d: %s", __FILE__, __LINE__, err.message); \
    } while (0)

#endif

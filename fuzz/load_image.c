/* load_image.c -- bytes that claim to be a saved cluster, with checksums made right so that
 * mutations get past them. What loads is sound: it schedules and is taken apart without a finding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/image/image_form.h"

static void make_checksums_right(uint8_t *bytes, size_t n) {
    struct image_header h;
    struct image_section s;
    if (n < sizeof h) return;
    memcpy(&h, bytes, sizeof h);
    h.bytes = n;
    h.checksum = image_header_checksum(&h);
    memcpy(bytes, &h, sizeof h);
    for (size_t at = sizeof h; n - at >= sizeof s;) {
        memcpy(&s, bytes + at, sizeof s);
        if (s.stride == 0 || s.stride > 8 || s.rows > (n - at - sizeof s) / s.stride) return;
        s.checksum = image_section_checksum(&s, bytes + at + sizeof s);
        memcpy(bytes + at, &s, sizeof s);
        at += sizeof s + ((size_t)(s.rows * s.stride) + 7) / 8 * 8;
        if (at > n) return;
    }
}

static void must_be_sound(const lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_verify(c, NULL, &err) != LSCHED_E_VERIFY) return;
    fprintf(stderr, "%s\n", err.message);
    abort();
}

typedef int32_t (*take_fn)(lsched_cluster *, const lsched_id *, size_t, const lsched_batch_opts *,
                           int32_t *, lsched_error *);
static void take_apart(lsched_cluster *c, uint32_t kind, take_fn take) {
    uint64_t cursor = 0;
    for (lsched_id id; (id = lsched_next(c, kind, &cursor)) != 0;)
        take(c, &id, 1, NULL, NULL, NULL);
    must_be_sound(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.memory_limit_bytes = UINT64_C(1) << 28;
    lsched_schedule_opts now = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_cluster *c;
    lsched_plan *plan;
    uint8_t *bytes = malloc(size + 1);
    now.flags = LSCHED_SCHEDULE_VERIFY;
    now.now_us = LSCHED_AMOUNT_MAX;
    now.work_budget = 10000;
    memcpy(bytes, data, size);
    make_checksums_right(bytes, size);
    int32_t rc = lsched_cluster_load(&opts, bytes, size, &c, NULL);
    free(bytes);
    if (rc != LSCHED_OK) return 0;
    rc = lsched_schedule(c, &now, &plan, NULL);
    if (rc == LSCHED_OK) lsched_plan_destroy(plan);
    if (rc == LSCHED_E_VERIFY) abort();
    take_apart(c, LSCHED_KIND_NODE, lsched_nodes_remove);
    take_apart(c, LSCHED_KIND_JOB, lsched_jobs_remove);
    take_apart(c, LSCHED_KIND_QUEUE, lsched_queues_remove);
    lsched_cluster_destroy(c);
    return 0;
}

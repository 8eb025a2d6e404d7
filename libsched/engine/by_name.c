/* by_name.c -- see by_name.h. A heap of the last name. */
#include "engine/by_name.h"

#include "model/blocks.h"

static int is_before(const struct columns *k, uint32_t a, uint32_t b) {
    return text_compare(k, k->c[C_JOB_NAME].u32[a], k->c[C_JOB_NAME].u32[b]) < 0;
}

static void sink(const struct columns *k, uint32_t *jobs, uint32_t n, uint32_t at) {
    uint32_t job = jobs[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_before(k, jobs[child], jobs[child + 1])) child++;
        if (!is_before(k, job, jobs[child])) break;
        jobs[at] = jobs[child];
    }
    jobs[at] = job;
}

void by_name_sort(const struct columns *k, uint32_t *jobs, uint32_t n) {
    for (uint32_t i = n / 2; i-- > 0;) sink(k, jobs, n, i);
    for (uint32_t left = n; left-- > 1;) {
        uint32_t last = jobs[0];
        jobs[0] = jobs[left];
        jobs[left] = last;
        sink(k, jobs, left, 0);
    }
}

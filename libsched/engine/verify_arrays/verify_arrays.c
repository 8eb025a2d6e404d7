/* verify_arrays.c -- see verify_arrays.h. */
#include "engine/verify_arrays/verify_arrays.h"

#include <string.h>

#include "model/store/blocks.h"

enum { PHASE_ARRAY = 5 };

static uint32_t verify_arrays_digits(uint32_t n) {
    uint32_t digits = 1;
    while (n > 9) n /= 10, digits++;
    return digits;
}

/* True if the name of the element is that of the array, "#" and the index of an element that has
 * begun, with all digits. */
static int verify_arrays_named(const struct columns *k, uint32_t job, uint32_t a) {
    uint32_t name = k->c[C_JOB_NAME].u32[job], of = k->c[C_JOB_NAME].u32[k->c[C_ARRAY_JOB].u32[a]],
             n = text_len(k, of), digits = verify_arrays_digits(k->c[C_ARRAY_COUNT].u32[a] - 1);
    const char *text = text_bytes(k, name);
    uint64_t index = 0;
    if (text_len(k, name) != n + digits + 1 || memcmp(text, text_bytes(k, of), n) != 0) return 0;
    if (text[n] != '#') return 0;
    for (uint32_t i = 0; i < digits; i++) {
        if (text[n + 1 + i] < '0' || text[n + 1 + i] > '9') return 0;
        index = index * 10 + (uint64_t)(text[n + 1 + i] - '0');
    }
    return index < k->c[C_ARRAY_NEXT].u32[a];
}

static int32_t check_element(struct check *c, uint32_t job, uint32_t *live) {
    const struct columns *k = c->k;
    uint32_t a = k->c[C_JOB_ARRAY].u32[job];
    int is_array = a != NO_ROW && k->c[C_ARRAY_JOB].u32[a] == job;
    int begun = is_array && verify_arrays_jobs(k, job) == 0;
    if ((k->c[C_JOB_PHASE].u8[job] == PHASE_ARRAY) != begun)
        return check_fail(c, "%s is in phase %u, and %u of its elements have not begun",
                          NAME(T_JOB, job), k->c[C_JOB_PHASE].u8[job],
                          is_array ? verify_arrays_jobs(k, job) : 0);
    if (is_array && k->c[C_JOB_LEAVES].u32[job] != NO_ROW)
        return check_fail(c, "%s is an array and has tasks itself", NAME(T_JOB, job));
    if (a == NO_ROW || is_array) return LSCHED_OK;
    if (!verify_arrays_named(k, job, a))
        return check_fail(c, "%s has not the name of an element of its array", NAME(T_JOB, job));
    live[a]++;
    return LSCHED_OK;
}

/* True if the job is no element, and its name ends as those of elements do. */
static int is_numbered(const struct columns *k, uint32_t job) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[job], name = k->c[C_JOB_NAME].u32[job],
             n = text_len(k, name), digits = 0;
    const char *text = text_bytes(k, name);
    while (digits < n && text[n - 1 - digits] >= '0' && text[n - 1 - digits] <= '9') digits++;
    return (a == NO_ROW || k->c[C_ARRAY_JOB].u32[a] == job) && digits > 0 && n > digits + 1 &&
           text[n - 1 - digits] == '#';
}

/* Checks what the other checks of this file rely on. */
static int32_t check_array(struct check *c, uint32_t a) {
    const struct columns *k = c->k;
    uint32_t count = k->c[C_ARRAY_COUNT].u32[a], next = k->c[C_ARRAY_NEXT].u32[a],
             job = k->c[C_ARRAY_JOB].u32[a];
    if (k->c[C_JOB_ARRAY].u32[job] != a)
        return check_fail(c, "%s is not that of its job", NAME(T_ARRAY, a));
    if (count == 0 || count > LSCHED_ARRAY_COUNT_MAX || next > count)
        return check_fail(c, "%s has %u elements, of which %u have begun", NAME(T_JOB, job), count,
                          next);
    return LSCHED_OK;
}

static int32_t check_elements(struct check *c, uint32_t a, uint32_t live) {
    const struct columns *k = c->k;
    uint32_t next = k->c[C_ARRAY_NEXT].u32[a], succeeded = k->c[C_ARRAY_SUCCEEDED].u32[a];
    if (k->c[C_ARRAY_LIVE].u32[a] == live && live <= next && succeeded <= next - live)
        return LSCHED_OK;
    return check_fail(
        c,
        "%s counts %u elements with jobs and %u successes; of the %u that have begun, "
        "%u have jobs",
        NAME(T_JOB, k->c[C_ARRAY_JOB].u32[a]), k->c[C_ARRAY_LIVE].u32[a], succeeded, next, live);
}

int32_t verify_arrays(struct check *c) {
    const struct columns *k = c->k;
    size_t bytes = ((size_t)table_rows(k, T_ARRAY) + 1) * sizeof(uint32_t);
    uint32_t *live = alloc_zero(k->alloc, bytes);
    if (!live) return check_nomem(c);
    int32_t rc = LSCHED_OK;
    uint64_t numbered = 0;
    for (uint32_t a = 0; a < table_rows(k, T_ARRAY) && rc == LSCHED_OK; a++)
        if (row_is_live(k, T_ARRAY, a)) rc = check_array(c, a);
    for (uint32_t j = 0; j < table_rows(k, T_JOB) && rc == LSCHED_OK; j++) {
        if (!row_is_live(k, T_JOB, j)) continue;
        rc = check_element(c, j, live);
        numbered += (uint64_t)is_numbered(k, j);
    }
    if (rc == LSCHED_OK && numbered != meta(k, M_NUMBERED))
        rc = check_fail(c, "%llu jobs have names like those of elements; counted: %llu",
                        (unsigned long long)numbered, (unsigned long long)meta(k, M_NUMBERED));
    for (uint32_t a = 0; a < table_rows(k, T_ARRAY) && rc == LSCHED_OK; a++)
        if (row_is_live(k, T_ARRAY, a)) rc = check_elements(c, a, live[a]);
    alloc_free(k->alloc, live, bytes);
    return rc;
}

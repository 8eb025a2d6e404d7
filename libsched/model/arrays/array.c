/* array.c -- see array.h. */
#include "model/arrays/array.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static uint32_t digits_of(uint32_t count) {
    uint32_t digits = 1;
    for (uint32_t last = count ? count - 1 : 0; last > 9; last /= 10) digits++;
    return digits;
}

uint32_t array_name_more(uint32_t count) {
    return digits_of(count) + 1;
}

void array_name_make(lsched_text of, uint32_t count, uint32_t index, struct array_name *name) {
    uint32_t room = LSCHED_NAME_BYTES_MAX - array_name_more(count);
    uint32_t n = of.len < room ? (uint32_t)of.len : room;
    memcpy(name->text, of.ptr, n);
    if (index < count)
        n += (uint32_t)snprintf(name->text + n, sizeof name->text - n, "#%0*u",
                                (int)digits_of(count), index);
    else
        n += (uint32_t)snprintf(name->text + n, sizeof name->text - n, "#:"); /* after all digits */
    name->n = n;
}

void array_name_of(const struct columns *k, uint32_t array, uint32_t index,
                   struct array_name *name) {
    lsched_text of = text_of(k, k->c[C_JOB_NAME].u32[k->c[C_ARRAY_JOB].u32[array]]);
    array_name_make(of, k->c[C_ARRAY_COUNT].u32[array], index, name);
}

/* Returns the number of bytes before the "#" of a name that ends with "#" and digits, else 0. */
static uint64_t before_number(lsched_text name) {
    uint64_t at = name.len;
    while (at > 0 && name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9') at--;
    return at > 1 && at < name.len && name.ptr[at - 1] == '#' ? at - 1 : 0;
}

uint32_t array_named(const struct columns *k, lsched_text name, uint32_t *index) {
    uint64_t of = before_number(name), digits = name.len - of - 1, value = 0;
    if (of == 0 || digits > 9) return NO_ROW;
    uint32_t job = name_find(k, T_IX_JOB, name.ptr, (size_t)of);
    if (job == NO_ROW || !array_is(k, job)) return NO_ROW;
    for (uint64_t i = of + 1; i < name.len; i++) value = value * 10 + (uint64_t)(name.ptr[i] - '0');
    uint32_t array = k->c[C_JOB_ARRAY].u32[job], count = k->c[C_ARRAY_COUNT].u32[array];
    if (value >= count || digits != digits_of(count)) return NO_ROW;
    *index = (uint32_t)value;
    return array;
}

static lsched_text name_to_compare(const struct columns *k, uint32_t job, struct array_name *own) {
    if (!array_is(k, job)) return text_of(k, k->c[C_JOB_NAME].u32[job]);
    uint32_t a = k->c[C_JOB_ARRAY].u32[job];
    array_name_of(k, a, k->c[C_ARRAY_NEXT].u32[a], own);
    return (lsched_text){own->text, own->n};
}

int array_compare(const struct columns *k, uint32_t a, uint32_t b) {
    if (!array_is(k, a) && !array_is(k, b))
        return text_compare(k, k->c[C_JOB_NAME].u32[a], k->c[C_JOB_NAME].u32[b]);
    struct array_name own_a, own_b;
    lsched_text x = name_to_compare(k, a, &own_a), y = name_to_compare(k, b, &own_b);
    int c = memcmp(x.ptr, y.ptr, (size_t)(x.len < y.len ? x.len : y.len));
    return c != 0 ? c : (x.len > y.len) - (x.len < y.len);
}

/* ---- the elements ---- */

/* Counts jobs that are no elements, and whose names end as those of elements do. */
static void count_numbered(struct columns *k, uint32_t job, int sign) {
    if (before_number(text_of(k, k->c[C_JOB_NAME].u32[job])))
        set_meta(k, M_NUMBERED, meta(k, M_NUMBERED) + (uint64_t)(int64_t)sign);
}

int32_t array_add(struct columns *k, uint32_t job, const struct array_spec *spec) {
    uint32_t a = spec ? spec->of : NO_ROW;
    if (a != NO_ROW) {
        set_u32(k, C_JOB_ARRAY, job, a);
        add_u32(k, C_ARRAY_LIVE, a, 1);
        return LSCHED_OK;
    }
    count_numbered(k, job, 1);
    if (!spec || spec->count == 0) {
        set_u32(k, C_JOB_ARRAY, job, NO_ROW);
        return LSCHED_OK;
    }
    a = row_new(k, T_ARRAY);
    if (a == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_ARRAY_JOB, a, job);
    set_u32(k, C_ARRAY_COUNT, a, spec->count);
    set_u32(k, C_ARRAY_NEXT, a, spec->next);
    set_u32(k, C_ARRAY_LIVE, a, 0);
    set_u32(k, C_ARRAY_SUCCEEDED, a, spec->succeeded);
    set_u32(k, C_JOB_ARRAY, job, a);
    return LSCHED_OK;
}

uint32_t array_ends_with(const struct columns *k, uint32_t job) {
    uint32_t owner = array_of_element(k, job);
    if (owner == NO_ROW || array_weight(k, owner) > 0) return NO_ROW;
    return k->c[C_ARRAY_LIVE].u32[k->c[C_JOB_ARRAY].u32[job]] == 1 ? owner : NO_ROW;
}

uint32_t array_leave(struct columns *k, uint32_t job) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[job], ends = array_ends_with(k, job);
    if (a == NO_ROW || k->c[C_ARRAY_JOB].u32[a] == job) count_numbered(k, job, -1);
    if (a == NO_ROW) return NO_ROW;
    set_u32(k, C_JOB_ARRAY, job, NO_ROW);
    if (k->c[C_ARRAY_JOB].u32[a] != job)
        add_u32(k, C_ARRAY_LIVE, a, -1);
    else
        row_free(k, T_ARRAY, a);
    return ends;
}

void array_succeeds(struct columns *k, uint32_t job) {
    if (array_of_element(k, job) != NO_ROW)
        add_u32(k, C_ARRAY_SUCCEEDED, k->c[C_JOB_ARRAY].u32[job], 1);
}

uint32_t array_failed(const struct columns *k, uint32_t array) {
    return k->c[C_ARRAY_NEXT].u32[array] - k->c[C_ARRAY_LIVE].u32[array] -
           k->c[C_ARRAY_SUCCEEDED].u32[array];
}

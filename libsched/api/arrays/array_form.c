/* array_form.c -- see array_form.h. */
#include "api/arrays/array_form.h"

#include "base/text_out.h"
#include "api/door/args.h"
#include "model/jobs/job_phase.h"
#include "model/shapes/shape.h"

/* Refuses an array if a job that exists has the name of an element that has not begun. */
static int32_t array_form_names(const struct columns *k, const lsched_job_desc *d,
                                lsched_error *err) {
    for (uint32_t i = d->array_next; meta(k, M_NUMBERED) && i < d->array_count; i++) {
        struct array_name name;
        array_name_make(d->name, d->array_count, i, &name);
        if (name_find(k, T_IX_JOB, name.text, name.n) != NO_ROW)
            return fail(err, LSCHED_E_EXISTS,
                        "element '%.*s' would have the name of a job that exists; take another "
                        "name for the array",
                        (int)name.n, name.text);
    }
    return LSCHED_OK;
}

static int32_t read_array(const struct columns *k, const lsched_job_desc *d, lsched_error *err) {
    if (d->array_count > LSCHED_ARRAY_COUNT_MAX)
        return fail(err, LSCHED_E_LIMIT, "array_count: %u; expected at most %u", d->array_count,
                    LSCHED_ARRAY_COUNT_MAX);
    if (d->array_next > d->array_count || d->array_succeeded > d->array_next)
        return fail(err, LSCHED_E_INVAL,
                    "array_count %u, array_next %u, array_succeeded %u; expected no number above "
                    "the one before it",
                    d->array_count, d->array_next, d->array_succeeded);
    uint32_t more = array_name_more(d->array_count);
    if (d->name.len + more > LSCHED_NAME_BYTES_MAX)
        return fail(err, LSCHED_E_INVAL,
                    "the name has %llu bytes; expected at most %u, because names of elements are "
                    "longer",
                    (unsigned long long)d->name.len, LSCHED_NAME_BYTES_MAX - more);
    return array_form_names(k, d, err);
}

int32_t array_form_read(const struct columns *k, const lsched_job_desc *d, struct array_spec *spec,
                        lsched_error *err) {
    uint32_t index = 0, of = array_named(k, d->name, &index);
    *spec = (struct array_spec){
        .count = d->array_count, .next = d->array_next, .succeeded = d->array_succeeded, .of = of};
    if (of != NO_ROW && (d->array_count || index >= k->c[C_ARRAY_NEXT].u32[of]))
        return fail(err, LSCHED_E_EXISTS,
                    "'%.*s' is the name of an element of an array; take another name",
                    (int)d->name.len, d->name.ptr);
    if (of != NO_ROW && array_failed(k, of) == 0)
        return fail(err, LSCHED_E_EXISTS,
                    "'%.*s' is the name of an element that is over, and had success; take another "
                    "name",
                    (int)d->name.len, d->name.ptr);
    if (d->array_count) return read_array(k, d, err);
    if (d->array_next || d->array_succeeded)
        return fail(err, LSCHED_E_INVAL,
                    "array_next %u, array_succeeded %u, but array_count is 0; a job without "
                    "elements has neither",
                    d->array_next, d->array_succeeded);
    return LSCHED_OK;
}

/* Checks the bounds of the queue, which count each element. */
static int32_t array_form_room(const struct columns *k, uint32_t job, lsched_error *err) {
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t max = k->c[C_QUEUE_SUBMITTED_MAX].u32[q];
        lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[q]);
        if (max && k->c[C_QUEUE_JOBS].u64[q] > max)
            return fail(err, LSCHED_E_LIMIT,
                        "queue '%.*s' would have %s with the elements of the array; it accepts at "
                        "most %u",
                        (int)name.len, name.ptr, counted(k->c[C_QUEUE_JOBS].u64[q], "job").text,
                        max);
    }
    return LSCHED_OK;
}

int32_t array_form_check(const struct columns *k, uint32_t job, lsched_error *err) {
    if (!array_is(k, job)) return LSCHED_OK;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], tasks = k->c[C_JOBSHAPE_TASKS].u32[shape],
             count = k->c[C_ARRAY_COUNT].u32[k->c[C_JOB_ARRAY].u32[job]];
    if ((uint64_t)tasks * count > LSCHED_ARRAY_COUNT_MAX)
        return fail(err, LSCHED_E_LIMIT, "%u elements of %s; expected at most %u tasks", count,
                    counted(tasks, "task").text, LSCHED_ARRAY_COUNT_MAX);
    if (k->c[C_JOBSHAPE_TASKS_MIN].u32[shape] == 0)
        return fail(err, LSCHED_E_INVAL,
                    "an element of an array has a minimum of 0 tasks; expected at least 1");
    if (jobshape_is_partial(k, shape))
        return fail(err, LSCHED_E_INVAL,
                    "some tasks of the array's elements do not exist yet; submit such elements as "
                    "jobs of their own");
    return array_form_room(k, job, err);
}

int32_t array_form_refuse(const struct columns *k, uint32_t job, const char *what,
                          lsched_error *err) {
    if (!array_is(k, job)) return LSCHED_OK;
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[job]);
    return fail(err, LSCHED_E_STATE, "job '%.*s' is an array: %s", (int)name.len, name.ptr, what);
}

int32_t array_form_added(struct columns *k, uint32_t job, lsched_error *err) {
    int32_t rc = array_form_check(k, job, err);
    if (rc == LSCHED_OK && array_weight(k, job) == 0) job_array_all_begun(k, job);
    return rc;
}

int32_t array_form_changes(const struct columns *k, uint32_t job, lsched_error *err) {
    if (array_weight(k, job) > 0) return LSCHED_OK;
    return array_form_refuse(k, job, "all of its elements have begun; update them", err);
}

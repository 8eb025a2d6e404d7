/* dependency_form.c -- see dependency_form.h. */
#include "api/dependencies/dependency_form.h"

#include "api/door/args.h"

/* Reads a dependency on an event whose time the caller knows. */
static int32_t dependency_past(const lsched_dependency *d, uint32_t i, struct gate_need *need,
                               lsched_error *err) {
    int never = d->happened_us == LSCHED_NEVER_US;
    lsched_text name = d->name;
    int32_t rc = never ? LSCHED_OK : arg_time(d->happened_us, "happened_us", err);
    if (rc == LSCHED_OK) rc = arg_name(&name, "dependency", err);
    if (rc != LSCHED_OK) return rc;
    if (d->job)
        return fail(
            err, LSCHED_E_INVAL,
            "dependency %u: happened_us says what became of the job; expected its name alone, "
            "and 0 as its id",
            i);
    if (never && d->after == LSCHED_AFTER_END)
        return fail(err, LSCHED_E_INVAL,
                    "dependency %u: happened_us is LSCHED_NEVER_US, but each job ends; expected "
                    "another event, or the time of the end",
                    i);
    need->job = NO_ROW;
    need->name = name;
    need->happened = d->happened_us;
    return LSCHED_OK;
}

/* Reads a dependency on a job that exists. */
static int32_t dependency_present(const struct columns *k, struct dependency_form *f,
                                  const lsched_dependency *d, uint32_t i, lsched_error *err) {
    struct gate_need *need = &f->needs[i];
    int32_t rc = arg_ref(k, d->job, d->name, LSCHED_KIND_JOB, &need->job, err);
    if (rc == LSCHED_E_NOENT) {
        lsched_text name = arg_text(d->name);
        return fail(err, rc,
                    "dependency %u: no job is called '%.*s'; name a job that exists, or an earlier "
                    "one of the batch; if the job has ended as it should, leave the dependency out",
                    i, (int)name.len, name.ptr);
    }
    for (uint32_t j = 0; rc == LSCHED_OK && j < i; j++)
        if (f->needs[j].job == need->job && f->needs[j].kind == need->kind)
            return fail(err, LSCHED_E_INVAL,
                        "dependencies %u and %u are on the same event of '%.*s'", j, i,
                        (int)text_of(k, k->c[C_JOB_NAME].u32[need->job]).len,
                        text_of(k, k->c[C_JOB_NAME].u32[need->job]).ptr);
    return rc;
}

static int32_t dependency_read(const struct columns *k, struct dependency_form *f, uint32_t i,
                               size_t stride, lsched_error *err) {
    lsched_dependency d;
    struct gate_need *need = &f->needs[i];
    int32_t rc =
        arg_struct(&d, sizeof d, (const char *)f->list + i * stride, stride, "dependency", err);
    if (rc == LSCHED_OK) rc = arg_time(d.delay_us, "delay_us", err);
    if (rc != LSCHED_OK) return rc;
    if (d.after > LSCHED_AFTER_START)
        return fail(err, LSCHED_E_INVAL, "dependency %u: unknown event %u; expected LSCHED_AFTER_*",
                    i, d.after);
    *need = (struct gate_need){.kind = (uint8_t)d.after, .delay = d.delay_us};
    return d.happened_us ? dependency_past(&d, i, need, err) : dependency_present(k, f, &d, i, err);
}

int32_t dependency_form_read(const struct columns *k, struct dependency_form *f,
                             lsched_error *err) {
    size_t stride;
    if (f->on_never > LSCHED_ON_NEVER_REMOVE)
        return fail(err, LSCHED_E_INVAL, "on_never is %u; expected LSCHED_ON_NEVER_*", f->on_never);
    if (f->n == 0) return LSCHED_OK;
    if (!f->list) return fail(err, LSCHED_E_NULL, "dependencies is NULL");
    if (f->n > LSCHED_DEPENDENCIES_MAX)
        return fail(err, LSCHED_E_LIMIT, "%u dependencies; at most %d", f->n,
                    LSCHED_DEPENDENCIES_MAX);
    int32_t rc = arg_stride(f->list, f->n, f->elem_size, "dependencies", &stride, err);
    for (uint32_t i = 0; i < f->n && rc == LSCHED_OK; i++)
        rc = dependency_read(k, f, i, stride, err);
    return rc;
}

int32_t dependency_form_times(const struct columns *k, int64_t begin, int64_t expires,
                              lsched_error *err) {
    int64_t now = (int64_t)meta(k, M_NOW);
    int32_t rc = arg_time(begin, "begin_us", err);
    if (rc == LSCHED_OK) rc = arg_time(expires, "expires_us", err);
    if (rc != LSCHED_OK || expires == 0) return rc;
    if (expires <= now)
        return fail(err, LSCHED_E_TIME,
                    "expires_us is %lld, and the cluster's latest time is %lld; expected a later "
                    "time, or 0",
                    (long long)expires, (long long)now);
    if (begin < expires) return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL,
                "begin_us is %lld, but the job expires at %lld; expected a begin before the expiry",
                (long long)begin, (long long)expires);
}

int32_t dependency_form_submit(struct columns *k, const lsched_job_desc *d, uint32_t job,
                               lsched_error *err) {
    struct dependency_form f = {.list = d->dependencies,
                                .n = d->n_dependencies,
                                .elem_size = d->dependency_elem_size,
                                .on_never = d->on_never};
    int32_t rc = arg_time(d->first_start_us, "first_start_us", err);
    if (rc == LSCHED_OK) rc = arg_reported(k, d->first_start_us, "first_start_us", err);
    if (rc == LSCHED_OK) rc = dependency_form_times(k, d->begin_us, d->expires_us, err);
    if (rc == LSCHED_OK) rc = dependency_form_read(k, &f, err);
    for (uint32_t i = 0; i < f.n && rc == LSCHED_OK; i++)
        if (f.needs[i].job == job)
            rc = fail(err, LSCHED_E_CYCLE,
                      "dependency %u names the job itself; expected another job", i);
    if (rc == LSCHED_OK && d->first_start_us) gate_started(k, job, d->first_start_us);
    if (rc == LSCHED_OK) rc = gate_change_begin(k, job, d->begin_us);
    if (rc == LSCHED_OK) rc = gate_change_expiry(k, job, d->expires_us);
    return rc == LSCHED_OK ? gate_change_needs(k, job, f.needs, f.n, (uint8_t)f.on_never) : rc;
}

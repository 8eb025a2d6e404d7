/* run_adopt.c -- see run_adopt.h. */
#include "config/run/run_adopt.h"

#include <string.h>

#include "config/run/run_report.h"

int32_t run_adopt_plan(struct runner *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = lsched_cluster_clone(r->cluster, &r->clone, &err);
    if (code >= 0) code = lsched_schedule(r->clone, &r->step->schedule, &r->clone_plan, &err);
    err.code = code;
    return code < 0 ? complain_pass(&r->complain, r->step->schedule_mark, &err) : 0;
}

int32_t run_adopt(struct runner *r, const lsched_schedule_opts *opts, lsched_plan **plan,
                  lsched_error *err) {
    lsched_adopt_opts o = LSCHED_ADOPT_OPTS_INIT;
    o.schedule = opts;
    return lsched_adopt(r->cluster, r->clone_plan, &o, plan, err);
}

void run_adopt_end(struct runner *r) {
    lsched_plan_destroy(r->clone_plan);
    lsched_cluster_destroy(r->clone);
    r->clone_plan = NULL;
    r->clone = NULL;
}

/* Returns the word of the first group that decides about the job, "none" if there is none. */
static const char *adopted_word(const struct runner *r, lsched_id job) {
    for (size_t i = 0; i < lsched_adopted_group_size(r->plan); i++) {
        const lsched_adopted_group *g = lsched_adopted_group_at(r->plan, i);
        for (size_t d = 0; d < g->count; d++)
            if (lsched_plan_at(r->clone_plan, g->first + d)->job == job)
                return lsched_adopt_result_name(g->result);
    }
    return "none";
}

int32_t run_adopt_check(struct runner *r, const struct expectation *c) {
    /* the job can be gone in the cluster, but not in the clone */
    lsched_id job = r->clone ? lsched_find(r->clone, LSCHED_KIND_JOB, c->subject) : 0;
    const char *got = job ? adopted_word(r, job) : "no such job in a clone";
    if (strlen(got) == c->text.len && memcmp(got, c->text.ptr, c->text.len) == 0) return 0;
    run_failed(r, c->mark, "expected that the group of job %.*s is \"%.*s\", got \"%s\"",
               (int)c->subject.len, c->subject.ptr, (int)c->text.len, c->text.ptr, got);
    return 0;
}

/*
 * run_decisions.c -- checks the decisions of the last plan, one kind of decision at a time: which
 * tasks are evicted, moved or nominated, for which job and for which reason.
 *
 * A check must name the tasks exactly: each decision of the kind is about a task that the check
 * names, and each task that the check names has such a decision. The rows of runner.past are in the
 * order of the plan and contain the names of jobs. Therefore a check can name a job that no longer
 * exists.
 */
#include <stdio.h>
#include <string.h>

#include "config/steps/expect_fields.h"
#include "config/run/run_decisions.h"
#include "config/run/run_fields.h"
#include "config/run/run_names.h"
#include "config/run/run_report.h"

static const char *const decision_verbs[] = {
    [LSCHED_DECIDE_PLACE] = "placed",      [LSCHED_DECIDE_NOMINATE] = "nominated",
    [LSCHED_DECIDE_EVICT] = "evicted",     [LSCHED_DECIDE_MIGRATE] = "migrated",
    [LSCHED_DECIDE_SUSPEND] = "suspended", [LSCHED_DECIDE_PAUSE] = "paused",
    [LSCHED_DECIDE_RESUME] = "resumed",    [LSCHED_DECIDE_CHECKPOINT] = "asked for a checkpoint",
    [LSCHED_DECIDE_RESIZE] = "resized",    [LSCHED_DECIDE_WARN] = "warned"};

static int is_about(const struct task_ref *ref, const struct past_decision *past) {
    return strcmp(ref->job.ptr, past->job_name) == 0 && past->task >= ref->first &&
           past->task <= ref->last;
}

static uint32_t count_about(const struct past_decision *past, uint32_t n, uint32_t kind,
                            const struct task_ref *ref) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) found += past[i].kind == kind && is_about(ref, &past[i]);
    return found;
}

/* Returns the tasks of all decisions of one kind as a text such as "a/0, a/1 and 3 more". */
static struct quote run_decisions_list_of(const struct past_decision *past, uint32_t n,
                                          uint32_t kind) {
    struct quote q;
    size_t used = 0;
    uint32_t more = 0;
    memcpy(q.text, "none", 5);
    for (uint32_t i = 0; i < n; i++) {
        if (past[i].kind != kind) continue;
        if (used + strlen(past[i].job_name) + 36 > sizeof q.text) {
            more++;
            continue;
        }
        used += (size_t)snprintf(q.text + used, sizeof q.text - used, "%s%s/%u", used ? ", " : "",
                                 past[i].job_name, past[i].task);
    }
    if (more) snprintf(q.text + used, sizeof q.text - used, " and %u more", more);
    return q;
}

int32_t check_decisions(struct runner *r, const struct expectation *c) {
    uint32_t n = 0, kind = c->resource;
    const struct past_decision *past = run_plan_decisions(r, &n);
    struct quote got = run_decisions_list_of(past, n, kind);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct task_ref *ref = &c->refs[i];
        uint32_t found = count_about(past, n, kind, ref);
        uint32_t want = ref->last == TASK_REF_ALL ? found : ref->last - ref->first + 1;
        if (found && found == want) continue;
        run_failed(r, ref->mark, "expected %s to be %s, got %s",
                   complain_quote(ref->job.ptr, ref->job.len).text, decision_verbs[kind], got.text);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        if (past[i].kind != kind) continue;
        while (k < c->n && !is_about(&c->refs[k], &past[i])) k++;
        if (k < c->n) continue;
        run_failed(r, c->mark, "expected no other task to be %s than named here, got %s/%u (of %s)",
                   decision_verbs[kind], past[i].job_name, past[i].task, got.text);
        return 0;
    }
    return 0;
}

int32_t check_decision_field(struct runner *r, const struct expectation *c) {
    uint32_t n = 0, found = 0;
    const struct past_decision *past = run_plan_decisions(r, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (past[i].kind != c->resource || !is_about(&c->task, &past[i])) continue;
        check_field(r, c, lsched_plan_at(r->plan, i));
        found++;
    }
    if (!found)
        run_failed(r, c->mark, "expected %s to be %s, got no such decision",
                   complain_quote(c->task.job.ptr, c->task.job.len).text,
                   decision_verbs[c->resource]);
    return 0;
}

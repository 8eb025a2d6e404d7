/* run_names.c -- see run_names.h. */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "config/run/run_names.h"
#include "config/run/run_report.h"

const struct memo *run_memo(const struct runner *r, const char *name) {
    const struct memo *memos = r->memos.items;
    for (uint32_t i = r->memos.n; i-- > 0;)
        if (strcmp(memos[i].name, name) == 0) return &memos[i];
    return NULL;
}

const char *run_suggest(const struct runner *r, uint32_t kind, const char *text, size_t len,
                        struct quote *out) {
    struct suggest near;
    uint64_t cursor = 0;
    suggest_begin(&near, text, len);
    for (lsched_id id; (id = lsched_next(r->cluster, kind, &cursor)) != 0;) {
        lsched_text name = run_name(r, id);
        suggest_offer(&near, name.ptr, name.len);
    }
    out->text[0] = '\0';
    if (near.best)
        snprintf(out->text, sizeof out->text, "; did you mean \"%.*s\"?", (int)near.best_len,
                 near.best);
    return out->text;
}

int32_t run_find(const struct runner *r, uint32_t kind, const lsched_text *name, struct mark mark,
                 lsched_id *out) {
    static const char *const kinds[] = {"object",   "node",     "queue",      "job",
                                        "decision", "topology", "reservation"};
    if (name->ptr[0] == '$') {
        const struct memo *memo = run_memo(r, name->ptr + 1);
        if (!memo || memo->kind == MEMO_HASH)
            return complain_at(&r->complain, LSCHED_E_NOENT, mark,
                               "expected a remembered id, got %s",
                               complain_quote(name->ptr, name->len).text);
        *out = memo->value;
        return 0;
    }
    *out = lsched_find(r->cluster, kind, (lsched_text){name->ptr, name->len});
    if (*out) return 0;
    struct quote near;
    return complain_at(&r->complain, LSCHED_E_NOENT, mark, "expected a %s that exists, got %s%s",
                       kinds[kind], complain_quote(name->ptr, name->len).text,
                       run_suggest(r, kind, name->ptr, name->len, &near));
}

int32_t run_find_all(struct runner *r, uint32_t kind, const struct action *action, size_t item_size,
                     size_t name_offset, lsched_id **out) {
    const char *names = (const char *)action->items.items + name_offset;
    const struct mark *marks = action->marks.items;
    lsched_id *ids = scn_memory_take(&r->scratch, action->items.n, sizeof *ids);
    int32_t code = ids ? 0 : run_no_memory(r);
    for (uint32_t i = 0; !code && i < action->items.n; i++)
        code = run_find(r, kind, (const void *)(names + i * item_size),
                        marks ? marks[i] : action->mark, &ids[i]);
    *out = ids;
    return code;
}

lsched_text run_name(const struct runner *r, lsched_id id) {
    lsched_text name = {"?", 1};
    size_t len = 0;
    const char *text = id ? lsched_name(r->cluster, id, &len) : NULL;
    if (text) name = (lsched_text){text, len};
    return name;
}

/* ---- decisions ---- */

const struct past_decision *run_past(const struct runner *r, const char *job, uint32_t task) {
    const struct past_decision *past = r->past.items;
    for (uint32_t i = r->past.n; i-- > 0;)
        if (past[i].task == task && strcmp(past[i].job_name, job) == 0) return &past[i];
    return NULL;
}

const struct past_decision *run_past_id(const struct runner *r, lsched_id id) {
    const struct past_decision *past = r->past.items;
    for (uint32_t i = r->past.n; i-- > 0;)
        if (past[i].id == id) return &past[i];
    return NULL;
}

/* Appends the decisions of the last plan to r->past. Decisions about the same job are adjacent in a
 * plan. Therefore the name of a job with many decisions is copied only once. */
int32_t run_record_plan(struct runner *r) {
    size_t n = lsched_plan_size(r->plan);
    lsched_id last = 0;
    const char *name = NULL;
    r->plan_first = r->past.n;
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(r->plan, i);
        if (d->job != last || !name) {
            lsched_text text = run_name(r, d->job);
            name = scn_memory_text(&r->memory, text.ptr, text.len);
            last = d->job;
        }
        struct past_decision *past = scn_list_add(&r->memory, &r->past, sizeof *past);
        if (!past || !name) return run_no_memory(r);
        *past = (struct past_decision){d->id, d->job, d->task_index, d->kind, name};
    }
    return 0;
}

const struct past_decision *run_plan_decisions(const struct runner *r, uint32_t *n) {
    *n = r->past.n - r->plan_first;
    return *n ? (const struct past_decision *)r->past.items + r->plan_first : NULL;
}

/* ---- tasks ---- */

static int32_t run_add_task(struct runner *r, struct scn_list *out, lsched_id job, uint32_t task) {
    struct named_task *item = scn_list_add(&r->scratch, out, sizeof *item);
    if (!item) return run_no_memory(r);
    *item = (struct named_task){job, task};
    return 0;
}

int32_t run_tasks(struct runner *r, const struct task_ref *ref, uint32_t states,
                  struct scn_list *out) {
    lsched_task_info info = {.size = sizeof info};
    lsched_id job = 0;
    uint64_t cursor = 0;
    int32_t code = run_find(r, LSCHED_KIND_JOB, &ref->job, ref->mark, &job);
    if (code) return code;
    if (ref->last != TASK_REF_ALL) {
        for (uint64_t i = ref->first; !code && i <= ref->last; i++)
            code = run_add_task(r, out, job, (uint32_t)i);
        return code;
    }
    uint32_t before = out->n;
    int32_t more = 0;
    while (!code && (more = lsched_tasks_next(r->cluster, job, 0, &cursor, &info, NULL)) == 1)
        if (states >> info.state & 1) code = run_add_task(r, out, job, info.task_index);
    if (!code && more < 0)
        return complain_at(&r->complain, more, ref->mark, "expected a job, got %s: %s",
                           complain_quote(ref->job.ptr, ref->job.len).text,
                           lsched_error_text(more));
    if (!code && out->n == before)
        code = complain_at(&r->complain, LSCHED_E_STATE, ref->mark,
                           "expected tasks of job %s in a state for this, got none",
                           complain_quote(ref->job.ptr, ref->job.len).text);
    return code;
}

/*
 * run_expect.c -- see run_expect.h. All checks use public calls only.
 *
 * A check that fails is reported as "expected ..., got ..." and counted; the other checks still
 * run. run_fields.c has the checks of fields and amounts.
 */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "config/read/old_names.h"
#include "config/steps/expect_fields.h"
#include "config/run/run_adopt.h"
#include "config/run/run_decisions.h"
#include "config/run/run_expect.h"
#include "config/run/run_fields.h"
#include "config/run/run_names.h"
#include "config/run/run_report.h"
#include "config/run/run_would.h"

/* ---- texts ---- */

static int expect_contains(const char *text, const lsched_text *part) {
    return strstr(text, part->ptr) != NULL;
}

static int expect_equal(const lsched_text *a, const lsched_text *b) {
    return scn_text_order(a, b) == 0;
}

#define TEXT_BEFORE(of, a, b) (scn_text_order(&(a), &(b)) < 0)
SORT_IN_PLACE(expect_sort, lsched_text, const void *, TEXT_BEFORE)

/* Returns the n texts as one text such as "a, b, b and 3 more". */
static struct quote expect_join(const lsched_text *texts, uint32_t n) {
    struct quote q;
    size_t used = 0;
    q.text[0] = '\0';
    if (n == 0) memcpy(q.text, "none", 5);
    for (uint32_t i = 0; i < n; i++) {
        if (used + texts[i].len + 24 > sizeof q.text) {
            snprintf(q.text + used, sizeof q.text - used, "%s%u more", i ? " and " : "", n - i);
            break;
        }
        used += (size_t)snprintf(q.text + used, sizeof q.text - used, "%s%.*s", i ? ", " : "",
                                 (int)texts[i].len, texts[i].ptr);
    }
    return q;
}

static struct quote expect_task_name(const struct task_ref *ref) {
    struct quote q;
    int n = (int)(ref->job.len < 48 ? ref->job.len : 48);
    if (ref->last == TASK_REF_ALL)
        snprintf(q.text, sizeof q.text, "%.*s", n, ref->job.ptr);
    else if (ref->last == ref->first)
        snprintf(q.text, sizeof q.text, "%.*s/%u", n, ref->job.ptr, ref->first);
    else
        snprintf(q.text, sizeof q.text, "%.*s/%u-%u", n, ref->job.ptr, ref->first, ref->last);
    return q;
}

/* Writes to `buf` why a job waits instead of being placed, or an empty text if the job does not
 * wait. The reason is in the second line of the job's explanation, which begins with "waits". */
static void expect_why(const struct runner *r, lsched_id job, char *buf, size_t cap) {
    char text[512];
    lsched_waiting record = {.size = sizeof record};
    buf[0] = '\0';
    if (!job || lsched_explain(r->cluster, job, text, sizeof text, &record, NULL) < 0) return;
    if (record.code == LSCHED_WAIT_NONE) return;
    static const char key[] = "  waits";
    char *line = text + strcspn(text, "\n");
    if (*line) line++;
    if (strncmp(line, key, sizeof key - 1) != 0) return;
    line += sizeof key - 1;
    line += strspn(line, " ");
    line[strcspn(line, "\n")] = '\0';
    size_t name = strcspn(text, " ");
    snprintf(buf, cap, " (%.*s waits: %.*s)", (int)(name < 60 ? name : 60), text, (int)cap - 80,
             line);
}

/* ---- placed ---- */

/* Writes the names of the nodes of the placed tasks in `ref` to `nodes`, as sorted lsched_text. A
 * task that is only nominated, or that is releasing, is not placed. If the job does not exist, the
 * function sets *job to 0, returns no nodes, and reports no error. */
static int32_t placed_nodes(struct runner *r, const struct task_ref *ref, struct scn_list *nodes,
                            lsched_id *job) {
    lsched_task_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    *nodes = (struct scn_list){NULL, 0, 0};
    *job = lsched_find(r->cluster, LSCHED_KIND_JOB, ref->job);
    while (*job && lsched_tasks_next(r->cluster, *job, 0, &cursor, &info, NULL) == 1) {
        if (info.state != LSCHED_TASK_PROPOSED && info.state != LSCHED_TASK_CONFIRMED &&
            info.state != LSCHED_TASK_RUNNING)
            continue; /* the task is not placed: for example, it is nominated or releasing */
        if (info.task_index < ref->first || info.task_index > ref->last) continue;
        lsched_text *node = scn_list_add(&r->scratch, nodes, sizeof *node);
        if (!node) return run_no_memory(r);
        *node = run_name(r, info.node);
    }
    expect_sort(NULL, nodes->items, nodes->n);
    return 0;
}

static int32_t run_expect_placed_count(struct runner *r, const struct expectation *c) {
    struct scn_list nodes;
    char why[320];
    lsched_id job = 0;
    int32_t code = placed_nodes(r, &c->task, &nodes, &job);
    if (code || check_compare(c, nodes.n)) return code;
    expect_why(r, job, why, sizeof why);
    run_failed(r, c->mark, "expected %s%lld placed tasks of job %s, got %u%s",
               expect_compares[c->compare], (long long)c->value, expect_task_name(&c->task).text,
               nodes.n, why);
    return 0;
}

static int32_t run_expect_placed_on(struct runner *r, const struct expectation *c) {
    struct scn_list nodes;
    lsched_text *want = scn_memory_take(&r->scratch, c->n, sizeof *want);
    char why[320] = "";
    lsched_id job = 0;
    int32_t code = want ? placed_nodes(r, &c->task, &nodes, &job) : run_no_memory(r);
    if (code) return code;
    const lsched_text *got = nodes.items;
    if (c->n) memcpy(want, c->texts, c->n * sizeof *want);
    expect_sort(NULL, want, c->n);
    /* a single expected node means that all tasks are on this node */
    uint32_t n = c->n == 1 ? nodes.n : c->n, same = nodes.n == n && n > 0;
    for (uint32_t i = 0; same && i < n; i++)
        same = (uint32_t)expect_equal(&want[c->n == 1 ? 0 : i], &got[i]);
    if (same || (c->n == 0 && nodes.n == 0)) return 0;
    if (nodes.n == 0) expect_why(r, job, why, sizeof why);
    run_failed(r, c->mark, "expected job %s on %s, got %s%s", expect_task_name(&c->task).text,
               expect_join(want, c->n).text, expect_join(got, nodes.n).text, why);
    return 0;
}

static int32_t run_expect_placed_in(struct runner *r, const struct expectation *c) {
    struct scn_list nodes;
    lsched_id job = 0;
    int32_t code = placed_nodes(r, &c->task, &nodes, &job);
    const lsched_text *got = nodes.items;
    for (uint32_t i = 0; !code && i < nodes.n; i++) {
        uint32_t k = 0;
        while (k < c->n && !expect_equal(&c->texts[k], &got[i])) k++;
        if (k < c->n) continue;
        run_failed(r, c->mark, "expected job %s only on %s, got a task on %.*s",
                   expect_task_name(&c->task).text, expect_join(c->texts, c->n).text,
                   (int)got[i].len, got[i].ptr);
        break;
    }
    return code;
}

/* Returns the value of the label `key` of a node, or an empty text if the node does not have the
 * label. No public call returns labels. Therefore the function searches the actions of this step
 * and earlier steps for the node. */
static lsched_text placed_label(const struct runner *r, const lsched_text *node,
                                const lsched_text *key) {
    if (strcmp(key->ptr, "node") == 0) return *node;
    for (uint32_t s = r->step_index + 1; s-- > 0;) {
        const struct step *step = scn_step(r->scenario, s);
        for (uint32_t a = step->actions.n; a-- > 0;) {
            const struct action *action = (const struct action *)step->actions.items + a;
            const lsched_node_desc *descs = action->items.items;
            for (uint32_t i = 0; action->kind == ACTION_NODES && i < action->items.n; i++)
                for (uint32_t k = 0; expect_equal(&descs[i].name, node) && k < descs[i].n_labels;
                     k++)
                    if (expect_equal(&descs[i].labels[k].key, key)) return descs[i].labels[k].value;
        }
    }
    return (lsched_text){"", 0};
}

static int32_t placed_by_label(struct runner *r, const struct expectation *c) {
    struct scn_list nodes;
    lsched_id job = 0;
    int apart = c->kind == CHECK_PLACED_APART;
    int32_t code = placed_nodes(r, &c->task, &nodes, &job);
    if (code) return code;
    lsched_text *got = nodes.items;
    for (uint32_t i = 0; i < nodes.n; i++) got[i] = placed_label(r, &got[i], &c->text);
    expect_sort(NULL, got, nodes.n);
    for (uint32_t i = 1; i < nodes.n; i++) {
        if (expect_equal(&got[i - 1], &got[i]) != apart) continue;
        run_failed(r, c->mark, "expected job %s %s one %.*s, got %s",
                   expect_task_name(&c->task).text, apart ? "with at most one task in" : "in",
                   (int)c->text.len, c->text.ptr, expect_join(got, nodes.n).text);
        return 0;
    }
    if (nodes.n == 0)
        run_failed(r, c->mark, "expected job %s placed, got none", expect_task_name(&c->task).text);
    return 0;
}

/* ---- waiting ---- */

static int32_t waiting_check(struct runner *r, const struct expectation *c) {
    char text[2048], line[512];
    lsched_waiting record;
    if (!check_waiting(r, c, &record, text, sizeof text)) return 0;
    if (c->kind == CHECK_WAITING_TEXT) {
        line[0] = '\0';
        lsched_waiting_text(r->cluster, &record, line, sizeof line, NULL);
        if (expect_contains(line, &c->text) || expect_contains(text, &c->text)) return 0;
        run_failed(r, c->mark, "expected the reason of job %.*s to say \"%.*s\", got: %s",
                   (int)c->subject.len, c->subject.ptr, (int)c->text.len, c->text.ptr, line);
        return 0;
    }
    int waits = record.code != LSCHED_WAIT_NONE;
    if (c->value < 0 ? waits : c->value == (int64_t)record.code) return 0;
    text[strcspn(text, "\n")] = '\0';
    run_failed(r, c->mark, "expected job %.*s to wait for %s, got %s (%s)", (int)c->subject.len,
               c->subject.ptr,
               c->value < 0 ? "something" : old_name_word(lsched_wait_name((uint32_t)c->value)),
               old_name_word(lsched_wait_name(record.code)), text);
    return 0;
}

/* ---- tasks ---- */

static struct quote task_devices(const uint64_t *set) {
    struct quote q;
    size_t used = 0;
    memcpy(q.text, "none", 5);
    for (uint32_t i = 0; i < 64 * LSCHED_DEVICE_WORDS && used + 5 < sizeof q.text; i++)
        if (set[i / 64] >> i % 64 & 1)
            used +=
                (size_t)snprintf(q.text + used, sizeof q.text - used, "%s%u", used ? "," : "", i);
    return q;
}

static void task_compare(struct runner *r, const struct expectation *c, uint32_t task,
                         const lsched_task_info *info) {
    int n = (int)c->task.job.len;
    lsched_text node = run_name(r, info->node);
    if (c->kind == CHECK_TASK_STATE && info->state != (uint32_t)c->value)
        run_failed(r, c->mark, "expected task %.*s/%u to be %s, got %s", n, c->task.job.ptr, task,
                   lsched_task_state_name((uint32_t)c->value), lsched_task_state_name(info->state));
    if (c->kind == CHECK_TASK_NODE && !expect_equal(&c->text, &node))
        run_failed(r, c->mark, "expected task %.*s/%u on %s, got %.*s", n, c->task.job.ptr, task,
                   c->text.ptr, (int)node.len, node.ptr);
    if (c->kind == CHECK_TASK_RELEASING && !expect_equal(&c->text, &node))
        run_failed(r, c->mark, "expected task %.*s/%u to leave %s, got %.*s", n, c->task.job.ptr,
                   task, c->text.ptr, info->node ? (int)node.len : 4,
                   info->node ? node.ptr : "none");
    const char *holds = c->kind == CHECK_TASK_DEVICES ? "on devices"
                        : c->kind == CHECK_TASK_NICS  ? "to have network cards"
                        : c->kind == CHECK_TASK_NUMA  ? "pinned to NUMA nodes"
                                                      : NULL;
    uint64_t small[LSCHED_DEVICE_WORDS] = {c->kind == CHECK_TASK_NICS ? info->nic_mask
                                                                      : info->numa_mask};
    const uint64_t *set = c->kind == CHECK_TASK_DEVICES ? info->device_words : small;
    if (holds && memcmp(set, c->set, sizeof c->set) != 0)
        run_failed(r, c->mark, "expected task %.*s/%u %s %s, got %s", n, c->task.job.ptr, task,
                   holds, task_devices(c->set).text, task_devices(set).text);
    if (c->kind == CHECK_FIELD) check_field(r, c, info);
}

/* Compares the tasks of a job with the check. If `releasing` is 1, the function reads only the rows
 * of tasks that are releasing, otherwise only the other rows. An evicted task can have two rows,
 * one for the node that it is releasing and one for its new node. Each task is compared once,
 * because `seen` has a byte for each task that says if it was compared. The caller first passes 0
 * for `releasing`. Therefore the row of a task that is releasing counts only if the task has no new
 * node. */
static void run_expect_task_rows(struct runner *r, const struct expectation *c, lsched_id job,
                                 uint64_t end, uint8_t *seen, int releasing) {
    lsched_task_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    while (lsched_tasks_next(r->cluster, job, 0, &cursor, &info, NULL) == 1) {
        if (info.task_index < c->task.first || info.task_index >= end) continue;
        uint8_t *done = &seen[info.task_index - c->task.first];
        if ((info.state == LSCHED_TASK_RELEASING) != releasing || *done) continue;
        if (info.state == LSCHED_TASK_NONE) continue;
        *done = 1;
        task_compare(r, c, info.task_index, &info);
    }
}

static int32_t task_check(struct runner *r, const struct expectation *c) {
    lsched_id job = lsched_find(r->cluster, LSCHED_KIND_JOB, c->task.job);
    lsched_job_info wanted = {.size = sizeof wanted};
    if (!job) {
        run_failed(r, c->mark, "expected a job %s, got none of that name",
                   expect_task_name(&c->task).text);
        return 0;
    }
    int32_t code = lsched_job_get(r->cluster, job, &wanted, NULL);
    if (code < 0) return code;
    uint64_t end = c->task.last == TASK_REF_ALL ? wanted.tasks_wanted : (uint64_t)c->task.last + 1;
    uint64_t n = end > c->task.first ? end - c->task.first : 0;
    uint8_t *seen = scn_memory_take(&r->scratch, (size_t)n, 1);
    if (!seen) return run_no_memory(r);
    if (c->kind != CHECK_TASK_RELEASING) run_expect_task_rows(r, c, job, end, seen, 0);
    run_expect_task_rows(r, c, job, end, seen, 1);
    for (uint64_t i = 0; i < n; i++) {
        lsched_task_info none = {.size = sizeof none}; /* a task without a row is a waiting task */
        if (!seen[i]) task_compare(r, c, c->task.first + (uint32_t)i, &none);
    }
    return 0;
}

/* ---- the plan, settle, hashes ---- */

static int32_t order_check(struct runner *r, const struct expectation *c) {
    uint32_t n_past = 0, n = 0;
    const struct past_decision *past = run_plan_decisions(r, &n_past);
    char name[320];
    for (uint32_t i = 0; i < n_past; i++, past++) {
        if (past->kind != LSCHED_DECIDE_PLACE) continue;
        const char *want = n < c->n ? c->texts[n].ptr : "nothing more";
        snprintf(name, sizeof name, "%s/%u", past->job_name, past->task);
        if (strcmp(want, past->job_name) != 0 && strcmp(want, name) != 0) {
            run_failed(r, c->mark, "expected decision %u to place %s, got %s", n, want, name);
            return 0;
        }
        n++;
    }
    if (n < c->n) run_failed(r, c->mark, "expected %u placed tasks, got %u", c->n, n);
    return 0;
}

static int32_t withdrawn_check(struct runner *r, const struct expectation *c) {
    uint32_t n = r->withdrawn.n;
    lsched_text *got = scn_memory_take(&r->scratch, n, sizeof *got);
    lsched_text *want = scn_memory_take(&r->scratch, c->n, sizeof *want);
    if (!got || !want) return run_no_memory(r);
    for (uint32_t i = 0; i < n; i++) {
        char name[320];
        const struct past_decision *past =
            run_past_id(r, ((const lsched_id *)r->withdrawn.items)[i]);
        int len = past ? snprintf(name, sizeof name, "%s/%u", past->job_name, past->task)
                       : snprintf(name, 2, "?");
        got[i] = (lsched_text){scn_memory_text(&r->scratch, name, (size_t)len), (size_t)len};
        if (!got[i].ptr) return run_no_memory(r);
    }
    if (c->n) memcpy(want, c->texts, c->n * sizeof *want);
    expect_sort(NULL, got, n);
    expect_sort(NULL, want, c->n);
    uint32_t same = n == c->n;
    for (uint32_t i = 0; same && i < n; i++) same = (uint32_t)expect_equal(&got[i], &want[i]);
    if (!same)
        run_failed(r, c->mark, "expected %s to be withdrawn, got %s", expect_join(want, c->n).text,
                   expect_join(got, n).text);
    return 0;
}

static int32_t gone_check(struct runner *r, const struct expectation *c) {
    for (uint32_t i = 0; i < c->n; i++)
        if (lsched_find(r->cluster, c->resource, c->texts[i]))
            run_failed(r, c->mark, "expected %s to be gone, got it alive",
                       complain_quote(c->texts[i].ptr, c->texts[i].len).text);
    return 0;
}

static int32_t status_check(struct runner *r, const struct expectation *c) {
    if (r->n_status != c->n) {
        run_failed(r, c->mark, "expected a batch of %u elements, got %u", c->n, r->n_status);
        return 0;
    }
    for (uint32_t i = 0; i < c->n; i++)
        if (r->status[i] != (int32_t)c->values[i])
            run_failed(r, c->mark, "expected status %s of element %u, got %s",
                       lsched_error_name((int32_t)c->values[i]), i,
                       lsched_error_name(r->status[i]));
    return 0;
}

static int32_t hash_check(struct runner *r, const struct expectation *c) {
    const struct memo *memo = run_memo(r, c->text.ptr);
    uint64_t now = 0;
    if (!memo || memo->kind != MEMO_HASH)
        return complain_at(&r->complain, LSCHED_E_NOENT, c->mark,
                           "expected a remembered hash, got %s",
                           complain_quote(c->text.ptr, c->text.len).text);
    int32_t code = lsched_cluster_hash(r->cluster, memo->which, &now, NULL);
    if (code < 0) return code;
    if ((now == memo->value) != (c->value != 0))
        run_failed(r, c->mark, "expected %s %s, got %016llx now and %016llx then",
                   c->value ? "the same hash as at" : "a hash that differs from the one at",
                   memo->name, (unsigned long long)now, (unsigned long long)memo->value);
    return 0;
}

/* ---- all checks ---- */

static int32_t field_check(struct runner *r, const struct expectation *c) {
    return c->object == OBJECT_TASK       ? task_check(r, c)
           : c->object == OBJECT_DECISION ? check_decision_field(r, c)
                                          : check_object_field(r, c);
}

static int32_t (*const run_check[])(struct runner *r, const struct expectation *c) = {
    [CHECK_PLACED_COUNT] = run_expect_placed_count,
    [CHECK_PLACED_NODES] = run_expect_placed_on,
    [CHECK_PLACED_IN] = run_expect_placed_in,
    [CHECK_PLACED_TOGETHER] = placed_by_label,
    [CHECK_PLACED_APART] = placed_by_label,
    [CHECK_WAITING] = waiting_check,
    [CHECK_WAITING_TEXT] = waiting_check,
    [CHECK_TASK_STATE] = task_check,
    [CHECK_TASK_NODE] = task_check,
    [CHECK_TASK_DEVICES] = task_check,
    [CHECK_TASK_NICS] = task_check,
    [CHECK_TASK_NUMA] = task_check,
    [CHECK_TASK_RELEASING] = task_check,
    [CHECK_FIELD] = field_check,
    [CHECK_AMOUNT] = check_amount,
    [CHECK_DEVICES_FREE] = check_devices_free,
    [CHECK_ORDER] = order_check,
    [CHECK_DECISIONS] = check_decisions,
    [CHECK_WITHDRAWN] = withdrawn_check,
    [CHECK_GONE] = gone_check,
    [CHECK_STATUS] = status_check,
    [CHECK_SAME_HASH] = hash_check,
    [CHECK_NEXT_WAKE] = check_next_wake,
    [CHECK_WOULD_START] = run_would_check,
    [CHECK_WOULD_HELP] = run_would_check,
    [CHECK_ADOPTED] = run_adopt_check,
};

int32_t run_checks(struct runner *r) {
    const struct expectation *checks = r->step->checks.items;
    int32_t code = 0;
    for (uint32_t i = 0; !code && i < r->step->checks.n; i++) {
        r->report.checks++;
        code = run_check[checks[i].kind](r, &checks[i]);
    }
    return code;
}

int run_check_error(struct runner *r, int32_t code, const lsched_error *err) {
    const struct expected_error *want = &r->step->error;
    uint32_t failures = r->report.failures;
    r->report.checks++;
    if (code >= 0)
        run_failed(r, want->mark, "expected the error %s, got success",
                   lsched_error_name(want->code));
    else if (want->code && code != want->code)
        run_failed(r, want->mark, "expected the error %s, got %s: %s",
                   lsched_error_name(want->code), lsched_error_name(code), err->message);
    else if (want->text.ptr && !expect_contains(err->message, &want->text))
        run_failed(r, want->mark, "expected an error that says \"%s\", got: %s", want->text.ptr,
                   err->message);
    else if (want->status) {
        struct expectation c = {
            .kind = CHECK_STATUS, .mark = want->mark, .values = want->status, .n = want->n_status};
        status_check(r, &c);
    }
    return r->report.failures == failures;
}

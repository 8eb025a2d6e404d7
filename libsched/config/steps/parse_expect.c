/*
 * parse_expect.c -- reads `expect:` and `expect_error:`. Every line becomes one or more checks, in
 * the order of the text.
 *
 * parse_fields.c reads the fields of objects.
 */
#include <stdio.h>
#include <string.h>

#include "config/steps/expect_reader.h"
#include "config/objects/scenario_parts.h"

/* Reads the entry of one object: {name: {field: value}}. */
static int32_t expect_named(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    uint32_t object = e->object;
    int32_t code = read_text(r, key, &e->subject);
    if (!code) code = expect_object(r, value, e, object);
    return code ? code : 1;
}

static int32_t expect_each(struct field_reader *r, uint32_t value, struct expect_reader *from,
                           uint32_t object) {
    struct expect_reader e = *from;
    e.object = object;
    return read_map(r, value, "names", NULL, 0, &e, expect_named);
}

static int32_t expect_jobs(struct field_reader *r, uint32_t value, void *e) {
    return expect_each(r, value, e, OBJECT_JOB);
}

static int32_t expect_queues(struct field_reader *r, uint32_t value, void *e) {
    return expect_each(r, value, e, OBJECT_QUEUE);
}

static int32_t expect_nodes(struct field_reader *r, uint32_t value, void *e) {
    return expect_each(r, value, e, OBJECT_NODE);
}

static int32_t expect_plan(struct field_reader *r, uint32_t value, void *e) {
    return expect_object(r, value, e, OBJECT_PLAN);
}

static int32_t expect_cluster(struct field_reader *r, uint32_t value, void *e) {
    return expect_object(r, value, e, OBJECT_CLUSTER);
}

/* Reads the share of a queue in one resource kind: {queue: {gpu: {guarantee: 4}}}. */
static int32_t share_kind(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    size_t len;
    e->resource = read_kind(r, read_chars(r, key, &len));
    if (e->resource == 0) return 0;
    int32_t code = expect_object(r, value, e, OBJECT_SHARE);
    return code ? code : 1;
}

static int32_t share_queue(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    int32_t code = read_text(r, key, &e->subject);
    if (!code) code = read_map(r, value, "resource kinds", NULL, 0, e, share_kind);
    return code ? code : 1;
}

static int32_t expect_shares(struct field_reader *r, uint32_t value, void *out) {
    struct expect_reader e = *(struct expect_reader *)out;
    return read_map(r, value, "queues", NULL, 0, &e, share_queue);
}

static int32_t expect_policy(struct field_reader *r, uint32_t value, void *e) {
    return expect_object(r, value, e, OBJECT_POLICY);
}

/* ---- waiting, tasks ---- */

/* Reads an entry job: reason, or job: {code, text, need ...}. */
static int32_t waiting_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    int32_t code = read_text(r, key, &e->subject);
    if (!code)
        code = read_is(r, value, YTREE_MAP) ? expect_object(r, value, e, OBJECT_WAITING)
                                            : expect_code(r, value, e);
    return code ? code : 1;
}

static int32_t expect_waiting(struct field_reader *r, uint32_t value, void *out) {
    struct expect_reader e = *(struct expect_reader *)out;
    e.object = OBJECT_WAITING;
    return read_map(r, value, "jobs", NULL, 0, &e, waiting_key);
}

/* Reads an entry job/0: running, or job/0: {state, node ...}. */
static int32_t task_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    int32_t code = read_task_ref(r, key, &e->task);
    if (!code)
        code = read_is(r, value, YTREE_MAP) ? expect_object(r, value, e, OBJECT_TASK)
                                            : expect_state(r, value, e);
    return code ? code : 1;
}

static int32_t expect_tasks(struct field_reader *r, uint32_t value, void *out) {
    struct expect_reader e = *(struct expect_reader *)out;
    e.object = OBJECT_TASK;
    return read_map(r, value, "tasks", NULL, 0, &e, task_key);
}

/* ---- placed ---- */

static int32_t placed_names(struct field_reader *r, uint32_t value, struct expect_reader *e,
                            enum check_kind kind) {
    struct scn_list names = {NULL, 0, 0};
    int32_t code = read_names(r, value, &names);
    if (code) return code;
    struct expectation *check = expect_add(r, e, kind, value);
    if (!check) return LSCHED_E_NOMEM;
    check->texts = names.items;
    check->n = names.n;
    return 0;
}

static int32_t parse_expect_placed_count(struct field_reader *r, uint32_t value, void *e) {
    struct expectation *check = expect_add(r, e, CHECK_PLACED_COUNT, value);
    return check ? expect_units(r, value, UNITS_COUNT, check) : LSCHED_E_NOMEM;
}

static int32_t parse_expect_placed_on(struct field_reader *r, uint32_t value, void *e) {
    return placed_names(r, value, e, CHECK_PLACED_NODES);
}

static int32_t parse_expect_placed_in(struct field_reader *r, uint32_t value, void *e) {
    return placed_names(r, value, e, CHECK_PLACED_IN);
}

static int32_t placed_together(struct field_reader *r, uint32_t value, void *e) {
    struct expectation *check = expect_add(r, e, CHECK_PLACED_TOGETHER, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

static int32_t placed_apart(struct field_reader *r, uint32_t value, void *e) {
    struct expectation *check = expect_add(r, e, CHECK_PLACED_APART, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

/* Reads a number of tasks, the nodes of all placed tasks, or a map of conditions. */
static int32_t placed_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    static const struct field fields[] = {{"count", parse_expect_placed_count, 0},
                                          {"on", parse_expect_placed_on, 0},
                                          {"in", parse_expect_placed_in, 0},
                                          {"together", placed_together, 0},
                                          {"apart", placed_apart, 0}};
    struct expect_reader *e = out;
    size_t len;
    int32_t code = read_task_ref(r, key, &e->task);
    if (code) return code;
    if (read_is(r, value, YTREE_MAP)) {
        code = read_map(r, value, "placed tasks", fields, sizeof fields / sizeof *fields, e, NULL);
        return code ? code : 1;
    }
    const char *text = expect_chars(r, value, &len);
    int is_number =
        len > 0 && !ytree_at(&r->tree, value)->quoted && strspn(text, "0123456789") == len;
    uint32_t compare;
    expect_operator(text, &len, &compare);
    code = is_number || compare != COMPARE_EQ ? parse_expect_placed_count(r, value, e)
                                              : parse_expect_placed_on(r, value, e);
    return code ? code : 1;
}

static int32_t expect_placed(struct field_reader *r, uint32_t value, void *out) {
    struct expect_reader e = *(struct expect_reader *)out;
    return read_map(r, value, "jobs", NULL, 0, &e, placed_key);
}

/* ---- decisions of the plan ---- */

/* Returns the field that a plain value is compared with: the reason of an eviction, the target
 * node of a move, or the node of any other decision. */
static const char *decision_field(uint32_t kind) {
    return kind == LSCHED_EVICT ? "reason" : kind == LSCHED_MIGRATE ? "to" : "on";
}

struct decisions_reader {
    struct expect_reader *e;
    struct scn_list tasks; /* elements are struct task_ref: all tasks that the text names */
};

static int32_t decision_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct decisions_reader *d = out;
    uint32_t first = d->tasks.n;
    int32_t code = read_task_refs(r, key, &d->tasks);
    for (uint32_t i = first; !code && i < d->tasks.n; i++) {
        d->e->task = ((const struct task_ref *)d->tasks.items)[i];
        code = read_is(r, value, YTREE_MAP)
                   ? expect_object(r, value, d->e, OBJECT_DECISION)
                   : expect_field(r, value, d->e, OBJECT_DECISION, decision_field(d->e->resource));
    }
    return code ? code : 1;
}

/* Reads the decisions of one kind: tasks, or {task: {for, reason ...}}. */
static int32_t expect_decisions(struct field_reader *r, uint32_t value, void *out, uint32_t kind) {
    struct expect_reader e = *(struct expect_reader *)out;
    struct decisions_reader d = {&e, {NULL, 0, 0}};
    e.resource = kind;
    e.object = OBJECT_DECISION;
    int32_t code = read_is(r, value, YTREE_MAP)
                       ? read_map(r, value, "tasks", NULL, 0, &d, decision_key)
                       : read_task_refs(r, value, &d.tasks);
    if (code) return code;
    struct expectation *check = expect_add(r, &e, CHECK_DECISIONS, value);
    if (!check) return LSCHED_E_NOMEM;
    check->refs = d.tasks.items;
    check->n = d.tasks.n;
    return 0;
}

static int32_t expect_evict(struct field_reader *r, uint32_t value, void *e) {
    return expect_decisions(r, value, e, LSCHED_EVICT);
}

static int32_t expect_migrate(struct field_reader *r, uint32_t value, void *e) {
    return expect_decisions(r, value, e, LSCHED_MIGRATE);
}

static int32_t expect_pause(struct field_reader *r, uint32_t value, void *e) {
    return expect_decisions(r, value, e, LSCHED_PAUSE);
}

static int32_t expect_suspend(struct field_reader *r, uint32_t value, void *e) {
    return expect_decisions(r, value, e, LSCHED_SUSPEND);
}

static int32_t expect_resume(struct field_reader *r, uint32_t value, void *e) {
    return expect_decisions(r, value, e, LSCHED_RESUME);
}

static int32_t expect_place(struct field_reader *r, uint32_t value, void *e) {
    return expect_decisions(r, value, e, LSCHED_PLACE);
}

static int32_t expect_nominate(struct field_reader *r, uint32_t value, void *e) {
    return expect_decisions(r, value, e, LSCHED_NOMINATE);
}

/* ---- order, names, hashes and status ---- */

static int32_t expect_text_item(struct field_reader *r, uint32_t value, void *list) {
    lsched_text *text = read_add(r, list, NULL, sizeof *text, value);
    return text ? read_text(r, value, text) : LSCHED_E_NOMEM;
}

static int32_t expect_texts(struct field_reader *r, uint32_t value, struct expect_reader *e,
                            enum check_kind kind) {
    struct scn_list texts = {NULL, 0, 0};
    int32_t code = read_one_or_items(r, value, expect_text_item, &texts);
    if (code) return code;
    struct expectation *check = expect_add(r, e, kind, value);
    if (!check) return LSCHED_E_NOMEM;
    check->texts = texts.items;
    check->n = texts.n;
    return 0;
}

static int32_t parse_expect_order(struct field_reader *r, uint32_t value, void *e) {
    return expect_texts(r, value, e, CHECK_ORDER);
}

static int32_t expect_withdrawn(struct field_reader *r, uint32_t value, void *e) {
    return expect_texts(r, value, e, CHECK_WITHDRAWN);
}

static int32_t gone_kind(struct field_reader *r, uint32_t value, struct expect_reader *e,
                         uint32_t kind) {
    int32_t code = placed_names(r, value, e, CHECK_GONE);
    if (!code) ((struct expectation *)e->step->checks.items)[e->step->checks.n - 1].resource = kind;
    return code;
}

static int32_t gone_nodes(struct field_reader *r, uint32_t value, void *e) {
    return gone_kind(r, value, e, LSCHED_KIND_NODE);
}

static int32_t gone_queues(struct field_reader *r, uint32_t value, void *e) {
    return gone_kind(r, value, e, LSCHED_KIND_QUEUE);
}

static int32_t gone_jobs(struct field_reader *r, uint32_t value, void *e) {
    return gone_kind(r, value, e, LSCHED_KIND_JOB);
}

static int32_t expect_gone(struct field_reader *r, uint32_t value, void *e) {
    static const struct field fields[] = {
        {"nodes", gone_nodes, 0}, {"queues", gone_queues, 0}, {"jobs", gone_jobs, 0}};
    return read_map(r, value, "what is gone", fields, sizeof fields / sizeof *fields, e, NULL);
}

static int32_t expect_hash(struct field_reader *r, uint32_t value, struct expect_reader *e,
                           int64_t same) {
    struct expectation *check = expect_add(r, e, CHECK_SAME_HASH, value);
    if (!check) return LSCHED_E_NOMEM;
    check->value = same;
    return read_text(r, value, &check->text);
}

static int32_t expect_same_hash(struct field_reader *r, uint32_t value, void *e) {
    return expect_hash(r, value, e, 1);
}

static int32_t expect_other_hash(struct field_reader *r, uint32_t value, void *e) {
    return expect_hash(r, value, e, 0);
}

static int32_t status_item(struct field_reader *r, uint32_t value, void *list) {
    int64_t *status = read_add(r, list, NULL, sizeof *status, value);
    int32_t error = 0, code = status ? read_error_code(r, value, &error) : LSCHED_E_NOMEM;
    if (status) *status = error;
    return code;
}

static int32_t expect_status(struct field_reader *r, uint32_t value, void *out) {
    struct scn_list list = {NULL, 0, 0};
    int32_t code = read_items(r, value, "error codes", status_item, &list);
    if (code) return code;
    struct expectation *check = expect_add(r, out, CHECK_STATUS, value);
    if (!check) return LSCHED_E_NOMEM;
    check->values = list.items;
    check->n = list.n;
    return 0;
}

static int32_t expect_next_wake(struct field_reader *r, uint32_t value, void *e) {
    struct expectation *check = expect_add(r, e, CHECK_NEXT_WAKE, value);
    return check ? expect_time(r, value, check) : LSCHED_E_NOMEM;
}

int32_t read_expect(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        {"placed", expect_placed, 0},
        {"waiting", expect_waiting, 0},
        {"order", parse_expect_order, 0},
        {"tasks", expect_tasks, 0},
        {"jobs", expect_jobs, 0},
        {"queues", expect_queues, 0},
        {"nodes", expect_nodes, 0},
        {"plan", expect_plan, 0},
        {"cluster", expect_cluster, 0},
        {"policy", expect_policy, 0},
        {"withdrawn", expect_withdrawn, 0},
        {"evict", expect_evict, 0},
        {"migrate", expect_migrate, 0},
        {"nominate", expect_nominate, 0},
        {"pause", expect_pause, 0},
        {"suspend", expect_suspend, 0},
        {"resume", expect_resume, 0},
        {"place", expect_place, 0},
        {"shares", expect_shares, 0},
        {"gone", expect_gone, 0},
        {"status", expect_status, 0},
        {"same_hash", expect_same_hash, 0},
        {"other_hash", expect_other_hash, 0},
        {"next_wake", expect_next_wake, 0},
    };
    struct step_reader *step = out;
    int64_t base_us = r->base_us;
    struct expect_reader e;
    memset(&e, 0, sizeof e);
    e.step = step->step;
    /* times in `expect:` count from the start of the scenario, not from the time of the step */
    r->base_us = r->scenario->start_us;
    int32_t code =
        read_map(r, value, "what is expected", fields, sizeof fields / sizeof *fields, &e, NULL);
    r->base_us = base_us;
    return code;
}

/* ---- expected errors ---- */

static int32_t error_code(struct field_reader *r, uint32_t value, void *out) {
    struct expected_error *error = out;
    return read_error_code(r, value, &error->code);
}

static int32_t error_status(struct field_reader *r, uint32_t value, void *out) {
    struct expected_error *error = out;
    struct scn_list list = {NULL, 0, 0};
    int32_t code = read_items(r, value, "error codes", status_item, &list);
    error->status = list.items;
    error->n_status = list.n;
    return code;
}

/* Reads the name of an error code, such as E_STALE, or {code, text, status}. */
int32_t read_expect_error(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        {"code", error_code, 0},
        FIELD(struct expected_error, "text", read_text, text),
        {"status", error_status, 0},
    };
    struct step_reader *step = out;
    struct expected_error *error = &step->step->error;
    error->present = 1;
    error->mark = read_mark(r, value);
    int32_t code = read_is(r, value, YTREE_MAP)
                       ? read_map(r, value, "an expected error", fields,
                                  sizeof fields / sizeof *fields, error, NULL)
                       : read_error_code(r, value, &error->code);
    if (!code && error->code == LSCHED_OK)
        code = read_expected(r, LSCHED_E_TYPE, value, "an error code other than OK");
    return code;
}

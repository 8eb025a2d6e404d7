/*
 * parse_expect.c -- see parse_expect.h. Every line of `expect:` becomes one or more checks. The
 * checks are in the order of the text.
 *
 * parse_fields.c reads the fields of objects.
 */
#include <stdio.h>
#include <string.h>

#include "config/read/quantity_reader.h"
#include "config/steps/parse_expect.h"
#include "config/steps/parse_fields.h"
#include "config/steps/parse_task_refs.h"

/* Reads the entry of one object in a map {name: {field: value}}: `key` is the name of the object,
 * and `value` is the map of its fields. */
static int32_t expect_named(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    uint32_t object = e->object;
    int32_t code = read_text(r, key, &e->subject);
    if (!code) code = expect_object(r, value, e, object);
    return code ? code : 1;
}

/* Reads the expected fields of one queue for one resource kind: in {queue: {gpu: {guarantee: 4}}},
 * `key` is gpu and `value` is {guarantee: 4}. */
static int32_t share_kind(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    e->resource = read_kind(r, key);
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

/* ---- waiting, tasks ---- */

/* Reads one entry of `waiting`. `key` is the name of a job. `value` is the word of a wait code, or
 * a map of expected fields such as {code: room, need: {cpu: 2}}. */
static int32_t waiting_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    int32_t code = read_text(r, key, &e->subject);
    if (!code)
        code = read_is(r, value, YTREE_MAP) ? expect_object(r, value, e, OBJECT_WAITING)
                                            : expect_code(r, value, e, CHECK_WAITING);
    return code ? code : 1;
}

/* Reads one entry of `tasks`. `key` names tasks, such as llm/0. `value` is the word of a state, or
 * a map of expected fields such as {state: running, node: a}. */
static int32_t task_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    int32_t code = read_task_ref(r, key, &e->task);
    if (!code)
        code = read_is(r, value, YTREE_MAP) ? expect_object(r, value, e, OBJECT_TASK)
                                            : expect_state(r, value, e, CHECK_TASK_STATE);
    return code ? code : 1;
}

/* Reads a map from names of objects of one kind to what is expected of them. */
static int32_t expect_each(struct field_reader *r, uint32_t value, void *from, uint32_t object) {
    struct expect_reader e = *(struct expect_reader *)from;
    e.object = object;
    if (object == OBJECT_SHARE) return read_map(r, value, "queues", NULL, 0, &e, share_queue);
    if (object == OBJECT_WAITING) return read_map(r, value, "jobs", NULL, 0, &e, waiting_key);
    if (object == OBJECT_TASK) return read_map(r, value, "tasks", NULL, 0, &e, task_key);
    return read_map(r, value, "names", NULL, 0, &e, expect_named);
}

/* Reads a word of the check's kind: an answer of lsched_would_start(), a change that it offers, or
 * what became of a group. */
static int32_t would_word(struct field_reader *r, uint32_t value, uint32_t kind, lsched_text *out) {
    static const char *const answers[] = {"now", "later", "never", "has-places"};
    enum { HELPS = LSCHED_OFFER_ADD_NODE + 1, RESULTS = LSCHED_ADOPTION_BUDGET + 1 };
    const char *words[RESULTS + 1];
    uint32_t n = sizeof answers / sizeof *answers, at = 0;
    if (kind == CHECK_WOULD_HELP) n = HELPS;
    if (kind == CHECK_ADOPTED) n = RESULTS + 1;
    for (uint32_t i = 0; i < n; i++)
        words[i] = kind == CHECK_WOULD_HELP    ? lsched_offer_name(i)
                   : kind == CHECK_WOULD_START ? answers[i]
                   : i < RESULTS               ? lsched_adopt_result_name(i)
                                               : "none";
    int32_t code = read_word(r, value, words, n, &at);
    return code ? code : read_copy(r, words[at], strlen(words[at]), out);
}

/* Reads one entry of `would_start`, `would_help` or `adopted`: the name of a job, and a word. */
static int32_t would_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    int32_t code = read_text(r, key, &e->subject);
    struct expectation *check = code ? NULL : expect_add(r, e, e->object, value);
    if (!code && !check) code = LSCHED_E_NOMEM;
    if (!code) code = would_word(r, value, e->object, &check->text);
    return code ? code : 1;
}

static int32_t expect_would(struct field_reader *r, uint32_t value, void *from, uint32_t kind) {
    struct expect_reader e = *(struct expect_reader *)from;
    e.object = kind;
    return read_map(r, value, "jobs", NULL, 0, &e, would_key);
}

/* ---- placed ---- */

/* Adds a check of the kind `kind` whose `texts` are the texts that the function `read` reads from
 * the value. */
static int32_t expect_text_list(struct field_reader *r, uint32_t value, void *e, uint32_t kind,
                                read_fn read) {
    struct scn_list texts = {NULL, 0, 0};
    int32_t code = read(r, value, &texts);
    if (code) return code;
    struct expectation *check = expect_add(r, e, kind, value);
    if (!check) return LSCHED_E_NOMEM;
    check->texts = texts.items;
    check->n = texts.n;
    return 0;
}

static int32_t placed_names(struct field_reader *r, uint32_t value, void *e, uint32_t kind) {
    return expect_text_list(r, value, e, kind, read_names);
}

static int32_t parse_expect_placed_count(struct field_reader *r, uint32_t value, void *e) {
    struct expectation *check = expect_add(r, e, CHECK_PLACED_COUNT, value);
    return check ? expect_units(r, value, UNITS_COUNT, check) : LSCHED_E_NOMEM;
}

/* Reads one entry of `placed`. `key` names tasks. `value` is the number of placed tasks, the nodes
 * of all placed tasks, or a map of conditions. */
static int32_t placed_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD_KEY("count", parse_expect_placed_count),
        FIELD_KEY_WITH("on", placed_names, CHECK_PLACED_NODES),
        FIELD_KEY_WITH("in", placed_names, CHECK_PLACED_IN),
        FIELD_KEY_WITH("together", expect_text, CHECK_PLACED_TOGETHER),
        FIELD_KEY_WITH("apart", expect_text, CHECK_PLACED_APART)};
    struct expect_reader *e = out;
    size_t len;
    int32_t code = read_task_ref(r, key, &e->task);
    if (code) return code;
    if (read_is(r, value, YTREE_MAP)) {
        code = READ_MAP(r, value, "placed tasks", fields, e, NULL);
        return code ? code : 1;
    }
    const char *text = read_scalar(r, value, &len);
    int is_number =
        len > 0 && !ytree_at(&r->tree, value)->quoted && strspn(text, "0123456789") == len;
    uint32_t compare;
    expect_operator(text, &len, &compare);
    code = is_number || compare != COMPARE_EQ ? parse_expect_placed_count(r, value, e)
                                              : placed_names(r, value, e, CHECK_PLACED_NODES);
    return code ? code : 1;
}

static int32_t expect_placed(struct field_reader *r, uint32_t value, void *out) {
    struct expect_reader e = *(struct expect_reader *)out;
    return read_map(r, value, "jobs", NULL, 0, &e, placed_key);
}

/* ---- decisions of the plan ---- */

/* Returns the name of the decision's field that a value without a map is compared with. This is the
 * reason of an eviction or a warning, the target node of a move, or the node of a decision of
 * another kind. */
static const char *decision_field(uint32_t kind) {
    int stops = kind == LSCHED_DECIDE_EVICT || kind == LSCHED_DECIDE_CHECKPOINT;
    return stops || kind == LSCHED_DECIDE_WARN ? "reason"
           : kind == LSCHED_DECIDE_MIGRATE     ? "to"
                                               : "on";
}

struct decisions_reader {
    struct expect_reader *e;
    /* elements are struct task_ref: all tasks that the text names for this kind of decision */
    struct scn_list tasks;
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

/* Reads the expected decisions of one kind. The value is a task, a list of tasks, or a map from
 * tasks to the expected fields of the decision, such as {llm/0: {for: train, reason: reclaim}}. */
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

/* ---- order, names, hashes and status ---- */

static int32_t expect_text_item(struct field_reader *r, uint32_t value, void *list) {
    lsched_text *text = read_add(r, list, NULL, sizeof *text, value);
    return text ? read_text(r, value, text) : LSCHED_E_NOMEM;
}

static int32_t expect_text_items(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, expect_text_item, list);
}

static int32_t expect_texts(struct field_reader *r, uint32_t value, void *e, uint32_t kind) {
    return expect_text_list(r, value, e, kind, expect_text_items);
}

static int32_t gone_kind(struct field_reader *r, uint32_t value, void *out, uint32_t kind) {
    const struct expect_reader *e = out;
    int32_t code = placed_names(r, value, out, CHECK_GONE);
    if (!code) ((struct expectation *)e->step->checks.items)[e->step->checks.n - 1].resource = kind;
    return code;
}

static int32_t expect_gone(struct field_reader *r, uint32_t value, void *e) {
    static const struct field fields[] = {FIELD_KEY_WITH("nodes", gone_kind, LSCHED_KIND_NODE),
                                          FIELD_KEY_WITH("queues", gone_kind, LSCHED_KIND_QUEUE),
                                          FIELD_KEY_WITH("jobs", gone_kind, LSCHED_KIND_JOB)};
    return READ_MAP(r, value, "what is gone", fields, e, NULL);
}

static int32_t expect_hash(struct field_reader *r, uint32_t value, void *e, uint32_t same) {
    struct expectation *check = expect_add(r, e, CHECK_SAME_HASH, value);
    if (!check) return LSCHED_E_NOMEM;
    check->value = same;
    return read_text(r, value, &check->text);
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
        FIELD_KEY("placed", expect_placed),
        FIELD_KEY_WITH("waiting", expect_each, OBJECT_WAITING),
        FIELD_KEY_WITH("order", expect_texts, CHECK_ORDER),
        FIELD_KEY_WITH("tasks", expect_each, OBJECT_TASK),
        FIELD_KEY_WITH("jobs", expect_each, OBJECT_JOB),
        FIELD_KEY_WITH("queues", expect_each, OBJECT_QUEUE),
        FIELD_KEY_WITH("nodes", expect_each, OBJECT_NODE),
        FIELD_KEY_WITH("plan", expect_object, OBJECT_PLAN),
        FIELD_KEY_WITH("cluster", expect_object, OBJECT_CLUSTER),
        FIELD_KEY_WITH("policy", expect_object, OBJECT_POLICY),
        FIELD_KEY_WITH("withdrawn", expect_texts, CHECK_WITHDRAWN),
        FIELD_KEY_WITH("evict", expect_decisions, LSCHED_DECIDE_EVICT),
        FIELD_KEY_WITH("migrate", expect_decisions, LSCHED_DECIDE_MIGRATE),
        FIELD_KEY_WITH("nominate", expect_decisions, LSCHED_DECIDE_NOMINATE),
        FIELD_KEY_WITH("pause", expect_decisions, LSCHED_DECIDE_PAUSE),
        FIELD_KEY_WITH("suspend", expect_decisions, LSCHED_DECIDE_SUSPEND),
        FIELD_KEY_WITH("resume", expect_decisions, LSCHED_DECIDE_RESUME),
        FIELD_KEY_WITH("checkpoint", expect_decisions, LSCHED_DECIDE_CHECKPOINT),
        FIELD_KEY_WITH("resize", expect_decisions, LSCHED_DECIDE_RESIZE),
        FIELD_KEY_WITH("warn", expect_decisions, LSCHED_DECIDE_WARN),
        FIELD_KEY_WITH("place", expect_decisions, LSCHED_DECIDE_PLACE),
        FIELD_KEY_WITH("shares", expect_each, OBJECT_SHARE),
        FIELD_KEY("gone", expect_gone),
        FIELD_KEY("status", expect_status),
        FIELD_KEY_WITH("same_hash", expect_hash, 1),
        FIELD_KEY_WITH("other_hash", expect_hash, 0),
        FIELD_KEY("next_wake", expect_next_wake),
        FIELD_KEY_WITH("would_start", expect_would, CHECK_WOULD_START),
        FIELD_KEY_WITH("would_help", expect_would, CHECK_WOULD_HELP),
        FIELD_KEY_WITH("adopted", expect_would, CHECK_ADOPTED),
    };
    struct step_reader *step = out;
    int64_t base_us = r->base_us;
    struct expect_reader e;
    memset(&e, 0, sizeof e);
    e.step = step->step;
    /* offsets of time in `expect:` count from the start of the scenario, not from the time of the
     * step */
    r->base_us = r->scenario->start_us;
    int32_t code = READ_MAP(r, value, "what is expected", fields, &e, NULL);
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

/* Reads the name of an error code such as E_STALE, or a map with the keys code, text and status. */
int32_t read_expect_error(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD_KEY("code", error_code),
        FIELD(struct expected_error, "text", read_text, text),
        FIELD_KEY("status", error_status),
    };
    struct step_reader *step = out;
    struct expected_error *error = &step->step->error;
    error->present = 1;
    error->mark = read_mark(r, value);
    int32_t code = read_is(r, value, YTREE_MAP)
                       ? READ_MAP(r, value, "an expected error", fields, error, NULL)
                       : read_error_code(r, value, &error->code);
    if (!code && error->code == LSCHED_OK)
        code = read_expected(r, LSCHED_E_TYPE, value, "an error code other than OK");
    return code;
}

/*
 * parse_expect.c -- `expect:` and `expect_error:`: every line becomes one or more checks, in the
 * order of the text.
 *
 * Numbers may be compared ("<= 100"), everything else is equal or contained. Which fields there are
 * is said by expect_fields.c.
 */
#include <stdio.h>
#include <string.h>

#include "config/expect_fields.h"
#include "config/scenario_parts.h"

/* What the readers below get as their target. */
struct expect_reader {
    struct step *step;
    uint32_t object;
    lsched_text subject;
    struct task_ref task;
};

static struct check *expect_add(struct reader *r, struct expect_reader *e, enum check_kind kind,
                                uint32_t value) {
    struct check *check = read_add(r, &e->step->checks, NULL, sizeof *check, value);
    if (!check) return NULL;
    check->kind = (uint32_t)kind;
    check->mark = read_mark(r, value);
    check->object = e->object;
    check->subject = e->subject;
    check->task = e->task;
    return check;
}

static const char *expect_chars(const struct reader *r, uint32_t value, size_t *len) {
    *len = 0;
    return read_is(r, value, YTREE_SCALAR) ? read_chars(r, value, len) : "";
}

/* What stands in messages of the parser. */
static const char *const expect_what[OBJECTS] = {
    [OBJECT_JOB] = "a job's state",         [OBJECT_QUEUE] = "a queue's state",
    [OBJECT_NODE] = "a node's state",       [OBJECT_TASK] = "a task's state",
    [OBJECT_WAITING] = "a waiting job",     [OBJECT_PLAN] = "a plan",
    [OBJECT_CLUSTER] = "a cluster's state", [OBJECT_POLICY] = "a policy's state",
};

/* ---- comparands ------------------------------------------------------------------------------ */

/* Takes "<=" and spaces off the front. */
static const char *expect_operator(const char *text, size_t *len, uint32_t *compare) {
    static const uint32_t order[] = {COMPARE_LE, COMPARE_GE, COMPARE_NE, COMPARE_LT, COMPARE_GT};
    *compare = COMPARE_EQ;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        size_t n = strlen(expect_compares[order[i]]);
        if (*len < n || memcmp(text, expect_compares[order[i]], n) != 0) continue;
        *compare = order[i];
        text += n;
        *len -= n;
        break;
    }
    for (; *len > 0 && *text == ' '; text++) --*len;
    return text;
}

static int32_t expect_units(struct reader *r, uint32_t value, uint32_t units, struct check *check) {
    char expected[96];
    size_t len;
    const char *text = expect_operator(expect_chars(r, value, &len), &len, &check->compare);
    size_t negative = len > 1 && text[0] == '-';
    enum units_fault fault =
        units_parse((enum units_kind)units, text + negative, len - negative, &check->value);
    if (negative) check->value = -check->value;
    if (!fault) return 0;
    snprintf(expected, sizeof expected, "%s, or a bound such as \"<= 5\"",
             units_expected((enum units_kind)units));
    return read_expected(r, LSCHED_E_TYPE, value, expected);
}

static int32_t expect_time(struct reader *r, uint32_t value, struct check *check) {
    size_t len;
    if (strcmp(expect_chars(r, value, &len), "never") != 0)
        return read_time(r, value, &check->value);
    check->value = LSCHED_NEVER_US;
    return 0;
}

int32_t read_error_code(struct reader *r, uint32_t value, int32_t *out) {
    static const struct {
        const char *name;
        int32_t code;
    } codes[] = {
#define X(name, value, text) {#name, value},
#include <libsched/errors.def>
#undef X
    };
    size_t len;
    const char *text = expect_chars(r, value, &len);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].name, text) == 0) {
            *out = codes[i].code;
            return 0;
        }
    return read_expected(r, LSCHED_E_TYPE, value, "an error code such as E_STALE, or OK");
}

static int32_t expect_comparand(struct reader *r, uint32_t value, const struct expect_field *row,
                                struct check *check) {
    uint32_t flag = 0;
    int32_t code = 0, error = 0;
    uint64_t bits = 0;
    switch ((enum value_type)row->type) {
    case VALUE_U32:
    case VALUE_I32:
    case VALUE_I64: return expect_units(r, value, row->units, check);
    case VALUE_TIME: return expect_time(r, value, check);
    case VALUE_FLAG:
        code = read_bool(r, value, &flag);
        check->value = flag;
        return code;
    case VALUE_HASH:
        code = read_u64(r, value, &bits);
        memcpy(&check->value, &bits, sizeof bits);
        return code;
    case VALUE_CODE:
        code = read_error_code(r, value, &error);
        check->value = error;
        return code;
    case VALUE_TEXT:
    case VALUE_PART:
    case VALUE_QUEUE: break;
    }
    return read_text(r, value, &check->text);
}

/* ---- objects and their fields ---------------------------------------------------------------- */

/* Amounts that an object has, as a set of bits. */
static const uint32_t expect_object_amounts[OBJECTS] = {
    [OBJECT_QUEUE] = 1u << AMOUNT_USED | 1u << AMOUNT_QUOTA | 1u << AMOUNT_LIMIT,
    [OBJECT_NODE] = 1u << AMOUNT_FREE | 1u << AMOUNT_CAPACITY,
    [OBJECT_WAITING] = 1u << AMOUNT_NEED | 1u << AMOUNT_HAVE,
};

/* Keys that are not rows: read by a function of their own. */
struct expect_special {
    uint32_t object;
    const char *name;
    int32_t (*read)(struct reader *r, uint32_t value, struct expect_reader *e);
};

static int32_t special_state(struct reader *r, uint32_t value, struct expect_reader *e) {
    struct check *check = expect_add(r, e, CHECK_TASK_STATE, value);
    uint32_t state = 0;
    if (!check) return LSCHED_E_NOMEM;
    int32_t code = read_word(r, value, expect_states, TASK_STATES, &state);
    check->value = state;
    return code;
}

static int32_t special_node(struct reader *r, uint32_t value, struct expect_reader *e) {
    struct check *check = expect_add(r, e, CHECK_TASK_NODE, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

static int32_t special_devices(struct reader *r, uint32_t value, struct expect_reader *e) {
    struct check *check = expect_add(r, e, CHECK_TASK_DEVICES, value);
    uint32_t mask = 0;
    if (!check) return LSCHED_E_NOMEM;
    int32_t code = read_device_mask(r, value, &mask);
    check->value = mask;
    return code;
}

static int32_t special_free_share(struct reader *r, uint32_t value, void *list) {
    int64_t *share = read_add(r, list, NULL, sizeof *share, value);
    return share ? read_milli(r, value, share) : LSCHED_E_NOMEM;
}

static int32_t special_device_free(struct reader *r, uint32_t value, struct expect_reader *e) {
    struct scn_list shares = {NULL, 0, 0};
    int32_t code = read_items(r, value, "free GPUs", special_free_share, &shares);
    if (code) return code;
    struct check *check = expect_add(r, e, CHECK_DEVICES_FREE, value);
    if (!check) return LSCHED_E_NOMEM;
    check->values = shares.items;
    check->n = shares.n;
    return 0;
}

static int32_t special_code(struct reader *r, uint32_t value, struct expect_reader *e) {
    struct check *check = expect_add(r, e, CHECK_WAITING, value);
    uint32_t wait = 0;
    size_t len;
    if (!check) return LSCHED_E_NOMEM;
    check->value = -1;
    if (strcmp(expect_chars(r, value, &len), "any") == 0) return 0;
    int32_t code = read_word(r, value, expect_waits, WAIT_CODES, &wait);
    check->value = wait;
    return code;
}

static int32_t special_text(struct reader *r, uint32_t value, struct expect_reader *e) {
    struct check *check = expect_add(r, e, CHECK_WAITING_TEXT, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

static const struct expect_special expect_specials[] = {
    {OBJECT_TASK, "state", special_state},     {OBJECT_TASK, "node", special_node},
    {OBJECT_TASK, "devices", special_devices}, {OBJECT_NODE, "device_free", special_device_free},
    {OBJECT_WAITING, "code", special_code},    {OBJECT_WAITING, "text", special_text},
};
enum { EXPECT_SPECIALS = sizeof expect_specials / sizeof *expect_specials };

/* All keys of an object: rows, then amounts, then specials. */
static const char *expect_candidate(const void *user, size_t i) {
    uint32_t object = *(const uint32_t *)user;
    const struct expect_field *row = expect_fields[object];
    for (; row->name; row++)
        if (i-- == 0) return row->name;
    for (uint32_t a = 0; a < AMOUNT_FIELDS; a++)
        if ((expect_object_amounts[object] >> a & 1) && i-- == 0) return expect_amounts[a];
    for (size_t s = 0; s < EXPECT_SPECIALS; s++)
        if (expect_specials[s].object == object && i-- == 0) return expect_specials[s].name;
    return NULL;
}

struct amount_reader {
    struct expect_reader *expect;
    uint32_t field;
};

static int32_t expect_amount(struct reader *r, uint32_t key, uint32_t value, void *out) {
    struct amount_reader *amounts = out;
    size_t len;
    uint32_t kind = read_kind(r, read_chars(r, key, &len));
    if (!kind) return 0;
    struct check *check = expect_add(r, amounts->expect, CHECK_AMOUNT, value);
    if (!check) return LSCHED_E_NOMEM;
    check->field = amounts->field;
    check->resource = kind;
    int32_t code = 0;
    if (strcmp(expect_chars(r, value, &len), "unlimited") == 0)
        check->value = LSCHED_UNLIMITED;
    else
        code = expect_units(r, value, (uint32_t)scn_kind_units(kind), check);
    return code ? code : 1;
}

static int32_t expect_object_key(struct reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    const struct expect_field *rows = expect_fields[e->object];
    size_t len;
    const char *name = read_chars(r, key, &len);
    for (uint32_t i = 0; rows[i].name; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        struct check *check = expect_add(r, e, CHECK_FIELD, value);
        if (!check) return LSCHED_E_NOMEM;
        check->field = i;
        int32_t code = expect_comparand(r, value, &rows[i], check);
        return code ? code : 1;
    }
    for (uint32_t a = 0; a < AMOUNT_FIELDS; a++) {
        if (!(expect_object_amounts[e->object] >> a & 1) || strcmp(expect_amounts[a], name) != 0)
            continue;
        struct amount_reader amounts = {e, a};
        int32_t code = read_map(r, value, "resource kinds", NULL, 0, &amounts, expect_amount);
        return code ? code : 1;
    }
    for (size_t s = 0; s < EXPECT_SPECIALS; s++) {
        if (expect_specials[s].object != e->object || strcmp(expect_specials[s].name, name) != 0)
            continue;
        int32_t code = expect_specials[s].read(r, value, e);
        return code ? code : 1;
    }
    return read_unknown(r, key, expect_what[e->object], expect_candidate, &e->object);
}

static int32_t expect_object(struct reader *r, uint32_t value, struct expect_reader *e,
                             uint32_t object) {
    e->object = object;
    return read_map(r, value, expect_what[object], NULL, 0, e, expect_object_key);
}

/* {name: {field: value}} */
static int32_t expect_named(struct reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    uint32_t object = e->object;
    int32_t code = read_text(r, key, &e->subject);
    if (!code) code = expect_object(r, value, e, object);
    return code ? code : 1;
}

static int32_t expect_each(struct reader *r, uint32_t value, struct expect_reader *from,
                           uint32_t object) {
    struct expect_reader e = *from;
    e.object = object;
    return read_map(r, value, "names", NULL, 0, &e, expect_named);
}

static int32_t expect_jobs(struct reader *r, uint32_t value, void *e) {
    return expect_each(r, value, e, OBJECT_JOB);
}

static int32_t expect_queues(struct reader *r, uint32_t value, void *e) {
    return expect_each(r, value, e, OBJECT_QUEUE);
}

static int32_t expect_nodes(struct reader *r, uint32_t value, void *e) {
    return expect_each(r, value, e, OBJECT_NODE);
}

static int32_t expect_plan(struct reader *r, uint32_t value, void *e) {
    return expect_object(r, value, e, OBJECT_PLAN);
}

static int32_t expect_cluster(struct reader *r, uint32_t value, void *e) {
    return expect_object(r, value, e, OBJECT_CLUSTER);
}

static int32_t expect_policy(struct reader *r, uint32_t value, void *e) {
    return expect_object(r, value, e, OBJECT_POLICY);
}

/* ---- waiting, tasks -------------------------------------------------------------------------- */

/* job: code, or job: {code, text, need ...} */
static int32_t waiting_key(struct reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    int32_t code = read_text(r, key, &e->subject);
    if (!code)
        code = read_is(r, value, YTREE_MAP) ? expect_object(r, value, e, OBJECT_WAITING)
                                            : special_code(r, value, e);
    return code ? code : 1;
}

static int32_t expect_waiting(struct reader *r, uint32_t value, void *out) {
    struct expect_reader e = *(struct expect_reader *)out;
    e.object = OBJECT_WAITING;
    return read_map(r, value, "jobs", NULL, 0, &e, waiting_key);
}

/* job/0: running, or job/0: {state, node ...} */
static int32_t task_key(struct reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    int32_t code = read_task_ref(r, key, &e->task);
    if (!code)
        code = read_is(r, value, YTREE_MAP) ? expect_object(r, value, e, OBJECT_TASK)
                                            : special_state(r, value, e);
    return code ? code : 1;
}

static int32_t expect_tasks(struct reader *r, uint32_t value, void *out) {
    struct expect_reader e = *(struct expect_reader *)out;
    e.object = OBJECT_TASK;
    return read_map(r, value, "tasks", NULL, 0, &e, task_key);
}

/* ---- placed ---------------------------------------------------------------------------------- */

static int32_t placed_names(struct reader *r, uint32_t value, struct expect_reader *e,
                            enum check_kind kind) {
    struct scn_list names = {NULL, 0, 0};
    int32_t code = read_names(r, value, &names);
    if (code) return code;
    struct check *check = expect_add(r, e, kind, value);
    if (!check) return LSCHED_E_NOMEM;
    check->texts = names.items;
    check->n = names.n;
    return 0;
}

static int32_t placed_count(struct reader *r, uint32_t value, void *e) {
    struct check *check = expect_add(r, e, CHECK_PLACED_COUNT, value);
    return check ? expect_units(r, value, UNITS_COUNT, check) : LSCHED_E_NOMEM;
}

static int32_t placed_on(struct reader *r, uint32_t value, void *e) {
    return placed_names(r, value, e, CHECK_PLACED_NODES);
}

static int32_t placed_in(struct reader *r, uint32_t value, void *e) {
    return placed_names(r, value, e, CHECK_PLACED_IN);
}

static int32_t placed_together(struct reader *r, uint32_t value, void *e) {
    struct check *check = expect_add(r, e, CHECK_PLACED_TOGETHER, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

static int32_t placed_apart(struct reader *r, uint32_t value, void *e) {
    struct check *check = expect_add(r, e, CHECK_PLACED_APART, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

/* A number of tasks, the nodes of all placed tasks, or a map of conditions. */
static int32_t placed_key(struct reader *r, uint32_t key, uint32_t value, void *out) {
    static const struct field fields[] = {{"count", placed_count, 0},
                                          {"on", placed_on, 0},
                                          {"in", placed_in, 0},
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
    code = is_number || compare != COMPARE_EQ ? placed_count(r, value, e) : placed_on(r, value, e);
    return code ? code : 1;
}

static int32_t expect_placed(struct reader *r, uint32_t value, void *out) {
    struct expect_reader e = *(struct expect_reader *)out;
    return read_map(r, value, "jobs", NULL, 0, &e, placed_key);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static int32_t expect_text_item(struct reader *r, uint32_t value, void *list) {
    lsched_text *text = read_add(r, list, NULL, sizeof *text, value);
    return text ? read_text(r, value, text) : LSCHED_E_NOMEM;
}

static int32_t expect_texts(struct reader *r, uint32_t value, struct expect_reader *e,
                            enum check_kind kind) {
    struct scn_list texts = {NULL, 0, 0};
    int32_t code = read_one_or_items(r, value, expect_text_item, &texts);
    if (code) return code;
    struct check *check = expect_add(r, e, kind, value);
    if (!check) return LSCHED_E_NOMEM;
    check->texts = texts.items;
    check->n = texts.n;
    return 0;
}

static int32_t expect_order(struct reader *r, uint32_t value, void *e) {
    return expect_texts(r, value, e, CHECK_ORDER);
}

static int32_t expect_withdrawn(struct reader *r, uint32_t value, void *e) {
    return expect_texts(r, value, e, CHECK_WITHDRAWN);
}

static int32_t gone_kind(struct reader *r, uint32_t value, struct expect_reader *e, uint32_t kind) {
    int32_t code = placed_names(r, value, e, CHECK_GONE);
    if (!code) ((struct check *)e->step->checks.items)[e->step->checks.n - 1].resource = kind;
    return code;
}

static int32_t gone_nodes(struct reader *r, uint32_t value, void *e) {
    return gone_kind(r, value, e, LSCHED_KIND_NODE);
}

static int32_t gone_queues(struct reader *r, uint32_t value, void *e) {
    return gone_kind(r, value, e, LSCHED_KIND_QUEUE);
}

static int32_t gone_jobs(struct reader *r, uint32_t value, void *e) {
    return gone_kind(r, value, e, LSCHED_KIND_JOB);
}

static int32_t expect_gone(struct reader *r, uint32_t value, void *e) {
    static const struct field fields[] = {
        {"nodes", gone_nodes, 0}, {"queues", gone_queues, 0}, {"jobs", gone_jobs, 0}};
    return read_map(r, value, "what is gone", fields, sizeof fields / sizeof *fields, e, NULL);
}

static int32_t expect_hash(struct reader *r, uint32_t value, struct expect_reader *e,
                           int64_t same) {
    struct check *check = expect_add(r, e, CHECK_SAME_HASH, value);
    if (!check) return LSCHED_E_NOMEM;
    check->value = same;
    return read_text(r, value, &check->text);
}

static int32_t expect_same_hash(struct reader *r, uint32_t value, void *e) {
    return expect_hash(r, value, e, 1);
}

static int32_t expect_other_hash(struct reader *r, uint32_t value, void *e) {
    return expect_hash(r, value, e, 0);
}

static int32_t status_item(struct reader *r, uint32_t value, void *list) {
    int64_t *status = read_add(r, list, NULL, sizeof *status, value);
    int32_t error = 0, code = status ? read_error_code(r, value, &error) : LSCHED_E_NOMEM;
    if (status) *status = error;
    return code;
}

static int32_t expect_status(struct reader *r, uint32_t value, void *out) {
    struct scn_list list = {NULL, 0, 0};
    int32_t code = read_items(r, value, "error codes", status_item, &list);
    if (code) return code;
    struct check *check = expect_add(r, out, CHECK_STATUS, value);
    if (!check) return LSCHED_E_NOMEM;
    check->values = list.items;
    check->n = list.n;
    return 0;
}

static int32_t expect_next_wake(struct reader *r, uint32_t value, void *e) {
    struct check *check = expect_add(r, e, CHECK_NEXT_WAKE, value);
    return check ? expect_time(r, value, check) : LSCHED_E_NOMEM;
}

int32_t read_expect(struct reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        {"placed", expect_placed, 0},
        {"waiting", expect_waiting, 0},
        {"order", expect_order, 0},
        {"tasks", expect_tasks, 0},
        {"jobs", expect_jobs, 0},
        {"queues", expect_queues, 0},
        {"nodes", expect_nodes, 0},
        {"plan", expect_plan, 0},
        {"cluster", expect_cluster, 0},
        {"policy", expect_policy, 0},
        {"withdrawn", expect_withdrawn, 0},
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
    r->base_us =
        r->scenario->start_us; /* a state is described by the clock of the whole scenario */
    int32_t code =
        read_map(r, value, "what is expected", fields, sizeof fields / sizeof *fields, &e, NULL);
    r->base_us = base_us;
    return code;
}

/* ---- expected errors ------------------------------------------------------------------------- */

static int32_t error_code(struct reader *r, uint32_t value, void *out) {
    struct expected_error *error = out;
    return read_error_code(r, value, &error->code);
}

static int32_t error_status(struct reader *r, uint32_t value, void *out) {
    struct expected_error *error = out;
    struct scn_list list = {NULL, 0, 0};
    int32_t code = read_items(r, value, "error codes", status_item, &list);
    error->status = list.items;
    error->n_status = list.n;
    return code;
}

/* E_STALE, or {code, text, status}. */
int32_t read_expect_error(struct reader *r, uint32_t value, void *out) {
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

/*
 * parse_fields.c -- reads the fields of one object in `expect:` and the values that they are
 * compared with.
 *
 * A number can have a comparison ("<= 100"). Every other value must be equal to the actual value,
 * or occur in it. expect_fields.c lists the fields of each object.
 */
#include <stdio.h>
#include <string.h>

#include "config/steps/expect_reader.h"
#include "config/objects/scenario_parts.h"

struct expectation *expect_add(struct field_reader *r, const struct expect_reader *e,
                               enum check_kind kind, uint32_t value) {
    struct expectation *check = read_add(r, &e->step->checks, NULL, sizeof *check, value);
    if (!check) return NULL;
    check->kind = (uint32_t)kind;
    check->mark = read_mark(r, value);
    check->object = e->object;
    check->subject = e->subject;
    check->task = e->task;
    check->resource = e->resource;
    return check;
}

const char *expect_chars(const struct field_reader *r, uint32_t value, size_t *len) {
    *len = 0;
    return read_is(r, value, YTREE_SCALAR) ? read_chars(r, value, len) : "";
}

/* Words for the objects in messages of the parser. */
static const char *const expect_what[OBJECTS] = {
    [OBJECT_JOB] = "a job's state",         [OBJECT_QUEUE] = "a queue's state",
    [OBJECT_NODE] = "a node's state",       [OBJECT_TASK] = "a task's state",
    [OBJECT_WAITING] = "a waiting job",     [OBJECT_PLAN] = "a plan",
    [OBJECT_CLUSTER] = "a cluster's state", [OBJECT_POLICY] = "a policy's state",
    [OBJECT_SHARE] = "a queue's share",     [OBJECT_DECISION] = "a decision",
};

/* ---- values to compare with ---- */

/* Returns the text behind a comparison such as "<=" and the spaces after it. */
const char *expect_operator(const char *text, size_t *len, uint32_t *compare) {
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

int32_t expect_units(struct field_reader *r, uint32_t value, uint32_t units,
                     struct expectation *check) {
    char expected[96];
    size_t len;
    const char *text = expect_operator(expect_chars(r, value, &len), &len, &check->compare);
    check->value = LSCHED_UNLIMITED;
    if (len == 9 && memcmp(text, "unlimited", len) == 0) return 0;
    size_t negative = len > 1 && text[0] == '-';
    enum units_fault fault =
        units_parse((enum units_kind)units, text + negative, len - negative, &check->value);
    if (negative) check->value = -check->value;
    if (!fault) return 0;
    snprintf(expected, sizeof expected, "%s, or a bound such as \"<= 5\"",
             units_expected((enum units_kind)units));
    return read_expected(r, LSCHED_E_TYPE, value, expected);
}

int32_t expect_time(struct field_reader *r, uint32_t value, struct expectation *check) {
    size_t len;
    if (strcmp(expect_chars(r, value, &len), "never") != 0)
        return read_time(r, value, &check->value);
    check->value = LSCHED_NEVER_US;
    return 0;
}

int32_t read_error_code(struct field_reader *r, uint32_t value, int32_t *out) {
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

/* Number of codes in each list of codes.def. The codes of a list begin at 0 and have no gaps. */
/* clang-format off */
#define COUNT_CODE(name, value, word) + 1
enum {
    WAIT_CODES = 0
#define LSCHED_X_WAIT COUNT_CODE
#include <libsched/codes.def>
};
enum {
    EVICT_CODES = 0
#define LSCHED_X_EVICT COUNT_CODE
#include <libsched/codes.def>
};
enum {
    REASON_CODES = 0
#define LSCHED_X_FOR COUNT_CODE
#include <libsched/codes.def>
};
enum {
    STATE_CODES = 0
#define LSCHED_X_TASK COUNT_CODE
#include <libsched/codes.def>
};
/* clang-format on */
enum { CODES_MAX = 32 };
_Static_assert((int)WAIT_CODES <= (int)CODES_MAX && (int)EVICT_CODES <= (int)CODES_MAX &&
                   (int)REASON_CODES <= (int)CODES_MAX && (int)STATE_CODES <= (int)CODES_MAX,
               "room for the words of each list");

/* Reads one of the words that name() returns for the codes 0 to n - 1. */
static int32_t expect_code_word(struct field_reader *r, uint32_t value,
                                const char *(*name)(uint32_t), uint32_t n,
                                struct expectation *check) {
    const char *words[CODES_MAX];
    uint32_t code = 0;
    for (uint32_t i = 0; i < n; i++) words[i] = name(i);
    int32_t fault = read_word(r, value, words, n, &code);
    check->value = code;
    return fault;
}

static int32_t expect_comparand(struct field_reader *r, uint32_t value,
                                const struct expect_field *row, struct expectation *check) {
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
    case VALUE_AMOUNT:
        return expect_units(r, value, (uint32_t)scn_kind_units(r->scenario, check->resource),
                            check);
    case VALUE_EVICT: return expect_code_word(r, value, lsched_evict_name, EVICT_CODES, check);
    case VALUE_REASON: return expect_code_word(r, value, lsched_reason_name, REASON_CODES, check);
    case VALUE_TEXT:
    case VALUE_PART:
    case VALUE_NAME: break;
    }
    return read_text(r, value, &check->text);
}

/* ---- objects and their fields ---- */

/* The amounts that each kind of object has, as bits 1 << enum amount_field. */
static const uint32_t expect_object_amounts[OBJECTS] = {
    [OBJECT_QUEUE] = 1u << AMOUNT_USED | 1u << AMOUNT_QUOTA | 1u << AMOUNT_LIMIT,
    [OBJECT_NODE] = 1u << AMOUNT_FREE | 1u << AMOUNT_CAPACITY,
    [OBJECT_WAITING] =
        1u << AMOUNT_NEED | 1u << AMOUNT_HAVE | 1u << AMOUNT_EVICT_NEED | 1u << AMOUNT_EVICT_HAVE,
};

/* Keys that have no row in expect_fields.c; each has a read function of its own. */
struct expect_special {
    uint32_t object;
    const char *name;
    int32_t (*read)(struct field_reader *r, uint32_t value, struct expect_reader *e);
};

int32_t expect_state(struct field_reader *r, uint32_t value, struct expect_reader *e) {
    struct expectation *check = expect_add(r, e, CHECK_TASK_STATE, value);
    size_t len;
    if (!check) return LSCHED_E_NOMEM;
    check->value = LSCHED_TASK_NONE;
    /* "waits" is the older word for this state */
    if (strcmp(expect_chars(r, value, &len), "waits") == 0) return 0;
    return expect_code_word(r, value, lsched_task_state_name, STATE_CODES, check);
}

static int32_t special_node(struct field_reader *r, uint32_t value, struct expect_reader *e) {
    struct expectation *check = expect_add(r, e, CHECK_TASK_NODE, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

static int32_t special_releasing(struct field_reader *r, uint32_t value, struct expect_reader *e) {
    struct expectation *check = expect_add(r, e, CHECK_TASK_RELEASING, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

static int32_t special_mask(struct field_reader *r, uint32_t value, struct expect_reader *e,
                            enum check_kind kind) {
    struct expectation *check = expect_add(r, e, kind, value);
    uint32_t mask = 0;
    if (!check) return LSCHED_E_NOMEM;
    int32_t code = read_device_mask(r, value, &mask);
    check->value = mask;
    return code;
}

static int32_t special_devices(struct field_reader *r, uint32_t value, struct expect_reader *e) {
    return special_mask(r, value, e, CHECK_TASK_DEVICES);
}

static int32_t special_nics(struct field_reader *r, uint32_t value, struct expect_reader *e) {
    return special_mask(r, value, e, CHECK_TASK_NICS);
}

static int32_t special_numa(struct field_reader *r, uint32_t value, struct expect_reader *e) {
    return special_mask(r, value, e, CHECK_TASK_NUMA);
}

static int32_t special_free_share(struct field_reader *r, uint32_t value, void *list) {
    int64_t *share = read_add(r, list, NULL, sizeof *share, value);
    return share ? read_milli(r, value, share) : LSCHED_E_NOMEM;
}

static int32_t special_device_free(struct field_reader *r, uint32_t value,
                                   struct expect_reader *e) {
    struct scn_list shares = {NULL, 0, 0};
    int32_t code = read_items(r, value, "free GPUs", special_free_share, &shares);
    if (code) return code;
    struct expectation *check = expect_add(r, e, CHECK_DEVICES_FREE, value);
    if (!check) return LSCHED_E_NOMEM;
    check->values = shares.items;
    check->n = shares.n;
    return 0;
}

int32_t expect_code(struct field_reader *r, uint32_t value, struct expect_reader *e) {
    struct expectation *check = expect_add(r, e, CHECK_WAITING, value);
    size_t len;
    if (!check) return LSCHED_E_NOMEM;
    check->value = -1;
    if (strcmp(expect_chars(r, value, &len), "any") == 0) return 0;
    return expect_code_word(r, value, lsched_wait_name, WAIT_CODES, check);
}

static int32_t special_text(struct field_reader *r, uint32_t value, struct expect_reader *e) {
    struct expectation *check = expect_add(r, e, CHECK_WAITING_TEXT, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

static const struct expect_special expect_specials[] = {
    {OBJECT_TASK, "state", expect_state},        {OBJECT_TASK, "node", special_node},
    {OBJECT_TASK, "devices", special_devices},   {OBJECT_NODE, "device_free", special_device_free},
    {OBJECT_TASK, "leaving", special_releasing}, {OBJECT_WAITING, "code", expect_code},
    {OBJECT_WAITING, "text", special_text},      {OBJECT_TASK, "nics", special_nics},
    {OBJECT_TASK, "numa", special_numa},
};
enum { EXPECT_SPECIALS = sizeof expect_specials / sizeof *expect_specials };

/* Returns key i of an object: the rows come first, then the amounts, then the specials. */
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

static int32_t expect_amount(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct amount_reader *amounts = out;
    size_t len;
    uint32_t kind = read_kind(r, read_chars(r, key, &len));
    if (!kind) return 0;
    struct expectation *check = expect_add(r, amounts->expect, CHECK_AMOUNT, value);
    if (!check) return LSCHED_E_NOMEM;
    check->field = amounts->field;
    check->resource = kind;
    int32_t code = expect_units(r, value, (uint32_t)scn_kind_units(r->scenario, kind), check);
    return code ? code : 1;
}

int32_t expect_field(struct field_reader *r, uint32_t value, struct expect_reader *e,
                     uint32_t object, const char *name) {
    const struct expect_field *row = expect_fields[object];
    uint32_t i = 0;
    while (strcmp(row[i].name, name) != 0) i++;
    e->object = object;
    struct expectation *check = expect_add(r, e, CHECK_FIELD, value);
    if (!check) return LSCHED_E_NOMEM;
    check->field = i;
    return expect_comparand(r, value, &row[i], check);
}

static int32_t expect_object_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    const struct expect_field *rows = expect_fields[e->object];
    size_t len;
    const char *name = read_chars(r, key, &len);
    for (uint32_t i = 0; rows[i].name; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        int32_t code = expect_field(r, value, e, e->object, name);
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

int32_t expect_object(struct field_reader *r, uint32_t value, struct expect_reader *e,
                      uint32_t object) {
    e->object = object;
    return read_map(r, value, expect_what[object], NULL, 0, e, expect_object_key);
}

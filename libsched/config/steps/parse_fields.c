/*
 * parse_fields.c -- see parse_fields.h.
 *
 * An expected number can have a comparison in front of it ("<= 100"). An expected value of another
 * type must be equal to the actual value, or must occur in the actual text. expect_fields.c lists
 * the fields of each object.
 */
#include <stdio.h>
#include <string.h>

#include "config/objects/parse_device_set.h"
#include "config/read/quantity_reader.h"
#include "config/steps/parse_actions.h"
#include "config/steps/parse_fields.h"

struct expectation *expect_add(struct field_reader *r, const struct expect_reader *e, uint32_t kind,
                               uint32_t value) {
    struct expectation *check = read_add(r, &e->step->checks, NULL, sizeof *check, value);
    if (!check) return NULL;
    check->kind = kind;
    check->mark = read_mark(r, value);
    check->object = e->object;
    check->subject = e->subject;
    check->task = e->task;
    check->resource = e->resource;
    return check;
}

/* For each enum field_object the words for such an object in messages of the parser. */
static const char *const expect_what[OBJECTS] = {
    [OBJECT_JOB] = "a job's state",         [OBJECT_QUEUE] = "a queue's state",
    [OBJECT_NODE] = "a node's state",       [OBJECT_TASK] = "a task's state",
    [OBJECT_WAITING] = "a waiting job",     [OBJECT_PLAN] = "a plan",
    [OBJECT_CLUSTER] = "a cluster's state", [OBJECT_POLICY] = "a policy's state",
    [OBJECT_SHARE] = "a queue's share",     [OBJECT_DECISION] = "a decision",
};

/* ---- values to compare with ---- */

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
    const char *text = expect_operator(read_scalar(r, value, &len), &len, &check->compare);
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
    if (!read_is_word(r, value, "never")) return read_time(r, value, &check->value);
    check->value = LSCHED_NEVER_US;
    return 0;
}

int32_t read_error_code(struct field_reader *r, uint32_t value, void *int32_out) {
    static const struct {
        const char *name;
        int32_t code;
    } codes[] = {
#define X(name, value, text) {#name, value},
#include <libsched/errors.def>
#undef X
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (read_is_word(r, value, codes[i].name)) {
            *(int32_t *)int32_out = codes[i].code;
            return 0;
        }
    return read_expected(r, LSCHED_E_TYPE, value, "an error code such as E_STALE, or OK");
}

/* Reads a word and writes its code to check->value. name() is a call of the library that returns
 * the word of a code, and "unknown" for a code above the last one. */
static int32_t expect_code_word(struct field_reader *r, uint32_t value,
                                const char *(*name)(uint32_t), struct expectation *check) {
    enum { CODES_MAX = 64 };
    const char *words[CODES_MAX];
    uint32_t code = 0, n = 0;
    for (; n < CODES_MAX && strcmp(name(n), "unknown") != 0; n++) words[n] = old_name_word(name(n));
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
    case VALUE_EVICT: return expect_code_word(r, value, lsched_no_victim_name, check);
    case VALUE_REASON: return expect_code_word(r, value, lsched_reason_name, check);
    default: break;
    }
    return read_text(r, value, &check->text);
}

/* ---- objects and their fields ---- */

int32_t expect_state(struct field_reader *r, uint32_t value, void *e, uint32_t kind) {
    struct expectation *check = expect_add(r, e, kind, value);
    if (!check) return LSCHED_E_NOMEM;
    return expect_code_word(r, value, lsched_task_state_name, check);
}

static int32_t special_set(struct field_reader *r, uint32_t value, void *e, uint32_t kind) {
    struct expectation *check = expect_add(r, e, kind, value);
    return check ? read_device_words(r, value, check->set) : LSCHED_E_NOMEM;
}

static int32_t special_free_share(struct field_reader *r, uint32_t value, void *list) {
    int64_t *share = read_add(r, list, NULL, sizeof *share, value);
    return share ? read_units(r, value, share, UNITS_GPU_MILLI) : LSCHED_E_NOMEM;
}

static int32_t special_device_free(struct field_reader *r, uint32_t value, void *e, uint32_t kind) {
    struct scn_list shares = {NULL, 0, 0};
    int32_t code = read_items(r, value, "free GPUs", special_free_share, &shares);
    if (code) return code;
    struct expectation *check = expect_add(r, e, kind, value);
    if (!check) return LSCHED_E_NOMEM;
    check->values = shares.items;
    check->n = shares.n;
    return 0;
}

int32_t expect_code(struct field_reader *r, uint32_t value, void *e, uint32_t kind) {
    struct expectation *check = expect_add(r, e, kind, value);
    if (!check) return LSCHED_E_NOMEM;
    check->value = -1;
    if (read_is_word(r, value, "any")) return 0;
    return expect_code_word(r, value, lsched_wait_name, check);
}

int32_t expect_text(struct field_reader *r, uint32_t value, void *e, uint32_t kind) {
    struct expectation *check = expect_add(r, e, kind, value);
    return check ? read_text(r, value, &check->text) : LSCHED_E_NOMEM;
}

static const char *expect_candidate(const void *user, size_t i) {
    return expect_fields[*(const uint32_t *)user][i].name;
}

struct amount_reader {
    struct expect_reader *expect;
    uint32_t field;
};

static int32_t expect_amount(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct amount_reader *amounts = out;
    uint32_t kind = read_kind(r, key);
    if (!kind) return 0;
    struct expectation *check = expect_add(r, amounts->expect, CHECK_AMOUNT, value);
    if (!check) return LSCHED_E_NOMEM;
    check->field = amounts->field;
    check->resource = kind;
    int32_t code = expect_units(r, value, (uint32_t)scn_kind_units(r->scenario, kind), check);
    return code ? code : 1;
}

/* Reads the expected value of the field that row i of expect_fields[e->object] describes. */
static int32_t expect_row(struct field_reader *r, uint32_t value, struct expect_reader *e,
                          uint32_t i) {
    static const read_with_fn readers[VALUE_TYPES] = {
        [VALUE_CHECK_TEXT] = expect_text,           [VALUE_CHECK_MASK] = special_set,
        [VALUE_CHECK_STATE] = expect_state,         [VALUE_CHECK_WAIT] = expect_code,
        [VALUE_CHECK_SHARES] = special_device_free,
    };
    const struct expect_field *row = &expect_fields[e->object][i];
    if (readers[row->type]) return readers[row->type](r, value, e, row->bit);
    if (row->type == VALUE_AMOUNTS) {
        struct amount_reader amounts = {e, i};
        return read_map(r, value, "resource kinds", NULL, 0, &amounts, expect_amount);
    }
    struct expectation *check = expect_add(r, e, CHECK_FIELD, value);
    if (!check) return LSCHED_E_NOMEM;
    check->field = i;
    return expect_comparand(r, value, row, check);
}

int32_t expect_field(struct field_reader *r, uint32_t value, struct expect_reader *e,
                     uint32_t object, const char *name) {
    uint32_t i = 0;
    while (strcmp(expect_fields[object][i].name, name) != 0) i++;
    e->object = object;
    return expect_row(r, value, e, i);
}

static int32_t expect_object_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct expect_reader *e = out;
    const struct expect_field *rows = expect_fields[e->object];
    const char *name;
    uint32_t i = 0;
    int32_t code = read_key_name(r, e->map, key, expect_candidate, &e->object, &name);
    if (code) return code;
    while (rows[i].name && strcmp(rows[i].name, name) != 0) i++;
    if (!rows[i].name)
        return read_unknown(r, key, expect_what[e->object], expect_candidate, &e->object);
    code = expect_row(r, value, e, i);
    return code ? code : 1;
}

int32_t expect_object(struct field_reader *r, uint32_t value, void *out, uint32_t object) {
    struct expect_reader *e = out;
    e->object = object;
    e->map = value;
    return read_map(r, value, expect_what[object], NULL, 0, e, expect_object_key);
}

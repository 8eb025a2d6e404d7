/* quantity_reader.c -- see quantity_reader.h. */
#include "config/read/quantity_reader.h"

#include <stdio.h>
#include <string.h>

/* Fills the error for a quantity that is not allowed. A wrong form or a wrong unit gives
 * LSCHED_E_TYPE. A value that has the correct form but is too large, too fine or negative gives
 * LSCHED_E_RANGE. */
static int32_t quantity_fault(struct field_reader *r, uint32_t value, const char *expected,
                              enum units_fault fault) {
    int32_t code =
        fault == UNITS_WRONG_FORM || fault == UNITS_WRONG_UNIT ? LSCHED_E_TYPE : LSCHED_E_RANGE;
    if (code == LSCHED_E_TYPE) return read_expected(r, code, value, expected);
    return complain_at(&r->complain, code, read_mark(r, value), "expected %s, got %s, which %s",
                       expected, read_got(r, value).text, units_fault_text(fault));
}

int32_t read_units(struct field_reader *r, uint32_t value, void *out, uint32_t units_kind) {
    size_t len;
    enum units_kind kind = (enum units_kind)units_kind;
    const char *text = read_scalar(r, value, &len);
    enum units_fault fault = units_parse(kind, text, len, out);
    return fault ? quantity_fault(r, value, units_expected(kind), fault) : 0;
}

/* Adds a note if an amount of memory below 1 MiB has no unit. Such a number means bytes, and
 * probably the writer forgot the unit, such as 64 for 64Gi. */
static int32_t note_bytes(struct field_reader *r, uint32_t value, int64_t bytes) {
    char text[120];
    size_t len;
    const char *word = read_scalar(r, value, &len);
    if (bytes <= 0 || bytes >= 1 << 20 || len == 0 || word[len - 1] < '0' || word[len - 1] > '9')
        return 0;
    snprintf(text, sizeof text, "%.*s is in bytes; write a unit, such as %.*sGi or %.*sMi",
             (int)(len < 20 ? len : 20), word, (int)(len < 20 ? len : 20), word,
             (int)(len < 20 ? len : 20), word);
    return read_note(r, value, text);
}

int32_t read_memory(struct field_reader *r, uint32_t value, void *out) {
    int64_t *bytes = out;
    int32_t code = read_units(r, value, bytes, UNITS_MEMORY_BYTES);
    return code ? code : note_bytes(r, value, *bytes);
}

int32_t read_duration(struct field_reader *r, uint32_t value, void *out) {
    return read_units(r, value, out, UNITS_DURATION_US);
}

/* A value with a '-' as its fifth character is a date, because the year has four digits. The fifth
 * character of a duration is never a '-'. */
int32_t read_time(struct field_reader *r, uint32_t value, void *out) {
    static const char expected[] = "a duration such as 2h30m, or a date such as 2026-01-05T08:30Z";
    size_t len;
    const char *text = read_scalar(r, value, &len);
    int64_t at = 0;
    if (len > 4 && text[4] == '-') {
        enum units_fault fault = units_parse_date(text, len, out);
        return fault ? quantity_fault(r, value, expected, fault) : 0;
    }
    enum units_fault fault = units_parse_offset(text, len, &at);
    if (fault) return quantity_fault(r, value, expected, fault);
    if (at > LSCHED_AMOUNT_MAX - r->base_us)
        return quantity_fault(r, value, expected, UNITS_TOO_LARGE);
    if (r->base_us + at < 0)
        return complain_at(
            &r->complain, LSCHED_E_RANGE, read_mark(r, value),
            "expected a time after 1970, got %s, which is before; \"start\" says when the "
            "scenario begins",
            read_got(r, value).text);
    *(int64_t *)out = r->base_us + at;
    return 0;
}

/* ---- resource kinds ---- */

uint32_t read_kind_named(const struct field_reader *r, const char *name) {
    uint32_t kind = LSCHED_CPU;
    while (kind < r->scenario->n_kinds && strcmp(r->scenario->kinds[kind], name) != 0) kind++;
    if (kind < r->scenario->n_kinds) return kind;
    for (uint32_t i = 0; i < r->scenario->n_models; i++)
        if (strcmp(r->scenario->models[i], name) == 0) return LSCHED_RESOURCE_KINDS_MAX + i;
    return LSCHED_ANY_RESOURCE;
}

uint32_t read_kind(const struct field_reader *r, uint32_t key) {
    size_t len;
    return read_kind_named(r, read_chars(r, key, &len));
}

int32_t read_amount(struct field_reader *r, uint32_t value, void *out, uint32_t kind) {
    return read_units(r, value, out, (uint32_t)scn_kind_units(r->scenario, kind));
}

int32_t read_amount_key(struct field_reader *r, uint32_t key, uint32_t value,
                        void *list_of_amount) {
    uint32_t kind = read_kind(r, key);
    if (!kind) return 0;
    lsched_amount *amount = read_add(r, list_of_amount, NULL, sizeof *amount, value);
    if (!amount) return LSCHED_E_NOMEM;
    amount->kind = kind;
    int32_t code = read_amount(r, value, &amount->amount, kind);
    if (!code && scn_kind_units(r->scenario, kind) == UNITS_MEMORY_BYTES)
        code = note_bytes(r, value, amount->amount);
    return code ? code : 1;
}

static int32_t read_limit_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    if (!read_is_word(r, value, "unlimited")) return read_amount_key(r, key, value, out);
    uint32_t kind = read_kind(r, key);
    if (!kind) return 0;
    lsched_amount *amount = read_add(r, out, NULL, sizeof *amount, value);
    if (!amount) return LSCHED_E_NOMEM;
    *amount = (lsched_amount){kind, 0, LSCHED_UNLIMITED};
    return 1;
}

int32_t read_limits(struct field_reader *r, uint32_t value, void *list_of_amount) {
    return read_map(r, value, "resource kinds", NULL, 0, list_of_amount, read_limit_key);
}

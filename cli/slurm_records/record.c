/* record.c -- see record.h. */
#include "cli/slurm_records/record.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

void record_begin(struct record *record, uint32_t line) {
    record->line = line;
    record->n = 0;
    record->used = 0;
}

/* Copies the text behind the others and ends it with NUL. Returns its offset, or SIZE_MAX if the
 * record would become too large. */
static size_t put(struct record *record, const char *text, size_t len) {
    if (len >= RECORD_BYTES_MAX || record->used + len + 1 > RECORD_BYTES_MAX) return SIZE_MAX;
    if (record->used + len + 1 > record->bytes) {
        record->bytes = 2 * (record->used + len + 1) + 256;
        record->text = must_resize(record->text, record->bytes);
    }
    size_t at = record->used;
    if (len > 0) memcpy(record->text + at, text, len);
    record->text[at + len] = '\0';
    record->used += len + 1;
    return at;
}

static int32_t too_large(const struct record *record, uint32_t line, lsched_error *err) {
    return error_at(err, LSCHED_E_LIMIT, line, 1,
                    "the record that begins on line %u: expected at most %d fields and %d bytes, "
                    "got more",
                    record->line, RECORD_FIELDS_MAX, RECORD_BYTES_MAX);
}

int32_t record_add(struct record *record, const char *key, size_t key_len, const char *value,
                   size_t value_len, uint32_t line, lsched_error *err) {
    if (record->n == RECORD_FIELDS_MAX) return too_large(record, line, err);
    size_t key_at = put(record, key, key_len);
    size_t value_at = key_at != SIZE_MAX ? put(record, value, value_len) : SIZE_MAX;
    if (value_at == SIZE_MAX) return too_large(record, line, err);
    record->fields =
        must_grow(record->fields, record->n, &record->capacity, sizeof record->fields[0]);
    record->fields[record->n++] = (struct record_field){key_at, value_at, line};
    return LSCHED_OK;
}

int32_t record_append(struct record *record, const char *text, size_t len, lsched_error *err) {
    if (record->n == 0) return LSCHED_OK;
    record->used--; /* the last value ends the text; its NUL goes */
    if (put(record, text, len) != SIZE_MAX) return LSCHED_OK;
    record->text[record->used++] = '\0';
    return too_large(record, record->line, err);
}

void record_free(struct record *record) {
    free(record->fields);
    free(record->text);
    memset(record, 0, sizeof *record);
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool same_word(const char *a, size_t a_len, const char *b, size_t b_len) {
    if (a_len != b_len) return false;
    for (size_t i = 0; i < a_len; i++) {
        if (lower(a[i]) != lower(b[i])) return false;
    }
    return true;
}

static bool says_nothing(const char *value) {
    static const char *const words[] = {"", "(null)", "N/A", "None", "none", "null", "Unknown"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value, words[i]) == 0) return true;
    }
    return false;
}

const char *record_find(const struct record *record, const char *keys, uint32_t *line) {
    while (*keys != '\0') {
        size_t len = strcspn(keys, "|");
        for (size_t i = record->n; i > 0; i--) {
            const char *key = record_key(record, i - 1);
            if (!same_word(key, strlen(key), keys, len)) continue;
            if (says_nothing(record_value(record, i - 1))) break;
            if (line != NULL) *line = record->fields[i - 1].line;
            return record_value(record, i - 1);
        }
        keys += len + (keys[len] == '|');
    }
    return NULL;
}

/*
 * record.h -- a record: the fields of one object, in the form that all readers of Slurm's files and
 * outputs share.
 *
 * A line of slurm.conf, a block of `scontrol show`, a row of `sacct -P` and an object of JSON are
 * all lists of keys with values. A reader makes records of them and knows nothing of their meaning;
 * site_read.h and sacct_log.h give them their meaning and know nothing of the form. A nested object
 * of JSON becomes fields with dots: {"time_limit": {"number": 30}} is the field
 * "time_limit.number".
 */
#ifndef LSCHED_CLI_RECORD_H
#define LSCHED_CLI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum {
    RECORD_FIELDS_MAX = 4096,    /* most fields of one record */
    RECORD_BYTES_MAX = 16 << 20, /* most bytes of the keys and values of one record */
    RECORD_WORD_SHOWN = 60       /* most bytes of a word that a message shows */
};

struct record_field {
    size_t key, value; /* offsets in record.text; both texts end with NUL */
    uint32_t line;
};

struct record {
    uint32_t line;               /* line on which the record begins */
    struct record_field *fields; /* owned by this struct */
    size_t n, capacity;
    char *text; /* owned by this struct */
    size_t used, bytes;
};

/* Called for each record; the record is valid during the call. Returns 0, or a negative error code
 * that ends the reading. */
typedef int32_t (*record_fn)(void *user, const struct record *record, lsched_error *err);

/* Removes all fields and keeps the memory. */
void record_begin(struct record *record, uint32_t line);
/* Adds a field. Returns LSCHED_E_LIMIT if the record has too many fields or bytes. */
int32_t record_add(struct record *record, const char *key, size_t key_len, const char *value,
                   size_t value_len, uint32_t line, lsched_error *err);
/* Appends text to the value of the last field. */
int32_t record_append(struct record *record, const char *text, size_t len, lsched_error *err);
void record_free(struct record *record);

static inline const char *record_key(const struct record *record, size_t i) {
    return record->text + record->fields[i].key;
}
static inline const char *record_value(const struct record *record, size_t i) {
    return record->text + record->fields[i].value;
}

/* Returns the value of the last field with one of the keys, or NULL. `keys` has the keys with
 * '|' between them, such as "TimeLimit|time_limit.number"; upper and lower case are equal. An
 * earlier key of the list wins. Values that say nothing, such as "(null)", "N/A" and "", are
 * NULL. If `line` is not NULL, it gets the line of the field. */
const char *record_find(const struct record *record, const char *keys, uint32_t *line);

/* Returns true if two texts are equal; upper and lower case of ASCII letters are equal. */
bool same_word(const char *a, size_t a_len, const char *b, size_t b_len);

#endif

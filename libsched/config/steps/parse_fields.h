/* parse_fields.h -- reads the expected values of the fields of one object in `expect:`. */
#ifndef LIBSCHED_PARSE_FIELDS_H
#define LIBSCHED_PARSE_FIELDS_H

#include "config/steps/expect_fields.h"
#include "config/read/field_reader.h"

/* The object whose expected fields are being read. Each check that expect_add() adds is about this
 * object. */
struct expect_reader {
    struct step *step;
    uint32_t map;    /* index in the YAML tree of the map whose keys are being read */
    uint32_t object; /* enum field_object */
    /* OBJECT_SHARE: index of a resource kind; OBJECT_DECISION: kind of decision, such as
     * LSCHED_DECIDE_PLACE */
    uint32_t resource;
    lsched_text subject;
    struct task_ref task;
};

/* Adds a check of the kind `kind` (enum check_kind) about the object of `e`, and returns it. When
 * memory is out, fills the error and returns NULL. */
struct expectation *expect_add(struct field_reader *r, const struct expect_reader *e, uint32_t kind,
                               uint32_t value);
/* Splits a text such as "<= 5". Writes the comparison at its start to *compare, and COMPARE_EQ if
 * the text has no comparison. Returns the text after the comparison and the spaces that follow it,
 * and writes the length of this text to *len. Before the call, *len is the length of `text`. */
const char *expect_operator(const char *text, size_t *len, uint32_t *compare);
/* Reads a quantity or the word "unlimited" into `check`; a comparison such as "<=" can come first.
 * `units` is an enum units_kind. */
int32_t expect_units(struct field_reader *r, uint32_t value, uint32_t units,
                     struct expectation *check);
/* Reads a point of time or the word "never" into `check`. */
int32_t expect_time(struct field_reader *r, uint32_t value, struct expectation *check);

/* Reads a map from names of fields to expected values. `e` is a struct expect_reader *, and
 * `object` is the enum field_object. */
int32_t expect_object(struct field_reader *r, uint32_t value, void *e, uint32_t object);
/* Reads the expected value of the field `name`, for text that has the value alone instead of a map
 * of fields. */
int32_t expect_field(struct field_reader *r, uint32_t value, struct expect_reader *e,
                     uint32_t object, const char *name);
/* Read a word and add a check with its code. expect_state() reads the word for the state of a task,
 * and expect_code() reads the word for a wait code. */
int32_t expect_state(struct field_reader *r, uint32_t value, void *e, uint32_t kind);
int32_t expect_code(struct field_reader *r, uint32_t value, void *e, uint32_t kind);
/* Reads a text and adds a check of the kind `kind` with this text. */
int32_t expect_text(struct field_reader *r, uint32_t value, void *e, uint32_t kind);
/* Reads the name of an error code, such as "E_STALE" or "OK". */
int32_t read_error_code(struct field_reader *r, uint32_t value, void *int32_out);

#endif

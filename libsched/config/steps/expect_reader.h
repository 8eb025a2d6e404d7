/* expect_reader.h -- the functions that parse_expect.c and parse_fields.c share to read
 * `expect:`. */
#ifndef LIBSCHED_EXPECT_READER_H
#define LIBSCHED_EXPECT_READER_H

#include "config/steps/expect_fields.h"
#include "config/read/field_reader.h"

/* The object that the text is describing. Each check that is added refers to this object. */
struct expect_reader {
    struct step *step;
    uint32_t object;   /* enum field_object */
    uint32_t resource; /* OBJECT_SHARE: a resource kind; OBJECT_DECISION: LSCHED_PLACE ... */
    lsched_text subject;
    struct task_ref task;
};

struct expectation *expect_add(struct field_reader *r, const struct expect_reader *e,
                               enum check_kind kind, uint32_t value);
/* Returns the text of a scalar, and "" for a list or a map. */
const char *expect_chars(const struct field_reader *r, uint32_t value, size_t *len);
/* Returns the text behind a comparison such as "<=" and its spaces, shortens *len, and writes the
 * comparison to *compare; without one, COMPARE_EQ. */
const char *expect_operator(const char *text, size_t *len, uint32_t *compare);
/* expect_units reads a quantity that may have a comparison before it, or "unlimited". expect_time
 * reads a point of time, or "never". */
int32_t expect_units(struct field_reader *r, uint32_t value, uint32_t units,
                     struct expectation *check);
int32_t expect_time(struct field_reader *r, uint32_t value, struct expectation *check);

/* Reads a map {field: value ...} of an object. */
int32_t expect_object(struct field_reader *r, uint32_t value, struct expect_reader *e,
                      uint32_t object);
/* Reads one field that a map of the object would have under `name`. */
int32_t expect_field(struct field_reader *r, uint32_t value, struct expect_reader *e,
                     uint32_t object, const char *name);
/* Read the fields that can be written without a map: the state of a task, and the wait reason of a
 * job. */
int32_t expect_state(struct field_reader *r, uint32_t value, struct expect_reader *e);
int32_t expect_code(struct field_reader *r, uint32_t value, struct expect_reader *e);

#endif

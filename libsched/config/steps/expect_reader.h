/* expect_reader.h -- the readers of `expect:` among each other: parse_expect.c, parse_fields.c. */
#ifndef LIBSCHED_EXPECT_READER_H
#define LIBSCHED_EXPECT_READER_H

#include "config/steps/expect_fields.h"
#include "config/read/field_reader.h"

/* What is being described; each check that is added is about that. */
struct expect_reader {
    struct step *step;
    uint32_t object;   /* enum field_object */
    uint32_t resource; /* SHARE: a kind; DECISION: LSCHED_PLACE ... */
    lsched_text subject;
    struct task_ref task;
};

struct expectation *expect_add(struct field_reader *r, const struct expect_reader *e,
                               enum check_kind kind, uint32_t value);
/* Text of a scalar, "" of anything else. */
const char *expect_chars(const struct field_reader *r, uint32_t value, size_t *len);
/* Takes "<=" and spaces off the front. */
const char *expect_operator(const char *text, size_t *len, uint32_t *compare);
/* A quantity that may have a comparison before it, or "unlimited"; an instant, or "never". */
int32_t expect_units(struct field_reader *r, uint32_t value, uint32_t units,
                     struct expectation *check);
int32_t expect_time(struct field_reader *r, uint32_t value, struct expectation *check);

/* {field: value ...} of an object. */
int32_t expect_object(struct field_reader *r, uint32_t value, struct expect_reader *e,
                      uint32_t object);
/* One field, by the name that it would have there. */
int32_t expect_field(struct field_reader *r, uint32_t value, struct expect_reader *e,
                     uint32_t object, const char *name);
/* The fields that may stand alone: the state of a task, the code of a job that waits. */
int32_t expect_state(struct field_reader *r, uint32_t value, struct expect_reader *e);
int32_t expect_code(struct field_reader *r, uint32_t value, struct expect_reader *e);

#endif

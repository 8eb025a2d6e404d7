/*
 * expect_fields.h -- tables of the values that `expect:` can compare: fields of the public info
 * structs, by name. The parser looks up names in these tables, and the runner reads values through
 * the same rows, therefore a new field is added in one place.
 */
#ifndef LIBSCHED_EXPECT_FIELDS_H
#define LIBSCHED_EXPECT_FIELDS_H

#include "base/units.h"
#include "config/read/scenario_form.h"

/* The kinds of objects that `expect:` can name. Each comment names the struct whose fields are
 * compared. */
enum field_object {
    OBJECT_JOB,      /* a field of lsched_job_info */
    OBJECT_QUEUE,    /* a field of lsched_queue_info */
    OBJECT_NODE,     /* a field of lsched_node_info */
    OBJECT_TASK,     /* a field of lsched_task_info */
    OBJECT_WAITING,  /* a field of lsched_waiting */
    OBJECT_PLAN,     /* a field of lsched_plan_info */
    OBJECT_CLUSTER,  /* a field of lsched_cluster_stats */
    OBJECT_POLICY,   /* a field of lsched_policy_info */
    OBJECT_SHARE,    /* a field of lsched_queue_share for one resource kind */
    OBJECT_DECISION, /* a field of lsched_decision */
    OBJECTS
};

/* The types of fields, and how a scenario writes the expected value. */
enum value_type {
    VALUE_U32,
    VALUE_I32,
    VALUE_I64,    /* int64_t, or uint64_t with a value below 2^62 */
    VALUE_FLAG,   /* true or false: `bit` of a uint32_t */
    VALUE_TIME,   /* microseconds, or "never" */
    VALUE_HASH,   /* uint64_t that is compared with all 64 bits */
    VALUE_TEXT,   /* NUL-terminated array that must equal the expected text */
    VALUE_PART,   /* NUL-terminated text in which the expected text must occur */
    VALUE_CODE,   /* error code, written by its name */
    VALUE_NAME,   /* id of a live object, written by the object's name */
    VALUE_AMOUNT, /* amount of the check's resource kind, or "unlimited" */
    VALUE_EVICT,  /* LSCHED_EVICT_*, written by its word */
    VALUE_REASON  /* LSCHED_FOR_*, written by its word */
};

struct expect_field {
    const char *name;
    uint32_t type;  /* enum value_type */
    uint32_t units; /* enum units_kind */
    uint32_t bit;
    size_t offset;
};

/* Fields of each kind of object. Each array ends with a row whose name is NULL. */
extern const struct expect_field *const expect_fields[OBJECTS];
/* Words for the kinds of objects in messages, such as "job" and "queue". */
extern const char *const expect_objects[OBJECTS];

/* The amounts that an object can have for each resource kind. */
enum amount_field {
    AMOUNT_USED,
    AMOUNT_QUOTA,
    AMOUNT_LIMIT,
    AMOUNT_FREE,
    AMOUNT_CAPACITY,
    AMOUNT_NEED,
    AMOUNT_HAVE,
    AMOUNT_EVICT_NEED,
    AMOUNT_EVICT_HAVE,
    AMOUNT_FIELDS
};
extern const char *const expect_amounts[AMOUNT_FIELDS];

/* Texts of the comparisons, by enum compare. */
extern const char *const expect_compares[COMPARE_GE + 1];

#endif

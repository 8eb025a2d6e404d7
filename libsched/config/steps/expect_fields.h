/*
 * expect_fields.h -- what `expect:` can compare: fields of the public info structs, by name. The
 * parser looks names up here, the runner reads values through the same rows, so a field is added in
 * one place.
 */
#ifndef LIBSCHED_EXPECT_FIELDS_H
#define LIBSCHED_EXPECT_FIELDS_H

#include "base/units.h"
#include "config/read/scenario_form.h"

enum field_object {
    OBJECT_JOB,      /* lsched_job_info */
    OBJECT_QUEUE,    /* lsched_queue_info */
    OBJECT_NODE,     /* lsched_node_info */
    OBJECT_TASK,     /* lsched_task_info */
    OBJECT_WAITING,  /* lsched_waiting */
    OBJECT_PLAN,     /* lsched_plan_info */
    OBJECT_CLUSTER,  /* lsched_cluster_stats */
    OBJECT_POLICY,   /* lsched_policy_info */
    OBJECT_SHARE,    /* lsched_queue_share of one kind */
    OBJECT_DECISION, /* lsched_decision */
    OBJECTS
};

enum value_type {
    VALUE_U32,
    VALUE_I32,
    VALUE_I64,    /* also uint64_t: no count passes 2^62 */
    VALUE_FLAG,   /* true or false: `bit` of an uint32_t */
    VALUE_TIME,   /* microseconds; "never" */
    VALUE_HASH,   /* all 64 bits */
    VALUE_TEXT,   /* NUL-terminated array, equal */
    VALUE_PART,   /* NUL-terminated text that contains what is expected */
    VALUE_CODE,   /* an error code by name */
    VALUE_NAME,   /* an id of a live object, by name */
    VALUE_AMOUNT, /* of the check's resource, or unlimited */
    VALUE_EVICT,  /* LSCHED_EVICT_* by its word */
    VALUE_REASON  /* LSCHED_FOR_* by its word */
};

struct expect_field {
    const char *name;
    uint32_t type;  /* enum value_type */
    uint32_t units; /* enum units_kind */
    uint32_t bit;
    size_t offset;
};

/* Rows of an object; ends with a NULL name. */
extern const struct expect_field *const expect_fields[OBJECTS];
/* "job", "queue" ...: for messages. */
extern const char *const expect_objects[OBJECTS];

/* Amounts per resource kind. */
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

/* By enum compare. */
extern const char *const expect_compares[COMPARE_GE + 1];

#endif

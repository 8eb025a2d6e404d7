/*
 * expect_fields.h -- tables of the fields of public info structs that `expect:` can compare. The
 * parser looks up the name of a field in these tables, and the runner reads the value of the field
 * through the same row. Therefore a new field is added in one place.
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

/* The types of fields. Each comment says how a scenario writes the expected value, or how the value
 * is compared. */
enum value_type {
    VALUE_U32,
    VALUE_I32,
    VALUE_I64,  /* number; in the info struct an int64_t, or a uint64_t that is always below 2^62 */
    VALUE_FLAG, /* true or false; in the info struct the bits expect_field.bit of a uint32_t */
    VALUE_TIME, /* point of time, or "never"; in the info struct an int64_t in microseconds */
    VALUE_HASH, /* number; in the info struct a uint64_t, all 64 bits of which must be equal */
    VALUE_TEXT, /* text that must be equal to the NUL-terminated array in the info struct */
    VALUE_PART, /* text that must occur in the actual NUL-terminated text */
    VALUE_CODE, /* name of an error code, such as E_STALE */
    VALUE_NAME, /* name of an existing object; in the info struct the id of the object */
    VALUE_AMOUNT, /* amount of the resource kind expectation.resource, or "unlimited" */
    VALUE_EVICT,  /* word for an LSCHED_NO_VICTIM_* code */
    VALUE_REASON, /* word for an LSCHED_FOR_* code */
    /* The following types are for values that are not a member of an info struct. */
    VALUE_AMOUNTS, /* map of resource kinds and amounts; expect_field.bit is an enum amount_field */
    /* For the types VALUE_CHECK_*, expect_field.bit is the enum check_kind of the check that the
     * field adds. */
    VALUE_CHECK_TEXT,
    VALUE_CHECK_MASK,   /* list of device numbers, of network cards or of NUMA nodes */
    VALUE_CHECK_STATE,  /* word for an LSCHED_TASK_* state */
    VALUE_CHECK_WAIT,   /* word for an LSCHED_WAIT_* code, or "any" */
    VALUE_CHECK_SHARES, /* list of shares of GPUs, one for each device of a node */
    VALUE_TYPES
};

struct expect_field {
    const char *name;
    uint32_t type;  /* enum value_type */
    uint32_t units; /* enum units_kind */
    uint32_t bit;   /* the meaning depends on `type`: see enum value_type */
    size_t offset;  /* offset of the member in the info struct, in bytes */
};

/* For each enum field_object the array of the fields that can be compared. Each array ends with a
 * row whose name is NULL. */
extern const struct expect_field *const expect_fields[OBJECTS];
/* For each enum field_object the word for such an object in messages, such as "job" or "queue". */
extern const char *const expect_objects[OBJECTS];

/* The fields that have an amount for each resource kind. */
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

/* For each enum compare the text that a scenario writes, such as "<=". */
extern const char *const expect_compares[COMPARE_GE + 1];

#endif

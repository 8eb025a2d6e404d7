/*
 * scenario_form.h -- a scenario after parsing: a list of steps, each with actions, at most one
 * cycle, and checks.
 *
 * The initial state is step 0 and consists of the same actions as every later step, therefore
 * there is one way to change a cluster. Actions hold the public structs of libsched.h, ready for
 * the calls of the library, and the place in the text where each was written. Nothing here changes
 * after parsing. All parts of a scenario are in the scenario's memory.
 */
#ifndef LIBSCHED_SCENARIO_FORM_H
#define LIBSCHED_SCENARIO_FORM_H

#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "base/alloc.h"
#include "base/units.h"
#include "config/read/complain.h"
#include "config/read/scenario_memory.h"

/* The kinds of actions. Each comment names the type of the elements in the list `items` of such an
 * action. */
enum action_kind {
    ACTION_RESOURCES,     /* items are lsched_text */
    ACTION_POOLS,         /* items are lsched_pool_desc */
    ACTION_MODELS,        /* items are lsched_resource_part */
    ACTION_TOPOLOGIES,    /* items are lsched_topology_desc */
    ACTION_POLICY,        /* items are struct policy_form */
    ACTION_NODES,         /* items are lsched_node_desc */
    ACTION_QUEUES,        /* items are lsched_queue_desc */
    ACTION_TASK_MIX,      /* items are lsched_mix_entry */
    ACTION_JOBS,          /* items are lsched_job_desc */
    ACTION_IMPORT,        /* items are lsched_task_import */
    ACTION_UPDATE_NODES,  /* items are lsched_node_update; nodes are found by name */
    ACTION_REMOVE_NODES,  /* items are lsched_text */
    ACTION_UPDATE_QUEUES, /* items are lsched_queue_desc; queues are found by name */
    ACTION_REMOVE_QUEUES, /* items are lsched_text */
    ACTION_REMOVE_JOBS,   /* items are lsched_text */
    ACTION_PRIORITY,      /* items are struct priority_form */
    ACTION_REPORT,        /* items are struct task_ref */
    ACTION_USAGE,         /* items are struct usage_form */
    ACTION_COLLISION,     /* items are struct collision_form */
    ACTION_REMEMBER,      /* items are struct memo_form */
    ACTION_RELOAD,        /* no items; `variant` is an enum reload_kind */
    ACTION_INTERRUPT      /* no items */
};

enum reload_kind { RELOAD_CLONE, RELOAD_SAVE };

struct action {
    uint32_t kind;
    uint32_t variant; /* ACTION_REPORT: LSCHED_EVENT_*; ACTION_RELOAD: enum reload_kind */
    struct mark mark;
    int64_t at_us;         /* ACTION_REPORT, ACTION_USAGE: time of the event in microseconds */
    struct scn_list items; /* elements of the type that enum action_kind names */
    struct scn_list marks; /* one struct mark per item: its place in the text */
};

struct policy_form {
    lsched_text name; /* name of a ready-made policy, or the name of this policy in messages */
    lsched_text text; /* Lua source in the scenario; ptr is NULL if there is none */
    lsched_text file; /* file that the caller reads; ptr is NULL if there is none */
    struct mark text_mark;
    /* columns by which a literal block is indented, plus 1. 0: the text is no literal block, and
     * its line numbers do not correspond to lines of the scenario. */
    uint32_t text_indent;
    lsched_policy_opts opts;
    const struct mark *param_marks; /* place of each element of opts.params in the text */
};

/* Tasks `first` to `last` of a job; `last` is TASK_REF_ALL for all tasks. A job name that begins
 * with '$' names an id that an earlier step remembered. */
struct task_ref {
    lsched_text job;
    uint32_t first, last;
    struct mark mark;
};
#define TASK_REF_ALL UINT32_MAX

struct priority_form {
    lsched_text job;
    int32_t priority;
};

struct usage_form {
    struct task_ref task;
    uint32_t kind;
    int64_t amount;
};

/* A shared device whose memory ran out. task.job is empty if the task that wanted the memory is
 * unknown. */
struct collision_form {
    lsched_text node;
    uint32_t device;
    struct task_ref task;
    int64_t need;
};

enum memo_kind { MEMO_NODE, MEMO_QUEUE, MEMO_JOB, MEMO_DECISION, MEMO_HASH };
struct memo_form {
    lsched_text name;
    uint32_t kind;
    uint32_t which; /* MEMO_HASH: LSCHED_HASH_* */
    lsched_text object;
    struct task_ref task; /* MEMO_DECISION: the task of the decision */
};

/* How a step settles the decisions of its cycle. */
enum settle_mode { SETTLE_AUTO, SETTLE_CONFIRM, SETTLE_MANUAL, SETTLE_LISTED };
enum settle_what { SETTLE_DO_CONFIRM, SETTLE_DO_REJECT, SETTLE_DO_START, SETTLE_DO_STOP };
#define SETTLE_ALL UINT32_MAX
struct settle_item {
    uint32_t what;
    /* Bits 1 << LSCHED_PLACE ...: all decisions of these kinds that no other item names. 0: the
     * decisions of `task` alone. */
    uint32_t kinds;
    struct task_ref task;
    lsched_text reason; /* reason of a rejection */
};

enum compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

/* The kinds of checks. Each comment names the members of struct expectation that such a check uses,
 * and the condition that must hold. `task` names one or several tasks of a job. */
enum check_kind {
    CHECK_PLACED_COUNT, /* `value`: number of the tasks in `task` that hold resources */
    CHECK_PLACED_NODES, /* `texts`: nodes of those tasks in `task` that are placed, in any order */
    CHECK_PLACED_IN,    /* every placed task in `task` is on one of the nodes in `texts` */
    /* all placed tasks in `task` are on one node, or on nodes with the same value of the label
     * `text` */
    CHECK_PLACED_TOGETHER,
    /* no two placed tasks in `task` are on one node or share a value of the label `text` */
    CHECK_PLACED_APART,
    CHECK_WAITING,        /* subject: a job; value: LSCHED_WAIT_*, or -1 for any wait reason */
    CHECK_WAITING_TEXT,   /* subject: a job; `text` occurs in the text of its wait reason */
    CHECK_TASK_STATE,     /* task: LSCHED_TASK_* of each task */
    CHECK_TASK_NODE,      /* task: `text` is the node of each task */
    CHECK_TASK_DEVICES,   /* task: bit mask of the devices of each task */
    CHECK_TASK_NICS,      /* task: bit mask of the network cards of each task */
    CHECK_TASK_NUMA,      /* task: bit mask of the NUMA nodes to which each task is pinned */
    CHECK_TASK_RELEASING, /* task: `text` is the node that each task is releasing */
    CHECK_FIELD,          /* compares a field of an object: see expect_fields.h */
    CHECK_AMOUNT,         /* compares an amount of an object */
    CHECK_DEVICES_FREE,   /* subject: a node; values: free share of each device, in thousandths */
    CHECK_ORDER, /* texts: the jobs, or job/task, that the plan places, in the order of the plan */
    CHECK_DECISIONS, /* resource: LSCHED_EVICT ...; refs: the tasks of all decisions of that kind */
    CHECK_WITHDRAWN, /* texts: job/task of each decision that the step withdrew, in any order */
    CHECK_GONE,      /* texts: names that no object of kind `resource` has */
    CHECK_STATUS,    /* values: status of each element of the step's event batch */
    /* text: a remembered hash; the current hash equals it, or differs from it if `value` is 0 */
    CHECK_SAME_HASH,
    CHECK_NEXT_WAKE
};

struct expectation {
    uint32_t kind;
    uint32_t object;  /* CHECK_FIELD, CHECK_AMOUNT: enum field_object */
    uint32_t field;   /* CHECK_FIELD, CHECK_AMOUNT: row in the table of that object */
    uint32_t compare; /* enum compare: how the actual value is compared with `value` */
    uint32_t resource;
    uint32_t n;
    struct mark mark;
    lsched_text subject;
    struct task_ref task;
    int64_t value;
    lsched_text text;
    lsched_text *texts;    /* n elements */
    struct task_ref *refs; /* n elements */
    int64_t *values;       /* n elements */
};

struct expected_error {
    uint32_t present;
    int32_t code;
    struct mark mark;
    lsched_text text; /* text that occurs in the error message */
    int64_t *status;  /* NULL, or the expected status codes of the batch, n_status of them */
    uint32_t n_status;
};

struct step {
    struct mark mark;
    int64_t at_us;
    uint32_t cycle; /* 1 if the step runs a scheduling cycle */
    uint32_t batch_flags;
    struct mark schedule_mark;
    /* options of the cycle; now_us is at_us of the step unless the scenario sets it */
    lsched_schedule_opts schedule;
    uint32_t settle_mode;
    struct mark settle_mark;
    struct scn_list actions; /* elements are struct action */
    struct scn_list settle;  /* elements are struct settle_item */
    struct scn_list checks;  /* elements are struct expectation */
    struct expected_error error;
};

#define SCENARIO_KINDS  LSCHED_RESOURCE_KINDS_MAX
#define SCENARIO_MODELS LSCHED_RESOURCE_MODELS_MAX

struct lsched_scenario {
    struct alloc alloc;
    struct scn_memory memory;
    const char *file;
    int64_t start_us;
    uint32_t settle_mode; /* mode of steps that do not set one */
    uint32_t n_kinds;     /* number of resource kinds; kinds[0] is "any" */
    const char *kinds[SCENARIO_KINDS];
    uint32_t n_models; /* number of resource parts; part i is kind LSCHED_RESOURCE_KINDS_MAX + i */
    const char *models[SCENARIO_MODELS];
    /* the resource kind that each resource part counts a subset of */
    uint8_t model_base[SCENARIO_MODELS];
    struct scn_list steps;       /* elements are struct step */
    struct scn_list notes;       /* elements are const char * */
    uint64_t memory_limit_bytes; /* limit on the memory of the cluster, in bytes */
    uint32_t open_decisions_max;
    uint32_t verify_every_plan;
    uint64_t n_topologies, n_nodes, n_queues, n_jobs;
};

/* Returns the name of a kind that read_kind() returned. */
static inline const char *scn_kind_name(const struct lsched_scenario *s, uint32_t kind) {
    return kind >= LSCHED_RESOURCE_KINDS_MAX ? s->models[kind - LSCHED_RESOURCE_KINDS_MAX]
                                             : s->kinds[kind];
}

static inline enum units_kind scn_kind_units(const struct lsched_scenario *s, uint32_t kind) {
    if (kind >= LSCHED_RESOURCE_KINDS_MAX) kind = s->model_base[kind - LSCHED_RESOURCE_KINDS_MAX];
    return kind == LSCHED_CPU      ? UNITS_CPU_MILLI
           : kind == LSCHED_MEMORY ? UNITS_MEMORY_BYTES
           : kind == LSCHED_GPU    ? UNITS_GPU_MILLI
                                   : UNITS_COUNT;
}

static inline struct step *scn_step(const struct lsched_scenario *s, uint32_t i) {
    return (struct step *)s->steps.items + i;
}

#endif

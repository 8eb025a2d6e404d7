/*
 * scenario_form.h -- a scenario after reading: steps of actions, one cycle each, and checks.
 *
 * The initial state is step 0 and made of the same actions as every later step, so there is one way
 * to change a cluster. Actions hold the public structs of libsched.h, ready to be handed over, each
 * with the place in the text that it came from. Invariant: nothing here changes after parsing. All
 * of it lies in the scenario's memory.
 */
#ifndef LIBSCHED_SCENARIO_FORM_H
#define LIBSCHED_SCENARIO_FORM_H

#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "base/alloc.h"
#include "base/units.h"
#include "config/read/complain.h"
#include "config/read/scenario_memory.h"

enum action_kind {
    ACTION_RESOURCES,     /* lsched_text */
    ACTION_POOLS,         /* lsched_pool_desc */
    ACTION_MODELS,        /* lsched_resource_part */
    ACTION_TOPOLOGIES,    /* lsched_topology_desc */
    ACTION_POLICY,        /* struct policy_form */
    ACTION_NODES,         /* lsched_node_desc */
    ACTION_QUEUES,        /* lsched_queue_desc */
    ACTION_TASK_MIX,      /* lsched_mix_entry */
    ACTION_JOBS,          /* lsched_job_desc */
    ACTION_IMPORT,        /* lsched_task_import */
    ACTION_UPDATE_NODES,  /* lsched_node_update, by name */
    ACTION_REMOVE_NODES,  /* lsched_text */
    ACTION_UPDATE_QUEUES, /* lsched_queue_desc, by name */
    ACTION_REMOVE_QUEUES, /* lsched_text */
    ACTION_REMOVE_JOBS,   /* lsched_text */
    ACTION_PRIORITY,      /* struct priority_form */
    ACTION_REPORT,        /* struct task_ref */
    ACTION_USAGE,         /* struct usage_form */
    ACTION_COLLISION,     /* struct collision_form */
    ACTION_REMEMBER,      /* struct memo_form */
    ACTION_RELOAD,        /* none; variant: enum reload_kind */
    ACTION_INTERRUPT      /* none */
};

enum reload_kind { RELOAD_CLONE, RELOAD_SAVE };

struct action {
    uint32_t kind;
    uint32_t variant; /* REPORT: LSCHED_EVENT_*; RELOAD: enum reload_kind */
    struct mark mark;
    int64_t at_us;         /* REPORT, USAGE: when it happened */
    struct scn_list items; /* of the type named above */
    struct scn_list marks; /* struct mark of each item */
};

struct policy_form {
    lsched_text name; /* of a ready-made policy, or for messages */
    lsched_text text; /* Lua, if ptr is not NULL */
    lsched_text file; /* to be asked for, if ptr is not NULL */
    struct mark text_mark;
    uint32_t text_indent; /* of a block; 0: no block, so its lines are not the scenario's */
    lsched_policy_opts opts;
    const struct mark *param_marks; /* of opts.params */
};

/* Tasks first..last of a job; UINT32_MAX in last: all of them. A job that begins with '$' is a
 * remembered id. */
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

/* A device whose memory ran out; an empty job: who asked is not known. */
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
    uint32_t which; /* HASH: LSCHED_HASH_* */
    lsched_text object;
    struct task_ref task; /* DECISION */
};

/* What becomes of the decisions of a cycle. */
enum settle_mode { SETTLE_AUTO, SETTLE_CONFIRM, SETTLE_MANUAL, SETTLE_LISTED };
enum settle_what { SETTLE_DO_CONFIRM, SETTLE_DO_REJECT, SETTLE_DO_START, SETTLE_DO_STOP };
#define SETTLE_ALL UINT32_MAX
struct settle_item {
    uint32_t what;
    uint32_t kinds; /* bits 1 << LSCHED_PLACE ...: whatever is not named elsewhere; 0: the task */
    struct task_ref task;
    lsched_text reason; /* of what is rejected */
};

enum compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

enum check_kind {
    CHECK_PLACED_COUNT,    /* task: so many of them hold resources */
    CHECK_PLACED_NODES,    /* task: texts are the nodes of its placed tasks, in any order */
    CHECK_PLACED_IN,       /* task: every placed one is on one of the nodes in texts */
    CHECK_PLACED_TOGETHER, /* task: all placed ones on one node, or with one value of label text */
    CHECK_PLACED_APART,    /* task: no two placed ones on one node or in one label text */
    CHECK_WAITING,         /* subject: a job; value: LSCHED_WAIT_*, or -1 for any */
    CHECK_WAITING_TEXT,    /* subject: a job; text: part of the reason */
    CHECK_TASK_STATE,      /* task: LSCHED_TASK_* of each */
    CHECK_TASK_NODE,       /* task: text is the node of each */
    CHECK_TASK_DEVICES,    /* task: mask of the devices of each */
    CHECK_TASK_NICS,       /* task: mask of the network cards of each */
    CHECK_TASK_NUMA,       /* task: mask of the NUMA nodes that each is pinned to */
    CHECK_TASK_LEAVING,    /* task: text is the node that each is leaving */
    CHECK_FIELD,           /* a field of an object: see expect_fields.h */
    CHECK_AMOUNT,          /* an amount of an object */
    CHECK_DEVICES_FREE,    /* subject: a node; values: free share of each device */
    CHECK_ORDER,           /* texts: the jobs, or job/task, that the plan places, in its order */
    CHECK_DECISIONS,       /* resource: LSCHED_EVICT ...; refs: the tasks of all such decisions */
    CHECK_WITHDRAWN,       /* texts: job/task whose decisions the step withdrew, in any order */
    CHECK_GONE,            /* texts: no object of kind `resource` has these names */
    CHECK_STATUS,          /* values: status of each element of the step's batch */
    CHECK_SAME_HASH,       /* text: a remembered hash; value 0: must be another one */
    CHECK_NEXT_WAKE
};

struct expectation {
    uint32_t kind;
    uint32_t object;  /* FIELD, AMOUNT: enum field_object */
    uint32_t field;   /* FIELD, AMOUNT: row of its table */
    uint32_t compare; /* of value */
    uint32_t resource;
    uint32_t n;
    struct mark mark;
    lsched_text subject;
    struct task_ref task;
    int64_t value;
    lsched_text text;
    lsched_text *texts;    /* n */
    struct task_ref *refs; /* n */
    int64_t *values;       /* n */
};

struct expected_error {
    uint32_t present;
    int32_t code;
    struct mark mark;
    lsched_text text; /* part of the message */
    int64_t *status;  /* NULL or n_status codes */
    uint32_t n_status;
};

struct step {
    struct mark mark;
    int64_t at_us;
    uint32_t cycle; /* 1: schedule */
    uint32_t batch_flags;
    struct mark schedule_mark;
    lsched_schedule_opts schedule; /* now_us is the step's unless it says otherwise */
    uint32_t settle_mode;
    struct mark settle_mark;
    struct scn_list actions; /* struct action */
    struct scn_list settle;  /* struct settle_item */
    struct scn_list checks;  /* struct expectation */
    struct expected_error error;
};

#define SCENARIO_KINDS  LSCHED_RESOURCE_KINDS_MAX
#define SCENARIO_MODELS LSCHED_RESOURCE_MODELS_MAX

struct lsched_scenario {
    struct alloc alloc;
    struct scn_memory memory;
    const char *file;
    int64_t start_us;
    uint32_t settle_mode; /* of steps that do not say */
    uint32_t n_kinds;     /* resource kinds by number; [0] is "any" */
    const char *kinds[SCENARIO_KINDS];
    uint32_t
        n_models; /* kinds that are a part of another; numbers from LSCHED_RESOURCE_KINDS_MAX */
    const char *models[SCENARIO_MODELS];
    uint8_t model_base[SCENARIO_MODELS]; /* the other kind */
    struct scn_list steps;               /* struct step */
    struct scn_list notes;               /* const char * */
    uint64_t memory_limit_bytes;         /* cluster: */
    uint32_t open_decisions_max;
    uint32_t verify_every_plan;
    uint64_t n_topologies, n_nodes, n_queues, n_jobs;
};

/* The name of a kind that read_kind() knew. */
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

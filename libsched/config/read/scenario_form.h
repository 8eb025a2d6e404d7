/*
 * scenario_form.h -- a scenario after parsing: a list of steps, each with actions, at most one
 * cycle, and checks.
 *
 * The initial state is step 0. It consists of the same kinds of actions as the later steps,
 * therefore the runner needs only one way to change a cluster. Most actions have an array of public
 * structs of libsched.h, which the runner passes to the library, and the place of each struct in
 * the text. A scenario does not change after parsing. The scenario owns the memory of all its
 * steps, names and arrays.
 */
#ifndef LIBSCHED_SCENARIO_FORM_H
#define LIBSCHED_SCENARIO_FORM_H

#include <string.h>

#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "base/alloc.h"
#include "base/units.h"
#include "config/read/complain.h"
#include "config/read/scenario_memory.h"

/* The kinds of actions. Each comment names the type of the elements in the list `items` of such an
 * action. */
enum action_kind {
    ACTION_RESOURCES,        /* items are lsched_text: names of new resource kinds */
    ACTION_POOLS,            /* items are lsched_pool_desc */
    ACTION_MODELS,           /* items are lsched_resource_part */
    ACTION_TOPOLOGIES,       /* items are lsched_topology_desc */
    ACTION_SUPPLIES,         /* items are lsched_supply_desc */
    ACTION_POLICY,           /* items are struct policy_form */
    ACTION_NODES,            /* items are lsched_node_desc */
    ACTION_UPDATE_SUPPLIES,  /* items are lsched_supply_update */
    ACTION_QUEUES,           /* items are lsched_queue_desc */
    ACTION_ALLOWANCES,       /* items are lsched_allowance_desc */
    ACTION_RESERVATIONS,     /* items are lsched_reservation_desc */
    ACTION_TASK_MIX,         /* items are lsched_mix_entry */
    ACTION_JOBS,             /* items are lsched_job_desc */
    ACTION_IMPORT,           /* items are lsched_task_import */
    ACTION_UPDATE_NODES,     /* items are lsched_node_update, which have the names of nodes */
    ACTION_UPDATE_DEVICES,   /* items are lsched_device_update, which have the names of nodes */
    ACTION_FOREIGN,          /* items are lsched_foreign_use, which have the names of nodes */
    ACTION_REMOVE_NODES,     /* items are lsched_text: names of nodes */
    ACTION_UPDATE_QUEUES,    /* items are lsched_queue_desc, which have the names of queues */
    ACTION_REMOVE_QUEUES,    /* items are lsched_text: names of queues */
    ACTION_END_RESERVATIONS, /* items are lsched_text: names of reservations */
    ACTION_REMOVE_JOBS,      /* items are lsched_text: names of jobs */
    ACTION_COMPLETE_JOBS,    /* items are lsched_text: names of jobs */
    ACTION_RELEASE_JOBS,     /* items are lsched_text: names of jobs */
    ACTION_HOLD_JOBS,        /* items are lsched_job_hold, which have the names of jobs */
    ACTION_RESIZE,           /* items are lsched_task_resize, which have the names of jobs */
    ACTION_UPDATE_JOBS,      /* items are lsched_job_update, which have the names of jobs */
    ACTION_REPORT,           /* items are struct task_ref */
    ACTION_USAGE,            /* items are struct usage_form */
    ACTION_COLLISION,        /* items are struct collision_form */
    ACTION_REMEMBER,         /* items are struct memo_form */
    ACTION_RELOAD,           /* no items; `variant` is an enum reload_kind */
    ACTION_INTERRUPT         /* no items */
};

enum reload_kind { RELOAD_CLONE, RELOAD_SAVE };

/* The place where a task really started; all zero: where it was planned. */
struct place_form {
    lsched_text node; /* ptr is NULL if no node is named */
    uint64_t device_words[LSCHED_DEVICE_WORDS];
    uint32_t nic_mask, numa_mask;
    uint64_t device_starts;
};

struct action {
    uint32_t kind;
    /* The meaning depends on the kind of the action:
     *   ACTION_REPORT  LSCHED_EVENT_* of all reported events
     *   ACTION_RELOAD  enum reload_kind */
    uint32_t variant;
    struct mark mark;
    /* time of the reported events in microseconds, for the reports ACTION_REPORT, ACTION_USAGE and
     * ACTION_COLLISION */
    int64_t at_us;
    lsched_text run;         /* ACTION_REPORT: the remembered id of the run; ptr NULL: not told */
    struct place_form place; /* LSCHED_EVENT_STARTED: the real place of all reported tasks */
    struct scn_list items;   /* elements of the type that enum action_kind names */
    /* ACTION_IMPORT: lsched_text, the remembered id of the run of each item; ptr NULL: not told. If
     * the list is empty, no item tells its run. */
    struct scn_list runs;
    /* elements are struct mark: the place of each item in the text. If the list is empty, an error
     * about an item shows the place of the action. */
    struct scn_list marks;
};

struct policy_form {
    /* name of a ready-made policy. If `text` or `file` is given: the name of this policy in
     * messages. */
    lsched_text name;
    lsched_text text; /* Lua source in the scenario; ptr is NULL if there is none */
    lsched_text file; /* name of the file that the caller reads; ptr is NULL if there is none */
    struct mark text_mark;
    /* 1 + the number of columns by which the literal block of the Lua source is indented. 0: the
     * Lua source is not a literal block, therefore its line numbers cannot be converted to lines of
     * the scenario. */
    uint32_t text_indent;
    lsched_policy_opts opts;
    const struct mark *param_marks; /* place of each element of opts.params in the text */
};

/* The tasks `first` to `last` of a job. If `last` is TASK_REF_ALL, all tasks of the job are meant.
 * A job name that begins with '$' refers to an id that an earlier step remembered under this
 * name. */
struct task_ref {
    lsched_text job;
    uint32_t first, last;
    struct mark mark;
};
#define TASK_REF_ALL UINT32_MAX

struct usage_form {
    struct task_ref task;
    uint32_t kind;
    int64_t amount;
};

/* A report that the memory of a shared device ran out. task.job.ptr is NULL if the task that wanted
 * the memory is not known. */
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
    uint32_t which; /* MEMO_HASH: the hash that is remembered, LSCHED_HASH_* */
    lsched_text object;
    struct task_ref task; /* MEMO_DECISION: the task of the decision */
};

/* How a step settles the decisions of its cycle:
 *   SETTLE_AUTO     confirms all decisions, and reports that tasks have stopped and started
 *   SETTLE_CONFIRM  confirms all decisions
 *   SETTLE_MANUAL   settles nothing
 *   SETTLE_LISTED   carries out the items of the list step.settle */
enum settle_mode { SETTLE_AUTO, SETTLE_CONFIRM, SETTLE_MANUAL, SETTLE_LISTED };
enum settle_what { SETTLE_DO_CONFIRM, SETTLE_DO_REJECT, SETTLE_DO_START, SETTLE_DO_STOP };
#define SETTLE_ALL UINT32_MAX
struct settle_item {
    uint32_t what;
    /* Set of bits 1 << LSCHED_DECIDE_PLACE and so on: the item settles all decisions of these
     * kinds, except those that a more exact item names. 0: the item settles only the decisions
     * about `task`. */
    uint32_t kinds;
    struct task_ref task;
    /* reason that the library gets with a rejection; ptr is NULL if there is none */
    lsched_text reason;
    lsched_refusal refusal; /* what the rejection says; size 0: nothing */
};

enum compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

/* The kinds of checks. Each comment says which condition a check of the kind tests. Words in
 * backquotes are members of struct expectation. The member `task` names one or several tasks of a
 * job. */
enum check_kind {
    CHECK_PLACED_COUNT, /* the number of tasks of `task` that are placed is compared with `value` */
    /* the nodes of the placed tasks of `task` are `texts`, in any order; a single text is the node
     * of all these tasks */
    CHECK_PLACED_NODES,
    CHECK_PLACED_IN, /* every placed task of `task` is on one of the nodes in `texts` */
    /* the nodes of all placed tasks of `task` have the same value of the label `text`; the value of
     * the label "node" is the name of the node */
    CHECK_PLACED_TOGETHER,
    /* no two placed tasks of `task` are on nodes with the same value of the label `text`; the value
     * of the label "node" is the name of the node */
    CHECK_PLACED_APART,
    /* the job `subject` waits with the wait code `value` (LSCHED_WAIT_*); -1: with any wait code */
    CHECK_WAITING,
    /* `text` occurs in the wait reason or in the explanation of the job `subject` */
    CHECK_WAITING_TEXT,
    CHECK_TASK_STATE,   /* each task of `task` has the state `value` (LSCHED_TASK_*) */
    CHECK_TASK_NODE,    /* each task of `task` is on the node `text` */
    CHECK_TASK_DEVICES, /* `set` is the set of devices of each task of `task` */
    CHECK_TASK_NICS,    /* `set` is the set of network cards of each task of `task` */
    CHECK_TASK_NUMA,    /* `set` is the set of NUMA nodes to which each task of `task` is pinned */
    CHECK_TASK_RELEASING, /* each task of `task` is releasing its room on the node `text` */
    CHECK_FIELD,  /* a field of an object is compared with `value` or `text`: see expect_fields.h */
    CHECK_AMOUNT, /* an object's amount of the kind `resource` is compared with `value` */
    /* `values` are the free shares of the devices of the node `subject`, in thousandths of a
     * device */
    CHECK_DEVICES_FREE,
    /* the plan places the jobs or tasks in `texts`, in this order; a task is written like llm/0 */
    CHECK_ORDER,
    /* the plan's decisions of the kind `resource` (such as LSCHED_DECIDE_EVICT) are exactly about
     * the tasks in `refs` */
    CHECK_DECISIONS,
    /* the decisions that the step withdrew are about the tasks in `texts`, in any order; a task is
     * written like llm/0 */
    CHECK_WITHDRAWN,
    /* no object of the kind `resource` (LSCHED_KIND_*) has one of the names in `texts` */
    CHECK_GONE,
    /* `values` are the statuses of the elements of the last batch that the step passed to the
     * library */
    CHECK_STATUS,
    /* the current hash equals the hash that is remembered as `text`; if `value` is 0, the two
     * hashes differ */
    CHECK_SAME_HASH,
    CHECK_NEXT_WAKE, /* the library wants its next cycle at the time `value` */
    /* lsched_would_start answers for the job `subject` with the word `text` */
    CHECK_WOULD_START,
    /* the change that lsched_would_start offers to the job `subject` has the word `text`, "none" if
     * no change is offered */
    CHECK_WOULD_HELP,
    CHECK_ADOPTED /* what became of the group of the job `subject` has the word `text` */
};

struct expectation {
    uint32_t kind;
    uint32_t object; /* CHECK_FIELD, CHECK_AMOUNT: enum field_object */
    /* CHECK_FIELD, CHECK_AMOUNT: index of the field's row in expect_fields[object] */
    uint32_t field;
    uint32_t compare; /* enum compare: how the actual value is compared with `value` */
    uint32_t resource;
    uint32_t n;
    struct mark mark;
    lsched_text subject;
    struct task_ref task;
    int64_t value;
    uint64_t set[LSCHED_DEVICE_WORDS]; /* CHECK_TASK_DEVICES, _NICS, _NUMA */
    lsched_text text;
    lsched_text *texts;    /* n elements */
    struct task_ref *refs; /* n elements */
    int64_t *values;       /* n elements */
};

struct expected_error {
    uint32_t present;
    int32_t code;
    struct mark mark;
    /* text that must occur in the error message; ptr is NULL if the message is not checked */
    lsched_text text;
    /* expected status of each element of the failed batch; NULL: the statuses are not checked */
    int64_t *status;
    uint32_t n_status; /* number of elements of `status` */
};

struct step {
    struct mark mark;
    int64_t at_us;
    uint32_t cycle; /* 1 if the step runs a scheduling cycle */
    uint32_t adopt; /* 1 if the cycle adopts the plan that a clone made before the changes */
    uint32_t batch_flags;
    struct mark schedule_mark;
    /* Options of the cycle. Its member now_us is equal to at_us, unless the scenario sets another
     * time for the cycle. */
    lsched_schedule_opts schedule;
    uint32_t settle_mode;
    struct mark settle_mark;
    struct scn_list actions; /* elements are struct action */
    struct scn_list settle;  /* elements are struct settle_item */
    struct scn_list checks;  /* elements are struct expectation */
    struct expected_error error;
};

#define SCENARIO_KINDS  LSCHED_RESOURCE_KINDS_MAX
#define SCENARIO_MODELS LSCHED_RESOURCE_PARTS_MAX

struct lsched_scenario {
    struct alloc alloc;
    struct scn_memory memory;
    const char *file;
    int64_t start_us;
    uint32_t settle_mode; /* enum settle_mode for the steps that do not set a mode */
    /* number of elements of `kinds`; kinds[0] is not used, because index 0 means any kind */
    uint32_t n_kinds;
    const char *kinds[SCENARIO_KINDS];
    /* number of resource parts; the part models[i] has the kind index LSCHED_RESOURCE_KINDS_MAX +
     * i */
    uint32_t n_models;
    const char *models[SCENARIO_MODELS];
    /* for each resource part the resource kind that it belongs to: gpu for the part gpu:H100 */
    uint8_t model_base[SCENARIO_MODELS];
    struct scn_list steps;       /* elements are struct step */
    struct scn_list notes;       /* elements are const char * */
    uint64_t memory_limit_bytes; /* limit on the memory of the cluster, in bytes */
    uint32_t open_decisions_max;
    uint32_t verify_every_plan;
    uint64_t n_topologies, n_nodes, n_queues, n_jobs;
};

/* Returns the name of a resource kind or resource part whose index read_kind() returned. */
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

/* Compares two texts byte by byte. If the longer text begins with the shorter text, the shorter
 * text comes first. Returns a number below, equal to or above 0, as memcmp does. */
static inline int scn_text_order(const lsched_text *a, const lsched_text *b) {
    size_t n = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->ptr, b->ptr, n);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* As lsched_scenario_parse(), but the scenario begins at start_us if the text has no `start`. */
int32_t scn_parse_from(const lsched_scenario_opts *opts, lsched_text text, lsched_text file_name,
                       int64_t start_us, lsched_scenario **out, lsched_error *err);

static inline struct step *scn_step(const struct lsched_scenario *s, uint32_t i) {
    return (struct step *)s->steps.items + i;
}

#endif

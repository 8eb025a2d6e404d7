/*
 * cycle_state.h -- struct lsched_cycle: the scratch data of lsched_schedule() while one cycle
 * runs.
 *
 * A cycle changes state only in the columns, and only inside one undo scope. Therefore an error
 * anywhere undoes the whole cycle. The members of this struct are not part of the state. A cycle
 * works in this order:
 *   1. wake jobs for which nodes gained room, or for which the use of a queue fell
 *   2. refresh values that depend on time, such as priorities
 *   3. admit new jobs
 *   4. run the actions of the pipeline
 *   5. copy the plan out
 * If a hook of the policy fails, the cycle is undone and begins again without that hook.
 *
 * Each room (source folder) has a struct of its own for scratch data. The structs of this room and
 * of the room policy_hooks are embedded here. The structs of the rooms that include this file are
 * pointers, because this room does not know their members. cycle.c owns the memory of all these
 * structs. A call outside of a cycle that only runs hooks (lsched_policy_terms) uses the embedded
 * structs and leaves the pointers NULL.
 */
#ifndef LIBSCHED_CYCLE_STATE_H
#define LIBSCHED_CYCLE_STATE_H

#include "engine/indexes/ask.h"
#include "engine/state/cluster.h"
#include "engine/state/policy_log.h"
#include "model/jobs/bundle.h"
#include "model/devices/resource_part.h"
#include "model/jobs/task.h"
#include "model/told/tally.h"

/* The reason why the current job could not be placed. An attempt to place the job fills this
 * struct. If the job is parked, the struct becomes a park_reason. */
struct diagnosis {
    uint32_t code, kind, group, able, limiting;
    int64_t need, have;
    uint32_t shape; /* row of the task shape that found no room; NO_ROW if there is none */
    /* 1 if the limit of a queue on a resource part (such as a GPU model) excluded nodes from the
     * search */
    uint32_t model_short;
    int64_t at; /* LSCHED_WAIT_ALLOWANCE: the time from which the tasks fit; else not used */
};

struct withdrawn_note {
    lsched_id id;
    /* position in the undo log when the decision was withdrawn; a rollback to an earlier position
     * removes this note */
    size_t at;
    uint32_t queue; /* queue of the task's job */
    /* number of the decision group that the current transaction makes; outside of transactions, of
     * the latest decision group */
    uint64_t group;
};

/* The job for which the policy chose the current placement strategy. */
struct choice {
    int made;
    uint32_t job, queue, shape;
    uint64_t tried;
};

/* The bounds of the cycle on work and decisions, and the part of them that is used up. */
struct cycle_spend {
    /* Three numbers of work units.
     *   given   budget from the orchestrator; UINT64_MAX if the work is unbounded
     *   budget  `given` plus the saved units of earlier cycles (pass.h)
     *   spent   work units that the cycle has used so far */
    uint64_t given, budget, spent;
    uint64_t decisions_max;  /* largest number of decisions that the cycle can make */
    uint64_t decisions_left; /* number of decisions that the cycle can still make */
    /* 1 if the budget, the bound on decisions or an interrupt stopped the cycle; next_job then
     * returns no job */
    int stop;
    int full; /* 1 if the bound on decisions stopped the cycle */
};

/* Counts of the cycle's work, for lsched_plan_info. */
struct cycle_counts {
    /* proven: victim searches that proved that no eviction helps; cut: victim searches that ended
     * because their budget was spent */
    uint64_t jobs_tried, evictions, moves, proven, cut;
    /* number of attempts that ended with a planned start of the job */
    uint64_t looked_at;
    /* values of the cluster's counts of scored nodes and of steps when the cycle began */
    uint64_t scored_before, steps_before;
    /* the same of searches of the best node and of searches for victims that were skipped */
    uint64_t hits_before, fills_before, skipped_before;
    /* by number in the pipeline: what the present attempt did in each action */
    struct action_tally actions[POLICY_PIPELINE_MAX];
    /* number of jobs that were parked because the job alone exceeds the bounds of a cycle */
    uint32_t steps_aside;
};

/* The algorithms that the policy names for this cycle, and the state of its hooks. */
struct cycle_policy {
    /* mask of the hooks (LSCHED_HOOK_*) that this cycle does not call, because they failed */
    uint32_t hooks_off;
    /* hook that has just failed (LSCHED_HOOK_*); the cycle then begins again without this hook */
    uint32_t hook_failed;
    int32_t error;
    char message[LSCHED_MESSAGE_BYTES];
    struct policy_log log;
    struct policy_eviction eviction;
    struct policy_pipeline pipeline; /* actions of this cycle: hook_strategy.h */
    const lsched_place_ops *place;
    void *place_self;
    struct algorithm_slot *place_slot;
    lsched_task_shape scored; /* task shape that the strategy scored last: hook_nodes.c */
    const lsched_order_ops *order;
    void *order_self;
    struct choice choice; /* the job for which `place` was chosen: hook_strategy.h */
    /* how much of a job hooks read; the larger of the hooks `filter` and `score` (look), and the
     * hook `placement` (look_placement): see depth_of_look in hook_nodes.c
     *   0  only the shape of the job
     *   1  also the queue
     *   2  also members of the job itself, or the time
     *   3  also data that change with each placed task of the job */
    int look, look_placement;
    /* the fields of jobs that the hooks `filter` and `score` read, if all that these hooks read of
     * a job is its shape, its queue (by_queue) and the values of these fields */
    struct {
        int is_known, by_queue;
        uint32_t n, fields[SEARCH_VALUES_MAX];
    } values;
    uint32_t group; /* index of the leaf group for which hooks are called */
    /* rows of the jobs that the policy called idle at the refresh of this cycle, sorted by name;
     * the actions have got the first `idle_at` jobs of the list already */
    uint32_t *idle;
    uint32_t n_idle, cap_idle, idle_at;
};

/* The turn of the current job, and its transaction (transaction.h). */
struct cycle_turn {
    uint32_t job;        /* row of the job, NO_ROW if none */
    struct ask ask;      /* the question that the action asked last about the job: act_group */
    uint32_t fresh_mark; /* number of decisions in the plan before the job's transaction */
    size_t mark;         /* undo position before the job's transaction */
    uint64_t group_serial;
    /* amounts that all queues together held before the job's transaction; kept only while some
     * queue has a lend limit (lending.h) */
    int64_t used_before[KINDS_MAX];
    /* 1 if the current action also uses room that comes free later; tasks are then nominated for
     * this room */
    uint32_t later;
    /* 1 while a search for victims lists nodes, also those from which absences, or limits on
     * resource parts, keep the job now */
    uint32_t lists_all;
    /* largest GPU charge (milli-GPUs) that the search accepts; 0: no bound (charge_search.h) */
    uint32_t charge_max;
    /* GPU charge (milli-GPUs) of the place at which the rules of the job's queues last refused the
     * job because of this charge; 0 if they refused no charge */
    int64_t charge_asked;
    /* first time at which an allowance suffices that refused a task of the job, if nothing else
     * changes; LSCHED_NEVER_US: at none; 0: none refused one */
    int64_t allowed_at;
    /* 1 if a guarantee or lending refused a task of the job; the reason can name another rule */
    uint32_t shares;
    /* resource parts whose limit leaves room for less than one task, in the current search:
     * hook_nodes_search */
    struct resource_part_short model_short;
    /* why: diagnosis of the current alternative; first: diagnosis of the alternatives that were
     * tried before the current one, valid only if has_first is 1 */
    struct diagnosis why, first;
    int has_first;
    /* 1 if a search for the job found a node with room; only then can hooks of the policy have
     * answered differently for an equal job */
    int saw_room;
};

/* The decisions that this cycle made, in the order of the plan, and the decisions that this cycle
 * withdrew. */
struct cycle_decisions {
    uint32_t *fresh; /* rows of the decisions that this cycle made */
    uint32_t n_fresh, cap_fresh;
    struct withdrawn_note *withdrawn;
    uint32_t n_withdrawn, cap_withdrawn;
    int out_of_memory; /* 1 if memory ran out while a withdrawal was noted */
};

/* The host's callback (trace.h of the public headers); NULL: none. attempt: how often the cycle has
 * begun again. */
struct cycle_trace {
    lsched_trace_fn call;
    void *user;
    uint32_t attempt;
};

struct lsched_cycle {
    struct lsched_cluster *c;
    struct columns *k;
    lsched_error *err;
    int64_t now;
    uint64_t number; /* number of this cycle: the value of M_CYCLE when the cycle began */
    uint32_t flags;  /* LSCHED_PLAN_* flags so far */
    /* kinds of decisions that the orchestrator asks for, and those that an action would have needed
     * in addition: bits 1 << LSCHED_DECIDE_* (decision_kinds.h) */
    uint32_t kinds, kinds_lack;
    int64_t warn_before; /* how long before their end tasks are told; 0: not at all (warn.h) */
    /* time for which the proposals of this cycle hold; 0: for ever */
    int64_t proposal_life;
    /* position in the log of bundles (columns.h) at which this cycle began: the entries from here
     * on name every bundle that this cycle has parked or woken */
    uint64_t bundles_from;
    struct cycle_trace trace;
    struct cycle_spend spend;
    struct cycle_counts counts;
    struct cycle_turn turn;
    struct cycle_decisions decisions;
    struct cycle_policy policy;
    /* scratch of other rooms; each struct is written only by the files of its room */
    struct guarantee_reserve *reserve; /* room queues: guarantee_reserve.h */
    struct pass_state *pass;           /* room waits: pass.h */
    /* room victims: victim_state.h; NULL while no victim search runs */
    struct victim_search *victims;
    struct act_state *act; /* room actions: act_state.h */
    /* room adopt: adopt_walk.h; NULL unless the cycle adopts the plan of a clone instead of running
     * actions */
    struct adoption *adopt;
};

static inline const lsched_view *cycle_view(const struct lsched_cycle *cy) {
    return &cy->c->view.view;
}

/* cycle_evict_state returns a number that changes whenever the result of a victim search can
 * change. cycle_evicts_anew is true if jobs that found no victims are to search again. This is the
 * case if the number of cycle_evict_state has changed, or if the time M_EVICT_NEXT has come. */
uint64_t cycle_evict_state(const struct columns *k);
int cycle_evicts_anew(const struct lsched_cycle *cy);
/* Returns the settings of the table `eviction` of the policy. Settings that the policy does not
 * give have their default values. */
const struct policy_eviction *cycle_eviction(const struct lsched_cycle *cy);
/* True if the pipeline of this cycle has an action of this name. */
int cycle_has_action(const struct lsched_cycle *cy, const char *action);
/* True if a cycle can run an action of this name: the policy's pipeline has the action, or the
 * policy has a pipeline hook, which can name any action. */
int pipeline_has(const struct lsched_cluster *c, const char *action);
/* Makes the algorithm of the slot the current placement strategy. */
static inline void cycle_place_by(struct lsched_cycle *cy, struct algorithm_slot *slot) {
    cy->policy.place = slot->table->place;
    cy->policy.place_self = slot->self;
    cy->policy.place_slot = slot;
}
/* Brings the view up to date. If the structure of the cluster changed, also calls `prepare` of the
 * current placement strategy. */
int32_t cycle_prepare_place(struct lsched_cycle *cy);

#endif

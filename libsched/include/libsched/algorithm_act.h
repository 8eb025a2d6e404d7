/*
 * algorithm_act.h -- actions: the operations of an action, and the calls of the engine with which an
 * action changes the state (lsched_act).
 *
 * algorithm.h includes this header, and states the rules. The table lsched_act is the part of the
 * interface that changes most, because each new action needs calls of its own.
 */
#ifndef LIBSCHED_ALGORITHM_ACT_H
#define LIBSCHED_ALGORITHM_ACT_H

#include <libsched/algorithm_view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- act ---- */

typedef struct lsched_cycle lsched_cycle; /* opaque, owned by the engine */

/* One task group in the tree of a job: a leaf group or an inner group. */
typedef struct lsched_group_view {
    uint32_t size;
    uint32_t parent;     /* index of the parent group; groups[0] is the root */
    uint32_t n_children; /* number of child groups; 0: the group is a leaf */
    uint32_t min_count;  /* minimum: number of tasks of a leaf, of child groups of an inner group */
    /* leaf: number of tasks; between next_victim and move_end: number of tasks before the
     * eviction */
    uint32_t max_count;
    uint32_t placed;   /* leaf: number of tasks that hold resources, also in this transaction */
    uint32_t done;     /* leaf: number of tasks that ended well */
    uint32_t topology; /* row of the topology that the group names, or LSCHED_NO_ROW */
    uint32_t required_level, preferred_level; /* levels of that topology, or LSCHED_NO_ROW */
    uint32_t step; /* leaf: number of tasks to add together: 1, or as many as a task block lacks */
    uint32_t alternative; /* leaf: index of `task` among the alternatives of the submitted job */
    /* leaf: number of alternatives that can be chosen; 1 while the leaf has placed or releasing
     * tasks */
    uint32_t n_alternatives;
    /* leaf: 1 if the number of its tasks is chosen in the transaction that starts it, and has not
     * been chosen (LSCHED_GROUP_FIXED_AT_START) */
    uint32_t is_open;
    const lsched_task_shape *task; /* leaf: shape of its tasks */
} lsched_group_view;

/* A number of tasks of a leaf group, and the domain to which they are assigned; LSCHED_NO_ROW: any
 * node. */
typedef struct lsched_part {
    uint32_t domain;
    uint32_t tasks;
} lsched_part;

/* One task that holds resources of a node or is nominated there, and the expected end of that
 * use. */
typedef struct lsched_holder {
    uint32_t size;
    uint32_t job;
    uint64_t device_words[LSCHED_DEVICE_WORDS]; /* devices that the task holds: devices.h */
    uint64_t starts;   /* MIG: bits 4i to 4i + 3 are the first memory slice on device i */
    uint32_t is_claim; /* 1: the task is nominated; node_free does not count its amounts yet */
    uint32_t slices;   /* MIG: number of memory slices of each instance; 0: no instance */
    int64_t from_us;   /* nomination: time at which the task will start */
    /* expected end, by estimated run time or time limit, always after now; LSCHED_NEVER_US:
     * unknown */
    int64_t until_us;
    int64_t amount[LSCHED_RESOURCE_KINDS_MAX]; /* amount that the task gives back at until_us */
    /* 1 if from_us or until_us counts from now: the task has a place but has not started, or runs
     * longer than expected. The times of all other tasks stay as the clock goes on, until now
     * reaches one of them. */
    uint64_t moves;
    /* 1: no task, but from from_us until until_us the node holds nothing that is planned: it is
     * away, and job is LSCHED_NO_ROW; or the job has the place for itself, by an exclusive level.
     * Amounts and devices are 0. nodes_changed says where such a place begins, not where it ends:
     * an action that keeps what it read must ask again about such a node in each cycle */
    uint64_t is_away;
    /* LSCHED_END_*: what ends the use at until_us. end_if_started: the same, for a task that has its
     * place and has not started, as if it started now */
    uint64_t end, end_if_started;
} lsched_holder;

/* UNSURE: nothing, such as for a nomination, and for a task that leaves, that has not started or
 * that has outlasted its expected end. ESTIMATE: the estimated run time. LIMIT: the time limit of
 * the job. */
enum lsched_end { LSCHED_END_UNSURE = 0, LSCHED_END_ESTIMATE = 1, LSCHED_END_LIMIT = 2 };

/* One running task that can be moved alone. Amounts and allowed nodes describe its needs
 * completely: its job has one group, and it uses whole devices only. */
typedef struct lsched_mover {
    uint32_t size;
    uint32_t job;
    uint32_t task; /* row of the task */
    uint32_t devices;
    uint64_t shape; /* serial number of the task's shape (lsched_task_shape.serial) */
    int64_t cost;   /* cost of stopping the task, as in lsched_decision */
    int64_t amount[LSCHED_RESOURCE_KINDS_MAX]; /* what the task holds, in base units by kind */
} lsched_mover;

/* Data about the current job for a plan over time. Only a job that amounts and times describe
 * completely has these data: a job with one group, without rules about places except allowed nodes,
 * and with whole devices or one MIG instance per task. */
typedef struct lsched_plan_ask {
    uint32_t size;
    uint32_t group;
    uint32_t tasks;        /* number of tasks that must start together */
    uint32_t planned_node; /* node of the job's latest plan; LSCHED_NO_ROW: none */
    int64_t duration_us;   /* run time, by estimate or time limit; LSCHED_NEVER_US: unknown */
    int64_t planned_us;    /* start time of the job's latest plan */
    const lsched_task_shape *task;
    lsched_text mig_profile; /* MIG profile that the task requests; empty: none */
    /* 1 if the job has failed or was refused: plan_rest parks it alone, see there */
    uint64_t is_alone;
    uint64_t end; /* LSCHED_END_*: what ends the job after duration_us */
} lsched_plan_ask;

/* The functions that an action can call. Each returns 0 or a positive result, or a negative
 * LSCHED_E_*. */
#define LSCHED_SEEN_WORDS 4u
#define LSCHED_ACT_BOTH   256u /* reason for evict_begin: reclaim and preempt together */

/* A job in line that has a firm start: at at_us on the node. node: LSCHED_NO_ROW if it is gone. */
typedef struct lsched_firm_start {
    uint32_t size;
    uint32_t job, node;
    uint32_t reserved_zero;
    int64_t at_us;
} lsched_firm_start;

/* The calls for firm starts, for an action that has called plan_begin. A firm start stays from cycle
 * to cycle, until its job starts, or `lose` ends it with a reason that the change feed tells.
 * list: the jobs that have one, in the order of their starts. The list is valid until the next call
 *   of list. Returns 1; 0 if no start can be firm in this cluster, because a queue has a guarantee.
 *   A start whose time has come has the time of the cycle. If its time came in an earlier cycle,
 *   which ended before the action, it is not in the list: it is lost. Nor is one that an earlier
 *   plan of this cycle gave: it ends, and this plan makes it anew
 * take: makes a job of the list the current job. Returns 1
 * lose: ends the firm start of the current job; the transaction must be empty. because:
 *   LSCHED_BECAUSE_*. Returns 1; 0 if the budget of the cycle has ended: the firm start then stays
 *   for the next cycle
 * grant: called after plan_wait with a node: the job has a firm start from now on. Returns 1
 * look: charges work units of questions whether firm starts keep their room. plan_take does not
 *   give them back. Returns 1; 0 if fewer units remain: the budget is spent then, and the cycle
 *   stops */
typedef struct lsched_act_firm {
    uint32_t size;
    uint32_t reserved_zero;
    int32_t (*list)(lsched_cycle *cycle, const lsched_firm_start **list, uint32_t *n);
    int32_t (*take)(lsched_cycle *cycle, uint32_t job);
    int32_t (*lose)(lsched_cycle *cycle, uint32_t job, uint32_t because);
    int32_t (*grant)(lsched_cycle *cycle, uint32_t job);
    int32_t (*look)(lsched_cycle *cycle, uint64_t units);
} lsched_act_firm;

typedef struct lsched_act {
    uint32_t size;
    uint32_t reserved_zero;
    const lsched_view *(*view)(lsched_cycle *cycle);
    /* Chooses the next job to try, by share and order. Returns 1 and sets *job; 0 if no job
     * remains, or the budget or decisions_max is spent. The call uses work units. The job stays the
     * current job until it is committed, parked or deferred. */
    int32_t (*next_job)(lsched_cycle *cycle, uint32_t *job);
    /* Returns the groups of a job, in the order in which they were submitted. They are valid until
     * the next call. */
    int32_t (*groups)(lsched_cycle *cycle, uint32_t job, const lsched_group_view **groups,
                      uint32_t *n);
    /* checkpoint sets *mark to the present state of the transaction; rollback undoes all changes
     * since a mark. */
    int32_t (*checkpoint)(lsched_cycle *cycle, uint64_t *mark);
    int32_t (*rollback)(lsched_cycle *cycle, uint64_t mark);
    /* Finds the best node for one more task of a leaf group. Returns 1 and sets *node; 0 if no node
     * fits. `domain` is a topology domain that must contain the node, or LSCHED_NO_ROW. */
    int32_t (*find_node)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                         uint32_t *node);
    /* Places one more task of the group on the node, in the transaction. Returns 1; 0 if the task
     * does not fit because of room, a limit of a queue or the filter hook. */
    int32_t (*place)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node);
    /* Selects another alternative for a leaf group, from now on in the transaction. The leaf must
     * have no placed task. Returns 1. A rollback to an earlier mark selects the former alternative
     * again. */
    int32_t (*alternative)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t alternative);
    /* Lists the domains of one topology level inside the domain `within` (LSCHED_NO_ROW: all) that
     * have enough room. An inner group needs room for what it lacks to its minimum, a leaf for
     * `tasks` more tasks. The best domain comes first: the one with the least room afterwards, then
     * by name. If the group has tasks already, only domains with these tasks are listed. Returns
     * the number of domains, skips the first `skip` and writes at most cap rows. The call uses work
     * units. */
    int32_t (*domains)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t topology,
                       uint32_t level, uint32_t within, uint32_t tasks, uint32_t skip,
                       uint32_t *rows, uint32_t cap);
    /* Assigns the next `tasks` tasks of a leaf to domains inside `domain` (LSCHED_NO_ROW: all), in
     * whole task blocks, as the group's topology_mode says. The caller places the tasks in the
     * order of the elements of *parts. If the group has no task blocks and no such mode, the only
     * element is the domain itself. *parts is valid until the next call. Returns 1; 0 if the task
     * blocks do not fit. */
    int32_t (*divide)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                      uint32_t tasks, const lsched_part **parts, uint32_t *n);
    /* Reports that a domain had no room for all tasks that divide assigned to it. From then on,
     * divide assigns at most as many of this job's tasks to the domain as were placed in it in the
     * transaction. */
    int32_t (*full)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain);
    /* Returns 1 if the limits of the job's queue and all queues above allow the tasks that the job
     * still needs to reach its minimum, or one more task if it has reached it; 0 if they do not. */
    int32_t (*within_limits)(lsched_cycle *cycle, uint32_t job);
    /* Keeps the transaction. Its placements become decisions of one decision group.
     * Error: LSCHED_E_STATE if the job is below its minimum, or if a leaf group starts with a part
     * of a task block. */
    int32_t (*commit)(lsched_cycle *cycle, uint32_t job);
    /* Drops the transaction. The job, and all jobs of equal shape in its queue, are not tried again
     * until an event can end their wait reason, which the engine finds and records. */
    int32_t (*park)(lsched_cycle *cycle, uint32_t job);
    /* Chooses the room that find_node, place and domains count. LSCHED_LOOK_NOW: only free room.
     * LSCHED_LOOK_LATER: also room that releasing tasks will free; place then nominates. Returns 1;
     * 0 if no room will come free. Every action begins with LSCHED_LOOK_NOW. */
    int32_t (*look)(lsched_cycle *cycle, uint32_t when);
    /* Begins a victim search, which evict_end ends. In between, next_job offers jobs that wait for
     * room, and the action can evict for them. `reason` is one of:
     *   LSCHED_FOR_RECLAIM      victims in other queues
     *   LSCHED_FOR_PREEMPT      victims in the job's own queue
     *   LSCHED_FOR_CONSOLIDATE  any victims, but all of them must be moved
     *   LSCHED_ACT_BOTH         victims of both kinds together, each by its own rules; allowed only
     *                           after searches for both reasons have begun in this cycle
     * The call sets LSCHED_LOOK_LATER. Returns 1; 0 if there is nothing to do, and then the action
     * must not call evict_end. */
    int32_t (*evict_begin)(lsched_cycle *cycle, uint32_t reason);
    int32_t (*evict_end)(lsched_cycle *cycle);
    /* Returns 1 if the job is allowed to evict, and it is not proved that eviction cannot help;
     * else 0, and the engine records the reason. */
    int32_t (*may_evict)(lsched_cycle *cycle, uint32_t job);
    /* Finds the node on which one more task of the group fits at the least eviction cost. Returns 1
     * and sets *node; 0 if there is no such node. */
    int32_t (*find_victims)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t domain,
                            uint32_t *node);
    /* Evicts victims on the node, in the transaction, to make room for one more task of the group.
     * The engine chooses the victims. Returns the number of eviction units; 0 if nothing can be
     * evicted. */
    int32_t (*evict_on)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node);
    /* If a queue's limit keeps the job from starting, evicts work below that queue until one more
     * task of the group is within the limit. Returns the number of evicted units; 0 if no limit
     * prevents the start, or nothing can be evicted. */
    int32_t (*relieve)(lsched_cycle *cycle, uint32_t job, uint32_t group);
    /* Continues the search for this job without the present victims. From now on, the search skips
     * jobs of which a task found no new place. It also skips the nodes on which the transaction has
     * victims, except after another_way in a consolidation. Returns 1; 0 if there is nothing more
     * to skip, or the search has used all its attempts. */
    int32_t (*exclude)(lsched_cycle *cycle);
    /* Takes back the evictions of the transaction that the job does not need. Returns the number of
     * eviction units that run on. */
    int32_t (*spare)(lsched_cycle *cycle);
    /* next_victim takes the next job that lost tasks in the transaction, and makes it the current
     * job until move_end. In between, find_node and place find new places for the lost tasks.
     * move_end changes the evictions of tasks with a new place to moves, and returns 1 if all lost
     * tasks have a new place. In a reclaim, it moves no task of the job if other victims are
     * allowed only because the job is stopped. In a consolidation, it also returns 0 if another
     * task of the job took one of the new places. */
    int32_t (*next_victim)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*move_end)(lsched_cycle *cycle);
    /* Moves that empty nodes without a job that waits for them, up to
     * lsched_schedule_opts.moves_max. defrag_begin returns 1; 0 if moves_max is 0 or the cycle
     * cannot evict. next_sparse sets *node to the node that can be emptied at the least cost.
     * empty_node stops all tasks of the node, in a transaction; next_victim is then used to find
     * new places. keep_moves keeps the moves and returns 1 if each task goes to a node that is in
     * use; else it undoes them and returns 0. */
    int32_t (*defrag_begin)(lsched_cycle *cycle);
    int32_t (*defrag_end)(lsched_cycle *cycle);
    int32_t (*next_sparse)(lsched_cycle *cycle, uint32_t *node);
    int32_t (*empty_node)(lsched_cycle *cycle, uint32_t node);
    int32_t (*keep_moves)(lsched_cycle *cycle);
    /* next_stale finds a gang that has been below its minimum for longer than its grace time. It
     * returns 1 and sets *job; 0 if there is no such gang. evict_job stops the gang. */
    int32_t (*next_stale)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*evict_job)(lsched_cycle *cycle, uint32_t job);
    /* next_overdue finds a job that must end for its own reason: LSCHED_FOR_TIME_LIMIT (it ran
     * longer than allowed; the earliest due time first) or LSCHED_FOR_IDLE (the policy's hook
     * called the job idle at this cycle's refresh; in name order). It returns 1 and sets *job; 0 if
     * there is no such job. stop_job stops all tasks of the job and holds the job. It returns 1; 0
     * if the cycle's budget or decisions_max does not allow that. */
    int32_t (*next_overdue)(lsched_cycle *cycle, uint32_t reason, uint32_t *job);
    int32_t (*stop_job)(lsched_cycle *cycle, uint32_t job);
    /* Empties nodes that drain, or that have a taint of effect STOP. drain_begin returns 1; 0 if no
     * task must leave such a node. next_drained chooses the next job with tasks on such nodes.
     * drain_job stops these tasks in a transaction. With `whole`, it undoes an earlier drain_job of
     * the job, and also stops all tasks that cannot run without these tasks. It returns the number
     * of stopped tasks. next_victim is then used to find new places. keep_drained moves the tasks
     * that have a new place and evicts the others. */
    int32_t (*drain_begin)(lsched_cycle *cycle);
    int32_t (*drain_end)(lsched_cycle *cycle);
    int32_t (*next_drained)(lsched_cycle *cycle, uint32_t *job);
    int32_t (*drain_job)(lsched_cycle *cycle, uint32_t job, uint32_t whole);
    int32_t (*keep_drained)(lsched_cycle *cycle);
    /* Starts planning over time: next_job then also offers jobs that wait for a planned start.
     * Returns 1; 0 if there is no job to offer, and then all planned starts stay. */
    int32_t (*plan_begin)(lsched_cycle *cycle);
    /* Lists all tasks that hold resources of a node or are nominated there. The list is valid until
     * the next call. Sets *places to the number of tasks that the node's tasks_max still allows. */
    int32_t (*holders)(lsched_cycle *cycle, uint32_t node, const lsched_holder **list, uint32_t *n,
                       int64_t *places);
    /* Returns 1 and sets *ask; 0 if amounts and times do not describe the current job
     * completely: then only duration_us is set. */
    int32_t (*plan_ask)(lsched_cycle *cycle, uint32_t job, lsched_plan_ask *ask);
    /* plan_defer defers the job: next_job skips it until plan_take makes it the current job again.
     * With `charged`, share algorithms count its minimum as placed. The action must call plan_take
     * for every deferred job. */
    int32_t (*plan_defer)(lsched_cycle *cycle, uint32_t job, uint32_t charged);
    int32_t (*plan_take)(lsched_cycle *cycle, uint32_t job);
    /* Drops the transaction. The job is not tried again before its planned start at_us, or before
     * room comes free on any node. The job's wait record shows `node` (LSCHED_NO_ROW: the job waits
     * behind other jobs) and `after`, the job that must end first, or LSCHED_NO_ROW. */
    int32_t (*plan_wait)(lsched_cycle *cycle, uint32_t job, int64_t at_us, uint32_t node,
                         uint32_t after);
    /* Like place, but on the given set of devices (devices.h). For MIG, `starts` gives the first
     * memory slices, as in lsched_holder. Returns 1; 0 if the task does not fit. */
    int32_t (*place_on)(lsched_cycle *cycle, uint32_t job, uint32_t group, uint32_t node,
                        const uint64_t *device_words, uint64_t starts);
    /* MIG: returns 1 if `device` of the node can ever give the job's instance; else 0. Sets *slices
     * to the number of memory slices of the instance, *starts to the mask of its possible first
     * slices, and *used to the mask of slices that are taken or nominated. If `job` is
     * LSCHED_NO_ROW, returns 1 for every device in mode mig. */
    int32_t (*mig_device)(lsched_cycle *cycle, uint32_t job, uint32_t node, uint32_t device,
                          uint32_t *slices, uint32_t *starts, uint32_t *used);
    /* Charges `units` work units of the action to the cycle's budget. Returns 1; 0 if fewer units
     * remain, and then charges nothing. */
    int32_t (*spend)(lsched_cycle *cycle, uint64_t units);
    /* Lists the nodes of which the placements of the transaction so far change what holders tells:
     * those of the tasks, and those of the places that these tasks have for themselves. A node can
     * be in the list several times. The list is valid until the next call of placed or
     * nodes_changed, also after a rollback. Returns the number of placements. */
    int32_t (*placed)(lsched_cycle *cycle, const uint32_t **nodes, uint32_t *n);
    /* For moves that are planned together, between defrag_begin and defrag_end. moves_left returns
     * the number of tasks that are still allowed to move. movers lists the tasks that can move away
     * from a node, sorted by job, and sets the number of tasks that must stay; the list is valid
     * until the next call. It returns 1; 0 if it is of no use to empty the node. mover_able returns
     * 1 if the node could hold the task if it were empty. */
    int32_t (*moves_left)(lsched_cycle *cycle);
    int32_t (*movers)(lsched_cycle *cycle, uint32_t node, const lsched_mover **list, uint32_t *n,
                      uint32_t *stay);
    int32_t (*mover_able)(lsched_cycle *cycle, uint32_t task, uint32_t node);
    /* moves_begin starts a transaction of `tasks` moves. It returns 1; 0 if that is more than
     * moves_left. Then the action calls move_off for one task after another, sorted by job; it
     * returns 1 if the task was stopped, else 0. The action finds new places with next_victim and
     * place. keep_moves keeps all moves and returns 1 if fewer nodes are in use afterwards and no
     * idle node becomes used; else it undoes all moves and returns 0. */
    int32_t (*moves_begin)(lsched_cycle *cycle, uint32_t tasks);
    int32_t (*move_off)(lsched_cycle *cycle, uint32_t task);
    /* The action must call it when all tasks of the job have places. Returns 1 if the entitlements
     * of the queues, with the transaction's changes, allow all evictions of the transaction. If
     * necessary, the engine stops more work below these queues to reach that. Returns 0 if it
     * cannot. */
    int32_t (*pay_rights)(lsched_cycle *cycle);
    /* The action calls it after the job found no places and the action has rolled back. From then
     * on, the search tries victims in another order. Returns 1; 0 if no other order could help. */
    int32_t (*another_way)(lsched_cycle *cycle);
    /* The action calls it for a job before may_evict, between evict_begin and evict_end. Returns 1
     * if no action has looked for room for the job in this pass. The action must then look for free
     * room and for room that will come free before it calls may_evict. If nothing can be evicted,
     * the result of this look is the wait reason. Returns 0 if an action has looked in this pass
     * and found no room. */
    int32_t (*untried)(lsched_cycle *cycle, uint32_t job);
    /* Sets *able, indexed by row of the node: 1 if the node could hold a task of the current job if
     * it were empty. Valid until the next call. All jobs whose plan_ask has the same task->serial
     * have the same nodes, so an action needs to ask once for each. Nodes that nodes_changed does
     * not list have the values that they had. */
    int32_t (*plan_able)(lsched_cycle *cycle, uint32_t job, const uint8_t **able);
    /* The five calls below spare an action that plans over time a try of each job that waits. Jobs
     * of one queue that ask for the same rest together.
     * plan_rest: like plan_wait without a node, for the current job and all jobs that rest with it,
     * but for the first of them, in the order of next_job, whose expected run time is at most
     * longest_us: next_job will return that job in its turn. With 0 there is no room for any of
     * them, and a job that is submitted later rests with them. With less than 0, there is room, and
     * the action will pick jobs with plan_pick. Unless longest_us is 0, next_job also returns the
     * jobs that have failed or were refused, one by one, because such a job can have to wait for
     * reasons of its own; each of them rests alone. Returns 1 if next_job will return a job, else 0. */
    int32_t (*plan_rest)(lsched_cycle *cycle, uint32_t job, int64_t at_us, int64_t longest_us);
    /* Called when a job has started: if jobs rest that ask for the same as this job, next_job will
     * return the first of them that runs at most longest_us. Returns 1 if there is one, else 0. */
    int32_t (*plan_offer)(lsched_cycle *cycle, uint32_t job, int64_t longest_us);
    /* Compares the shortest job of those that rest and ask for the same as `job` with `other`
     * (LSCHED_NO_ROW: none), and sets *shortest to the shorter one; if both run equally long, to the
     * one that is first in the order of its queue. Returns 0 and sets *shortest to `other` if no
     * such job runs at most longest_us; else 1. */
    int32_t (*plan_shortest)(lsched_cycle *cycle, uint32_t job, int64_t longest_us, uint32_t other,
                             uint32_t *shortest);
    /* Makes a job that rests the current job. Returns 1. */
    int32_t (*plan_pick)(lsched_cycle *cycle, uint32_t job);
    /* Returns 1 if all jobs in line are of one queue, else 0. */
    int32_t (*plan_is_lone)(lsched_cycle *cycle);
    /* For an action that keeps what it reads of nodes. Lists the rows of all nodes of which anything
     * that holders or the view says can have changed since the call that wrote `seen`, which is
     * zeroed at first; a row can be in the list several times, and can be of a node that is gone.
     * The list is valid until the next call of nodes_changed. Returns 1; 2 if nodes also came, went
     * or have other names, so that node_name_rank is another; 0 if every node can have changed, and
     * then there is no list. The times in lsched_holder can change without a word of this call, see
     * there. Cost: O(changes). */
    int32_t (*nodes_changed)(lsched_cycle *cycle, uint64_t seen[LSCHED_SEEN_WORDS],
                             const uint32_t **nodes, uint32_t *n);
    /* NULL in a build without actions that plan over time */
    const lsched_act_firm *firm;
    /* Moves running jobs to devices on which their kind of work runs faster, as the table `speeds`
     * of the policy says, each in a transaction of its own. A job moves if it saves more time than
     * its move costs and price_us, and if its task has been in its place for stay_us. Returns
     * LSCHED_OK. NULL in a build without actions that plan over time */
    int32_t (*speed_up)(lsched_cycle *cycle, int64_t price_us, int64_t stay_us);
} lsched_act;

enum lsched_look { LSCHED_LOOK_NOW = 0, LSCHED_LOOK_LATER = 1 };

typedef struct lsched_act_ops {
    uint32_t size;
    /* mask of 1 << LSCHED_FOR_* for each reason that the action gives to evict_begin. As long as
     * jobs wait for this action, earlier actions put off the starts of jobs with a lower
     * entitlement. */
    uint32_t evicts;
    int32_t (*run)(void *self, const lsched_act *act, lsched_cycle *cycle);
} lsched_act_ops;

#ifdef __cplusplus
}
#endif
#endif

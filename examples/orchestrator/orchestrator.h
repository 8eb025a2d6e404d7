/*
 * orchestrator.h -- what the three parts of the example share: orchestrator.c, which calls the
 * library; checks.c, whose books check what the library decides; and world.c, a simulated world in
 * which everything goes wrong now and then.
 */
#ifndef EXAMPLE_ORCHESTRATOR_H
#define EXAMPLE_ORCHESTRATOR_H

#include <inttypes.h>
#include <libsched/libsched.h>

enum {
    NODES = 40,
    DEVICES = 8,
    LEAVES = 8,
    TASKS = 10,
    JOBS = 100,
    CYCLE_SECONDS = 20,
    SECOND = 1000000
};
enum { DECISIONS_MAX = 4096, LIMIT_MILLI = 80000, LIMITED_TEAM = 3 };
#define GIB(x)   ((int64_t)(x) << 30)
#define START_US INT64_C(1700000000000000)

enum task_state { WAITS, STARTS, RUNS, STOPS, DONE };
struct task {
    enum task_state state;
    lsched_id decision; /* STARTS, STOPS: the decision that is open or confirmed */
    lsched_id run;      /* the decision that started it: late events name it */
    int node;           /* what it holds, from STARTS to STOPS */
    uint32_t mask, milli;
    uint64_t starts;
};
enum job_kind { GANG, ELASTIC, NOTEBOOK, FRACTION, SERVICE, SLICED, LED, ARRAY, JOB_KINDS };
struct job {
    lsched_id id; /* 0: the entry is free */
    int number, kind, leaf, tasks, least, devices, slices;
    int disturbed; /* a task failed, was lost, stopped or rejected: the gang can be below its least */
    int64_t cpu, memory, run_us;
    struct task task[TASKS];
};
/* ---- books: what a node has and gives ---- */

struct node {
    lsched_id id; /* 0: lost */
    int drains;
    int64_t cpu, memory, cpu_used, memory_used;
    uint32_t milli[DEVICES], slices[DEVICES];
};

/* ---- world ---- */

enum event_kind {
    ARRIVE,
    SETTLE,
    STARTED,
    ENDED,
    FAILED,
    STOPPED,
    COMPLETE,
    LOSS,
    BACK,
    DRAIN,
    UNDRAIN,
    CANCEL,
    PRIORITY,
    QUOTA
};
struct event {
    int64_t at;
    uint64_t order, run; /* run: the run or decision that the event is about */
    enum event_kind kind;
    int job, task;
};

struct world {
    lsched_cluster *cluster;
    lsched_plan *plan; /* not answered yet; NULL: none */
    lsched_error err;
    uint64_t cursor, random, order;
    int64_t now;
    struct node nodes[NODES];
    struct job jobs[JOBS];
    struct event *heap;
    size_t events, capacity;
    int n_jobs, closing;
    int64_t handled, cycles, placed, evicted, moved, rejected, withdrawn, lost, ended, failed;
    int64_t finished, cancelled, compared, wrong;
    uint64_t plans; /* hash of all plans */
};

/* What one task of each kind of job asks for. */
struct kind {
    int tasks, least; /* 0: 2 to 5 of them, all at once */
    int64_t cpu, gib;
    int milli, slices;      /* of devices: all together, or a share of one; slices of one */
    int priority;           /* -1: any */
    const char *job, *task; /* the same for the library: keys of the job, and of its one group */
};

/* Each thread has a world of its own. */
extern _Thread_local struct world w;

/* ---- host: orchestrator.c ---- */

int32_t check(int32_t code, const char *call);
int count(const struct job *j, enum task_state from, enum task_state to);
void leave(struct job *j, struct task *t, enum task_state state);
void read_changes(void);
int32_t report(struct job *j, int task, uint32_t event);
void restart(void);
void cycle(void);
void settle(void);
void add_node(int i);
void set_up(void);
void submit_as(struct job *j, const struct kind *k);
void end_job(struct job *j, int is_complete);
void set_priority(const struct job *j, int priority);
void lose_node(int i);
void drain(int i, int begins);
void change_quota(void);

/* ---- books: checks.c ---- */

void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
void book(const struct job *j, const struct task *t, int sign);
void check_place(const struct job *j, const lsched_decision *d);
void check_runs(const struct job *j, uint32_t task);
void check_node_is_empty(int i);
void check_rules(void);
void compare(void);
void print_totals(void);

/* ---- world: world.c ---- */

int below(int n);
void later(int64_t seconds, enum event_kind kind, int job, int task, uint64_t run);
lsched_outcome answer(const lsched_decision *d);
void answered(struct job *j, uint32_t task, lsched_outcome outcome);

#endif

/*
 * books.h -- a random orchestrator that keeps books of its own and compares them with the library.
 *
 * The driver calls nothing but the public headers. It remembers what it described (nodes, queues,
 * jobs) and what it was told (decisions, withdrawals); after every call it reads all tasks back
 * and counts anew:
 *   devices   no device, MIG slice or share is given twice; masks name devices that exist
 *   room      what a plan places fits beside what the node held, unless the node was overfull
 *   gangs     what a plan places stands at its minimum, claims not counted
 *   limits    a plan that places in a queue leaves it within its limits
 *   rights    who is evicted was allowed to be: preemptible, old enough, of queues that have more
 *             than their guarantees, which are counted from quotas and limits
 *   budgets   work and decisions stay within what the cycle was given
 *   reasons   a single task that waits for room, a limit or for ever does so truly
 *   told      what the library says runs or leaves is what the host was told to start and stop
 *   calls     a call that fails changes no byte; clones, saved and loaded copies plan alike
 *
 * All choices come from a source: given bytes first (a fuzzer's), then a seeded generator. Why a
 * second driver beside the harnesses in fuzz/: two people who think of a fault differently look in
 * different places, so nothing here is shared with them.
 */
#ifndef FUZZ_BOOKS_H
#define FUZZ_BOOKS_H

#include <libsched/libsched.h>
#include <stddef.h>

enum {
    BOOK_NODES = 16,
    BOOK_QUEUES = 10,
    BOOK_JOBS = 40,
    BOOK_LEAVES = 2,
    BOOK_TASKS = 8, /* of a job */
    BOOK_DEVICES = 8,
    BOOK_OPEN = 64 /* open_decisions_max */
};

struct book_source {
    const uint8_t *bytes;
    size_t left;
    uint64_t state;
};

struct book_node {
    lsched_id id; /* 0: not there */
    char name[16];
    int64_t cpu_milli, memory_bytes;
    uint32_t devices, mode, state; /* LSCHED_SHARING_*, LSCHED_NODE_* */
    int64_t device_memory;
    int excess; /* an import or a shrink overfilled it */
};

struct book_queue {
    lsched_id id;
    char name[16];
    uint32_t parent; /* index, BOOK_QUEUES: a root */
    int has_children;
    int64_t limit[4], quota[4]; /* by kind; limit LSCHED_UNLIMITED */
    uint32_t jobs_max;
    int64_t reclaim_min_us, preempt_min_us;
};

struct book_leaf {
    uint32_t count, min, first; /* min: 0 for none; first: index of its first task */
    int64_t cpu_milli, memory_bytes;
    uint32_t devices, share_milli; /* whole devices, or one device in part */
    char mig[16];                  /* profile, "" for none */
};

struct book_task {
    int running;       /* the host started it and it has not ended */
    int told_to_leave; /* an eviction or a move of it stands */
    int moved;         /* the library moved it: its run time goes on from the start before */
    lsched_id eviction, node;
};

struct book_job {
    lsched_id id;
    char name[16];
    uint32_t queue, n_leaves, flags;
    int32_t priority;
    int simple; /* one task, no constraint beside its request: its reasons can be checked */
    struct book_leaf leaf[BOOK_LEAVES];
    struct book_task task[BOOK_TASKS];
};

struct book_memory {
    uint64_t calls, fail_in; /* fail_in 0: never */
};

struct book_counts {
    uint64_t calls, refused, plans, decisions, evictions, waits_checked, copies, failed_allocations;
};

struct books {
    struct book_source source;
    uint64_t seed, step;
    lsched_cluster *c;
    struct book_memory memory;
    uint32_t fail_per_mille;  /* calls of which an allocation fails */
    int64_t now_us, cycle_us; /* latest time; of the latest cycle, before which none may be */
    uint32_t next_name;
    int guaranteed; /* the policy in force evicts by guarantees */
    struct book_node node[BOOK_NODES];
    struct book_queue queue[BOOK_QUEUES];
    struct book_job job[BOOK_JOBS];
    struct book_counts counts;
    uint32_t job_hint; /* who was asked for last: tasks of a job stand together */
    const char *doing;
    const lsched_plan *plan; /* in hand, NULL: none; a finding prints it */
};

/* source */
uint32_t book_draw(struct books *b, uint32_t below);
int book_one_in(struct books *b, uint32_t n);

/* books_world.c: one random call and what follows from it for the books */
void books_open(struct books *b, uint64_t seed, const uint8_t *bytes, size_t n);
void books_step(struct books *b);
void books_close(struct books *b);
/* The hash of the image: equal if no byte has changed. */
uint64_t books_image(const struct books *b);
/* One cycle of the host: books_cycle.c. */
void books_cycle(struct books *b);
void books_settle(struct books *b, const lsched_plan *plan);
struct book_job *book_job_of(struct books *b, lsched_id id);
struct book_node *book_node_of(struct books *b, lsched_id id);

/* books_check.c: the books alone, and with them the library's verifier, which costs most. Each plan
 * has been verified by the cycle that made it, and each state is after the step, so in between the
 * books alone are checked, and lsched_verify() of a plan is asked in every eighth cycle. */
void books_check_books(struct books *b);
void books_check_state(struct books *b);
struct book_before; /* what a plan is compared with */
struct book_before *books_before_plan(struct books *b);
void books_check_plan(struct books *b, struct book_before *before, const lsched_plan *plan,
                      const lsched_schedule_opts *opts);
/* Print seed, step and text, and abort: a finding. */
void book_finding(const struct books *b, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
/* The call must not fail for want of anything but memory. */
int book_ok(struct books *b, int64_t rc, const lsched_error *err, const char *what);

#endif
